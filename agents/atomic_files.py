"""Files written to a temporary name and renamed, so that a kill never leaves half a file."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from zerogym.agents.checksums import check_regular
from zerogym.errors import ZerogymError, writing

CHECKSUM = "sha256"  # key of the metadata of a file of tensors


class NotAModel(ZerogymError, ValueError):
    """A path that was given as a model or a run is not one; the message says what is missing."""


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a temporary name beside `path`, then rename the result to `path`.

    Raises:
        CannotWrite: If the system refuses, for example without space.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with writing(path):
        check_regular(path)
        try:
            write(temporary)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    write_atomically(path, lambda name: name.write_text(text, encoding="utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        NotAModel: If the file is missing, damaged or something else.
    """
    try:
        check_regular(path)
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # the last: brackets without end
        raise NotAModel(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(found, dict):
        raise NotAModel(f"{path} holds no JSON object")
    return found


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> None:
    """Write named tensors atomically as safetensors, with their checksum."""
    # Safetensors refuses tensors that share memory, which state dicts may hold.
    owned = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
    metadata = {CHECKSUM: _checksum(owned)}
    write_atomically(path, lambda name: save_file(owned, name, metadata))


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a file of `write_tensors`.

    Raises:
        NotAModel: If the file is missing or damaged. Files without a checksum, as others write
            them, are not compared with one.
    """
    try:
        with safe_open(path, framework="pt") as file:
            found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            recorded = (file.metadata() or {}).get(CHECKSUM)
    except FileNotFoundError:
        raise NotAModel(f"{path.parent} has no {path.name}") from None
    except (SafetensorError, OSError) as error:
        raise NotAModel(f"{path} cannot be read as safetensors: {error}") from None
    if recorded is not None and recorded != _checksum(found):
        raise NotAModel(f"{path} has changed since it was written: its checksum is another")
    return found


def _checksum(tensors: dict[str, Tensor]) -> str:
    """Return the SHA-256 of names, types, shapes and numbers."""
    found = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].cpu().contiguous()
        found.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        found.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return found.hexdigest()
