"""Loading language models by name, and the error of each mistake."""

import json
import socket
import sys
import time
from pathlib import Path

import pytest
import torch

from zerogym.agents.llm.models.directories import missing_parts, model_directory
from zerogym.agents.llm.models.loading import load_model, save_model
from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer
from zerogym.errors import MissingExtra, ModelNotFound, UnknownName

SMALL = TinyConfig(vocabulary=300, hidden=16, layers=2, heads=2, feed_forward=32, context=64)


@pytest.fixture
def small(tmp_path: Path):
    tokenizer = build_tokenizer(["Calculate 8 - 3."] * 3, SMALL)
    model = build_model(tokenizer, SMALL, seed=3)
    return model, tokenizer, save_model(model, tokenizer, tmp_path / "small")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every connection fails; returns what was tried."""
    tried: list[object] = []

    def refuse(*args: object, **kwargs: object) -> None:
        tried.append(args)
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tried


def test_a_saved_model_computes_the_same_after_loading(small) -> None:
    model, tokenizer, directory = small
    loaded, loaded_tokenizer = load_model(directory, device="cpu")
    ids = tokenizer("Calculate 8 - 3.", return_tensors="pt")["input_ids"]
    assert loaded_tokenizer("Calculate 8 - 3.")["input_ids"] == ids[0].tolist()
    with torch.no_grad():
        torch.testing.assert_close(loaded(ids).logits, model(ids).logits, rtol=0, atol=0)
    assert not loaded.training
    assert loaded.dtype == torch.float32


def test_dtype_is_the_requested_one(small) -> None:
    directory = small[2]
    assert load_model(str(directory), "cpu", "bfloat16")[0].dtype == torch.bfloat16
    assert load_model(directory, "cpu", torch.float16)[0].dtype == torch.float16
    with pytest.raises(UnknownName, match="float32"):
        load_model(directory, "cpu", "float23")


def test_half_precision_weights_are_widened_on_a_cpu(small, tmp_path: Path) -> None:
    model, tokenizer, _ = small
    directory = save_model(model.to(torch.bfloat16), tokenizer, tmp_path / "half")
    assert load_model(directory, "cpu")[0].dtype == torch.float32


def test_a_directory_is_loaded_without_network(small, no_network) -> None:
    load_model(small[2])
    assert no_network == []


def test_a_save_that_fails_leaves_the_old_model(
    small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, tokenizer, directory = small

    def fail(*args: object, **kwargs: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(type(tokenizer), "save_pretrained", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(model, tokenizer, directory)
    assert [path.name for path in tmp_path.iterdir()] == ["small"]
    load_model(directory)


def test_saving_again_replaces_the_model_and_leaves_nothing_else(small, tmp_path: Path) -> None:
    model, tokenizer, directory = small
    (directory / "stale.txt").write_text("old")
    with torch.no_grad():
        model.model.embed_tokens.weight.zero_()
    save_model(model, tokenizer, directory)
    assert not load_model(directory)[0].model.embed_tokens.weight.any()
    assert [path.name for path in tmp_path.iterdir()] == ["small"]
    assert not (directory / "stale.txt").exists()


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("config.json", "config.json"),
        ("model.safetensors", "weights"),
        ("tokenizer.json", "tokenizer"),
    ],
)
def test_the_error_names_what_a_directory_lacks(small, file: str, named: str) -> None:
    directory = small[2]
    (directory / file).unlink()
    with pytest.raises(ModelNotFound, match=f"has no .*{named}") as caught:
        load_model(directory)
    assert "\n" not in str(caught.value)


def test_an_empty_directory_lacks_everything(tmp_path: Path) -> None:
    assert len(missing_parts(tmp_path)) == 3


def test_pickled_weights_are_never_read(small) -> None:
    directory = small[2]
    (directory / "model.safetensors").rename(directory / "pytorch_model.bin")
    with pytest.raises(ModelNotFound, match="unpickle"):
        load_model(directory)


def test_cut_off_weights_are_a_clear_error(small) -> None:
    weights = small[2] / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ModelNotFound, match="cannot be read") as caught:
        load_model(small[2])
    assert "\n" not in str(caught.value)


def test_broken_config_is_a_clear_error(small) -> None:
    (small[2] / "config.json").write_text("{ this is not JSON")
    with pytest.raises(ModelNotFound, match="cannot be read"):
        load_model(small[2])


def test_weights_of_another_size_are_refused(small) -> None:
    config = small[2] / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"num_hidden_layers": 3}))
    with pytest.raises(ModelNotFound, match="do not fit"):
        load_model(small[2])


def test_a_short_name_that_does_not_exist_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'smollm2'"):
        load_model("smolm2")


def test_a_file_and_a_missing_path_have_different_errors(tmp_path: Path) -> None:
    (tmp_path / "weights.safetensors").touch()
    with pytest.raises(ModelNotFound, match="is a file"):
        load_model(tmp_path / "weights.safetensors")
    with pytest.raises(ModelNotFound, match="no directory"):
        load_model(str(tmp_path / "nothing" / "here"))
    with pytest.raises(TypeError, match="int"):
        model_directory(3)  # type: ignore[arg-type]


def test_smollm2_before_its_preparation_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZEROGYM_CACHE", str(tmp_path))
    with pytest.raises(ModelNotFound, match="zerogym model smollm2"):
        load_model("smollm2")


def test_a_hub_id_without_network_fails_soon_and_says_why(
    no_network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    start = time.perf_counter()
    with pytest.raises(ModelNotFound, match="no network") as caught:
        load_model("nobody-at-all/no-such-model")
    assert time.perf_counter() - start < 30
    assert "\n" not in str(caught.value)


def test_missing_transformers_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r"zerogym\[llm\]"):
        load_model("tiny")
