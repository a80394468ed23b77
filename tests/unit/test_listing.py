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


def run_alone(listing, tmp_path):
    """What the listing computes, in a process that cannot see this package."""
    saved = tmp_path / "numbers.pt"
    names = "dict(scores=scores, scaled_scores=scaled_scores, weights=weights, context=context)"
    (tmp_path / "listing.py").write_text(f"{listing}torch.save({names}, {str(saved)!r})\n", "utf-8")
    subprocess.run(
        [sys.executable, "-W", "error", "listing.py"], cwd=tmp_path, check=True, capture_output=True
    )
    return torch.load(saved, weights_only=True)


@pytest.mark.parametrize("start", list(av.Start))
@pytest.mark.parametrize(
    ("positions", "causal", "divisor", "text"),
    [
        (False, False, "sqrt", "I am good"),
        (True, True, "2.5", "the \"quoted\" 'the' \\ 我 😀 \ud800"),
    ],
)
def test_the_listing_gives_the_numbers_of_the_page(
    start, positions, causal, divisor, text, tmp_path
):
    number = parse_divisor(divisor, d_k=7, d_model=13)
    head = av.random_head(13, 7, seed=5, start=start)
    run = av.run(
        text, head, seed=5, positions=positions, causal=causal, divisor=number,
        normalised=start == "layer_norm",
    )  # fmt: skip
    listing = torch_listing(run)
    assert "attention_viz" not in listing
    for name, values in run_alone(listing, tmp_path).items():
        torch.testing.assert_close(values, getattr(run.trace, name), rtol=1e-6, atol=1e-6)


def test_every_step_of_a_model_is_in_its_lines(randn, tmp_path):
    query, key = randn(3, 4).float(), randn(5, 4).float()
    mask = torch.tensor([[1, 0, 0, 0, 0], [1, 1, 0, 0, 1], [0, 1, 1, 0, 0]]) > 0
    steps = (SoftCap(2.0), Bias(randn(3, 5).float()), Sink(0.3))
    trace = attend(query, key, randn(5, 2).float(), mask=mask, divisor=1.5, steps=steps)
    tokens = tokenize("a b c")
    run = Run(tokens, tokenize("d e f g h"), query, trace, UNNAMED)
    found = run_alone(torch_listing(run), tmp_path)
    torch.testing.assert_close(found["weights"], trace.weights)
    torch.testing.assert_close(found["context"], trace.context)
