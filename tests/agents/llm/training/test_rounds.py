"""Requests: sizes, joins, numbering, branch points, hints, prefills, traces; refill and DARS."""

import json
import math
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_engine import Letters, Scripted
from zerogym.agents.llm.algorithms.rollout_tables import Rolling, Rollouts, Step
from zerogym.agents.llm.algorithms.rollouts.dars import DARS
from zerogym.agents.llm.algorithms.rollouts.plain import Plain
from zerogym.agents.llm.algorithms.rollouts.refill import Refill
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Player
from zerogym.agents.llm.rollout.planned import play_planned
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.request import Branch, PlannedEpisode, Request
from zerogym.agents.llm.training.batch import Batch, collect
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.core import TextEnv
from zerogym.errors import NoOracle, PartFailed

ENV = "tests/Target-v0"


class Target(TextEnv):
    """Shows a number from 0 to 9 (an option pins it); two turns, 1 for a reply above it in each."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._episode = [0, (options or {}).get("target", int(self.np_random.integers(10)))]
        return f"target {self._episode[1]}", {}

    def step(self, action: str) -> Any:
        self._episode[0] += 1
        won = action.isdigit() and int(action) > self._episode[1]
        return "again", float(won), self._episode[0] == 2, False, {"success": won}


class Dice:
    """An engine whose replies are digits by the seed of their row."""

    def __init__(self) -> None:
        self.tokenizer, self.context_length, self.weight_version = Letters(), 10_000, 0
        self.prompts: list[str] = []

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        self.prompts += ["".join(map(chr, prompt)) for prompt in prompts]
        seeds = sampling.seeds or [sampling.seed + place for place in range(len(prompts))]
        texts = [str(np.random.default_rng(seed).integers(10)) for seed in seeds]
        return [Completion(t, (ord(t), ord("~")), (-1.0, -1.0), "stop") for t in texts]

    def update_weights(self, weights: Any, version: int) -> None: ...


@pytest.fixture
def envs() -> Any:
    gym.register(ENV, Target)
    with Environments(ENV) as envs:
        yield envs
    del gym.registry[ENV]


def taken(envs: Environments, part: Rollouts, engine: Any = None, **settings: Any) -> Batch:
    known = {"prompts_per_step": 6, "group_size": 4, "advantage": "dr_grpo"}
    config = GRPOConfig(env=ENV, rollouts=part, **(known | settings))
    engine = engine or Dice()
    rng = np.random.default_rng(2)
    return collect(envs, config, rng, lambda seed: Player(engine, Sampling(4, seed=seed)))


def said(items: Sequence[Trajectory]) -> list[list[str]]:
    return [[turn.action for turn in each.turns] for each in items]


@dataclass(frozen=True)
class Own(Rollouts):
    """Rounds of a function of the step."""

    def __call__(self, step: Step) -> Rolling:
        return FUNCTION[0](step)


FUNCTION: list[Callable[[Step], Rolling]] = []


def by(function: Callable[[Step], Rolling]) -> Own:
    FUNCTION[:] = [function]
    return Own()


# --- requests


def test_prompts_and_requests_have_sizes_of_their_own(envs: Environments) -> None:
    def rounds(step: Step) -> Rolling:
        one, two, three = step.draw(3)
        played = yield [Request(one), Request(replace(two, size=2)), Request(three, count=3)]
        return [group for seats in played for group in seats]

    batch = taken(envs, by(rounds))
    assert [len(group) for group in batch.groups] == [4, 2, 3]
    assert [group[0].group for group in batch.rolled_out] == [0, 1, 2]
    assert [item.episode for group in batch.groups for item in group] == list(range(9))
    assert [prompt.key for prompt in batch.prompts] == [group[0].key for group in batch.groups]


def test_a_request_can_join_an_earlier_group(envs: Environments) -> None:
    def rounds(step: Step) -> Rolling:
        prompts = step.draw(2)
        first = yield [Request(prompt) for prompt in prompts]
        second = yield [Request(prompts[1], 1, joins=1)]
        return [first[0][0], first[1][0] + second[0][0]]

    batch = taken(envs, by(rounds))
    assert [len(group) for group in batch.groups] == [4, 5]
    assert [len(group) for group in batch.rolled_out] == [4, 5]
    assert {item.group for item in batch.groups[1]} == {1}
    assert batch.metrics["rollout/rounds"] == 2


def test_a_budget_does_not_change_the_draws_of_other_requests(envs: Environments) -> None:
    def rounds(count: int) -> Callable[[Step], Rolling]:
        def take(step: Step) -> Rolling:
            prompts = step.draw(3)
            sizes = (4, count, 4)
            played = yield [Request(p, size) for p, size in zip(prompts, sizes, strict=True)]
            more = yield [Request(prompts[0], 3)]
            return [group for seats in [*played, *more] for group in seats]

        return take

    few, many = (taken(envs, by(rounds(count))).groups for count in (2, 9))
    assert [said(few[n]) for n in (0, 2, 3)] == [said(many[n]) for n in (0, 2, 3)]
    assert said(few[1]) == said(many[1])[:2]
    assert len({str(said(group)[:3]) for group in many}) == 4


def test_planned_episodes_are_plain_data(envs: Environments) -> None:
    def rounds(step: Step) -> Rolling:
        played = yield [Request(prompt) for prompt in step.draw(3)]
        return [group for seats in played for group in seats]

    def elsewhere(envs: Environments, planned: Any, *rest: Any) -> list[Trajectory]:
        blocks = [pickle.loads(pickle.dumps(list(planned[part::2]))) for part in (0, 1)]
        found = [one for block in blocks for one in play_planned(envs, block, *rest)]
        return sorted(found, key=lambda one: one.episode)

    config = GRPOConfig(env=ENV, rollouts=by(rounds), group_size=4)
    batches = [
        collect(
            envs, config, np.random.default_rng(3), lambda s: Player(Dice(), Sampling(seed=s)), roll
        )
        for roll in (play_planned, elsewhere)
    ]
    assert batches[0] == batches[1]


def test_a_request_can_start_at_a_branch_point(envs: Environments) -> None:
    def rounds(step: Step) -> Rolling:
        [prompt] = step.draw(1)
        [[group]] = yield [Request(prompt)]
        branch = Branch((group[2],), 1)
        [[others]] = yield [Request(prompt, 5, branch, joins=0)]
        return [group + others]

    [group] = taken(envs, by(rounds)).groups
    assert [item.parent for item in group] == [None] * 4 + [2] * 5
    assert [item.shared for item in group] == [0] * 4 + [1] * 5
    for item in group[4:]:
        assert item.turns[0] == group[2].turns[0] and sum(item.flatten().mask) == 2
    assert len({item.turns[1].action for item in group[4:]}) > 1


def test_a_part_that_does_something_else_is_named(envs: Environments) -> None:
    def no_generator(step: Step) -> Any:
        return []

    def wrong_joins(step: Step) -> Rolling:
        yield [Request(step.draw(1)[0], joins=3)]
        return []

    def no_groups(step: Step) -> Any:
        yield [Request(step.draw(1)[0])]
        return [[1, 2]]

    for function, says in (
        (no_generator, "has no attribute 'send'"),
        (wrong_joins, "joins request 3, which is none"),
        (no_groups, "something else than groups"),
    ):
        with pytest.raises(PartFailed, match=f"Own.*{says}"):
            taken(envs, by(function))


# --- how a prompt is posed


def posed(envs: Environments, prompt: Prompt, engine: Any) -> Trajectory:
    planned = [PlannedEpisode(0, prompt, 0, (0,))]
    [record] = play_planned(envs, planned, Player(engine, Sampling(9)), False, False)
    return record


def test_options_reach_the_environment(envs: Environments) -> None:
    record = posed(envs, Prompt(envs.task, 1, options={"target": 77}), Dice())
    assert record.turns[0].observation == "target 77"
    assert record.key == json.dumps([ENV, {}, 1, {"target": 77}])


def test_a_hint_is_below_the_first_observation_only(envs: Environments) -> None:
    record = posed(envs, Prompt(envs.task, 1, hint="say 9"), Dice())
    first, second = (turn.observation for turn in record.turns)
    assert first.splitlines()[1:] == ["say 9"] and second == "again"
    assert record.key == Prompt(envs.task, 1).key


def test_a_group_can_have_several_system_texts(envs: Environments) -> None:
    def rounds(step: Step) -> Rolling:
        [prompt] = step.draw(1)
        [[one]] = yield [Request(replace(prompt, system="Be brave."), 2)]
        [[other]] = yield [Request(prompt, 2, joins=0)]
        return [one + other]

    engine = Dice()
    [group] = taken(envs, by(rounds), engine).groups
    assert [item.system for item in group] == ["Be brave."] * 2 + [""] * 2
    brave = [prompt.startswith("Be brave.\ntarget") for prompt in engine.prompts]
    assert brave == [True] * 4 + [False] * 4  # two episodes of two turns each
    assert len({item.key for item in group}) == 1


def test_a_prefill_begins_the_first_reply_and_is_not_trained_on(envs: Environments) -> None:
    engine = Scripted(lambda prompt: "5")
    record = posed(envs, Prompt(envs.task, 1, prefill="12"), engine)
    assert [turn.action for turn in record.turns] == ["125~", "5"]  # `~` is a special token's text
    flat = record.flatten()
    own = "".join(chr(i) for i, mine in zip(flat.ids, flat.mask, strict=True) if mine)
    assert own == "5~5~"
    assert "".join(map(chr, record.turns[0].prompt_ids)).endswith("\n12")
    assert (record.reward, record.turns[1].prompt_ids[:2]) == (1.0, (10, ord("a")))


def test_a_trace_is_played_before_the_policy(envs: Environments) -> None:
    record = posed(envs, Prompt(envs.task, 1, options={"target": 3}, trace=("9",)), Dice())
    assert record.shared == 1 and record.parent is None
    assert record.turns[0].action == "9" and math.isnan(record.turns[0].logprobs[0])
    flat = record.flatten()
    assert np.isfinite(flat.logprobs).all() and sum(flat.mask) == 2
    assert record.turns[0].info == {"success": True} and record.reward >= 1
    with pytest.raises(ValueError, match="leaves nothing for the policy"):
        posed(envs, Prompt(envs.task, 1, trace=("9", "9")), Dice())


def test_the_oracle_plays_the_first_replies_but_never_the_last(envs: Environments) -> None:
    """Its replies are the oracle's of an episode of its own; the policy plays on from there."""
    with Environments("zerogym/SQL-v0", {"difficulty": 1}) as tools:
        env = tools.take()
        env.reset(3)
        replies = []
        while env.to_move():
            replies.append(env.oracle_action())
            env.act(replies[-1])
        tools.give_back(env)
        assert len(replies) > 1
        for guided in (1, 99):
            record = posed(tools, Prompt(tools.task, 3, guided=guided), Dice())
            moves = min(guided, len(replies) - 1)
            assert [turn.action for turn in record.turns[:moves]] == replies[:moves]
            assert record.shared == moves < len(record.turns)
            assert sum(record.flatten().mask) == 2 * (len(record.turns) - moves)
    with pytest.raises(NoOracle, match="Target-v0 has no oracle"):
        posed(envs, Prompt(envs.task, 1, guided=1), Dice())


def test_several_tasks_have_environments_of_their_own(envs: Environments) -> None:
    config = GRPOConfig(
        env=ENV, prompts_per_step=8, group_size=2,
        prompts={
            "part": "mixture", "own": 1.0,
            "tasks": {"sums": {"env": "zerogym/RandomCalculation-v0", "kwargs": {"difficulty": 0}}},
        },
    )  # fmt: skip
    player = Player(Scripted(lambda prompt: "7"), Sampling(4))
    batch = collect(envs, config, np.random.default_rng(0), lambda seed: player)
    kinds = {item.env for group in batch.groups for item in group}
    assert kinds == {ENV, "zerogym/RandomCalculation-v0"}
    assert {"rollout/reward_own", "rollout/reward_sums"} <= set(batch.metrics)
    for group in batch.groups:
        assert len({(item.env, item.seed) for item in group}) == 1 and len(group) == 2


# --- parts


@pytest.mark.claim("refill", says="The batch is full, and all of its problems are in the band.")
def test_refill_keeps_a_band_of_difficulty(envs: Environments) -> None:
    def shares(part: Refill) -> list[float]:
        groups = taken(envs, part, prompts_per_step=4, group_size=8).groups
        return [sum(item.correct for item in group) / 8 for group in groups]

    assert len(shares(Refill(9))) == 4
    band = shares(Refill(30, hardest=0.25, easiest=0.75))
    assert len(band) == 4 and all(0.25 <= share <= 0.75 for share in band)
    assert not all(0.25 <= share <= 0.75 for share in shares(Refill(9)))
    with pytest.raises(ValueError, match="hardest <= easiest"):
        Refill(hardest=0.5, easiest=0.2)


def test_dars_numbers_of_the_authors_schedules() -> None:
    """By hand, for 8 first episodes; S(1/8) = 7/32, S(1/16) = 15/128, both without deviation."""
    equal, hard = DARS(most=64), DARS("hardness", most=64)
    assert [equal.extra(share, 8) for share in (0.5, 0.75, 1.0)] == [0, 0, 0]
    assert equal.extra(1 / 8, 8) == math.ceil(8 * (1 / 2 - 7 / 32) / (7 / 32)) == 11
    assert hard.extra(1 / 8, 8) == math.ceil(8 * (7 / 4 / 2 - 7 / 32) / (7 / 32)) == 24
    assert equal.extra(0.0, 8) == math.ceil(8 * (1 / 2 - 15 / 128) / (15 / 128)) == 27
    assert DARS(most=32).extra(0.0, 8) == 24 and DARS(most=8).extra(0.0, 8) == 0
    root = 2 * math.sqrt(1 / 8 * 7 / 8)
    assert DARS(divided=True, most=64).extra(1 / 8, 8) == math.ceil(8 * (1 - root) / root) == 5


@pytest.mark.claim(
    "dars",
    says="Absolute advantages of hard problems add up to as much as those of problems that are "
    "solved half of the time.",
)
@pytest.mark.claim(
    "dars", says="The absolute advantages of a hard problem sum to those at half of successes."
)
@pytest.mark.parametrize("share", [1 / 8, 2 / 8, 3 / 8])
def test_dars_makes_absolute_advantages_of_hard_problems_as_large(share: float) -> None:
    """(N + extra) S(u) is at least N S(1/2), and less than one episode's part above it."""
    size = 2 * share * (1 - share)
    total = (8 + DARS(most=999).extra(share, 8)) * size
    assert total + 1e-12 >= 8 / 2 and total - 8 / 2 < size


def test_dars_plays_a_second_round_for_hard_problems_only(envs: Environments) -> None:
    part, first = DARS(most=20), taken(envs, by(Plain().__call__), group_size=8)
    batch = taken(envs, part, group_size=8)
    sizes = []
    for group, before in zip(batch.groups, first.groups, strict=True):
        assert said(group[:8]) == said(before)  # the first round does not depend on the second
        share = sum(item.correct for item in before) / 8
        assert len(group) == 8 + part.extra(share, 8)
        assert len({item.seed for item in group}) == 1
        sizes.append(len(group))
    assert min(sizes) == 8 < max(sizes) <= 20
