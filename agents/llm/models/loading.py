"""Language models from directories and back: weights, tokenizer, and adapters merged into them.

Weights are read from safetensors only, so nothing is unpickled, and code that comes with a model is
never run. Left out: quantised loading, and spreading one model over several devices.
"""

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerogym.agents.llm.models.directories import ADAPTER, first_line, model_directory
from zerogym.agents.llm.models.progress_bars import no_progress_bars
from zerogym.errors import ModelNotFound, UnknownName, require, writing

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

DTYPES = ("auto", "float32", "bfloat16", "float16")


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
    device = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    if isinstance(dtype, str):
        if dtype not in DTYPES:
            raise UnknownName("dtype", dtype, list(DTYPES))
        stored = torch.float32 if str(device).startswith("cpu") else "auto"
        dtype = stored if dtype == "auto" else getattr(torch, dtype)
    load = _load_merged if (directory / ADAPTER).is_file() else _load_directory
    return load(directory, device, dtype)


def load_tokenizer(name: str) -> "PreTrainedTokenizerBase":
    """Load the tokenizer of a model by name, or of a directory that holds no more than one.

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
        raise ModelNotFound(f"{str(directory)!r} holds no tokenizer: {first_line(error)}") from None


def require_llm(needed_by: str) -> Any:
    """Return the torch module, and check that the `llm` extra is installed.

    Raises:
        MissingExtra: If torch or transformers is not installed.
    """
    torch = require("torch", "llm", needed_by)
    require("transformers", "llm", needed_by)
    return torch


def save_model(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", directory: str | Path
) -> Path:
    """Write model and tokenizer so that `load_model` reads them; a directory there is replaced.

    Of a model with adapters these alone are written. The files are written beside the target and
    renamed, so a kill leaves the old model or the new.
    """
    from zerogym.agents.llm.models.lora import has_adapter, save_adapters

    target = Path(directory)
    target.parent.mkdir(parents=True, exist_ok=True)
    with (
        writing(target),
        tempfile.TemporaryDirectory(dir=target.parent, prefix=".saving-") as scratch,
    ):
        fresh, old = Path(scratch) / "new", Path(scratch) / "old"
        if has_adapter(model):
            save_adapters(model, fresh)
        else:
            with no_progress_bars():
                model.save_pretrained(fresh)
        tokenizer.save_pretrained(fresh)
        if target.exists():
            if not target.is_dir():  # a file of the user's, or a device
                raise NotADirectoryError(errno.ENOTDIR, "it is there and no folder", str(target))
            target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    return target


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
            f"{type(error).__name__}: {first_line(error)}"
        ) from error
    if report["missing_keys"]:
        first = sorted(report["missing_keys"])[0]
        raise ModelNotFound(
            f"{str(directory)!r}: the weights do not fit config.json; {first} and "
            f"{len(report['missing_keys']) - 1} more are missing"
        )
    return model.to(device).eval(), tokenizer


def _load_merged(directory: Path, device: str, dtype: Any) -> Any:
    """Load the base that an adapter's directory names, with the adapter added to its weights."""
    from zerogym.agents.llm.models.lora import SOLE, add_adapter, fill_adapter, merge

    peft = require("peft", "llm", "a LoRA adapter")
    settings = peft.PeftConfig.from_pretrained(str(directory))
    base = settings.base_model_name_or_path
    if not isinstance(settings, peft.LoraConfig) or not base:
        raise ModelNotFound(f"{str(directory / ADAPTER)!r} is no LoRA adapter with a base model")
    model, tokenizer = load_model(base, device, dtype)
    try:
        add_adapter(model, settings, 0, SOLE)
        fill_adapter(model, directory, SOLE)
    except (RuntimeError, ValueError) as error:
        raise ModelNotFound(
            f"{str(directory)!r} does not fit its base {base!r}: {first_line(error)}"
        ) from error
    return merge(model).eval(), tokenizer
