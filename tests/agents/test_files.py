"""Files of agents: errors of writing, checksums, torn logs and arrays that claim too much."""

import io
import json
import os
import random
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from helpers.full_disk import files_up_to
from zerogym.agents.atomic_files import NotAModel, read_tensors, write_tensors, write_text
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.datasets.shards import NotADataset, write_shard
from zerogym.agents.datasets.stored import MANIFEST, load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.json_lines import NotALog, read_rows
from zerogym.agents.llm.models.loading import load_model, save_model
from zerogym.agents.npz import read_npz
from zerogym.benchmarks.results.results_file import ResultsFile, write_whole
from zerogym.errors import CannotWrite

ROWS = np.arange(4000, dtype=np.float32)[:, None]
WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: write_text(path, "x" * 5000),
    "tensors": lambda path: write_tensors(path, {"x": torch.zeros(5000)}),
    "shard": lambda path: write_shard(path, {"x": np.zeros(5000)}),
    "npz": lambda path: Dataset(ROWS**0.5, ROWS, ROWS**0.3).save(path),
    "report": lambda path: write_whole(path, "x" * 5000),
    "results": lambda path: ResultsFile(path).append({"x": "x" * 5000}),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_without_space_the_error_has_path_and_reason(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    with (
        files_up_to(2000),
        pytest.raises(CannotWrite, match=r"file cannot be written: .*too large"),
    ):
        WRITERS[kind](path)
    assert [left.name for left in tmp_path.iterdir() if left != path] == []


@pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind != "results"])
def test_what_is_no_file_is_not_replaced(kind: str, tmp_path: Path) -> None:
    """As root it could be `/dev/null`."""
    path = tmp_path / "file"
    os.mkfifo(path)
    with pytest.raises(CannotWrite, match="file cannot be written: it is no regular file"):
        WRITERS[kind](path)
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_does_not_replace_what_is_no_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model")
    with pytest.raises(CannotWrite, match="model cannot be written: it is there and no folder"):
        save_model(*load_model("tiny", "cpu"), tmp_path / "model")
    assert stat.S_ISFIFO((tmp_path / "model").stat().st_mode)


def _flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def test_a_flipped_bit_of_tensors_is_found(tmp_path: Path) -> None:
    path, tensors = tmp_path / "x.safetensors", {"a": torch.ones(3), "b": torch.tensor(2)}
    tensors["half"] = torch.ones(2, 2, dtype=torch.bfloat16)
    write_tensors(path, tensors)
    assert all(torch.equal(read_tensors(path)[name], value) for name, value in tensors.items())
    for place in (-1, -9, -21):
        _flip(path, place)
        with pytest.raises(NotAModel, match="has changed since it was written"):
            read_tensors(path)
        _flip(path, place)
    save_file(tensors, path)  # as others write it, and as it was written before
    _flip(path, -1)
    assert read_tensors(path).keys() == tensors.keys()


def test_a_flipped_bit_of_a_shard_is_found(tmp_path: Path) -> None:
    collect(CollectConfig("zerogym/FourRooms-v0", steps=120, shard_steps=60), tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    path = tmp_path / manifest["shards"][1]["file"]
    _flip(path, -5)
    with pytest.raises(NotADataset, match=r"00001\.safetensors has changed since it was written"):
        load_dataset(tmp_path)
    for entry in manifest["shards"]:
        del entry["sha256"]  # collected before there were checksums
    (tmp_path / MANIFEST).write_text(json.dumps(manifest))
    assert len(load_dataset(tmp_path)) == 120


def test_half_a_line_ends_a_log(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    whole = '{"update": 1}\n{"update": 2}'
    for tail in ("", "\n", '\n{"upda', "\n\x00\x00", "\n{broken"):
        path.write_text(whole + tail)
        assert read_rows(path) == [{"update": 1}, {"update": 2}]
    path.write_bytes(whole.encode() + b"\n\xff\xfe")
    assert len(read_rows(path)) == 2
    for damaged, line in (('{broken\n{"update": 1}\n', 1), ('{"update": 1}\n[3]\n', 2)):
        path.write_text(damaged)
        with pytest.raises(NotALog, match=f"line {line}"):
            read_rows(path)


def _claiming(shape: tuple[int, ...], size: int | None) -> bytes:
    """An npz file with one array of this shape, but 64 bytes of numbers."""
    header, file = io.BytesIO(), io.BytesIO()
    kind: Any = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, kind)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("observations.npy", header.getvalue() + bytes(64))
        if size is not None:
            archive.filelist[0].file_size = size  # its directory claims it, too
    return file.getvalue()


@pytest.mark.parametrize("size", [None, 2**32 - 2])
def test_an_array_larger_than_its_file_is_refused(size: int | None, tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    path.write_bytes(_claiming((8,), None))
    assert read_npz(path)["observations"].shape == (8,)
    shape = (2**40,) if size is None else (2**28,)
    path.write_bytes(_claiming(shape, size))
    with pytest.raises(NotAModel, match=r"claims [\d,]+ bytes, the file can hold"):
        Dataset.load(path)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_any_damage_of_an_npz_file_is_one_kind_of_error(save: Any, tmp_path: Path) -> None:
    stream, rng, errors = io.BytesIO(), random.Random(0), set()
    save(stream, a=np.arange(3000), b=np.ones((4, 5), np.float32))
    whole, path = stream.getvalue(), tmp_path / "data.npz"
    for _ in range(1000):
        damaged = bytearray(whole)
        # One byte: anywhere, in the first header, or in the directory at the end.
        places = rng.randrange(len(whole)), rng.randrange(150), -1 - rng.randrange(250)
        damaged[rng.choice(places)] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            read_npz(path)
        except (ValueError, OSError) as error:
            errors.add(str(error))
    assert len(errors) > 10
