"""Contrast of every colour with what it lies on: WCAG 2.2, criteria 1.4.3 (text) and 1.4.11.

Colours are read from where they stand. One that no table here names fails a test. Streamlit's own
text is measured in the browser, by axe-core.
"""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from attention_viz.colours import DARK, LIGHT, WEIGHTS, WHITE, Palette, contrast

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "attention_viz"
THEMES = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]
PALETTES = {"light": LIGHT, "dark": DARK}
SCHEMES = list(PALETTES)
TEXT, SHAPE = 4.5, 3.0  # least contrast of letters, and of controls, marks, lines and focus

# What the style sheets name, and on which grounds it is seen how.
NAMED = {
    "--ink": {"--paper": TEXT, "--soft": TEXT},
    "--quiet": {"--paper": TEXT},
    "--accent": {"--paper": TEXT, "--soft": SHAPE},
    "--contrast": {"--paper": TEXT},
    # The frame of a row, with a line of white inside it: on cells of any shade.
    "--mark": {"--paper": SHAPE, "white": SHAPE},
    "--line": {"--paper": SHAPE, "--soft": SHAPE},
    "--groove": {"--paper": SHAPE},
    "--link": {"--paper": TEXT},
}
PALETTE = {"ink": TEXT, "quiet": TEXT, "mark": TEXT, "bar": SHAPE, "series": SHAPE}
# Written out where they are used: text, lines and grounds of a page, and what they lie beside.
WRITTEN = {
    "export/page.css": {"#1c1b22": ("#ffffff", TEXT)},
    "stage/stage.css": {"#000": ("#fff", SHAPE)},  # the cursor
    "stage/parts/colour.js": {"#000": ("#fff", TEXT)},  # numbers on cells: tests of colours
    "ui/presenter.py": {"#fff": ("#1c1b22", TEXT)},
    "ui/show.py": {"#fff": ("#6d28d9", TEXT), "#14131a": ("#a78bfa", TEXT)},
    "worksheet.py": {
        "#000": ("#fff", TEXT),
        "#767676": ("#fff", SHAPE),
        "#6d28d9": ("#fff", SHAPE),
    },
}
# A share of a colour over paper: the colour, and what the mixture must contrast with, how much.
SHARES = {
    ("ui/steps/mechanism.css", "opacity: 0.72"): ("--ink", 0.72, "--paper", TEXT),
    ("ui/steps/mechanism.css", "var(--st-primary-color) 22%"): ("--accent", 0.22, "--ink", TEXT),
    ("ui/show.py", "opacity:.92"): ("--ink", 0.92, "--paper", TEXT),
    ("figures/peaks.py", '"opacity": 0.85'): ("series", 0.85, "--paper", SHAPE),
    # Marks lie on the bar, whose edge has the whole colour; the same for a band.
    ("figures/ranges.py", "palette.bar}40"): ("bar", 0x40 / 255, "mark", SHAPE),
}
FREE = {
    ("stage/stage.css", "opacity: 0.55"),  # a control that is off
    ("stage/stage.css", "opacity: 0.2"),  # the inside of a band with an edge
    ("stage/stage.css", "var(--ink) 48%"),  # --groove
    ("stage/theme.css", "var(--ink) 78%"),  # --quiet
    ("figures/lines.py", "palette.quiet}33"),  # the grid: values stand at the axis
    ("figures/style.py", "rgba(0,0,0,0)"),  # no ground of their own for Plotly's buttons
}

HEX = re.compile(r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b")
SHARE = re.compile(
    r"\"?opacity\"?: ?0?\.\d+|var\(--[a-z-]+\) \d+%|palette\.\w+\}\w\w|rgba?\([\d., ]+\)"
)
DECLARED = re.compile(r"(--[a-z-]+): ([^;]+);")


def source(name):
    return (PACKAGE / name).read_text()


def sources():
    """Each file that may hold a colour, but the palettes, and its text without what has a name."""
    for path in sorted(PACKAGE.rglob("*")):
        name = path.relative_to(PACKAGE).as_posix()
        if path.suffix in {".css", ".js", ".py"} and name != "colours.py":
            yield name, path.read_text()


def rgb(colour):
    digits = colour.removeprefix("#")
    return tuple(bytes.fromhex("".join(c * 2 for c in digits) if len(digits) == 3 else digits))


def mix(top, share, below):
    return tuple(round(share * a + (1 - share) * b) for a, b in zip(top, below, strict=True))


def variables(scheme):
    """What Streamlit gives the style sheets."""
    theme = THEMES[scheme]
    return {
        "--st-text-color": theme["textColor"],
        "--st-background-color": theme["backgroundColor"],
        "--st-secondary-background-color": theme["secondaryBackgroundColor"],
        "--st-primary-color": theme["primaryColor"],
        "--st-border-color": theme["borderColor"],
        "--link": theme["linkColor"],
    }


def seen(scheme):
    """Every named colour of a scheme, and white."""
    named = {"white": WHITE} | {name: rgb(value) for name, value in variables(scheme).items()}
    sheets = source("stage/theme.css") + source("stage/stage.css")
    for name, value in DECLARED.findall(sheets):
        if is_colour(value):
            named[name] = resolve(value, named, scheme)
    return named


def is_colour(value):
    return "#" in value or "color" in value


def resolve(value, named, scheme):
    """The colour of a CSS value: a hexadecimal, a variable, or light-dark and color-mix of such."""
    if choice := re.fullmatch(r"light-dark\((.+), (.+)\)", value):
        value = choice[1 + SCHEMES.index(scheme)]
    if mixed := re.fullmatch(r"color-mix\(in srgb, var\((.+)\) (\d+)%, var\((.+)\)\)", value):
        return mix(named[mixed[1]], int(mixed[2]) / 100, named[mixed[3]])
    if variable := re.match(r"var\((--[a-z-]+)", value):
        return named[variable[1]]
    return rgb(value)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_named_colours(scheme):
    named = seen(scheme)
    grounds = {"--paper", "--soft", "white"}
    assert {name for name in named if not name.startswith("--st-")} == NAMED.keys() | grounds
    for name, partners in NAMED.items():
        for ground, least in partners.items():
            assert contrast(named[name], named[ground]) >= least, (name, ground)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_palettes(scheme):
    palette = PALETTES[scheme]
    assert {field.name for field in fields(Palette)} == PALETTE.keys() | {"paper"}
    assert palette.paper == THEMES[scheme]["backgroundColor"]
    for name, least in PALETTE.items():
        for colour in colours(palette, name):
            assert contrast(rgb(colour), rgb(palette.paper)) >= least, name
    assert contrast(rgb(palette.mark), WEIGHTS[0]) >= SHAPE, "the frame of a row, on cells"


def colours(palette, name):
    value = getattr(palette, name)
    return [value] if isinstance(value, str) else value


def test_colours_that_are_written_out():
    found = {}
    for name, text in sources():
        if literals := set(HEX.findall(DECLARED.sub("", text))):
            found[name] = literals
    assert found.keys() == WRITTEN.keys()
    for name, judged in WRITTEN.items():
        assert found[name] <= judged.keys() | {ground for ground, _ in judged.values()}, name
        for colour, (ground, least) in judged.items():
            assert contrast(rgb(colour), rgb(ground)) >= least, (name, colour)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_shares_of_colours(scheme):
    found = {(name, share) for name, text in sources() for share in SHARE.findall(text)}
    assert found == SHARES.keys() | FREE
    named, palette = seen(scheme), PALETTES[scheme]
    for place, (top, share, partner, least) in SHARES.items():
        tops = [named[top]] if top in named else [rgb(one) for one in colours(palette, top)]
        other = named[partner] if partner in named else rgb(getattr(palette, partner))
        for one in tops:
            assert contrast(mix(one, share, named["--paper"]), other) >= least, place


def test_copies_of_the_theme_are_equal():
    page, light = source("export/page.css"), variables("light")
    screen, _, dark = page.partition("prefers-color-scheme: dark")
    assert declared(screen) == light
    assert declared(dark[: dark.index("body")]) == variables("dark")
    theme = source("stage/theme.css")
    assert dict(re.findall(r"var\((--st-[a-z-]+), (#\w+)\)", theme)).items() <= light.items()
    own = declared(source("stage/presenter.css"))
    named = seen("light")
    assert {name: rgb(value) for name, value in own.items()} == {name: named[name] for name in own}


def declared(sheet):
    return {name: value for name, value in DECLARED.findall(sheet) if value.startswith("#")}


def test_sliders_look_alike_in_every_browser():
    for name in ("stage/stage.css", "stage/presenter.css", "ui/softmax/scores.css"):
        sheet = source(name)
        chrome = re.findall(r"(.*)::-webkit-slider-(?:runnable-)?(\w+)", sheet)
        assert chrome == re.findall(r"(.*)::-moz-range-(\w+)", sheet)
