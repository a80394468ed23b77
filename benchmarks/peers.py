"""bertviz on the same model and text: its head view and its model view as HTML.

Its pages fetch three scripts from a network. They are painted only if those are on this machine:
npm install --prefix benchmarks (npm has no jQuery 2.0.0, which bertviz asks for; 2.1.0 stands in).
"""

from pathlib import Path
from typing import Any, Final

import torch
from playwright.sync_api import BrowserContext, Route

from attention_viz.models.places import SOURCES, folder_of

_MODULES: Final = Path(__file__).parent / "node_modules"
SCRIPTS: Final = {
    "require.min.js": _MODULES / "requirejs/require.js",
    "d3.min.js": _MODULES / "d3/dist/d3.min.js",
    "jquery.min.js": _MODULES / "jquery/dist/jquery.min.js",
}


class Bertviz:
    """A model read as bertviz's own examples read it."""

    def __init__(self, name: str) -> None:
        from transformers import AutoModel, AutoTokenizer

        folder = folder_of(name, SOURCES)
        self.tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.network = AutoModel.from_pretrained(
            folder, attn_implementation="eager", local_files_only=True
        ).eval()

    def one_head(self, text: str) -> str:
        """Its head view, given the first head of the first layer and nothing else."""
        from bertviz import head_view

        attentions, tokens = self._run(text)
        view = head_view((attentions[0][:, :1],), tokens, html_action="return")
        return str(view.data)

    def all_heads(self, text: str) -> str:
        """Its model view."""
        from bertviz import model_view

        attentions, tokens = self._run(text)
        return str(model_view(attentions, tokens, html_action="return").data)

    def forward(self, text: str) -> Any:
        """The model with all its weights kept."""
        given = self.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            return given, self.network(**given, output_attentions=True)

    def _run(self, text: str) -> tuple[Any, list[str]]:
        given, said = self.forward(text)
        return said.attentions, self.tokenizer.convert_ids_to_tokens(given["input_ids"][0])


def can_paint() -> bool:
    """Whether what its pages fetch is on this machine."""
    return all(path.is_file() for path in SCRIPTS.values())


def serve_scripts(context: BrowserContext) -> None:
    """Answer for the network: those scripts, and nothing else."""

    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        if name in SCRIPTS:
            route.fulfill(path=SCRIPTS[name])
        else:
            route.abort()

    context.route("http*://**/*", answer)
