"""The HTML files that are held against others': one head, and all heads of a model."""

from base64 import b64encode
from typing import Final

from attention_viz import figures, scenes, stage
from attention_viz.models import Model
from attention_viz.pipeline import Run
from attention_viz.ui.gallery import heads_of

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
    """One head: the live stage, or a still figure where there are too many tokens for it."""
    if run.tokens.n > stage.MOST_TOKENS:
        return str(figures.attention_maps(run).to_html())
    data = stage.pack(scenes.scene_of(run, scenes.view_of(run)))
    return _document(run.tokens.text, stage.HTML, stage.css(), stage.js(), data)


def of_model(model: Model, text: str) -> str:
    """All heads, as the page Heads shows them."""
    data = heads_of(model, text)
    return _document(text, stage.GALLERY_HTML, stage.gallery_css(), stage.gallery_js(), data)


def _document(title: str, html: str, css: str, js: str, data: bytes) -> str:
    return _PAGE.format(title=title, html=html, css=css, js=js, data=b64encode(data).decode())
