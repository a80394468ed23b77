"""The language models of this server: which may be asked for, and the few that are kept."""

import argparse
import logging
import sys
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from threading import Lock, Semaphore, Thread
from typing import Final

import streamlit as st

from attention_viz.errors import AttentionVizError, ModelError
from attention_viz.models import SOURCES, Model, load_model
from attention_viz.ui import collector

MOST_MODELS: Final = 2
MOST_WAITING: Final = 8
AT_ONCE: Final = 2  # are read: one that takes long does not keep all others waiting
MOST_FAILURES: Final = 16  # remembered, so that a page that runs again does not try again
ALLOW: Final = f"streamlit run app.py -- --models {','.join(SOURCES)}"


@cache
def sources() -> tuple[str, ...]:
    """Where models may come from, beside installed packages: what the server was started with."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--models", nargs="*", default=[])
    chosen, _ = parser.parse_known_args(sys.argv[1:])
    named = [word for words in chosen.models for word in words.split(",") if word]
    allowed = tuple(source for source in SOURCES if source in named)
    for word in sorted(set(named) - set(SOURCES)):
        logging.getLogger(__name__).warning(
            "--models takes %s; got %r. Allowed now: %s.",
            " and ".join(SOURCES),
            word,
            ", ".join(allowed) or "installed models alone",
        )
    return allowed


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
    doing: str = "waiting for other models"
    steps: int = 0

    @property
    def error(self) -> AttentionVizError | None:
        """Why there is no model to be had; None while there may be."""
        error = self.future.exception() if self.future.done() else None
        if error is None or isinstance(error, AttentionVizError):
            return error
        return ModelError(f"{self.name} could not be read ({type(error).__name__}).")

    def begin(self, doing: str) -> None:
        """The next step."""
        self.doing = doing
        self.steps += 1

    def run(self) -> None:
        """Read the model."""
        try:
            model = load_model(self.name, sources=sources(), report=self.begin)
            collector.freeze()
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(model)


class Shelf:
    """The models that are kept for all visitors, the longest unused given up first.

    What is still being read is never given up: somebody waits for it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns = Semaphore(AT_ONCE)
        self._loads: OrderedDict[str, Load] = OrderedDict()

    def ask(self, name: str) -> Load:
        """The load of a model, begun when it is asked for first."""
        with self._lock:
            if name not in self._loads:
                self._loads[name] = self._begun(Load(name))
            self._loads.move_to_end(name)
            self._tidy()
            return self._loads[name]

    def forget(self, name: str) -> None:
        """Try a model again that could not be had."""
        with self._lock:
            if name in self._loads and self._loads[name].error is not None:
                del self._loads[name]

    def _begun(self, load: Load) -> Load:
        if sum(not other.future.done() for other in self._loads.values()) >= MOST_WAITING:
            load.future.set_exception(
                ModelError(f"{MOST_WAITING} models are being read or wait for it; try again later.")
            )
        else:
            # A thread that ends with the server, however long a model takes.
            Thread(target=self._take_turn, args=(load,), daemon=True).start()
        return load

    def _take_turn(self, load: Load) -> None:
        with self._turns:
            load.run()

    def _tidy(self) -> None:
        done = [load for load in self._loads.values() if load.future.done()]
        read = [load for load in done if load.error is None]
        failed = [load for load in done if load.error is not None]
        for load in (*read[:-MOST_MODELS], *failed[:-MOST_FAILURES]):
            del self._loads[load.name]


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    """The one of this server."""
    return Shelf()
