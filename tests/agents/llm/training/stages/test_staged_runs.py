"""Runs in stages: who learns, what each stage keeps, and runs that were killed."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_engine import Scripted
from helpers.llm.small_runs import equal, lines_of, untimed_lines, weights_of
from zerogym.agents.llm.algorithms.advantages.rae import Rae
from zerogym.agents.llm.algorithms.batch import Batch, Sample
from zerogym.agents.llm.algorithms.stages.sequence import Sequence
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player
from zerogym.agents.llm.training.batch import Batch as Played
from zerogym.agents.llm.training.batch import collect
from zerogym.agents.trajectory import Trajectory, Turn, read_jsonl, write_jsonl

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.training.grpo import train  # noqa: E402

SPY = GRPOConfig(
    env="zerogym/spy-v0", env_kwargs={"players": 3, "rounds": 1}, prompts_per_step=2, group_size=2,
    stages="iterative_spo", eval_episodes=0, device="cpu",
)  # fmt: skip


def spy_step(config: GRPOConfig) -> Played:
    """A step of the spy game: all say that they see something, and vote for the last seat or 1."""

    def reply(prompt: str) -> str:
        if "vote player" not in prompt.rpartition("Reply")[2]:
            return "<answer>I see 3 things</answer>"
        last = "vote player 3" in prompt.rpartition("Reply")[2]
        return f"<answer>vote player {3 if last else 1}</answer>"

    player = Player(Scripted(reply))
    with Environments(config.env) as envs:
        own = envs.of(config.task)
        return collect(own, config, np.random.default_rng(1), lambda _: player)


def own_text(item: Trajectory) -> str:
    """The text of the tokens that are trained on."""
    flat = item.flatten()
    return "".join(chr(i) for i, own in zip(flat.ids, flat.mask, strict=True) if own)


def test_votes_of_all_but_the_spy_learn_in_one_stage_and_clues_in_the_other() -> None:
    decision, clue = SPY.staged.values()
    played = spy_step(decision)
    assert len(played.rolled_out) == 6 and len(played.groups) == 4, "not those of the spy"
    for group in played.groups:
        for item in group:
            assert own_text(item) == item.turns[1].action + "~" and item.frozen == (0,)
            assert item.reward == {"right": 1.0, "wrong": -1.0}[item.info["vote"]]
    assert not any(item.frozen for group in played.rolled_out for item in group)
    played = spy_step(clue)
    assert len(played.groups) == 6
    rewards: dict[int, float] = {}
    for item in (item for group in played.groups for item in group):
        assert own_text(item) == "<answer>I see 3 things</answer>~"
        rewards[item.episode] = rewards.get(item.episode, 0.0) + item.reward
    assert list(rewards.values()) == pytest.approx([0.0] * 4) and len(rewards) == 4


def test_baselines_are_those_of_roles_wherever_they_sit_at_the_table() -> None:
    groups = spy_step(SPY.staged["clue"]).groups
    samples = [[Sample(item, np.zeros(sum(item.flatten().mask))) for item in g] for g in groups]
    batch = Batch(samples)
    weights = Rae(decay=0.5)(batch)
    assert set(batch.state["baselines"]) == {"zerogym/spy-v0 civilian", "zerogym/spy-v0 spy"}
    spies = [s.total for s in batch.samples if s.trajectory.turns[0].role == "spy"]
    kept = 0.5 ** len(spies)
    found = batch.state["baselines"]["zerogym/spy-v0 spy"]
    assert found == pytest.approx((1 - kept) * np.mean(spies))
    assert [w for group in weights for w in group] == [s.total for s in batch.samples]


def test_frozen_turns_have_no_tokens_and_their_rewards_count_before(tmp_path: Path) -> None:
    turns = (
        Turn("", "", (9,), (5, 6), (-1.0, -1.0), reward=1.0),
        Turn("", "", (9,), (7,), (-1.0,), reward=2.0),
    )
    item = Trajectory("e", 0, 0, turns, reward=3.0, key="k", frozen=(1,))
    flat = item.flatten()
    assert [i for i, own in zip(flat.ids, flat.mask, strict=True) if own] == [5, 6]
    assert Sample(item, np.zeros(2)).token_rewards.tolist() == [0.0, 3.0]
    first = replace(item, frozen=(0,))
    assert Sample(first, np.zeros(1)).token_rewards.tolist() == [2.0]
    write_jsonl(tmp_path / "one.jsonl", [item])
    assert list(read_jsonl(tmp_path / "one.jsonl")) == [item]


def settings(digits: str, start: Path, out: Path, **changed: Any) -> GRPOConfig:
    plan = {
        "values": {"steps": 2, "advantage": "rae", "temperature": 1.5},
        "groups": {"steps": 1, "prompts": {"part": "pool", "size": 2}, "entropy": 0.01},
    }
    known = {
        "env": digits, "model": str(start), "out": str(out), "steps": 5, "prompts_per_step": 2,
        "group_size": 2, "max_new_tokens": 3, "lr": 3e-3, "eval_episodes": 0, "device": "cpu",
        "seed": 5, "save_every": 1, "stages": Sequence(plan, repeat=True),
    }  # fmt: skip
    return GRPOConfig(**(known | changed))  # type: ignore[arg-type]


def record_of(config: GRPOConfig) -> Any:
    [path] = Path(config.out).glob("checkpoint-*/run.json")
    return json.loads(path.read_text("utf-8"))


def test_a_killed_run_is_in_the_stage_of_the_whole_one(
    digits: str, start: Path, tmp_path: Path
) -> None:
    config = settings(digits, start, tmp_path / "whole")
    whole = train(config)
    assert [line["stages/stage"] for line in lines_of(config)] == [0, 0, 1, 0, 0]

    def die(metrics: Any) -> None:
        if metrics["step"] == 3:
            raise RuntimeError("killed")

    halves = replace(config, out=str(tmp_path / "halves"))
    with pytest.raises(RuntimeError, match="killed"):
        train(halves, die)
    saved = record_of(halves)["stages"]
    assert saved["name"] == "groups", "the checkpoint is of step 2"
    assert saved["all"]["values"]["taken"] == 2
    resumed = train(halves, resume=True)
    assert equal(weights_of(resumed.model), weights_of(whole.model))
    assert untimed_lines(halves) == untimed_lines(config)


def test_each_stage_keeps_the_averages_of_its_own_episodes(
    digits: str, start: Path, tmp_path: Path
) -> None:
    plan = {"one": {"steps": 2, "advantage": "rae"}, "other": {"steps": 1, "advantage": "rae"}}
    config = settings(
        digits, start, tmp_path / "run", steps=3, keep_rollouts=True, stages=Sequence(plan, True)
    )
    train(config)
    record = record_of(config)
    assert record["stages"]["name"] == "one", "which holds again"
    states = {"one": record["parts"], "other": record["stages"]["all"]["other"]["parts"]}
    for stage, steps in (("one", (1, 2)), ("other", (3,))):
        average = 0.0
        for step in steps:
            path = tmp_path / "run" / "rollouts" / f"step-{step:06d}.jsonl"
            own = [item.reward for item in read_jsonl(path)]
            share = 0.95 ** len(own)
            average = share * average + (1 - share) * float(np.mean(own))
        kept = states[stage]["advantage"]["baselines"]
        assert list(kept.values()) == pytest.approx([average])


def test_where_nobody_learns_the_weights_stay_as_they_are(
    digits: str, start: Path, tmp_path: Path
) -> None:
    result = train(settings(digits, start, tmp_path / "run", steps=2, stages=None, learns=("x",)))
    assert equal(weights_of(result.model), weights_of(start))
