"""A user's advantage in a run: its state is resumed, its failure saved, its module never imported
because a file names it."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from helpers.llm.small_runs import assert_goes_on_exactly, equal, lines_of, weights_of
from helpers.llm.tiny_llamas import gradients
from zerogym.agents.llm.algorithms.advantage_tables import Advantage
from zerogym.agents.llm.algorithms.batch import Batch, Weights
from zerogym.agents.llm.algorithms.episode_tables import Shaping
from zerogym.agents.llm.algorithms.losses.surrogates import Clipped
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.cli import app
from zerogym.cli.names import typed_modules
from zerogym.errors import PartFailed

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402


@dataclass(frozen=True)
class Running(Advantage):
    """The reward less a mean over all episodes so far; it fails after some updates."""

    fails_at: int = -1  # update that fails

    def __call__(self, batch: Batch) -> Weights:
        state = batch.state
        count, mean = state.get("count", 0), state.get("mean", 0.0)
        if state.get("updates", 0) == self.fails_at:
            state["mean"] = 1e9
            raise ZeroDivisionError("a fault of one's own")
        rewards = [sample.total for sample in batch.samples]
        state["updates"] = state.get("updates", 0) + 1
        state["count"] = count + len(rewards)
        state["mean"] = (count * mean + sum(rewards)) / state["count"]
        return [[sample.total - mean for sample in group] for group in batch.groups]


@dataclass(frozen=True)
class Fading(Shaping):
    """A reward for long replies that fades from update to update."""

    def __call__(self, batch: Batch, limit: int) -> list[list[float]]:
        updates = batch.state.setdefault("updates", 0)
        batch.state["updates"] += 1
        return [[s.tokens / limit / (1 + updates) for s in group] for group in batch.groups]


@dataclass(frozen=True)
class Signals(Advantage):
    """Entropy plus the log-probability of a reference, as weights."""

    signals = ("entropy", "reference")

    def __call__(self, batch: Batch) -> Weights:
        return [[s.signals["entropy"] + s.signals["reference"] for s in g] for g in batch.groups]


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=4, prompts_per_step=2,
        group_size=4, max_new_tokens=6, lr=1e-3, eval_episodes=0, device="cpu", seed=5,
        advantage=Running(),
    )  # fmt: skip


def saved(config: GRPOConfig) -> dict[str, object]:
    (folder,) = Path(config.out).glob("checkpoint-*")
    record: dict[str, object] = json.loads((folder / "run.json").read_text("utf-8"))
    return record


def test_state_is_in_the_checkpoint_and_goes_on(
    config: GRPOConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(replace(config, steps=2))
    rewards = [line["rollout/reward"] for line in lines_of(config)]
    kept = {"updates": 2, "count": 16, "mean": pytest.approx(np.mean(rewards))}
    assert saved(config)["parts"] == {"advantage": kept}
    with pytest.raises(ValueError, match="other settings: advantage"):
        train(replace(config, advantage="grpo"), resume=True)
    with monkeypatch.context() as later:
        later.setattr(Clipped, "version", 2)  # a part of the preset, which the settings do not name
        with pytest.raises(ValueError, match="version 1 of surrogate 'clipped', which has version"):
            train(config, resume=True)
    with monkeypatch.context() as later:
        later.setattr(Running, "version", 3)
        with pytest.raises(ValueError, match=r"Running' has version 3 here, and 1 in the record"):
            train(config, resume=True)
    assert_goes_on_exactly(config)


def test_states_of_several_parts_go_on_and_follow_the_updates(config: GRPOConfig) -> None:
    """Replies are of older weights, and what parts keep is of the updates all the same."""
    config = replace(config, shaping=Fading(), staleness=1, correction="token_mask", steps=3)
    train(replace(config, steps=2))
    assert saved(config)["parts"]["shaping"] == {"updates": 2}  # type: ignore[index]
    assert saved(config)["parts"]["advantage"]["updates"] == 2  # type: ignore[index]
    assert_goes_on_exactly(config)


def test_states_of_older_checkpoints_are_those_of_the_advantage(config: GRPOConfig) -> None:
    learner = Learner(load_model(config.model, "cpu")[0], config)
    learner.set_part_state({"mean": 0.5, "count": 3})
    assert learner.part_state() == {"advantage": {"mean": 0.5, "count": 3}}
    learner.set_part_state({})
    assert learner.part_state() == {}


def test_a_failing_part_ends_the_run_after_saving(config: GRPOConfig) -> None:
    message = rf"step 3: {__name__}:Running raised ZeroDivisionError: a fault.*saved in .*-000002"
    with pytest.raises(PartFailed, match=message):
        train(replace(config, advantage=Running(fails_at=2)))
    assert saved(config)["step"] == 2
    kept = saved(config)["parts"]["advantage"]  # type: ignore[index]
    assert kept["updates"] == 2 and kept["mean"] < 2


def test_signals_are_computed_where_they_are_declared(config: GRPOConfig) -> None:
    """Entropy and reference log-probabilities of the own tokens, by a pass over each episode."""
    model, tokenizer = load_model(config.model, "cpu")
    with Environments(config.env) as envs:
        player = Player(TransformersGenerator(model, tokenizer), Sampling(6, seed=4))
        groups = rollout_groups(envs, [1, 22], 3, player)
    config = replace(config, advantage=Signals(), micro_batch=2)
    with pytest.raises(ValueError, match="Signals needs a reference model"):
        Learner(model, config)
    reference = load_model(config.model, "cpu")[0]
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.mul_(1.3)
    learner = Learner(model, config, reference)
    flats = [item.flatten() for group in groups for item in group]
    with learner._computing():
        batch = learner._view(groups, learner._penalties(flats)[0])
        weights, _ = learner._advantages(batch, flats)
    for flat, own in zip(flats, weights, strict=True):
        ids = torch.tensor([flat.ids])
        places = [t for t, mine in enumerate(flat.mask) if mine]
        with torch.no_grad():
            mine, other = (m(ids).logits[0].log_softmax(-1) for m in (model, reference))
        before = [t - 1 for t in places]
        entropy = -(mine.exp() * mine).sum(-1)[before]
        expected = entropy + other[before, [flat.ids[t] for t in places]]
        assert own == pytest.approx(expected.numpy(), abs=1e-4)
    assert learner.update(groups)["actor/rows"] == 6 and gradients(learner).any()


OWN = """
from dataclasses import dataclass

from zerogym.agents.llm import Advantage


@dataclass(frozen=True)
class Mine(Advantage):
    alpha: float = 1.0  # factor

    def __call__(self, batch):
        return [[self.alpha * (s.total - 0.5) for s in group] for group in batch.groups]
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "advantage_of_a_run.py").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield "advantage_of_a_run"
    sys.modules.pop("advantage_of_a_run", None)


def test_a_typed_module_is_imported_and_a_recorded_one_is_not(
    config: GRPOConfig, module: str
) -> None:
    typed = [
        "train", "llm", "--env", config.env, "--model", config.model, "--out", config.out,
        "--prompts-per-step", "2", "--group-size", "4", "--max-new-tokens", "6",
        "--eval-episodes", "0", "--device", "cpu", "--steps",
    ]  # fmt: skip
    shown = CliRunner().invoke(app, [*typed, "1", "--advantage", f"{module}:Mine"])
    assert shown.exit_code == 0, shown.output
    assert not equal(weights_of(Path(config.out) / "model"), weights_of(Path(config.model)))
    again = ["train", "llm", "--resume", config.out, "--steps", "2"]
    del sys.modules[module]
    typed_modules.discard(module)  # as in another process
    shown = CliRunner().invoke(app, again)
    assert shown.exit_code == 2 and f"--import {module}" in shown.output
    assert module not in sys.modules
    for named in (["--advantage", f"{module}:Mine"], []):  # by now the user has typed it
        shown = CliRunner().invoke(app, [*again[:-1], "2", *named])
        assert shown.exit_code == 0, shown.output
    unknown = CliRunner().invoke(app, [*typed, "1", "--advantage", "nowhere:Mine"])
    assert unknown.exit_code == 2 and "'nowhere' cannot be imported" in unknown.output
