"""Filters and reward shaping: what they do to the episodes of a step, and how they fail."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from helpers.llm.samples import sample
from helpers.llm.seat_episodes import CONFIG, played, saying
from zerogym.agents.llm.algorithms.algorithm import Algorithm
from zerogym.agents.llm.algorithms.batch import Batch
from zerogym.agents.llm.algorithms.episode_tables import (
    Filter,
    Groups,
    Shaping,
    kept,
    shaped,
    with_gradient,
    without_dropped,
)
from zerogym.agents.llm.algorithms.filters.truncated import Truncated
from zerogym.agents.llm.algorithms.presets import PRESETS
from zerogym.agents.llm.algorithms.shapings.length import KimiLength, Overlong
from zerogym.agents.trajectory import Trajectory
from zerogym.errors import PartFailed


@dataclass(frozen=True)
class Rewarded(Filter):
    """Drop episodes with a reward below a bound."""

    least: float = 0.0  # reward that is kept

    def __call__(self, groups: Groups, rng: np.random.Generator) -> list[list[bool]]:
        return [[item.reward >= self.least for item in group] for group in groups]


@dataclass(frozen=True)
class AtRandom(Filter):
    """Drop half of the episodes."""

    def __call__(self, groups: Groups, rng: np.random.Generator) -> list[list[bool]]:
        return [(rng.random(len(group)) < 0.5).tolist() for group in groups]


@dataclass(frozen=True)
class Faulty(Filter):
    """Fail in a way of its choice."""

    way: str = "raises"  # how

    def __call__(self, groups: Groups, rng: np.random.Generator) -> Any:
        if self.way == "raises":
            return [[item.nothing for item in group] for group in groups]  # type: ignore[attr-defined]
        if self.way == "forgets":
            return [[True] for _ in groups]
        return [["yes" for _ in group] for group in groups]


@dataclass(frozen=True)
class Unshapely(Shaping):
    """Return rewards that cannot be used."""

    way: str = "nan"  # how

    def __call__(self, batch: Batch, limit: int) -> list[list[float]]:
        if self.way == "nan":
            return [[float("nan") for _ in group] for group in batch.groups]
        return [[0.0] for _ in batch.groups]


def group_of(*rewards: float, seed: int = 0) -> list[Trajectory]:
    return [sample(reward, seed=seed).trajectory for reward in rewards]


def lengths(*tokens: int, rewards: Sequence[float] = (1.0, 1.0, 1.0)) -> Batch:
    return Batch([[sample(r, n) for r, n in zip(rewards, tokens, strict=True)]])


def test_filters_drop_one_after_the_other_and_those_that_mask_drop_nothing() -> None:
    groups = [group_of(0.0, 1.0, 2.0), group_of(3.0, 0.5)]
    left = without_dropped([Rewarded(0.5), Rewarded(1.0), Truncated()], groups)
    assert [[item.reward for item in group] for group in left] == [[1.0, 2.0], [3.0]]
    cut = replace(groups[0][1], turns=(replace(groups[0][1].turns[0], finish="length"),))
    masked = with_gradient([Rewarded(9.0), Truncated()], [[cut, groups[0][0]], groups[1]])
    assert masked == [False, True, True, True]
    assert with_gradient([], groups) == [True] * 5


def test_random_choices_repeat_and_depend_on_problem_and_weights() -> None:
    groups = [group_of(*range(64), seed=3)]
    first = kept(AtRandom(), groups)
    assert first == kept(AtRandom(), groups) and 0 < sum(first[0]) < 64
    assert first != kept(AtRandom(), [group_of(*range(64), seed=4)])
    later = [replace(t, turns=(replace(t.turns[0], weight_version=1),)) for t in groups[0]]
    assert first != kept(AtRandom(), [later])


def test_a_step_goes_on_without_what_a_filter_drops() -> None:
    """Kuhn poker: both check in all four deals, so that one seat wins 1 and the other loses 1."""
    checks = ["check"] * 4
    whole = played(saying(checks, checks))
    won = played(saying(checks, checks), replace(CONFIG, filter=Rewarded(0.0)))
    assert len(whole.groups) == 2 and [len(group) for group in won.groups] == [4]
    assert {item.reward for group in won.groups for item in group} == {1.0}
    assert won.metrics == whole.metrics and won.rolled_out == whole.rolled_out
    assert played(saying(checks, checks), replace(CONFIG, filter=Rewarded(2.0))).groups == []


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("raises", r"raised AttributeError: .*nothing"),
        ("forgets", r"judged \[1\] episodes of \[2\]"),
        ("guesses", "must return True or False, got 'yes'"),
    ],
)
def test_a_failing_filter_is_named(way: str, message: str) -> None:
    with pytest.raises(PartFailed, match=f"{__name__}:Faulty {message}"):
        kept(Faulty(way), [group_of(0.0, 1.0)])


def test_failing_shaping_is_named() -> None:
    for way, message in (("nan", "are not finite"), ("short", r"shaped \[1\] episodes of \[3\]")):
        with pytest.raises(PartFailed, match=f"{__name__}:Unshapely .*{message}"):
            shaped(Unshapely(way), lengths(1, 2, 3), 10)


def test_the_length_reward_of_kimi_by_hand() -> None:
    """Lengths 10, 20 and 30: 1/2, 0 and -1/2 for right answers, at most 0 for wrong ones."""
    assert KimiLength()(lengths(10, 20, 30), 40) == [[0.5, 0.0, -0.5]]
    wrong = lengths(10, 20, 30, rewards=(0.0, 1.0, 0.0))
    assert KimiLength(weight=0.2)(wrong, 40) == [[0.0, 0.0, -0.1]]
    assert KimiLength()(lengths(7, 7, 7), 40) == [[0.0, 0.0, 0.0]]


def test_settings_of_presets_are_parts() -> None:
    assert PRESETS["dapo"].shapings == (Overlong(0.2),) and PRESETS["grpo"].shapings == ()
    both = Algorithm(shaping="kimi_length", overlong=0.5, filter="truncated", mask_truncated=True)
    assert both.shapings == (KimiLength(), Overlong(0.5)) and both.filters == (Truncated(),) * 2
    assert shaped(Overlong(0.2), lengths(79, 90, 100), 100) == [[0.0, -0.5, -1.0]]
    with pytest.raises(ValueError, match=r"share must be in \[0, 1\)"):
        Overlong(1.0)
    with pytest.raises(ValueError, match="no gradient to mask"):
        Algorithm(sequence_loss="pacs", filter="truncated")
