"""Files of heads, valid ones of every layout and damaged and crafted ones -> read_checkpoint."""

import io
import random
import warnings
from functools import cache
from typing import Final

import safetensors.torch
import torch
from torch import Tensor, nn

import attention_viz as av
from attention_viz.checkpoints import read_checkpoint
from attention_viz.errors import CheckpointError, SettingError
from tests import hostile
from tests.fuzz import archives, tensor_headers
from tests.fuzz.cases import Kind, check_sentence
from tests.fuzz.opcodes import FIRED

State = dict[str, Tensor]
Given = tuple[bytes, str, int | None, int]
_LARGE: Final = 2**24  # numbers: 64 MB in float32
_VOCABULARY: Final = {"vocab": '["a", "b", "c"]'}
_NAMES: Final = ("a.bin", "a.safetensors", "a.PT", "", *hostile.NAMES)


@cache
def _states() -> tuple[State, ...]:
    """A state of each layout."""
    head = dict(av.random_head(7, 5, seed=1).state_dict())
    weight = head["query.weight"]
    return (
        head,
        dict(nn.MultiheadAttention(6, 2).state_dict()),
        dict(nn.MultiheadAttention(6, 3, kdim=4, vdim=5).state_dict()),
        head | {"embedding.weight": torch.arange(21.0).reshape(3, 7)},
        {f"module.{key}": value for key, value in head.items()},
        {key: value.half() for key, value in head.items()},
        head | {"key.weight": weight, "value.weight": weight[:, :]},
    )


def _pickled(state: object) -> bytes:
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


def _packed(state: State, metadata: dict[str, str] | None) -> bytes:
    return safetensors.torch.save({key: value.clone() for key, value in state.items()}, metadata)


def _other_object(rng: random.Random) -> bytes:
    """What torch.save takes and a head is not."""
    state = _states()[0]
    weight = state["query.weight"]
    odd = (
        weight.to_sparse(),
        weight.to(torch.int64),
        weight.to(torch.float8_e5m2),
        weight.to(torch.complex64),
        weight[0, 0].expand(2**20, 2**20),
        weight.expand(9, 5, 7),
        nn.Parameter(weight),
        weight.to("meta"),
        weight.mT,
        weight[::2],
        torch.full((5, 7), torch.nan),
        3,
    )
    wholes = ([], {}, None, 3, "text", weight, [weight], {"state_dict": state}, {1: weight})
    names = ("query.weight", "key.bias", "\ud800", tensor_headers.a_name(rng))
    changed = state | {rng.choice(names): rng.choice(odd)}
    return _pickled(rng.choice((changed, changed, {"state_dict": changed}, *wholes)))


def _large(rng: random.Random) -> bytes:
    """Much in one file: rows without end, numbers that are all NaN, one tensor three times."""
    shape = rng.choice(((_LARGE, 1), (1, _LARGE), (4096, 4096)))
    weight = torch.zeros(shape, dtype=torch.float8_e4m3fn)
    if rng.random() < 0.5:
        weight.view(torch.uint8).fill_(0x7F)  # NaN
    return _pickled({f"{part}.weight": weight for part in ("query", "key", "value")})


def make(rng: random.Random) -> Given:
    """The bytes of a file, its name, and which head of how many is asked for."""
    state, draw, name = rng.choice(_states()), rng.random(), "a.pt"
    if draw < 0.002:
        data = _large(rng)
    elif draw < 0.07:
        data = _other_object(rng)
    elif draw < 0.6:
        data = archives.changed(rng, _pickled(state))
    else:
        data = tensor_headers.changed(rng, _packed(state, rng.choice((None, _VOCABULARY))))
        name = "a.safetensors"
    name = rng.choice((name,) * 99 + _NAMES)
    return data, name, rng.choice((1, 2, 3, 3, 3, None, 0, -1)), rng.choice((0, 0, 0, 1, 2, -1, 9))


def check(given: Given) -> str:
    """A head of finite numbers, or one sentence; and nothing was run."""
    data, name, num_heads, head = given
    FIRED.clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch has opinions about old pickles
            found = read_checkpoint(data, name=name, num_heads=num_heads, head=head)
    except (CheckpointError, SettingError) as error:
        check_sentence(str(error))
        outcome = "refused"
    else:
        assert all(
            values.isfinite().all() for values in (*found.head.parameters(), found.embedding)
        )
        outcome = "head"
    assert not FIRED, "the file ran something"
    return outcome


CHECKPOINTS: Final = Kind("checkpoints", make, check)
