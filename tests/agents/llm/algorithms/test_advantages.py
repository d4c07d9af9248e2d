"""Advantages, penalties and presets against numbers worked out by hand."""

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from helpers.llm.samples import group_of, sample
from zerogym.agents.llm.algorithms.advantage_tables import ADVANTAGES, weigh
from zerogym.agents.llm.algorithms.advantages.group_relative import (
    DrGrpo,
    Grpo,
    ReinforcePP,
    Rloo,
    all_equal,
)
from zerogym.agents.llm.algorithms.algorithm import Algorithm
from zerogym.agents.llm.algorithms.batch import Batch, Sample
from zerogym.agents.llm.algorithms.episode_tables import shaped
from zerogym.agents.llm.algorithms.filters.truncated import is_truncated
from zerogym.agents.llm.algorithms.presets import PRESETS, get_preset
from zerogym.agents.llm.algorithms.shapings.length import Overlong, soft_overlong_punishment
from zerogym.agents.llm.algorithms.tables import TABLES
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.trajectory import Trajectory, Turn
from zerogym.errors import UnknownName

grpo, dr_grpo, rloo = Grpo().of_group, DrGrpo().of_group, Rloo().of_group


def played(reward: float, *lengths: int, finish: str = "stop") -> Trajectory:
    """An episode with replies of these lengths; the last ends in this way."""
    last = len(lengths) - 1
    turns = tuple(
        Turn("", "", (), (0,) * n, (0.0,) * n, finish=finish if i == last else "stop")
        for i, n in enumerate(lengths)
    )
    return Trajectory("e", 0, 0, turns, reward=reward)


def test_advantages_by_hand() -> None:
    # mean 0.25; deviation sqrt((3 * 0.0625 + 0.5625) / 4) = sqrt(0.1875)
    deviation = math.sqrt(0.1875)
    assert dr_grpo([1, 0, 0, 0]).tolist() == [0.75, -0.25, -0.25, -0.25]
    assert grpo([1, 0, 0, 0]) == pytest.approx([0.75 / deviation] + [-0.25 / deviation] * 3)
    # mean 2, deviation sqrt((1 + 0 + 1) / 3)
    assert dr_grpo([1, 2, 3]).tolist() == [-1, 0, 1]
    assert grpo([1, 2, 3]) == pytest.approx([-math.sqrt(1.5), 0, math.sqrt(1.5)])
    # 1 - (2 + 6) / 2, 2 - (1 + 6) / 2, 6 - (1 + 2) / 2
    assert rloo([1, 2, 6]).tolist() == [-3.0, -1.5, 4.5]
    assert rloo([1, 2, 6]) == pytest.approx(dr_grpo([1, 2, 6]) * 3 / 2)


def test_global_advantages_by_hand() -> None:
    """Returns to go 1, 1, 1 and 0 in one group, 3 in another: mean 1.2, variance 0.96."""
    lengths = [[(1.0, 3), (0.0, 1)], [(3.0, 1)]]
    groups = [[sample(r, n) for r, n in group] for group in lengths]
    first, second, third = weigh(ReinforcePP(), Batch(groups))
    deviation = math.sqrt((3 * 0.2**2 + 1.2**2 + 1.8**2) / 5)
    assert deviation == pytest.approx(math.sqrt(0.96))
    assert first == pytest.approx([-0.2 / deviation] * 3)
    assert second == pytest.approx([-1.2 / deviation]) and third == pytest.approx([1.8 / deviation])
    assert weigh(ReinforcePP(), Batch([])) == []
    assert weigh(ReinforcePP(), Batch([[sample(1.0, 0)]]))[0].size == 0


def test_equal_rewards_with_unequal_divergences_have_no_normalised_advantage() -> None:
    """Divided by its deviation, a divergence of 0.10 to 0.13 would weigh as much as a reward.

    RLOO, which divides by nothing, keeps its unbiased part: 0.115 - d times 4 / 3.
    """

    def weights(name: str, rewards: list[float]) -> list[float]:
        sums = (0.10, 0.11, 0.12, 0.13)
        group = [sample(r, 2, [d / 2] * 2) for r, d in zip(rewards, sums, strict=True)]
        return [float(own[0]) for own in weigh(ADVANTAGES[name](), Batch([group]))]

    assert weights("grpo", [0.7] * 4) == weights("grpo", [0.1 + 0.2, 0.3, 0.3, 0.3]) == [0.0] * 4
    expected = [0.015, 0.005, -0.005, -0.015]
    assert weights("dr_grpo", [0.7] * 4) == pytest.approx(expected)
    assert weights("rloo", [0.7] * 4) == pytest.approx([4 / 3 * x for x in expected])
    unequal = [1 - 0.10, 0 - 0.11, 0 - 0.12, 1 - 0.13]
    assert weights("grpo", [1.0, 0.0, 0.0, 1.0]) == pytest.approx(grpo(unequal))


@pytest.mark.parametrize("name", ["grpo", "dr_grpo", "rloo", "reinforce_pp"])
@pytest.mark.parametrize("reward", [0.0, 1.0, 0.2, 1 / 3, -7.1, 1e6])
def test_equal_rewards_give_exact_zeros(name: str, reward: float) -> None:
    def weights(rewards: list[float]) -> list[float]:
        group = weigh(ADVANTAGES[name](), group_of(rewards))
        assert all(len(own) == 2 and own[0] == own[1] for own in group)
        return [float(own[0]) for own in group]

    assert weights([reward] * 7) == [0.0] * 7
    assert 0.1 + 0.2 != 0.3  # equal but for rounding
    assert weights([0.1 + 0.2, 0.3, 0.3]) == [0.0] * 3
    assert any(weights([reward, reward + 0.01 * max(1, abs(reward))]))


def test_equal_is_judged_on_rewards() -> None:
    """The same 0.3, computed in two ways, has a deviation above 0."""
    rounded = [0.1 + 0.2, 0.3, 0.3]
    assert np.std(rounded) > 0 and all_equal(rounded)
    assert all_equal([]) and all_equal([3.0])
    assert not all_equal([0.2, 0.2, 0.2001]) and not all_equal([0.0, float("nan")])
    assert all_equal([1e9, 1e9 + 100]) and not all_equal([1e9, 1e9 + 1e4])


def test_soft_overlong_punishment_by_hand() -> None:
    """DAPO's own numbers: 20,480 tokens at most, a buffer of 4,096."""
    lengths = [0, 16_384, 16_385, 18_432, 20_480, 30_000]
    reported = [soft_overlong_punishment(length, 20_480, 0.2) for length in lengths]
    assert reported == pytest.approx([0, 0, -1 / 4096, -0.5, -1, -1], abs=1e-12)
    assert soft_overlong_punishment(10**9, 10, 0.0) == 0.0


def test_shaped_returns_by_hand() -> None:
    """A reward of 2, a longest reply of 9 of 10 tokens with a buffer of 2, penalties 1, 2, 3."""
    batch = Batch([[Sample(played(2.0, 3, 9), np.array([1.0, 2.0, 3.0]))]])
    (got,) = batch.with_shaping(shaped(Overlong(0.2), batch, 10)).samples
    assert got.total == pytest.approx(2 - 0.5 - 6)
    assert got.to_go == pytest.approx([1.5 - 6, 1.5 - 5, 1.5 - 3])
    plain = Sample(played(2.0, 3, 9), np.zeros(3))
    assert plain.total == 2.0 and plain.to_go.tolist() == [2.0] * 3
    silent = Batch([[Sample(played(2.0), np.zeros(0))]])
    assert shaped(Overlong(0.2), silent, 10) == [[0.0]]
    short, long = played(2.0, 3, 10).turns
    thought = replace(played(2.0), turns=(replace(long, kind="chunk"), short))
    ended = Batch([[Sample(thought, np.zeros(13))]])
    assert shaped(Overlong(0.2), ended, 10) == [[0.0]]  # only what it ends with is a reply


@pytest.mark.parametrize("finish", ["length", "context"])
def test_cut_replies(finish: str) -> None:
    whole, last = played(0.0, 2, 2), played(0.0, 2, 2, finish=finish)
    first = replace(last, turns=last.turns[::-1])
    assert [is_truncated(item) for item in (whole, last, first, played(0.0))] == [
        False,
        True,
        True,
        False,
    ]


# --- presets


def test_presets_are_the_papers() -> None:
    """The parts for which each is known."""

    def known(name: str, *parts: str) -> list[Any]:
        return [getattr(PRESETS[name], part) for part in parts]

    parts = ("advantage", "surrogate", "ratio", "aggregation")
    assert known("grpo", *parts) == ["grpo", "clipped", "token", "sequence_mean"]
    assert known("r1_zero", *parts, "kl", "kl_in") == [*known("grpo", *parts), 0.001, "loss"]
    assert known("dr_grpo", *parts) == ["dr_grpo", "clipped", "token", "constant"]
    assert known("rloo", *parts, "kl_in") == [
        "rloo", "clipped", "product", "sequence_mean", "reward",
    ]  # fmt: skip
    assert known("reinforce_pp", *parts, "kl_estimator", "kl_in") == [
        "reinforce_pp", "clipped", "token", "token_mean", "k1", "reward",
    ]  # fmt: skip
    assert known("dapo", *parts) == ["grpo", "clipped", "token", "token_mean"]
    assert known("dapo", "clip_low", "clip_high", "overlong", "kl") == [0.2, 0.28, 0.2, 0.0]
    assert PRESETS["dapo"].refills > 0 and PRESETS["cispo"].refills > 0
    assert known("gspo", *parts) == ["grpo", "clipped", "sequence", "sequence_mean"]
    assert known("gspo", "clip_low", "clip_high") == [3e-4, 4e-4]
    assert known("cispo", *parts, "kl") == ["grpo", "cispo", "token", "token_mean", 0.0]
    with pytest.raises(UnknownName, match="dr_grpo"):
        get_preset("drgrpo")


def test_each_part_can_be_set() -> None:
    assert {part.name for part in fields(Algorithm)} <= {part.name for part in fields(GRPOConfig)}
    changed = GRPOConfig(preset="dapo", clip_high=0.5, refills=0, mask_truncated=True)
    assert changed.algorithm == replace(
        PRESETS["dapo"], clip_high=0.5, refills=0, mask_truncated=True
    )
    assert replace(changed, preset="gspo").algorithm.clip_low == 3e-4
    assert GRPOConfig().algorithm == PRESETS["grpo"]


def test_tables_hold_what_the_names_say() -> None:
    own = {part.name for part in fields(Algorithm)}
    tables: dict[str, Any] = {name: table for name, table in TABLES.items() if name in own}
    for part, table in tables.items():
        for name in table:
            Algorithm(**{part: name})
        with pytest.raises(UnknownName, match=part) as reported:
            Algorithm(**{part: "nonsense"})
        assert all(name in str(reported.value) for name in table)
