"""The torch lines of a page, run on their own."""

import subprocess
import sys

import pytest
import torch

import attention_viz as av
from attention_viz.attention import Bias, Sink, SoftCap, attend
from attention_viz.listing import torch_listing
from attention_viz.origins import UNNAMED
from attention_viz.pipeline import Run, parse_divisor
from attention_viz.tokens import tokenize

IN_TURN = "import runpy, sys; [runpy.run_path(path) for path in sys.argv[1:]]"


def run_alone(listings, tmp_path):
    """What each listing computes, in a process that cannot see this package."""
    names = "dict(scores=scores, scaled_scores=scaled_scores, weights=weights, context=context)"
    for place, listing in enumerate(listings):
        text = f"{listing}torch.save({names}, '{place}.pt')\n"
        (tmp_path / f"{place}.py").write_text(text, "utf-8")
    paths = [f"{place}.py" for place in range(len(listings))]
    command = [sys.executable, "-W", "error", "-c", IN_TURN, *paths]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return [torch.load((tmp_path / path).with_suffix(".pt"), weights_only=True) for path in paths]


@pytest.mark.parametrize(
    ("positions", "causal", "divisor", "text"),
    [
        (False, False, "sqrt", "I am good"),
        (True, True, "2.5", "the \"quoted\" 'the' \\ 我 😀 \ud800"),
    ],
)
def test_the_listing_gives_the_numbers_of_the_page(positions, causal, divisor, text, tmp_path):
    number = parse_divisor(divisor, d_k=7, d_model=13)
    runs = [
        av.run(
            text, av.random_head(13, 7, seed=5, start=start), seed=5, positions=positions,
            causal=causal, divisor=number, normalised=start == "layer_norm",
        )
        for start in av.Start
    ]  # fmt: skip
    listings = [torch_listing(run) for run in runs]
    assert not [listing for listing in listings if "attention_viz" in listing]
    for run, found in zip(runs, run_alone(listings, tmp_path), strict=True):
        for name, values in found.items():
            torch.testing.assert_close(values, getattr(run.trace, name), rtol=1e-6, atol=1e-6)


def test_every_step_of_a_model_is_in_its_lines(randn, tmp_path):
    query, key = randn(3, 4).float(), randn(5, 4).float()
    mask = torch.tensor([[1, 0, 0, 0, 0], [1, 1, 0, 0, 1], [0, 1, 1, 0, 0]]) > 0
    steps = (SoftCap(2.0), Bias(randn(3, 5).float()), Sink(0.3))
    trace = attend(query, key, randn(5, 2).float(), mask=mask, divisor=1.5, steps=steps)
    tokens = tokenize("a b c")
    run = Run(tokens, tokenize("d e f g h"), query, trace, UNNAMED)
    (found,) = run_alone([torch_listing(run)], tmp_path)
    torch.testing.assert_close(found["weights"], trace.weights)
    torch.testing.assert_close(found["context"], trace.context)
