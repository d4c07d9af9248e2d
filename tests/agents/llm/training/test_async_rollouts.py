"""Batches of older weights: which weights draw which batch, exact resumption, failures, and that it
learns."""

import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.small_runs import (
    Digits,
    assert_goes_on_exactly,
    equal,
    lines_of,
    registered,
    untimed_lines,
    weights_of,
)

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.distributed import parallel  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.learner.out_of_memory import OutOfMemory  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.models.lora import attach  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.evaluation import examine  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player  # noqa: E402
from zerogym.agents.llm.training import grpo  # noqa: E402
from zerogym.agents.llm.training.async_rollouts import AsyncRollouts  # noqa: E402
from zerogym.agents.llm.training.batch import Batch, collect  # noqa: E402
from zerogym.agents.llm.training.grpo import GRPOConfig, train  # noqa: E402
from zerogym.agents.torch_threads import one_thread  # noqa: E402
from zerogym.agents.trajectory import read_jsonl  # noqa: E402
from zerogym.envs.core import TextEnv  # noqa: E402
from zerogym.errors import EngineFailed  # noqa: E402


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=5, prompts_per_step=2,
        group_size=4, max_new_tokens=6, lr=3e-3, eval_episodes=0, device="cpu", seed=5,
        correction="token_mask", staleness=1,
    )  # fmt: skip


def in_turns(config: GRPOConfig) -> tuple[dict[str, Any], list[dict[str, float]]]:
    """Weights and metrics of a run that does one thing after another and keeps all its weights."""
    model, tokenizer = load_model(config.model, "cpu")
    learner, metrics = Learner(model, config), []
    past = []
    with Environments(config.env) as envs:
        for step in range(config.steps):
            past.append({name: value.clone() for name, value in model.state_dict().items()})
            version = max(0, step - config.staleness)
            engine = TransformersGenerator(load_model(config.model, "cpu")[0], tokenizer)
            engine.update_weights(past[version], version)

            def player(seed: int, engine: TransformersGenerator = engine) -> Player:
                return Player(engine, Sampling(config.max_new_tokens, seed=seed))

            rng = np.random.default_rng((config.seed, step))
            batch = collect(envs, config, rng, player)
            metrics.append(batch.metrics | learner.update(batch.groups))
    return model.state_dict(), metrics


def reported(config: GRPOConfig) -> list[dict[str, float]]:
    """The metrics of a run's steps but times, and how old the weights were."""
    lines = [line for line in untimed_lines(config) if "actor/rows" in line]
    return [{k: v for k, v in line.items() if k not in ("step", "rollout/lag")} for line in lines]


@pytest.mark.proof
@pytest.mark.parametrize("staleness", [0, 1, 2, 9])
def test_each_batch_is_drawn_with_weights_of_so_many_steps_before(config, staleness):
    config = replace(config, staleness=staleness, keep_rollouts=True)
    with one_thread():
        weights, metrics = in_turns(config)
    result = train(config)
    assert equal(weights_of(result.model), weights)
    assert reported(config) == metrics
    versions = [max(0, step - staleness) for step in range(5)]
    for step, version in enumerate(versions):
        records = read_jsonl(Path(config.out) / f"rollouts/step-{step + 1:06d}.jsonl")
        assert {turn.weight_version for item in records for turn in item.turns} == {version}
    lags = [line.get("rollout/lag") for line in lines_of(config)]
    expected = [step - version for step, version in enumerate(versions)]
    assert lags == (expected if staleness else [None] * 5)


@pytest.mark.proof
@pytest.mark.parametrize(("staleness", "stop"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 4), (3, 3)])
def test_a_stopped_run_goes_on_exactly(config, staleness, stop):
    config = replace(config, staleness=staleness)
    expected_value = weights_of(train(config).model)
    halves = replace(config, out=config.out + "2")
    train(replace(halves, steps=stop))
    assert equal(weights_of(train(halves, resume=True).model), expected_value)
    assert reported(halves) == reported(config)

    def die(metrics):
        if metrics["step"] == stop + 1:
            raise ZeroDivisionError  # nothing is saved

    killed = replace(config, out=config.out + "3", save_every=stop)
    with pytest.raises(ZeroDivisionError):
        train(killed, die)
    assert [path.name for path in Path(killed.out).glob("checkpoint-*")] == [
        f"checkpoint-{stop:06d}"
    ]
    assert equal(weights_of(train(killed, resume=True).model), expected_value)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (EngineFailed("the engine is gone"), "^the engine is gone$"),
        (
            torch.OutOfMemoryError("CUDA"),
            r"step 3: out of memory: lower prompts_per_step, .*; saved in .*checkpoint-000002",
        ),
    ],
)
def test_what_stops_the_thread_stops_the_run_at_its_step(config, monkeypatch, error, message):
    generate = TransformersGenerator.generate

    def broken(self, *arguments):
        if self.weight_version == 1:
            raise error
        return generate(self, *arguments)

    monkeypatch.setattr(TransformersGenerator, "generate", broken)
    expected = OutOfMemory if isinstance(error, torch.OutOfMemoryError) else type(error)
    with pytest.raises(expected, match=message):
        train(config)
    assert not threads()
    assert [path.name for path in Path(config.out).glob("checkpoint-*")] == ["checkpoint-000002"]
    monkeypatch.undo()
    assert_goes_on_exactly(config)


class Interrupting:
    """Presses Ctrl-C at the reply with this number; holds nothing."""

    def __init__(self, number: int) -> None:
        self.left = number

    def __contains__(self, reply: object) -> bool:
        self.left -= 1
        if not self.left:
            press_ctrl_c()
        return False


def press_ctrl_c() -> None:
    """As a person does: the main thread gets it."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def threads() -> list[str]:
    """Names of the threads of asynchronous rollouts."""
    return [
        thread.name for thread in threading.enumerate() if thread.name.startswith("async-rollouts")
    ]


@pytest.mark.parametrize("reply", [1, 30])  # a batch has 16
def test_ctrl_c_saves_and_goes_on_exactly(config, reply):
    config = replace(config, staleness=2)
    Digits.breaks = Interrupting(reply)
    result = train(config)
    assert result.status == "interrupted" and result.step < 5
    assert not threads()
    assert_goes_on_exactly(config)


class Talkative(TextEnv):
    """An episode of 200 turns; Ctrl-C in the first ones."""

    turns = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._left = 200
        return "digits", {}

    def step(self, action: str) -> Any:
        Talkative.turns += 1
        if Talkative.turns == 20:
            press_ctrl_c()
        self._left -= 1
        return "again", 0.0, self._left == 0, False, {}


def test_ctrl_c_does_not_wait_for_episodes(config):
    with registered("tests/Talkative-v0", Talkative) as env_id:
        result = train(replace(config, env=env_id, context="truncate"))
    assert (result.status, result.step) == ("interrupted", 0)
    assert Talkative.turns < 8 * 200 and not threads()


def test_evaluation_is_of_the_present_weights(config, monkeypatch):
    observed = []

    def watched(envs, player, *arguments, **settings):
        held = player.generator.model.state_dict()
        observed.append({name: value.clone() for name, value in held.items()})
        return examine(envs, player, *arguments, **settings)

    monkeypatch.setattr(grpo, "examine", watched)
    config = replace(config, eval_episodes=2, eval_every=1, save_every=1, keep_checkpoints=9)
    train(config)
    assert len(observed) == 6 and equal(observed[0], weights_of(Path(config.model)))
    for step in range(1, 6):
        saved = Path(config.out) / f"checkpoint-{step:06d}/model"
        assert equal(observed[step], weights_of(saved)) and not equal(
            observed[step], observed[step - 1]
        )


# --- the thread


def test_the_next_batch_is_played_meanwhile_with_weights_that_stay(config):
    model, tokenizer = load_model(config.model, "cpu")
    weight = next(model.parameters())
    begun, changed = threading.Event(), threading.Event()
    observed = []

    def draw(step: int, engine: Any) -> Batch:
        if step == 1:
            begun.set()
            assert changed.wait(60)
        held = next(engine.model.parameters()).clone()
        observed.append((step, engine.weight_version, held, torch.get_num_threads()))
        return Batch([], [], {"drawn": float(step)})

    first = weight.detach().clone()
    with one_thread():
        torch.set_num_threads(4)
        with AsyncRollouts(model, tokenizer, 1, 3, draw, {}) as ahead:
            assert ahead.take(0).metrics == {"drawn": 0.0, "rollout/lag": 0.0}
            assert begun.wait(60) and len(threads()) == 1  # before it is taken
            weight.data.add_(1)
            changed.set()
            ahead.take(1)
            weight.data.add_(1)
            ahead.take(2)
            assert torch.get_num_threads() == 2
        assert torch.get_num_threads() == 4 and not threads()
    drawn, versions, held, counts = zip(*observed, strict=True)
    assert (drawn, versions, counts) == ((0, 1, 2), (0, 0, 1), (2, 2, 2))
    assert all(torch.equal(one, first) for one in held[:2])
    assert torch.equal(held[2], first + 1)


def test_what_is_frozen_is_not_copied(config):
    config = replace(config, lora_rank=2)
    model, tokenizer = load_model(config.model, "cpu")
    attach(model, config)
    engines: list[Any] = []

    def draw(step: int, engine: Any) -> Batch:
        engines.append(engine)
        return Batch([], [], {})

    with AsyncRollouts(model, tokenizer, 1, 1, draw, {}) as ahead:
        ahead.take(0)
    assert ahead.state(1) and all(".lora_" in name for name in ahead.state(1))
    for mine, its in zip(model.parameters(), engines[0].model.parameters(), strict=True):
        assert (mine.data_ptr() == its.data_ptr()) != mine.requires_grad
    train(replace(config, steps=3))
    assert_goes_on_exactly(config)


def test_several_processes_are_refused(config, monkeypatch):
    monkeypatch.setattr(parallel, "world_size", lambda: 2)
    monkeypatch.setattr(parallel, "rank", lambda: 0)
    with pytest.raises(ValueError, match="staleness is for one process"):
        train(config)


# --- it learns


@pytest.mark.proof
@pytest.mark.parametrize("staleness", [1, 2])
def test_reward_rises(config, staleness):
    """From a random start, where 4 % of the tokens are digits."""
    settings = replace(
        config, steps=40, prompts_per_step=4, group_size=8, eval_episodes=20, staleness=staleness
    )
    result = train(settings)
    assert result.before.reward < 0.5
    assert result.after.reward > 1.5  # of 2: two replies, the reward of each is its share of digits
