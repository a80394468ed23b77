"""Files of one's own: round trips, and one sentence for whatever else a file may be."""

# ruff: noqa: E501 - the table of broken files reads better a line each
import argparse
import json
import math
import os
import random
import struct
import warnings
import zipfile
from io import BytesIO

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import attention_viz as av
from attention_viz import tensorfiles
from attention_viz.checkpoints import read_checkpoint
from attention_viz.errors import AttentionVizError, CheckpointError, SettingError, ShapeError
from attention_viz.pipeline import run_checkpoint

SIZES = st.integers(1, 13)


def pickled(state):
    buffer = BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()


def packed(state, metadata=None):
    return safetensors.torch.save({k: v.contiguous() for k, v in state.items()}, metadata)


def attention(embed, heads, seed=0, **how):
    layer = nn.MultiheadAttention(embed, heads, batch_first=True, **how)
    rng = torch.Generator().manual_seed(seed)
    for parameter in layer.parameters():
        parameter.data.normal_(std=0.3, generator=rng)
    return layer.eval()


@given(SIZES, SIZES, st.booleans(), st.sampled_from(["", "module.", "model.layers.0.attn."]))
def test_a_head_comes_back_both_ways(d_model, d_k, bias, prefix):
    head = av.AttentionHead(d_model, d_k, bias=bias)
    state = {prefix + key: value for key, value in head.state_dict().items()}
    x = torch.randn(3, d_model, generator=torch.Generator().manual_seed(1))
    for data, name in ((pickled(state), "h.pt"), (packed(state), "h.safetensors")):
        found = read_checkpoint(data, name=name)
        for mine, theirs in zip(found.head(x), head(x), strict=True):
            torch.testing.assert_close(mine, theirs.detach())
        assert found.found == "an AttentionHead"
        assert found.dtype == "float32"


@given(st.integers(1, 5), st.integers(1, 7), st.booleans(), st.data())
def test_each_head_of_multihead_attention_gives_torch_s_own_weights(heads, d_k, bias, data):
    layer = attention(heads * d_k, heads, bias=bias)
    index = data.draw(st.integers(0, heads - 1))
    x = torch.randn(3, heads * d_k, generator=torch.Generator().manual_seed(2))
    _, expected = layer(x[None], x[None], x[None], average_attn_weights=False)
    for file, name in (
        (pickled(layer.state_dict()), "m.pt"),
        (packed(layer.state_dict()), "m.safetensors"),
    ):
        head = read_checkpoint(file, name=name, num_heads=heads, head=index).head
        torch.testing.assert_close(head(x)[1], expected[0, index].detach(), rtol=0, atol=1e-6)


def test_l07_the_divisor_is_of_one_head_not_of_the_layer():
    layer = attention(4, 2)
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(3))
    expected = layer(x[None], x[None], x[None], average_attn_weights=False)[1][0, 1]
    head = read_checkpoint(pickled(layer.state_dict()), name="a.pt", num_heads=2, head=1).head
    query, key, value = head.query(x), head.key(x), head.value(x)
    torch.testing.assert_close(av.attend(query, key, value).weights, expected.detach())
    wrong = av.attend(query, key, value, divisor=2.0).weights
    assert (wrong - expected).abs().max() > 0.01


def test_l08_separate_weights_of_other_widths():
    layer = attention(4, 2, kdim=3, vdim=5)
    found = read_checkpoint(pickled(layer.state_dict()), name="a.pt", num_heads=2, head=1)
    rng = torch.Generator().manual_seed(4)
    query, key, value = (torch.randn(6, width, generator=rng) for width in (4, 3, 5))
    _, expected = layer(query[None], key[None], value[None], average_attn_weights=False)
    head = found.head
    trace = av.attend(head.query(query), head.key(key), head.value(value))
    torch.testing.assert_close(trace.weights, expected[0, 1].detach())
    with pytest.raises(
        ShapeError, match=r"head\.key takes inputs of width 3; the inputs have width 4"
    ):
        run_checkpoint("a b", found)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_l23_every_float_type_is_computed_in_float32(dtype):
    head = av.random_head(5, 3, seed=1)
    state = {key: value.to(dtype) for key, value in head.state_dict().items()}
    found = read_checkpoint(pickled(state), name="h.pt")
    assert found.dtype == str(dtype)[6:]
    torch.testing.assert_close(found.head.query.weight.data, state["query.weight"].float())


def test_l24_parameters_that_want_gradients():
    state = {k: nn.Parameter(v) for k, v in av.random_head(5, 3).state_dict().items()}
    head = read_checkpoint(pickled(state), name="h.pt").head
    assert not any(parameter.requires_grad for parameter in head.parameters())


def test_a_nested_state_dict_and_a_path(tmp_path):
    head = av.random_head(5, 3, seed=1)
    path = tmp_path / "h.pt"
    path.write_bytes(pickled({"state_dict": head.state_dict(), "epoch": 3}))
    x = torch.randn(2, 5, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(av.load_head(path)(x), head(x))


def with_words(words, rows=2, width=5):
    state = {**av.random_head(5, 3).state_dict(), "embedding.weight": torch.eye(rows, width)}
    return packed(state, {"vocab": json.dumps(words)})


def test_a_file_brings_its_own_words():
    found = read_checkpoint(with_words(["cat", "dog"]), name="h.safetensors")
    run = run_checkpoint("Dog cat dog", found)
    assert run.inputs.argmax(dim=1).tolist() == [1, 0, 1]
    with pytest.raises(av.TextError, match="no vector for 'cow'; it knows 2 words"):
        run_checkpoint("cat cow", found)
    unfit = read_checkpoint(with_words(["cat", "dog"], width=7), name="h.safetensors")
    with pytest.raises(ShapeError, match="width 5; the inputs have width 7"):
        run_checkpoint("cat", unfit)


class Runs:
    """A pickle that would run a command."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


def a_state(**changes):
    return {**av.random_head(5, 3).state_dict(), **changes}


def compressed():
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"0" * 10_000_000)
    return buffer.getvalue()


def archived(program, *more):
    """A file as torch.save lays it out, around a pickle of one's own; with more parts after it."""
    buffer = BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")  # of a name twice
        archive.writestr("archive/data.pkl", program)
        archive.writestr("archive/version", "3")
        for name, content in more:
            archive.writestr(name, content)
    return buffer.getvalue()


def hidden(name):
    """A pickle that asks for memory, before the parts of a file that is right, whose pickle is last."""
    with zipfile.ZipFile(BytesIO(pickled(a_state()))) as archive:
        parts = [(name, archive.read("archive/data.pkl"))]
        parts += [(part, archive.read(part)) for part in archive.namelist() if "/data/" in part]
    return archived(b"\x80\x02cbuiltins\nbytearray\nJ\x00\x00\x00\x10\x85R.", *parts)


def of_type(dtype, size, shapes):
    """safetensors of zeros, or of NaN for float8, under the names of a head."""
    entries, end = {}, 0
    for key, shape in shapes.items():
        start, end = end, end + size * math.prod(shape)
        entries[key] = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
    return st_header(entries) + (b"\x7f" if size == 1 else b"\0") * end


def st_header(header):
    data = json.dumps(header).encode()
    return struct.pack("<Q", len(data)) + data


HEAD = packed(a_state())
BROKEN = {
    "l09 a config object": ("a.pt", lambda: pickled({"state_dict": a_state(), "args": argparse.Namespace(lr=1)}), "holds argparse.Namespace, and only tensors are read"),
    "a pickled module": ("a.pt", lambda: pickled(nn.Linear(2, 2)), "holds torch.nn.modules.linear.Linear"),
    "l21 a pickle named safetensors": ("a.safetensors", lambda: pickled(a_state()), "is a PyTorch pickle, not safetensors; name it .pt"),
    "safetensors named pt": ("a.pt", lambda: HEAD, "is safetensors, not a PyTorch file"),
    "l22 cut short": ("a.safetensors", lambda: HEAD[:-4], "is no whole safetensors file"),
    "l22 bytes too many": ("a.safetensors", lambda: HEAD + b"xx", "is no whole safetensors file"),
    "l22 empty": ("a.safetensors", lambda: b"", "is empty; expected a checkpoint"),
    "a pt cut short": ("a.pt", lambda: pickled(a_state())[:-200], "damaged or cut short"),
    "l24 text named pt": ("x.pt", lambda: b"hello", "x.pt is not a checkpoint"),
    "text named safetensors": ("x.safetensors", lambda: b"hello", "is no whole safetensors file"),
    "another ending": ("x.txt", lambda: b"hello", "must end in .safetensors, .pt, .pth, .bin; got '.txt'"),
    "no ending": ("x", lambda: b"hello", "got 'no ending'"),
    "int8": ("a.pt", lambda: pickled(a_state(**{"query.weight": torch.ones(3, 5, dtype=torch.int8)})), "query.weight of a.pt must be of a float type; got int8"),
    "nan": ("a.pt", lambda: pickled(a_state(**{"key.weight": torch.full((3, 5), torch.nan)})), r"key.weight of a.pt must be finite; got nan at \[0, 0\]"),
    "infinity": ("a.pt", lambda: pickled(a_state(**{"value.bias": torch.tensor([0.0, 1.0, torch.inf])})), r"value.bias of a.pt must be finite; got inf at \[2\]"),
    "transposed": ("a.pt", lambda: pickled(a_state(**{"query.weight": torch.ones(5, 3)})), "as query.weight has rows, 5; got 3. The weight looks transposed"),
    "transposed packed": ("a.pt", lambda: pickled({"in_proj_weight": torch.ones(4, 12)}), "3 times as many rows as columns; got 4 × 12. It looks transposed"),
    "missing": ("a.pt", lambda: pickled({k: v for k, v in a_state().items() if not k.startswith("value")}), "lacks value.weight; expected query.weight, key.weight, value.weight"),
    "extra": ("a.pt", lambda: pickled(a_state(lm_head=torch.ones(2, 2))), r"1 tensors more than one head \(lm_head\)"),
    "two layers": ("a.pt", lambda: pickled({f"{i}.{k}": v for i in (0, 1) for k, v in a_state().items()}), "holds 2 attention layers"),
    "no layer": ("a.pt", lambda: pickled({"weight": torch.ones(2, 2)}), "must hold query.weight, key.weight and value.weight, or in_proj_weight; got weight"),
    "deep": ("a.pt", lambda: archived(b"\x80\x02}" + b")" + b"\x85" * 150_000 + b"K\x01s."), "holds things within things, too deep"),
    "doubled": ("a.pt", lambda: archived(b"\x80\x02})" + b"q\x00h\x00\x86" * 45 + b"K\x01s."), "holds things within things, too deep"),
    "a key that is no word": ("a.pt", lambda: archived(b"\x80\x02})K\x01s."), "holds names that are no words"),
    "a call for gigabytes": ("a.pt", lambda: archived(b"\x80\x02c__builtin__\nbytearray\nJ\xff\xff\xff\x7f\x85R."), "holds __builtin__.bytearray"),
    "a built dict": ("a.pt", lambda: archived(b"\x80\x02ccollections\nOrderedDict\n]\x85R."), "holds an OrderedDict that is built of something"),
    "a header without tensors": ("a.safetensors", lambda: st_header({"a": {"dtype": "F32", "shape": [0, 2**63], "data_offsets": [0, 0]}}), "is no whole safetensors file"),
    "a header of names": ("a.safetensors", lambda: st_header({"__metadata__": {"x": "y" * 2**21}}), "must have at most 1,048,576 bytes of names"),
    "a surrogate": ("a.pt", lambda: pickled({"\ud800query.weight": torch.ones(1)}), "printable letters"),
    "a long name": ("a.pt", lambda: pickled({"x" * 300: torch.ones(1)}), "at most 200 printable letters"),
    "sparse": ("a.pt", lambda: pickled(a_state(**{"query.weight": torch.eye(3, 5).to_sparse()})), "only tensors are read"),
    "no state": ("a.pt", lambda: pickled([1, 2]), "must hold a state_dict, names to tensors; got list"),
    "not tensors": ("a.pt", lambda: pickled({"query.weight": 3}), "got int under 'query.weight'"),
    "other d_k": ("a.pt", lambda: pickled({f"{p}.weight": torch.ones(n, 5) for p, n in (("query", 3), ("key", 2), ("value", 3))}), "equally many rows, d_k; got 3 and 2"),
    "three axes": ("a.pt", lambda: pickled(a_state(**{"query.weight": torch.ones(3, 5, 1)})), r"must have 2 axes .* got shape \(3, 5, 1\)"),
    "s03 1.5 kB that claim 160 GB": ("a.pt", lambda: pickled(a_state(**{"query.weight": torch.zeros(1).expand(200_000, 200_000)})), "query.weight of a.pt claims 160,000,000,000 bytes; 4 are in the file"),
    "a bomb": ("a.pt", compressed, "is compressed, as torch.save never does"),
    "two pickles under one name": ("a.pt", lambda: hidden("archive/data.pkl"), "is no state_dict that torch.save wrote"),
    "a pickle in capitals": ("a.pt", lambda: hidden("archive/DATA.PKL"), "is no state_dict that torch.save wrote"),
    "many parts": ("a.pt", lambda: archived(b"\x80\x02}.", *((f"archive/data/{i}", b"") for i in range(5000))), "holds more parts than a state_dict has"),
    "a long pickle": ("a.pt", lambda: archived(b"\x80\x02" + b")" * 300_000 + b"."), "holds more names than a state_dict has"),
    "a module that is no word": ("a.pt", lambda: archived(b"\x80\x02c\x07os\nsystem\n."), r"holds U\+0007os.system, and only tensors are read"),
    "many axes": ("a.pt", lambda: pickled(a_state(**{"query.weight": torch.ones([1] * 60)})), r"must have 2 axes .* got shape \(1, 1, .*…"),
    "four long names": ("a.pt", lambda: pickled({c * 200: torch.ones(1) for c in "abcd"}), "got a{30}…a{29}, b"),
    "a head too high to run": ("a.safetensors", lambda: of_type("F16", 2, dict.fromkeys(("query.weight", "key.weight", "value.weight"), (20_000, 1))), "query.weight must be at most 16,384 wide and high; got 20000 × 1"),
    "words": ("a.safetensors", lambda: with_words(["one"]), "vocab of a.safetensors must be a JSON list of 2 words"),
    "words that are none": ("a.safetensors", lambda: packed({**a_state(), "embedding.weight": torch.eye(2, 5)}, {"vocab": "["}), "must be a JSON list"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_head_gets_one_sentence(name):
    file, make, sentence = BROKEN[name]
    with pytest.raises(CheckpointError, match=sentence) as error:
        read_checkpoint(make(), name=file)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_s01_a_pickle_runs_nothing(tmp_path):
    mark = tmp_path / "PWNED"
    data = pickled(a_state(x=Runs(mark)))
    with pytest.raises(CheckpointError, match="only tensors are read, since a pickle can run code"):
        read_checkpoint(data, name="evil.pt")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("heads", "index", "sentence"),
    [
        (None, 0, "num_heads must be given for m.pt: .* width 6 can be divided by 1, 2, 3, 6"),
        (4, 0, "num_heads must divide the width 6; got 4"),
        (0, 0, "num_heads must divide the width 6; got 0"),
        (2, 2, r"head must be in 0 … 1; got 2"),
        (2, -1, r"head must be in 0 … 1; got -1"),
    ],
)
def test_numbers_of_heads(heads, index, sentence):
    data = pickled(attention(6, 2).state_dict())
    with pytest.raises(SettingError, match=sentence):
        read_checkpoint(data, name="m.pt", num_heads=heads, head=index)


def test_a_file_that_is_not_there_and_one_that_is_too_large(tmp_path, monkeypatch):
    with pytest.raises(CheckpointError, match=r"none\.pt could not be read: No such file"):
        av.load_head(tmp_path / "none.pt")
    with pytest.raises(CheckpointError, match="could not be read: Is a directory"):
        av.load_head(tmp_path)
    monkeypatch.setattr(tensorfiles, "MAX_BYTES", 1000)
    path = tmp_path / "h.safetensors"
    path.write_bytes(HEAD + bytes(1000))
    with pytest.raises(CheckpointError, match="expected at most"):
        av.load_head(path)


@pytest.mark.parametrize("mark", [b"\x80\x02", b"\x80\x05", b"PK"])
def test_a_header_whose_length_looks_like_another_kind_of_file(mark):
    (length,) = struct.unpack_from("<Q", HEAD)
    longer = int.from_bytes(mark, "little")
    data = struct.pack("<Q", longer) + HEAD[8 : 8 + length].ljust(longer) + HEAD[8 + length :]
    assert data.startswith(mark)
    assert read_checkpoint(data, name="a.safetensors").head.query.out_features == 3


def test_metadata_that_is_null_is_none():
    header = json.loads(HEAD[8 : 8 + struct.unpack_from("<Q", HEAD)[0]])
    end = max(entry["data_offsets"][1] for entry in header.values())
    header["__metadata__"] = None
    header["embedding.weight"] = {"dtype": "F32", "shape": [1, 5], "data_offsets": [end, end + 20]}
    found = read_checkpoint(st_header(header) + HEAD[-end:] + bytes(20), name="a.safetensors")
    assert found.vocabulary == ()
    assert found.embedding.shape == (1, 5)


def test_numbers_that_are_stored_once_and_copied_often_are_counted_often(monkeypatch):
    weight = torch.ones(3, 5)
    data = pickled({f"{part}.weight": weight for part in ("query", "key", "value")})
    assert read_checkpoint(data, name="a.pt").head.query.out_features == 3
    monkeypatch.setattr(tensorfiles, "MAX_NUMBERS", 44)
    with pytest.raises(CheckpointError, match="must hold at most 44 numbers in all"):
        read_checkpoint(data, name="a.pt")


def test_numbers_that_are_all_wrong_take_no_more_memory_than_right_ones(fresh_pythons):
    """2^25 numbers of one byte, NaN all: 128 MB in float32, and not 16 bytes for each place."""
    code = """
from attention_viz.checkpoints import CheckpointError, read_checkpoint
from tests.fuzz.cases import peak
from tests.unit.test_checkpoints import of_type
data = of_type("F8_E4M3", 1, {"in_proj_weight": (2**24, 2)})
before = peak()
try:
    read_checkpoint(data, name="a.safetensors")
except CheckpointError as error:
    print(error)
print(peak() - before)
"""
    (printed,) = fresh_pythons((code, {}))
    sentence, megabytes = printed.splitlines()
    assert "must be finite; got nan" in sentence
    assert float(megabytes) < 400


def test_a_safetensors_header_that_claims_more_than_there_is():
    header = json.dumps({"query.weight": {"dtype": "F32", "shape": [200_000, 200_000], "data_offsets": [0, 160_000_000_000]}}).encode()  # fmt: skip
    data = struct.pack("<Q", len(header)) + header + bytes(8)
    with pytest.raises(CheckpointError, match="is no whole safetensors file"):
        read_checkpoint(data, name="a.safetensors")


def damaged(rng, data):
    """A file with bits flipped, cut, doubled or overwritten."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    way = rng.randrange(4)
    if way == 0:
        data = data[: rng.randrange(len(data))]
    if way == 1:
        data += data[: rng.randrange(1, 64)]
    if way == 2:
        start = rng.randrange(len(data))
        data[start : start + 16] = rng.randbytes(16)
    return bytes(data)


def test_two_thousand_damaged_files():
    """No crash: each is either still a head or gets one sentence."""
    rng = random.Random(0)  # noqa: S311 - damage, not secrets
    files = [
        (pickled(a_state()), "a.pt", {}),
        (HEAD, "a.safetensors", {}),
        (with_words(["cat", "dog"]), "w.safetensors", {}),
        (pickled(attention(6, 2).state_dict()), "m.pt", {"num_heads": 2}),
        (packed(attention(6, 2).state_dict()), "m.safetensors", {"num_heads": 2}),
    ]
    sentences = 0
    for i in range(2000):
        data, name, how = files[i % len(files)]
        sentences += bool(sentence_of(damaged(rng, data), name, how))
    assert sentences > 1000


def sentence_of(data, name, how):
    """What reading the file says; nothing when it is still a head."""
    try:
        read_checkpoint(data, name=name, **how)
    except AttentionVizError as error:
        sentence = str(error)
    else:
        return ""
    assert "\n" not in sentence
    assert len(sentence) < 500
    return sentence
