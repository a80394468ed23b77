"""What stands below the stage: one panel at a time, drawn only when it is chosen."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from attention_viz import figures
from attention_viz.elsewhere import read_contexts
from attention_viz.errors import AttentionVizError, TextError
from attention_viz.listing import torch_listing
from attention_viz.measures import contribution_norms
from attention_viz.pipeline import Run, distances
from attention_viz.reading import number, read_row
from attention_viz.ui import cache, downloads, show, still
from attention_viz.ui.state import Settings

_COORDINATES: Final = 4  # of a value that a table shows
_SPOKEN: Final = 8  # keys that a text alternative names


def choose(settings: Settings) -> None:
    """The choice of a panel, and the panel; a run costs time, so only a panel asks for it."""
    name = st.segmented_control("Look closer", list(_PANELS), key="panel", persist_state="session")
    if name is not None:
        _PANELS[name](cache.run(settings), settings)


def _context(run: Run, settings: Settings) -> None:
    row, trace, tokens, keys = settings.row, run.trace, run.tokens, run.keys
    norms = contribution_norms(trace.weights, trace.value)[row]
    heaviest, largest = int(trace.weights[row].argmax()), int(norms.argmax())
    who = "it also" if heaviest == largest else keys.names[largest]
    show.sentence(
        f"The context of {tokens.names[row]} is a mix of values: {keys.names[heaviest]} has the "
        f"largest weight, {number(trace.weights[row, heaviest].item())}, and {who} adds most: "
        f"‖weight × value‖ = {number(norms[largest].item())}."
    )
    show.chart(
        figures.contributions(run, row, palette=show.palette()),
        key="contributions",
        name=downloads.picture_name(run, f"context-row{row}"),
        alt=f"Weights of {tokens.names[row]} beside what each key adds. "
        + "; ".join(
            f"{keys.names[j]}: weight {number(trace.weights[row, j].item())}, adds "
            f"{number(norms[j].item())}"
            for j in range(min(keys.n, _SPOKEN))
        ),
    )
    few = slice(0, _COORDINATES)
    terms = trace.weights[row].unsqueeze(-1) * trace.value
    lines = [
        {
            "key": keys.names[j],
            "weight": trace.weights[row, j].item(),
            **_coordinates("value", trace.value[j, few].tolist()),
            **_coordinates("weight × value", terms[j, few].tolist()),
            "‖weight × value‖": norms[j].item(),
        }
        for j in range(keys.n)
    ]
    lines.append(
        {
            "key": "sum = context",
            "weight": trace.weights[row].sum().item(),
            **_coordinates("weight × value", trace.context[row, few].tolist()),
        }
    )
    show.table(lines, key="terms")
    if trace.value.shape[1] > _COORDINATES:
        st.caption(f"The first {_COORDINATES} of {trace.value.shape[1]} coordinates of each value.")


def _coordinates(name: str, values: list[float]) -> dict[str, float]:
    return {f"{name} [{i}]": value for i, value in enumerate(values)}


def _elsewhere(run: Run, settings: Settings) -> None:
    row = settings.row
    word, name = run.tokens.pieces[row], run.tokens.names[row]
    typed = st.text_input(
        show.label(f"Another sentence with {name}; empty, the word alone"),
        key="elsewhere",
        persist_state="session",
    )
    try:
        other = cache.run(replace(settings, text=typed.strip() or word))
        if word not in other.tokens.pieces:
            raise TextError(f"The other sentence must have {name} in it; got {typed[:40]!r}.")
    except AttentionVizError as error:
        show.problem(error)
        return
    place = other.tokens.pieces.index(word)
    inputs, contexts = distances(run, row, other, place)
    why = "the same word has the same vector" if inputs == 0 else "they hold more than the word"
    show.sentence(
        f"The two inputs of {name} lie {number(inputs)} apart: {why}. The two contexts lie "
        f"{number(contexts)} apart, and the one above has length "
        f"{number(run.trace.context[row].norm().item())}."
    )
    there = read_row(other.tokens, other.trace.weights, other.trace.mask, place, keys=other.keys)
    show.text(f"In the other sentence {there}")
    show.fact(read_contexts(run, row, other, place))


def _projections(run: Run, settings: Settings) -> None:
    n, d_model = run.inputs.shape
    n_k = run.keys.n
    st.markdown(
        f"**inputs** {n} × {d_model} → **query** {n} × {run.trace.d_k}, **key** {n_k} × "
        f"{run.trace.d_k}, **value** {n_k} × {run.trace.value.shape[1]} → **scores** {n} × {n_k} → "
        f"**weights** {n} × {n_k} → **context** {n} × {run.trace.context.shape[1]}"
    )
    show.chart(
        figures.projections(run, palette=show.palette()),
        key="projections",
        name=downloads.picture_name(run, "q-k-v"),
        alt=f"Heatmaps of query, key and value, {n} tokens by {run.trace.d_k} coordinates. "
        + "; ".join(
            f"{name} from {number(matrix.min().item())} to {number(matrix.max().item())}"
            for name, matrix in (
                ("query", run.trace.query),
                ("key", run.trace.key),
                ("value", run.trace.value),
            )
        ),
    )


def _numbers(run: Run, _settings: Settings) -> None:
    trace = run.trace
    everywhere = trace.mask.new_ones(trace.mask.shape)
    matrices = {
        "Scores": (trace.scores, everywhere),
        "Scaled scores": (trace.scaled_scores, everywhere),
        "Logits": (trace.logits, trace.mask),
        "Weights": (trace.weights, trace.mask),
    }
    name = st.segmented_control("Matrix", list(matrices), default="Weights", key="matrix")
    values, shown = (part.tolist() for part in matrices[name or "Weights"])
    lines = [
        {
            "query": query,
            **{
                f"key {key}": value if seen else None
                for key, value, seen in zip(run.keys.names, row, cells, strict=True)
            },
        }
        for query, row, cells in zip(run.tokens.names, values, shown, strict=True)
    ]
    show.table(lines, key="numbers")


def _code(run: Run, _settings: Settings) -> None:
    lines = torch_listing(run)
    st.caption("Torch alone: paste it into a file and run it for the numbers on this page.")
    # Wrapped: a keyboard could not scroll it on a phone.
    st.code(lines, language="python", wrap_lines=True)


_PANELS: Final[dict[str, Callable[[Run, Settings], None]]] = {
    "Values into context": _context,
    "The same word elsewhere": _elsewhere,
    "Q, K, V": _projections,
    "Numbers": _numbers,
    "Still picture": still.picture,
    "Torch code": _code,
    "Download": downloads.draw_run,
}
