"""A name -> a Model: found, checked, read, and tried once."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from attention_viz.errors import ModelError
from attention_viz.models.foreign import foreign
from attention_viz.models.model import Model
from attention_viz.models.places import ADD, SOURCES, folder_of
from attention_viz.models.recording import NAME, register


def load_model(
    name: str | Path,
    *,
    sources: Collection[str] = SOURCES,
    report: Callable[[str], object] = lambda _: None,
) -> Model:
    """A language model, ready to be asked for any layer and head.

    Its code is transformers' own: code that comes with a model is never run, and only safetensors
    are read.

    Args:
        name: ``minilm``, a folder, or a hub id such as ``owner/name``, which is fetched.
        sources: of ``local`` and ``hub``, where the name may be looked for.
        report: is told what is being done, in words.

    Raises:
        ModelError: the model cannot be found, read or run.
        SettingError: there is no such source.

    >>> model = load_model("minilm")
    >>> run = model.run("I am good", layer=0, head=0)
    >>> run.tokens.labels, run.trace.d_k, run.trace.weights.shape
    (('[CLS]', 'i', 'am', 'good', '[SEP]'), 32, torch.Size([5, 5]))
    """
    report("looking for the model")
    folder = folder_of(str(name), sources)
    report("importing transformers")
    try:
        import transformers
    except ImportError as error:
        raise ModelError(f"Models need transformers: {ADD} adds it.") from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    register()
    words = folder.name if str(name) == str(folder) else str(name)
    with foreign(
        f"{words} could not be read",
        f": its kind must be one that transformers {transformers.__version__} knows, without code "
        "of its own, saved with save_pretrained.",
    ):
        report("reading the tokenizer")
        tokenizer = _tokenizer(words, folder)
        report("reading the weights")
        network = _network(words, folder)
        _check_fit(words, network, tokenizer)
        report("trying it on a few words")
        return Model(words, network, tokenizer)


def _tokenizer(name: str, folder: Path) -> Any:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False
    )
    if not tokenizer.is_fast:
        raise ModelError(
            f"The tokenizer of {name} does not say which letters a token stands for: "
            "one with a tokenizer.json does."
        )
    return tokenizer


def _network(name: str, folder: Path) -> Any:
    """The network with our attention function, or with its own where it cannot take one."""
    try:
        return _read(name, folder, NAME)
    except (KeyError, ValueError):
        return _read(name, folder, "eager")


def _read(name: str, folder: Path, attention: str) -> Any:
    import torch
    from transformers import AutoModel

    network, told = AutoModel.from_pretrained(
        folder,
        attn_implementation=attention,
        dtype=torch.float32,
        local_files_only=True,
        output_loading_info=True,
        trust_remote_code=False,
        use_safetensors=True,
    )
    # What the file does not hold is drawn at random: of a head to show, that would be a lie.
    missing = sorted(key for key in told["missing_keys"] if "pooler" not in key)
    if missing:
        raise ModelError(
            f"{name} must hold all of its weights; {len(missing)} are missing, such as "
            f"{missing[0]}."
        )
    if getattr(network.config, "use_cache", False):
        network.config.use_cache = False
    return network


def _check_fit(name: str, network: Any, tokenizer: Any) -> None:
    """Refuse what would show something else than this model on this text."""
    if network.main_input_name != "input_ids":
        raise ModelError(f"{name} must read text; it reads {network.main_input_name}.")
    for weight, values in network.named_parameters():
        if not values.isfinite().all():
            raise ModelError(f"{name} must hold finite weights; {weight} is not.")
    words, room = len(tokenizer), network.get_input_embeddings().weight.shape[0]
    if words > room:
        raise ModelError(
            f"The tokenizer of {name} has {words:,} pieces, and the model room for {room:,}: they "
            "do not belong together."
        )
