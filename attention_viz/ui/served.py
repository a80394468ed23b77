"""The language models of this server: which may be asked for, and the few that are kept."""

import argparse
import logging
import sys
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Final

import streamlit as st

from attention_viz.errors import AttentionVizError, ModelError
from attention_viz.models import SOURCES, Model, load_model
from attention_viz.ui import collector

MOST_MODELS: Final = 2
MOST_FAILURES: Final = 16  # remembered, so that a page that runs again does not try again
ALLOW: Final = f"streamlit run app.py -- --models {','.join(SOURCES)}"


@cache
def sources() -> tuple[str, ...]:
    """Where models may come from, beside installed packages: what the server was started with."""
    parser = argparse.ArgumentParser(exit_on_error=False, add_help=False)
    parser.add_argument("--models", default="")
    chosen, _ = parser.parse_known_args(sys.argv[1:])
    named = [word for word in chosen.models.split(",") if word]
    for word in set(named) - set(SOURCES):
        logging.getLogger(__name__).warning(
            "--models takes %s; %r is neither.", " and ".join(SOURCES), word
        )
    return tuple(source for source in SOURCES if source in named)


@dataclass(slots=True, eq=False)
class Load:
    """A model that is being read, or was.

    Attributes:
        name: of the model.
        future: the model, or why there is none.
        doing: what is being done now.
        steps: how many steps were begun.
    """

    name: str
    future: "Future[Model]" = field(default_factory=Future)
    doing: str = "waiting for another model"
    steps: int = 0

    @property
    def error(self) -> AttentionVizError | None:
        """Why there is no model to be had; None while there may be."""
        if not self.future.done():
            return None
        if self.future.cancelled():
            return ModelError(f"Others asked for other models before {self.name} was read.")
        error = self.future.exception()
        if error is None or isinstance(error, AttentionVizError):
            return error
        return ModelError(f"{self.name} could not be read ({type(error).__name__}).")

    def begin(self, doing: str) -> None:
        """The next step."""
        self.doing = doing
        self.steps += 1

    def run(self) -> Model:
        """Read the model; in a thread, so that no page waits."""
        model = load_model(self.name, sources=sources(), report=self.begin)
        collector.freeze()
        return model


class Shelf:
    """The models that are kept for all visitors, the longest unused given up first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="models")
        self._kept: OrderedDict[str, Load] = OrderedDict()
        self._failed: OrderedDict[str, Load] = OrderedDict()

    def ask(self, name: str) -> Load:
        """The load of a model, begun when it is asked for first."""
        with self._lock:
            known = self._kept.get(name) or self._failed.get(name)
            if known is None:
                known = Load(name)
                known.future = self._threads.submit(known.run)
                self._kept[name] = known
            elif known.error is not None and name in self._kept:
                self._failed[name] = self._kept.pop(name)
            for loads, most in ((self._kept, MOST_MODELS), (self._failed, MOST_FAILURES)):
                if name in loads:
                    loads.move_to_end(name)
                while len(loads) > most:
                    loads.popitem(last=False)[1].future.cancel()
            return known

    def forget(self, name: str) -> None:
        """Try a model again that could not be had."""
        with self._lock:
            self._failed.pop(name, None)


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """The one of this server."""
    return Shelf()
