"""The live stage: heatmaps that move with the slider, drawn by a few JavaScript files."""

from attention_viz.stage.scene import MOST_TOKENS, Scene, View, pack
from attention_viz.stage.sources import HTML, css, js

__all__ = ["HTML", "MOST_TOKENS", "Scene", "View", "css", "js", "pack"]
