"""Adapters: what is trained, what is the reference, what is saved, and that runs go on exactly."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.small_runs import equal, random_model, registered, weights_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft", reason="the extra llm brings peft")

from helpers.llm.adapters import logits, moved  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.models.loading import load_model, save_model  # noqa: E402
from zerogym.agents.llm.models.lora import attach, merge, merged_weights, without_adapter  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.envs.core import TextEnv  # noqa: E402
from zerogym.errors import ModelNotFound  # noqa: E402


class Capitals(TextEnv):
    """The reward is the share of capital letters in a reply."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        return "Calculate 8 - 3.", {}

    def step(self, action: str) -> Any:
        return "", sum(map(str.isupper, action)) / max(1, len(action)), True, False, {}


@pytest.fixture
def capitals() -> Iterator[str]:
    with registered("tests/Capitals-v0", Capitals) as env_id:
        yield env_id


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("models") / "start", ["Calculate 8 - 3."], 32)


@pytest.fixture
def config(capitals: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=capitals, model=str(start), out=str(tmp_path / "run"), steps=4, prompts_per_step=2,
        group_size=4, max_new_tokens=6, lr=1e-2, eval_episodes=3, device="cpu", seed=5,
        lora_rank=2, kl=0.1,
    )  # fmt: skip


def test_a_fresh_adapter_changes_nothing_and_is_all_that_is_trained(config: GRPOConfig) -> None:
    base = load_model(config.model, "cpu", "bfloat16")[0]
    model = load_model(config.model, "cpu", "bfloat16")[0]
    attach(model, config)
    assert torch.equal(logits(model), logits(base))
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    assert all("lora_" in name and p.dtype == torch.float32 for name, p in trained.items())
    assert sum("lora_A" in name for name in trained) == 2 * 7  # q, k, v, o, gate, up, down
    few = load_model(config.model, "cpu")[0]
    attach(few, replace(config, lora_targets=("q_proj",)))
    assert sum(p.requires_grad for p in few.parameters()) == 2 * 2
    with pytest.raises(ValueError, match="nowhere"):
        attach(load_model(config.model, "cpu")[0], replace(config, lora_targets=("nowhere",)))


def test_without_its_adapter_a_model_is_its_base(config: GRPOConfig) -> None:
    base, (model, _) = load_model(config.model, "cpu")[0], moved(config, 0.3)
    adapted = logits(model)
    assert not torch.allclose(adapted, logits(base), atol=0.01)
    with without_adapter(model):
        assert torch.equal(logits(model), logits(base))
    assert torch.equal(logits(model), adapted)
    assert any(parameter.requires_grad for parameter in model.parameters())


@pytest.mark.parametrize("place", ["loss", "reward"])
def test_the_reference_is_a_copy_of_the_base(config: GRPOConfig, place: Any) -> None:
    """The same update with and without a second model, at a distance from it."""
    config = replace(config, kl_in=place, packing=True)
    results = []
    for reference in (None, load_model(config.model, "cpu")[0]):
        model, tokenizer = moved(config, 0.3)
        with Environments(config.env) as envs:
            player = Player(TransformersGenerator(model, tokenizer), Sampling(6, seed=4))
            groups = rollout_groups(envs, [1, 2], 4, player)
        learner = Learner(model, config, reference)
        metrics = learner.update(groups)
        assert metrics["actor/kl"] > 0.01 and metrics["actor/ratio"] == pytest.approx(1, abs=1e-4)
        results.append((metrics, [p.grad for p in learner.parameters]))
    assert results[0][0] == results[1][0]
    assert all(map(torch.equal, results[0][1], results[1][1]))


def test_a_merged_model_needs_no_adapter(config: GRPOConfig, tmp_path: Path) -> None:
    model, tokenizer = moved(config, 0.3)
    adapted = logits(model)
    saved = save_model(model, tokenizer, tmp_path / "adapter")
    assert {"adapter_config.json", "adapter_model.safetensors"} <= {f.name for f in saved.iterdir()}
    assert not (saved / "model.safetensors").exists()
    assert merge(model) is model and merge(model) is model
    whole = save_model(model, tokenizer, tmp_path / "whole")
    for loaded in (model, load_model(saved, "cpu")[0], load_model(whole, "cpu")[0]):
        assert not any("lora" in name for name, _ in loaded.named_parameters())
        assert torch.allclose(logits(loaded), adapted, atol=1e-4)


def test_what_an_engine_takes_over_is_the_merged_model(config: GRPOConfig) -> None:
    model, _ = moved(config, 0.3)
    taken = {name: value.clone() for name, value in merged_weights(model)}
    merged = merge(model).state_dict()
    assert equal(taken, merged)


def test_a_run_is_the_same_when_it_is_halved(config: GRPOConfig, tmp_path: Path) -> None:
    straight = train(config)
    halves = replace(config, out=str(tmp_path / "halves"))
    half = weights_of(train(replace(halves, steps=2)).model)
    assert (Path(halves.out) / "checkpoint-000002/model/adapter_model.safetensors").is_file()
    resumed = train(halves, resume=True)
    one, base = weights_of(straight.model), weights_of(Path(config.model))
    assert equal(one, weights_of(resumed.model))
    for earlier in (base, half):
        assert not all(torch.allclose(earlier[name], one[name], atol=1e-5) for name in base)
    kept = Path(halves.out) / "checkpoint-000004/model"  # what `past:` opponents load
    merged = weights_of(kept)
    assert all(torch.allclose(merged[name], one[name], atol=1e-6) for name in base)


def test_directories_that_are_no_adapter_are_refused(config: GRPOConfig, tmp_path: Path) -> None:
    saved = save_model(*moved(config, 0.3), tmp_path / "adapter")
    settings = saved / "adapter_config.json"
    whole = settings.read_text()
    settings.write_text(whole.replace('"r": 2', '"r": 3'))
    with pytest.raises(ModelNotFound, match="does not fit its base"):
        load_model(saved)
    settings.write_text(whole.replace(config.model, "/no/such/base"))
    with pytest.raises(ModelNotFound, match="/no/such/base"):
        load_model(saved)
    (saved / "adapter_model.safetensors").unlink()
    with pytest.raises(ModelNotFound, match="weights of the adapter"):
        load_model(saved)


def test_an_adapter_on_shared_weights_is_refused(config: GRPOConfig) -> None:
    model, _ = load_model(config.model, "cpu")
    model.config.tie_word_embeddings = True
    for name in ("lm_head", "embed_tokens"):
        with pytest.raises(ValueError, match=f"must leave out {name}: this model reads"):
            attach(model, replace(config, lora_targets=("q_proj", name)))
    model.config.tie_word_embeddings = False
    attach(model, replace(config, lora_targets=("q_proj", "lm_head")))
