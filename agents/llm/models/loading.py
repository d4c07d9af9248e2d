"""Language models by name: `tiny`, `smollm2`, a local directory, a Hugging Face id, or a server.

Weights are read from safetensors only, so nothing is unpickled, and code that comes with a model is
never run. Only an id of the form `owner/name` and a server (`endpoints.py`) reach the network.
An adapter's directory is its base model with the adapter added to the weights (`lora`).
Left out: quantised loading, and spreading one model over several devices.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerogym.agents.llm.models.endpoints import is_server
from zerogym.agents.llm.models.progress_bars import no_progress_bars
from zerogym.agents.llm.models.smollm2 import smollm2_directory
from zerogym.errors import ModelNotFound, UnknownName, require

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


TINY_DIRECTORY = Path(__file__).parent / "data" / "tiny"
NAMES = ("tiny", "smollm2")
DTYPES = ("auto", "float32", "bfloat16", "float16")
HUB_TIMEOUT = 10  # seconds for each request that asks the hub what it has
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_HUB_FILES = ["*.json", "*.safetensors", "*.jinja", "*.model", "*.txt"]
ADAPTER, ADAPTER_WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt")


def load_model(
    name: str | os.PathLike[str], device: str = "auto", dtype: "str | torch.dtype" = "auto"
) -> "tuple[PreTrainedModel, PreTrainedTokenizerBase]":
    """Load a causal language model and its tokenizer, ready for inference.

    Args:
        name: `tiny` (shipped with the package), `smollm2` (after `zerogym model smollm2`), a local
            directory in Hugging Face format (of a model, or of a LoRA adapter that names its base),
            or a hub id `owner/name`, which is downloaded into Hugging Face's own cache.
        device: `auto` (a GPU where there is one, else the CPU) or a torch device name.
        dtype: `auto` (float32 on a CPU, else as stored), `float32`, `bfloat16`, `float16`, or a
            torch dtype.

    Raises:
        ModelNotFound: If there is no such model, or the directory is not one.
        UnknownName: If a short name or a dtype does not exist.
        MissingExtra: If torch or transformers is not installed.
    """
    torch = require_llm(f"the language model {str(name)!r}")
    directory = model_directory(name)
    chosen_device = pick_device() if device == "auto" else device
    chosen_dtype = _pick_dtype(torch, dtype, chosen_device)
    if (directory / ADAPTER).is_file():
        from zerogym.agents.llm.models.lora import load_merged

        return load_merged(directory, chosen_device, chosen_dtype)
    return _load_directory(directory, chosen_device, chosen_dtype)


def load_tokenizer(name: str) -> "PreTrainedTokenizerBase":
    """The tokenizer of a model by name, or of a directory that holds no more than one.

    Raises:
        ModelNotFound: If there is none.
        MissingExtra: If transformers is not installed.
    """
    transformers = require("transformers", "llm", f"the tokenizer {name!r}")
    directory = Path(name).expanduser()
    if not directory.is_dir():
        directory = model_directory(name)
    try:
        return transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ModelNotFound(
            f"{str(directory)!r} holds no tokenizer: {_first_line(error)}"
        ) from None


def require_llm(needed_by: str) -> Any:
    """The torch module, after a look whether the `llm` extra is installed.

    Raises:
        MissingExtra: If torch or transformers is not installed.
    """
    torch = require("torch", "llm", needed_by)
    require("transformers", "llm", needed_by)
    return torch


def model_directory(name: str | os.PathLike[str]) -> Path:
    """Where the model of this name lies; an id of the hub is downloaded first.

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
        return _prepared_smollm2()
    path = Path(text).expanduser()
    if path.is_dir():
        return _checked(path)
    if path.exists():
        raise ModelNotFound(f"{text!r} is a file; a model is a directory with config.json in it")
    if isinstance(name, str) and _HUB_ID.fullmatch(text):
        return _checked(_download(text))
    if isinstance(name, str) and not {"/", os.sep}.intersection(text):
        raise UnknownName("model", name, list(NAMES))
    raise ModelNotFound(f"there is no directory {text!r}")


def save_model(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", directory: str | Path
) -> Path:
    """Write model and tokenizer so that `load_model` reads them; a directory there is replaced.

    The files are written beside the target and renamed, so a kill leaves the old model or the new.
    """
    target = Path(directory)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".saving-") as scratch:
        fresh, old = Path(scratch) / "new", Path(scratch) / "old"
        _write_weights(model, fresh)
        tokenizer.save_pretrained(fresh)
        if target.exists():
            target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    return target


def _write_weights(model: "PreTrainedModel", directory: Path) -> None:
    """The whole model; where it has adapters, these alone."""
    if getattr(model, "peft_config", None):
        from zerogym.agents.llm.models.lora import save_adapters

        save_adapters(model, directory)
        return
    with no_progress_bars():
        model.save_pretrained(directory)


def pick_device() -> str:
    """`cuda` where torch sees a GPU, else `cpu`."""
    torch = require("torch", "llm", "a language model")
    return "cuda" if torch.cuda.is_available() else "cpu"


def missing_parts(directory: Path) -> list[str]:
    """What a directory lacks to be a model: config.json, weights, tokenizer; empty if nothing.

    An adapter needs its own weights only.
    """
    if (directory / ADAPTER).is_file():
        found = (directory / ADAPTER_WEIGHTS).is_file()
        return [] if found else [f"weights of the adapter ({ADAPTER_WEIGHTS})"]
    parts = []
    if not (directory / "config.json").is_file():
        parts.append("config.json")
    if not any(directory.glob("*.safetensors")):
        parts.append("weights (*.safetensors)")
    if not any((directory / file).is_file() for file in _TOKENIZER_FILES):
        parts.append("tokenizer (tokenizer.json)")
    return parts


def _checked(directory: Path) -> Path:
    parts = missing_parts(directory)
    if parts:
        raise ModelNotFound(
            f"{str(directory)!r} is not a model directory: it has no "
            f"{', no '.join(parts)}{_hint(directory, parts)}"
        )
    return directory


def _hint(directory: Path, missing: list[str]) -> str:
    """What is in a directory instead of a model."""
    if held := sorted(file.parent.name for file in directory.glob(f"*/{ADAPTER}")):
        return f"; it holds several adapters: name the folder of one, {' or '.join(held)}"
    pickled = any(directory.glob("*.bin")) and "weights (*.safetensors)" in missing
    return "; its *.bin weights are not read, because that would unpickle them" if pickled else ""


def _prepared_smollm2() -> Path:
    directory = smollm2_directory()
    if not directory.is_dir():
        raise ModelNotFound(
            "SmolLM2 has not been prepared on this machine; once: zerogym model smollm2"
        )
    return _checked(directory)


def _download(hub_id: str) -> Path:
    """The hub's snapshot (or the cached one), in Hugging Face's cache."""
    hub = require("huggingface_hub", "llm", f"the language model {hub_id!r}")
    try:
        return Path(
            hub.snapshot_download(hub_id, allow_patterns=_HUB_FILES, etag_timeout=HUB_TIMEOUT)
        )
    except (OSError, ValueError, RuntimeError) as error:  # httpx errors reach us as OSError
        reason = _why_not_downloaded(error)
        raise ModelNotFound(
            f"there is no directory {hub_id!r}, and the Hugging Face hub gave no model of that "
            f"name: {reason}"
        ) from error


def _why_not_downloaded(error: Exception) -> str:
    name = type(error).__name__
    if name in ("RepositoryNotFoundError", "GatedRepoError", "RevisionNotFoundError"):
        return "it does not exist, or needs a login"
    if name in ("LocalEntryNotFoundError", "OfflineModeIsEnabled", "ConnectError"):
        return "no network, and no copy in the local cache"
    return f"{name}: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]


def _pick_dtype(torch: Any, dtype: Any, device: str) -> Any:
    if isinstance(dtype, torch.dtype):
        return dtype
    if dtype not in DTYPES:
        raise UnknownName("dtype", dtype, list(DTYPES))
    if dtype == "auto":
        return torch.float32 if str(device).startswith("cpu") else "auto"
    return getattr(torch, dtype)


def _load_directory(directory: Path, device: str, dtype: Any) -> Any:
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    offline = {"local_files_only": True, "trust_remote_code": False}
    try:
        with no_progress_bars():
            tokenizer = AutoTokenizer.from_pretrained(directory, **offline)
            model, report = AutoModelForCausalLM.from_pretrained(
                directory, dtype=dtype, use_safetensors=True, output_loading_info=True, **offline
            )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise ModelNotFound(
            f"{str(directory)!r} cannot be read as a causal language model: "
            f"{type(error).__name__}: {_first_line(error)}"
        ) from error
    if report["missing_keys"]:
        first = sorted(report["missing_keys"])[0]
        raise ModelNotFound(
            f"{str(directory)!r}: the weights do not fit config.json; {first} and "
            f"{len(report['missing_keys']) - 1} more are missing"
        )
    return model.to(device).eval(), tokenizer
