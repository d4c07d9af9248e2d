"""Files written to a temporary name and renamed, so that a kill never leaves half a file."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from zerogym.errors import ZerogymError


class NotAModel(ZerogymError, ValueError):
    """A path that was given as a model or a run is not one; the message says what is missing."""


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a temporary name beside `path`, then rename the result to `path`."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
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
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # the last: brackets without end
        raise NotAModel(f"{path} cannot be read as JSON: {error}") from None
    if not isinstance(found, dict):
        raise NotAModel(f"{path} holds no JSON object")
    return found


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> None:
    """Write named tensors atomically as safetensors."""
    # Safetensors refuses tensors that share memory, which state dicts may hold.
    owned = {name: tensor.detach().clone().contiguous() for name, tensor in tensors.items()}
    write_atomically(path, lambda name: save_file(owned, name))


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a file of `write_tensors`.

    Raises:
        NotAModel: If the file is missing or damaged.
    """
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError:
        raise NotAModel(f"{path.parent} has no {path.name}") from None
    except (SafetensorError, OSError) as error:
        raise NotAModel(f"{path} cannot be read as safetensors: {error}") from None
