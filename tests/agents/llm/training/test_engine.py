"""Training with engines and servers that fail: the state is saved, and the error says what did."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.model_server import Answer, message, serving

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("httpx2")


from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.loading import save_model
from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer
from zerogym.agents.llm.training import engine
from zerogym.agents.llm.training.checkpoint import checkpoints
from zerogym.agents.llm.training.grpo import train
from zerogym.errors import EngineFailed, MissingExtra, ModelNotFound, ServerDown


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    settings = TinyConfig(vocabulary=300, hidden=16, layers=1, heads=2, feed_forward=32)
    tokenizer = build_tokenizer(["Calculate 1 + 2."], settings)
    path = tmp_path_factory.mktemp("models") / "small"
    return save_model(build_model(tokenizer, settings), tokenizer, path)


def config(small: Path, out: Path, **changes) -> GRPOConfig:
    settings = {
        "steps": 3, "prompts_per_step": 2, "group_size": 2, "max_new_tokens": 4,
        "eval_episodes": 0, "device": "cpu", "model": str(small), "out": str(out),
    }  # fmt: skip
    return GRPOConfig(**(settings | changes))


def test_a_server_that_goes_down_leaves_a_run_that_goes_on(small, tmp_path):
    with serving(lambda request: message("<answer>check</answer>")) as server:
        opponent = f"llm:{server.address}#m?backoff=0.001&retries=1&timeout=5"
        env = {"opponent": opponent, "seat": 1, "max_retries": 0}
        run = config(small, tmp_path / "run", env="zerogym/KuhnPoker-v0", env_kwargs=env)

        def stop_after_first(metrics) -> None:
            if metrics["step"] == 1:
                server.script = lambda request: Answer("", 503)

        with pytest.raises(ServerDown, match="status 503"):
            train(run, stop_after_first)
        assert [path.name for path in checkpoints(tmp_path / "run")] == ["checkpoint-000001"]
        server.script = lambda request: message("<answer>check</answer>")
        assert train(run, resume=True).status == "done"
        whole = train(replace(run, out=str(tmp_path / "whole")))
    one, other = (
        (tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("run", "whole")
    )
    assert one == other and whole.step == 3


@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_a_reply_without_log_probabilities_is_not_learned_from(small, tmp_path, monkeypatch, value):
    class Broken(TransformersGenerator):
        def generate(self, prompts, sampling):
            found = super().generate(prompts, sampling)
            if self.weight_version == 1:
                logprobs = (*found[0].logprobs[:-1], value)
                found[0] = replace(found[0], logprobs=logprobs)
            return found

    monkeypatch.setattr(engine, "TransformersGenerator", Broken)
    with pytest.raises(EngineFailed, match="its engine gave no log-probabilities"):
        train(config(small, tmp_path))
    assert [path.name for path in checkpoints(tmp_path)] == ["checkpoint-000001"]


def test_engines_that_cannot_train_are_refused_by_name(small, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vllm", None)
    for train_with in (
        lambda: train(config(small, tmp_path, backend="vllm")),
        lambda: load_generator("tiny", backend="vllm"),
    ):
        with pytest.raises(MissingExtra, match=r"'vllm' needs vllm: pip install 'zerogym\[vllm\]'"):
            train_with()
    assert not checkpoints(tmp_path)
    with pytest.raises(ModelNotFound, match="evaluated and played against"):
        train(config(small, tmp_path, model="http://127.0.0.1:1/v1#m"))
