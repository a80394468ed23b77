"""The live stage in a notebook: the very document of ``to_html`` in a frame."""

import html
from dataclasses import dataclass
from typing import Final

from attention_viz.export.page import APP, to_html
from attention_viz.export.words import printable, read_run, title_of
from attention_viz.pipeline import Run

# Pixels: with few tokens down to the folds, at the width of a notebook. The stage fits its maps to
# the height that it is given, so a frame that followed its content would never come to rest.
_HEIGHT: Final = 920


@dataclass(frozen=True, slots=True, repr=False)
class Shown:
    """A page that a notebook displays.

    Attributes:
        document: the HTML.
        words: what stands where no HTML is shown.
    """

    document: str
    words: str

    def __repr__(self) -> str:
        return self.words

    def _repr_html_(self) -> str:
        """A frame without a server; its link opens outside of it."""
        return (
            f'<iframe title="{html.escape(self.words)}" srcdoc="{html.escape(self.document)}" '
            'sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'
        )


def show(run: Run, *, row: int = 0, scale: str = "fixed", link: str = APP) -> Shown:
    """The live stage in Jupyter or VS Code: self-contained, without a server.

    The last line of a cell displays it; ``display(show(run))`` does anywhere else.

    Args:
        run: one sentence through one head.
        row: the query that is picked at the start, from 0.
        scale: of the colours of scores at the start; see ``to_html``.
        link: the address of the app that a link in it opens.

    Raises:
        SettingError: the run has no such row, there is no such scale, or the link is no address.

    >>> from attention_viz.heads import random_head
    >>> from attention_viz.pipeline import run
    >>> show(run("I am good", random_head(256, 64)))
    I am good: Random head, seed 0, d_model 256, d_k 64, divisor √d_k = 8, no mask.
    """
    document = to_html(run, row=row, scale=scale, link=link)
    return Shown(document, printable(f"{title_of(run)}: {read_run(run)}"))
