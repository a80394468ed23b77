"""What a stranger might send in the hope that a page, a file or a program takes it for its own."""

from typing import Final

# Each must come out as the letters that it is made of: on every page, in every export.
MARKUP: Final = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "<iframe src=javascript:alert(1)></iframe>",
    "[click](javascript:alert(1))",
    "![see](https://stranger.example/x.png)",
    "https://stranger.example/",
    "www.stranger.example me@stranger.example",
    "$x$ $$\\int x$$",
    ":material/delete: :red[danger] :smile:",
    "`code` **bold** # head",
    "{query} ${alert(1)} {{7*7}} %s %(x)s",
    "&lt;b&gt; &#60;b&#62;",
    "<style>*{display:none}</style>",
    "--> ]]> ?>",
)
# The first letters of what a spreadsheet takes for a formula.
FORMULAS: Final = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1")
# What a name of a file should not be able to say.
NAMES: Final = ("../../etc/passwd", "a/b", "a\\b", "CON", "\x00", "a\nb", "\u202egnp.exe")
EVERY: Final = (*MARKUP, *FORMULAS, *NAMES)
# What would be on a page if it had taken any of them for its own: in shadow roots too.
FOUND: Final = """() => {
  const found = [];
  const leads = ({ name, value }) => {
    if (/^on/i.test(name)) return true;
    if (!["src", "href", "action", "data", "srcset"].includes(name)) return false;
    return /^\\s*(javascript|mailto):|^(https?:)?\\/\\/(www\\.)?stranger/i.test(value);
  };
  const walk = (root) => root.querySelectorAll("*").forEach((one) => {
    const injected = one.matches(
      "img[src=x], iframe, object, embed, .katex, [aria-label='delete icon']"
    );
    if (injected || [...one.attributes].some(leads)) found.push(one.outerHTML.slice(0, 200));
    if (one.shadowRoot) walk(one.shadowRoot);
  });
  walk(document);
  return found;
}"""
