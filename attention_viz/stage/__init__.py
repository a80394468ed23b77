"""The live stage: heatmaps that move with the slider, drawn by a few JavaScript files."""

from attention_viz.stage.gallery import Tile, pack_gallery
from attention_viz.stage.scene import MOST_TOKENS, Scene, View, pack
from attention_viz.stage.slides import Slide, with_slides
from attention_viz.stage.sources import GALLERY_HTML, HTML, css, gallery_css, gallery_js, js

__all__ = [
    "GALLERY_HTML",
    "HTML",
    "MOST_TOKENS",
    "Scene",
    "Slide",
    "Tile",
    "View",
    "css",
    "gallery_css",
    "gallery_js",
    "js",
    "pack",
    "pack_gallery",
    "with_slides",
]
