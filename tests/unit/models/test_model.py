"""Models from folders: any layer and head, what is refused, and what is only weights."""

import json
import math
import shutil
import threading
from types import SimpleNamespace

import huggingface_hub
import pytest
import safetensors.torch
import torch

import attention_viz as av
from attention_viz.errors import ModelError, SettingError, TextError
from attention_viz.models import ModelRun, WeightsRun, load_model
from tests.unit.models.conftest import GPT, SEQ2SEQ, SIZES
from tests.unit.models.test_architectures import OUTSIDE

TEXT = "i am good one two"
FALCON = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "new_decoder_architecture": False,
}
GPT_NEO = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_layers": 2,
    "num_heads": 4,
    "attention_types": [[["global", "local"], 1]],
    "max_position_embeddings": 32,
    "window_size": 3,
}


@pytest.fixture(scope="module")
def bert(make_folder):
    return load_model(make_folder("Bert", SIZES))


@pytest.fixture(scope="module")
def bart(make_folder):
    sizes = SEQ2SEQ | {"max_position_embeddings": 32, "decoder_start_token_id": 2}
    return load_model(make_folder("Bart", sizes))


def test_a_run_of_a_model_is_a_run(bert):
    run = bert.run(TEXT, layer=1, head=3)
    assert isinstance(run, av.Run)
    assert run.tokens is run.keys
    assert run.tokens.labels == ("[CLS]", *TEXT.split(), "[SEP]")
    assert run.inputs.shape == (7, 32)
    assert run.trace.query.shape == run.trace.value.shape == (7, 8)
    own = bert._network
    own.set_attn_implementation("eager")
    ids = torch.tensor([bert._tokenizer(TEXT)["input_ids"]])
    with torch.no_grad():
        right = own(input_ids=ids, output_attentions=True).attentions[1][0, 3]
    own.set_attn_implementation("attention_viz")
    torch.testing.assert_close(run.trace.weights, right)


@pytest.mark.parametrize("text", [["a"], {"a": 1}, b"a", None, 3])
def test_what_is_no_text(bert, text):
    with pytest.raises(TextError, match="must be a string; got"):
        bert.run(text)


def test_another_layer_or_head_costs_no_forward(bert, monkeypatch):
    bert.record(TEXT)
    monkeypatch.setattr(bert, "_run", lambda *_: pytest.fail("a second forward"))
    seen = {bert.run(TEXT, layer, head).facts.layer_name for layer in (0, 1) for head in range(4)}
    assert seen == {"0", "1"}


def test_another_divisor_is_a_temperature_on_the_same_scores(bert):
    own, cold = bert.run(TEXT), bert.run(TEXT, divisor=1.0)
    assert own.trace.divisor == pytest.approx(math.sqrt(8))
    assert own.facts.divisor == cold.facts.divisor == own.trace.divisor
    torch.testing.assert_close(cold.trace.weights, torch.softmax(own.trace.scores, dim=-1))


@pytest.mark.parametrize(
    ("layer", "head", "said"),
    [
        (2, 0, "layer must be in 0 … 1; got 2"),
        (0, 4, "head must be in 0 … 3; got 4"),
        (-1, 0, "-1"),
    ],
)
def test_there_is_no_such_head(bert, layer, head, said):
    with pytest.raises(SettingError, match=said):
        bert.run(TEXT, layer, head)


def test_both_halves_of_a_model_and_where_they_cross(bart):
    names = [layer.name for layer in bart.layers]
    assert names == [
        "encoder 0",
        "encoder 1",
        "decoder 0",
        "decoder 0, cross",
        "decoder 1",
        "decoder 1, cross",
    ]
    cross = bart.run(TEXT, layer=3, head=1)
    # The decoder reads its start token, then the text without its last token.
    assert cross.tokens.labels == ("[CLS]", "[CLS]", *TEXT.split())
    assert cross.keys.labels == ("[CLS]", *TEXT.split(), "[SEP]")
    assert cross.tokens is not cross.keys
    assert bart.run(TEXT, layer=2).facts.extras == ("causal mask",)
    assert bart.run(TEXT, layer=0).facts.extras == ()


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [*OUTSIDE.values(), ("Falcon", FALCON), ("GPTNeo", GPT_NEO)],
    ids=[*OUTSIDE, "Falcon", "GPT-Neo"],
)
def test_models_outside_the_interface_show_their_own_weights_and_say_so(make_folder, kind, sizes):
    model = load_model(make_folder(kind, sizes))
    run = model.run(TEXT, layer=1, head=3)
    assert isinstance(run, WeightsRun)
    assert "cannot be reached from outside: the weights are the model's own" in run.why
    assert run.weights.shape == (7, 7)
    torch.testing.assert_close(run.weights.sum(-1), torch.ones(7))
    assert math.isnan(run.facts.divisor)


def test_a_step_that_is_not_known_leaves_the_models_own_weights(make_folder, monkeypatch):
    """A kind whose attention sharpens what it gives, behind the interface's back."""
    from transformers.models.electra import modeling_electra as electra

    model = load_model(make_folder("Electra", SIZES | {"embedding_size": 16}))
    plain = electra.eager_attention_forward

    def sharpened(*args, **options):
        output, weights = plain(*args, **options)
        return output, weights.square() / weights.square().sum(-1, keepdim=True)

    monkeypatch.setattr(electra, "eager_attention_forward", sharpened)
    run = model.run("one two three")
    assert isinstance(run, WeightsRun)
    assert run.facts.residual > 1e-4
    assert "differ from the model's own by up to 0." in run.why


def test_the_kind_roberta_has_room_for_fewer_positions_than_it_says(make_folder):
    model = load_model(make_folder("Roberta", SIZES | {"max_position_embeddings": 20}))
    assert model.limit == 18
    assert model.run("one " * 16).tokens.n == 18
    with pytest.raises(TextError, match=r"at most 18 tokens for .*; got 19"):
        model.run("one " * 17)


def test_two_threads_record_their_own_texts(bert):
    texts = [" ".join(["one"] * n) for n in range(2, 8)]
    found = {}
    threads = [
        threading.Thread(target=lambda t=text: found.update({t: bert.record(t)})) for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[text].calls[1].query.shape[1] for text in texts] == [n + 2 for n in range(2, 8)]


def broken(folder, **changed):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    return folder


def index(folder, part):
    names = {"weight_map": {"embeddings.word_embeddings.weight": part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(names))


def poisoned(folder, name):
    path = folder / "model.safetensors"
    weights = safetensors.torch.load_file(path)
    next(values for key, values in weights.items() if name in key)[0, 0] = math.nan
    safetensors.torch.save_file(weights, path, {"format": "pt"})


def shrunk(folder):
    path = folder / "model.safetensors"
    weights = safetensors.torch.load_file(path)
    name = "embeddings.word_embeddings.weight"
    weights[name] = weights[name][:9].contiguous()
    safetensors.torch.save_file(weights, path, {"format": "pt"})
    broken(folder, vocab_size=9)


def dangling(folder):
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").symlink_to(folder / "nowhere.safetensors")


def limited(folder, most):
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_max_length": most}))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: (f / "config.json").unlink(), "must be a folder with config.json in it"),
        (lambda f: (f / "config.json").write_text("[" * 10**5), "cannot be read"),
        (lambda f: (f / "config.json").write_text("[]"), "must be a JSON object"),
        (lambda f: broken(f, num_hidden_layers=10**9), "num_hidden_layers of .* at most 256"),
        (lambda f: broken(f, hidden_size=10**9), "hidden_size of .* must be at most"),
        (lambda f: broken(f, num_labels=10**7), "num_labels of .* at most 10,000"),
        (lambda f: broken(f, note="x" * 2**20), "must be below 1 MB"),
        (lambda f: broken(f, num_hidden_layers=0), "has no attention layers"),
        (lambda f: broken(f, quantization_config={}), "is quantised"),
        (lambda f: broken(f, hidden_size="x"), "could not be read .*save_pretrained"),
        (lambda f: index(f, "../other/model.safetensors"), "must name safetensors of the folder"),
        (lambda f: index(f, "/etc/passwd"), "must name safetensors of the folder"),
        (lambda f: index(f, "w.bin"), "must name safetensors of the folder"),
        (lambda f: poisoned(f, "attention.self.query.weight"), "must hold finite weights; .*query"),
        (shrunk, "tokenizer of .* has 12 pieces, and the model room for 9"),
        (dangling, "cannot be opened: No such file"),
        (lambda f: limited(f, 4), "must take texts of 7 tokens at least; its limit is 4"),
        (lambda f: broken(f, model_type="no such kind"), "could not be read"),
        (lambda f: broken(f, num_hidden_layers=3), "must hold all of its weights; 16 are missing"),
        (lambda f: (f / "model.safetensors").write_bytes(b"cut"), "could not be read"),
        (lambda f: (f / "model.safetensors").rename(f / "model.bin"), "must hold safetensors"),
        (lambda f: (f / "adapter_config.json").write_text("{}"), "is an adapter, not a model"),
        (lambda f: (f / "tokenizer.json").unlink(), "must hold its tokenizer"),
    ],
)
def test_a_damaged_folder_gets_one_sentence(make_folder, damage, said):
    folder = make_folder("Bert", SIZES)
    damage(folder)
    with pytest.raises(ModelError, match=said) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "step", ["importing transformers", "reading the tokenizer", "reading the weights"]
)
def test_a_model_that_vanishes_while_it_is_read(make_folder, step):
    folder = make_folder("Bert", SIZES)
    with pytest.raises(ModelError, match="could not be read") as caught:
        load_model(folder, report=lambda doing: doing == step and shutil.rmtree(folder))
    assert "\n" not in str(caught.value)


def test_code_in_a_folder_is_never_run(make_folder):
    folder = make_folder("Bert", SIZES)
    mark = folder / "PWNED"
    (folder / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Model: pass\n")
    names = {"AutoModel": "evil.Model", "AutoConfig": "evil.Model", "AutoTokenizer": "evil.Model"}
    broken(folder, auto_map=names)
    assert load_model(folder).why == ""  # transformers' own class, not the folder's
    broken(folder, model_type="evil")
    with pytest.raises(ModelError, match="could not be read"):
        load_model(folder)
    assert not mark.exists()


@pytest.mark.parametrize(
    "name", ["no/such/hub/id", "../nowhere", "a b", "", "x" * 300, "a\nb", "a\0b"]
)
def test_a_name_that_is_no_model(name):
    with pytest.raises(ModelError, match="The model must be minilm or a folder"):
        load_model(name)


class Hub:
    """A hub that is away, or that offers a file of so many bytes."""

    def __init__(self, size=None):
        self.size = size

    def model_info(self, _name, *, files_metadata):
        assert files_metadata
        if self.size is None:
            raise OSError("no route to host")
        file = SimpleNamespace(rfilename="model.safetensors", size=self.size)
        return SimpleNamespace(siblings=[file])


@pytest.mark.parametrize(
    ("hub", "said"),
    [(Hub(), "could not be fetched from the hub"), (Hub(2**40), "at most 16 GB .* got 1024.0 GB")],
)
def test_a_hub_that_is_away_or_offers_too_much(monkeypatch, hub, said):
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: hub)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_: pytest.fail("fetched"))
    with pytest.raises(ModelError, match=said):
        load_model("owner/name")


def test_a_source_that_is_not_allowed_is_not_looked_at(make_folder, monkeypatch):
    folder = make_folder("Bert", SIZES)
    monkeypatch.chdir(folder.parent)
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: pytest.fail("asked the hub"))
    for sources in ((), ("hub",)):
        with pytest.raises(ModelError, match="The model must be minilm"):
            load_model(folder, sources=sources)
    with pytest.raises(ModelError, match="The model must be minilm; got 'owner/name'"):
        load_model("owner/name", sources=())
    for wrong in ("local", ("nonsense",)):
        with pytest.raises(SettingError, match="sources must be among local, hub"):
            load_model(folder, sources=wrong)
    # A folder by the name of a hub id stays unread where only the hub is allowed.
    monkeypatch.setattr(huggingface_hub, "HfApi", Hub)
    with pytest.raises(ModelError, match="could not be fetched"):
        load_model(folder.name, sources=("hub",))


def test_loading_tells_what_it_is_doing(make_folder):
    said = []
    load_model(make_folder("GPT2", GPT), report=said.append)
    assert said[-2:] == ["reading the weights", "trying it on a few words"]


def test_weights_in_half_precision_are_computed_in_float32(make_folder):
    folder = make_folder("Bert", SIZES)
    path = folder / "model.safetensors"
    halves = {name: w.half() for name, w in safetensors.torch.load_file(path).items()}
    safetensors.torch.save_file(halves, path, {"format": "pt"})
    run = load_model(folder).run(TEXT)
    assert isinstance(run, ModelRun)
    assert run.trace.scores.dtype == torch.float32
    assert run.facts.residual < 1e-6
