"""A run as the live stage takes it: its scores at every d_k that its head can have."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from attention_viz.colours import SCORE_LIMIT, Scale
from attention_viz.errors import SettingError, check_whole
from attention_viz.models import ModelRun, WeightsRun
from attention_viz.origins import UNNAMED, Loaded
from attention_viz.pipeline import Recipe, Run
from attention_viz.reading import RANDOM
from attention_viz.rows import write_number
from attention_viz.scaling import STOPS, EntropyBand, scores_at_stops, stops_with
from attention_viz.stage import Scene, View
from attention_viz.tokens import Tokens


def scene_of(run: Run, view: View) -> Scene:
    """A run with its sliders, for a page without a server.

    Args:
        run: of a random head, which is drawn again at every stop, or of a loaded one, whose d_k
            stays what it is.
        view: where to start, at the d_k of the run.
    """
    if isinstance(run.origin, Recipe):
        stops = stops_for(run.origin, view.d_k)
        return nested_scene(run.origin.run(stops[-1]), view, stops)
    return fixed_scene(run, view)


def view_of(run: Run, *, row: int = 0, scale: str = "fixed") -> View:
    """Where the stage starts to show a run as it is: an ablation at the d_k of the whole head.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
    """
    check_shown(run, row, scale)
    return View(own_d_k(run), _divisor_name(run), row, scale)


def check_shown(run: Run | WeightsRun, row: int, scale: str) -> None:
    """Refuse a way of showing a run that there is not.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
    """
    check_whole("row", row, 0, run.tokens.n - 1)
    if scale not in set(Scale):
        raise SettingError(f"scale must be one of {', '.join(Scale)}; got {scale!r:.40}.")


def _divisor_name(run: Run) -> str:
    divisor = run.trace.divisor
    if isinstance(run, ModelRun) and math.isclose(divisor, run.facts.divisor):
        return "own"
    if math.isclose(divisor, math.sqrt(own_d_k(run))):
        return "sqrt"
    return write_number(divisor)


def stops_for(recipe: Recipe, d_k: int) -> tuple[int, ...]:
    """The usual stops that the head can have, this d_k among them."""
    return stops_with(d_k, limit=min(recipe.largest, max(d_k, STOPS[-1])))


def nested_scene(
    whole: Run,
    view: View,
    stops: Sequence[int],
    *,
    band: EntropyBand | None = None,
    in_address: bool = False,
) -> Scene:
    """A random head, given at the last stop: its first coordinates are the heads before it."""
    return Scene(
        stops=tuple(stops),
        scores=scores_at_stops(whole.trace.query, whole.trace.key, stops),
        queries=whole.tokens,
        keys=whole.keys,
        mask=whole.trace.mask,
        d_model=whole.inputs.shape[1],
        prefix=RANDOM,
        init=view,
        band=band,
        in_address=in_address,
    )


def fixed_scene(run: Run, view: View, *, in_address: bool = False) -> Scene:
    """A loaded head at its own size, on its own scale of scores.

    Args:
        run: one head on one sentence.
        view: where to start.
        in_address: whether the address of the page follows the stage.
    """
    return Scene(
        stops=(view.d_k,),
        scores=run.trace.scores.unsqueeze(0),
        queries=run.tokens,
        keys=run.keys,
        mask=run.trace.mask,
        d_model=run.inputs.shape[1],
        own=run.facts.divisor if isinstance(run, ModelRun) else 0.0,
        steps=run.trace.steps,
        fixed=fixed_words(run),
        init=view,
        limit=own_limit(run),
        in_address=in_address,
    )


def hand_scene(
    tokens: Tokens, scores: Tensor, *, invented: bool = False, revision: int = 0
) -> Scene:
    """Scores by hand, to be typed and dragged.

    Args:
        tokens: the n queries, and the keys.
        scores: (n, n).
        invented: whether they are the textbook's, and stay so only while nobody changes them.
        revision: another number makes the stage take the scores anew.
    """
    return Scene(
        stops=(1,),
        scores=scores.unsqueeze(0),
        queries=tokens,
        keys=tokens,
        mask=torch.ones_like(scores, dtype=torch.bool),
        d_model=1,
        fixed="Scores by hand have no query and no key, and so no d_k.",
        prefix="Invented, as textbooks do: " if invented else "By hand: ",
        init=View(d_k=1, divisor="1"),
        editable=True,
        revision=revision,
    )


def own_d_k(run: Run) -> int:
    """The d_k of the head itself, of which an ablation keeps a part."""
    return _whole(run).whole or run.trace.d_k


def fixed_words(run: Run) -> str:
    """Why the d_k of a loaded head does not move."""
    if _whole(run).whole:
        kept = f"{run.trace.d_k} of the {own_d_k(run)} dimensions"
        return f"An ablation: {kept} of a loaded head."
    return f"A loaded head: its d_k is {run.trace.d_k}."


def limit_of(run: Run) -> float:
    """Of the shared colours of raw and scaled scores."""
    return SCORE_LIMIT if isinstance(run.origin, Recipe) else own_limit(run)


def own_limit(run: Run) -> float:
    """The largest scaled score of a head at its own divisor, all its dimensions counted."""
    own = run.facts.divisor if isinstance(run, ModelRun) else math.sqrt(own_d_k(run))
    largest = _whole(run).largest or run.trace.scores.abs().max().item()
    return largest / own or 1.0


def _whole(run: Run) -> Loaded:
    """What is known of the head that a part is kept of; nothing where all of it is kept."""
    return run.origin if isinstance(run.origin, Loaded) else UNNAMED
