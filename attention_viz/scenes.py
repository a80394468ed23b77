"""A run as the live stage takes it: its scores at every d_k that its head can have."""

import math
from collections.abc import Sequence

from attention_viz.colours import SCORE_LIMIT, Scale
from attention_viz.errors import SettingError, check_whole
from attention_viz.models import ModelRun, WeightsRun
from attention_viz.pipeline import Recipe, Run
from attention_viz.reading import RANDOM
from attention_viz.scaling import STOPS, EntropyBand, scores_at_stops, stops_with
from attention_viz.stage import Scene, View


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
    return fixed_scene(run, view, limit=limit_of(run), fixed=loaded_words(run.trace.d_k))


def view_of(run: Run, *, row: int = 0, scale: str = "fixed") -> View:
    """Where the stage starts to show a run as it is, at its own d_k and divisor.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
    """
    check_shown(run, row, scale)
    return View(run.trace.d_k, _divisor_name(run), row, scale)


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
    if math.isclose(divisor, math.sqrt(run.trace.d_k)):
        return "sqrt"
    return repr(divisor).removesuffix(".0")


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


def fixed_scene(
    run: Run, view: View, *, limit: float, fixed: str, in_address: bool = False
) -> Scene:
    """A loaded head at its own size, on its own scale of scores.

    Args:
        run: one head on one sentence.
        view: where to start.
        limit: of the shared colours of raw and scaled scores; see ``own_limit``.
        fixed: why d_k cannot be moved.
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
        fixed=fixed,
        init=view,
        limit=limit,
        in_address=in_address,
    )


def loaded_words(d_k: int) -> str:
    """Why the d_k of a loaded head does not move."""
    return f"A loaded head: its d_k is {d_k}."


def limit_of(run: Run) -> float:
    """Of the shared colours of raw and scaled scores."""
    return SCORE_LIMIT if isinstance(run.origin, Recipe) else own_limit(run)


def own_limit(run: Run) -> float:
    """The largest scaled score of a head at its own divisor."""
    own = run.facts.divisor if isinstance(run, ModelRun) else math.sqrt(run.trace.d_k)
    return run.trace.scores.abs().max().item() / own or 1.0
