"""The HTML files that are held against others': one head, and all heads of a model."""

from base64 import b64encode
from typing import Final

from attention_viz import stage
from attention_viz.export.page import to_html
from attention_viz.models import Model
from attention_viz.pipeline import Run
from attention_viz.ui.gallery import model_tiles

_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>{css}</style>
{html}
<script type="text/plain">{data}</script>
<script type="module">{js}
const text = document.querySelector("script[type='text/plain']").textContent;
const data = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
mount({{ data, parentElement: document.body }});
</script>
"""


def of_run(run: Run) -> str:
    """One head: the exported page."""
    return to_html(run)


def of_model(model: Model, text: str) -> str:
    """All heads, as the page Heads shows them."""
    data = stage.pack_gallery(model_tiles(model, text), sortable=True)
    return _PAGE.format(
        title=text,
        html=stage.GALLERY_HTML,
        css=stage.gallery_css(),
        js=stage.gallery_js(),
        data=b64encode(data).decode(),
    )
