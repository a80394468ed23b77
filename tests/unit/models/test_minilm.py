"""A real model against numbers that were measured without this project's code."""

import pytest
import torch

# Layer 0, head 0, row [CLS].
REFERENCE = {
    "I am good": (
        ("[CLS]", "i", "am", "good", "[SEP]"),
        (13.1846, -0.8916, -1.0374, 4.9631, 15.6208),
        (2.3307, -0.1576, -0.1834, 0.8774, 2.7614),
        (0.3406, 0.0283, 0.0276, 0.0796, 0.5239),
    ),
    "Wie geht es dir": (
        ("[CLS]", "wi", "##e", "ge", "##ht", "es", "dir", "[SEP]"),
        None,
        None,
        (0.3036, 0.0105, 0.0472, 0.0291, 0.1560, 0.0297, 0.0086, 0.4152),
    ),
}


@pytest.mark.parametrize("text", REFERENCE)
def test_the_reference_numbers(minilm, text):
    tokens, scores, scaled, weights = REFERENCE[text]
    run = minilm.run(text, layer=0, head=0)
    assert run.tokens.labels == tokens
    for found, right in (
        (run.trace.scores, scores),
        (run.trace.scaled_scores, scaled),
        (run.trace.weights, weights),
    ):
        if right is not None:
            torch.testing.assert_close(found[0], torch.tensor(right), atol=1e-4, rtol=0)
    assert run.facts.residual <= 1e-6
    assert run.trace.d_k == 32
    assert run.facts.extras == ()


def test_every_layer_and_head_is_broken_down(minilm):
    assert [layer.num_heads for layer in minilm.layers] == [12] * 6
    record = minilm.record("Wie geht es dir")
    assert max(call.residual for call in record.calls) <= 1e-6
