"""Directories of language models by name: `tiny`, `smollm2`, a local directory, or a hub id.

Only an id of the form `owner/name` reaches the network. Importing this loads no torch.
"""

import difflib
import os
import re
from pathlib import Path

from zerogym.agents.llm.models.endpoints import is_server
from zerogym.agents.llm.models.smollm2 import smollm2_directory
from zerogym.errors import ModelNotFound, UnknownName, require

TINY_DIRECTORY = Path(__file__).parent / "data" / "tiny"
NAMES = ("tiny", "smollm2")
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"  # as peft writes them
HUB_TIMEOUT = 10  # seconds for each request for the list of a repository's files
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_HUB_FILES = ["*.json", "*.safetensors", "*.jinja", "*.model", "*.txt"]
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")


def model_directory(name: str | os.PathLike[str]) -> Path:
    """Return the directory of a model; an id of the hub is downloaded first.

    Raises:
        ModelNotFound: If there is no such model, or the directory is not one.
        UnknownName: If a short name does not exist.
    """
    if not isinstance(name, str | os.PathLike):
        raise TypeError(f"a model name is a str or a path, got {type(name).__name__}")
    text = os.fspath(name)
    if is_server(text):
        raise ModelNotFound(
            f"{text!r} is a server: its model can be evaluated and played against, its weights "
            "cannot be loaded or trained"
        )
    if text == "tiny":
        return _checked(TINY_DIRECTORY)
    if text == "smollm2":
        directory = smollm2_directory()
        if not directory.is_dir():
            raise ModelNotFound(
                "SmolLM2 has not been prepared on this machine; once: zerogym model smollm2"
            )
        return _checked(directory)
    path = Path(text).expanduser()
    if path.is_dir():
        return _checked(path)
    if path.exists():
        raise ModelNotFound(f"{text!r} is a file; a model is a directory with config.json in it")
    if isinstance(name, str) and _HUB_ID.fullmatch(text):
        return _checked(_download(text))
    if isinstance(name, str) and not {"/", os.sep}.intersection(text):
        raise UnknownName("model", name, list(NAMES))
    raise ModelNotFound(f"there is no directory {text!r}{_nearest(path)}")


def missing_parts(directory: Path) -> list[str]:
    """Return what a directory lacks to be a model: config.json, weights, tokenizer.

    An adapter needs its own weights only.
    """
    if (directory / ADAPTER).is_file():
        found = (directory / ADAPTER_WEIGHTS).is_file()
        return [] if found else [f"weights of the adapter ({ADAPTER_WEIGHTS})"]
    parts = {
        "config.json": (directory / "config.json").is_file(),
        "weights (*.safetensors)": any(directory.glob("*.safetensors")),
        "tokenizer (tokenizer.json)": any((directory / f).is_file() for f in _TOKENIZER_FILES),
    }
    return [part for part, found in parts.items() if not found]


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, shortened."""
    return (str(error).strip().splitlines() or [""])[0][:200]


def _checked(directory: Path) -> Path:
    """Return the directory if it is a model; else raise an error that describes its content."""
    parts = missing_parts(directory)
    if not parts:
        return directory
    hint = ""
    if adapters := sorted(file.parent.name for file in directory.glob(f"*/{ADAPTER}")):
        hint = f"; it holds several adapters: name the folder of one, {' or '.join(adapters)}"
    elif any(directory.glob("*.bin")) and "weights (*.safetensors)" in parts:
        hint = "; its *.bin weights are not read, because that would unpickle them"
    raise ModelNotFound(
        f"{str(directory)!r} is not a model directory: it has no {', no '.join(parts)}{hint}"
    )


def _nearest(path: Path) -> str:
    """Return a hint at the directory beside a missing one whose name is nearest."""
    beside = path.parent.iterdir() if path.parent.is_dir() else iter(())
    names = [each.name for each in beside if each.is_dir()]
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.5)
    return f" (did you mean {str(path.parent / near[0])!r}?)" if near else ""


def _download(hub_id: str) -> Path:
    """Return the hub's snapshot, or the cached one, in Hugging Face's cache."""
    hub = require("huggingface_hub", "llm", f"the language model {hub_id!r}")
    try:
        return Path(
            hub.snapshot_download(hub_id, allow_patterns=_HUB_FILES, etag_timeout=HUB_TIMEOUT)
        )
    except (OSError, ValueError, RuntimeError) as error:  # httpx errors reach us as OSError
        name = type(error).__name__
        reason = f"{name}: {first_line(error)}"
        if name in ("RepositoryNotFoundError", "GatedRepoError", "RevisionNotFoundError"):
            reason = "it does not exist, or needs a login"
        elif name in ("LocalEntryNotFoundError", "OfflineModeIsEnabled", "ConnectError"):
            reason = "no network, and no copy in the local cache"
        raise ModelNotFound(
            f"there is no directory {hub_id!r}{_nearest(Path(hub_id))}, and the Hugging Face hub "
            f"gave no model of that name: {reason}"
        ) from error
