"""Which coordinates a model rotates together, held against its own rotation."""

import pytest
import torch

from attention_viz.models import load_model
from attention_viz.models.rotary import first_groups
from tests.unit.models.conftest import GPT, GROUPED, SIZES
from tests.unit.models.test_architectures import LATENT

KINDS = {
    "Llama": (GROUPED, 8, [(0, 4), (1, 5), (2, 6), (3, 7)]),
    "Cohere": (GROUPED, 8, [(0, 1), (2, 3), (4, 5), (6, 7)]),
    "GPTJ": (GPT | {"rotary_dim": 4}, 8, [(0, 1), (2, 3), (4,), (5,), (6,), (7,)]),
    "GPTNeoX": (
        SIZES | {"rotary_pct": 0.5},
        8,
        [(0, 2), (1, 3), (4,), (5,), (6,), (7,)],
    ),
    "DeepseekV3": (LATENT, 12, [*((j,) for j in range(8)), (8, 10), (9, 11)]),
    "Bert": (SIZES, 8, [(j,) for j in range(8)]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_keep_their_length_at_every_position_and_nothing_else_does(make_folder, kind):
    sizes, d_k, right = KINDS[kind]
    model = load_model(make_folder(kind, sizes))
    assert sorted(model.groups) == sorted(right)
    if kind == "Bert":
        return
    # One word over and over gives the first layer equal inputs: queries differ by rotation alone.
    query = model.run("one one one one one one").trace.query[1:-1]
    assert query.shape[1] == d_k
    for group in right:
        lengths = torch.linalg.vector_norm(query[:, list(group)], dim=-1)
        torch.testing.assert_close(lengths, lengths[:1].expand_as(lengths), atol=1e-4, rtol=1e-4)
    first, second = right[0][0] if len(right[0]) > 1 else right[-2][0], query
    assert (second[1:, first] - second[:-1, first]).abs().max() > 1e-2


def test_the_first_groups_keep_whole_pairs():
    assert first_groups(((0, 4), (1, 5), (2, 6), (3, 7)), 2) == [0, 1, 4, 5]
