"""Shares of changed weights by hand, of files, and what cannot be compared."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from zerogym.cli import app

torch = pytest.importorskip("torch")

from safetensors.torch import load_file, save_file  # noqa: E402

from zerogym.agents.atomic_files import NotAModel  # noqa: E402
from zerogym.agents.llm.models.changed_weights import changed_weights  # noqa: E402
from zerogym.agents.llm.models.directories import TINY_DIRECTORY  # noqa: E402


def folder(path: Path, **tensors: list[float]) -> Path:
    """A model folder with these tensors, each in a file of its own."""
    path.mkdir()
    for name, values in tensors.items():
        save_file({name: torch.tensor(values)}, path / f"{name}.safetensors")
    for name in ("config.json", "tokenizer.json"):
        (path / name).write_text("{}")
    return path


def test_shares_by_hand(tmp_path: Path) -> None:
    """Near 1 numbers of bfloat16 are 1/128 apart: a change of 0.001 is rounded away, one of 0.01 is
    not. Near 0 they are close: a change of 2e-6 is one in bfloat16, and below the tolerance."""
    start = folder(tmp_path / "start", a=[1.0, 1.0, 1.0, 1e-6], b=[0.5, -0.5])
    end = folder(tmp_path / "end", a=[1.0, 1.001, 1.01, 3e-6], b=[0.5, -0.5])
    whole, (a, b) = changed_weights(start, end)
    assert (a.name, a.weights, a.changed, a.rounded) == ("a", 4, 2, 2)
    assert (b.name, b.share, b.rounded_share) == ("b", 0.0, 0.0)
    assert (whole.weights, whole.share, whole.rounded_share) == (6, 2 / 6, 2 / 6)
    assert changed_weights(start, end, tolerance=0.0)[0].changed == 3
    assert changed_weights(start, end, tolerance=0.005)[0].changed == 1


def test_a_planted_change_of_the_tiny_model_is_found(tmp_path: Path) -> None:
    """A tenth of the weights of one tensor; the command says the same."""
    changed = tmp_path / "changed"
    shutil.copytree(TINY_DIRECTORY, changed)
    tensors = load_file(changed / "model.safetensors")
    name = max(tensors, key=lambda each: tensors[each].numel())
    count = tensors[name].numel() // 10
    tensors[name].view(-1)[:count] += 0.5
    save_file(tensors, changed / "model.safetensors", {"format": "pt"})
    whole, found = changed_weights("tiny", changed)
    total = sum(tensor.numel() for tensor in tensors.values())
    assert (whole.weights, whole.changed, whole.rounded) == (total, count, count)
    assert [each.name for each in found if each.changed] == [name]
    shown = CliRunner().invoke(app, ["model", str(changed), "--changed-from", "tiny"])
    assert shown.exit_code == 0 and f"{count / total:.1%} differ" in shown.output
    assert f"{len(tensors) - 1} of {len(tensors)} tensors" in " ".join(shown.output.split())


def test_what_cannot_be_compared_is_one_line(tmp_path: Path) -> None:
    start = folder(tmp_path / "start", a=[1.0, 2.0])
    with pytest.raises(ValueError, match="differ in tensors: b"):
        changed_weights(start, folder(tmp_path / "more", a=[1.0, 2.0], b=[1.0]))
    with pytest.raises(ValueError, match=r"two shapes, \(2,\) and \(3,\)"):
        changed_weights(start, folder(tmp_path / "wide", a=[1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="tolerance must be at least 0"):
        changed_weights(start, start, tolerance=float("nan"))
    broken = folder(tmp_path / "broken", a=[1.0, 2.0])
    (broken / "a.safetensors").write_bytes(b"nothing")
    with pytest.raises(NotAModel, match="cannot be read as safetensors"):
        changed_weights(start, broken)
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    save_file({"a": torch.zeros(1)}, adapter / "adapter_model.safetensors")
    with pytest.raises(ValueError, match="is an adapter: compare whole models"):
        changed_weights(start, adapter)
