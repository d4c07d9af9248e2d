"""Filters of papers: void turns, and the choice among twice as many episodes."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from helpers.llm.samples import sample
from zerogym.agents.llm.algorithms.episode_tables import FILTERS, without_dropped
from zerogym.agents.llm.algorithms.filters.resample_on_correct import (
    ResampleOnCorrect,
    failed_share,
)
from zerogym.agents.llm.algorithms.filters.void_turns import VoidTurns
from zerogym.agents.trajectory import Trajectory

# --- SimpleTIR


def void(item: Trajectory, at: int, reward: float) -> Trajectory:
    """The episode with a void turn and another reward."""
    turns = [
        replace(turn, info={**turn.info, "void_turn": number == at})
        for number, turn in enumerate(item.turns)
    ]
    return replace(item, turns=tuple(turns), reward=reward, episode=item.episode + 100)


@pytest.mark.claim("void_turns", says="Void turns leave no trace in the gradient.")
def test_the_gradient_is_that_of_the_batch_without_void_turns(digits, start) -> None:
    """To the bit, wherever void turns are put in and whatever their rewards."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from zerogym.agents.llm.generation.protocol import Sampling
    from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
    from zerogym.agents.llm.grpo_config import GRPOConfig
    from zerogym.agents.llm.learner.learner import Learner
    from zerogym.agents.llm.models.loading import load_model
    from zerogym.agents.llm.rollout.environments import Environments
    from zerogym.agents.llm.rollout.runner import Player, rollout_groups

    config = GRPOConfig(
        env=digits, model=str(start), max_new_tokens=6, device="cpu", filter="void_turns"
    )
    generator = TransformersGenerator(*load_model(config.model, "cpu"))
    with Environments(config.env) as envs:
        clean = rollout_groups(envs, [1, 22], 4, Player(generator, Sampling(6, seed=4)))
    injected = [
        [void(clean[0][0], 0, 9.0), *clean[0]],
        [*clean[1][:2], void(clean[1][3], 1, -5.0), *clean[1][2:], void(clean[1][0], 0, 1.0)],
    ]
    found = []
    for groups in (clean, injected):
        learner = Learner(load_model(config.model, "cpu")[0], config)
        learner.update(without_dropped(config.algorithm.filters, groups))
        found.append([parameter.grad for parameter in learner.parameters])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))
    assert any(bool(own.any()) for own in found[0])


def test_only_void_turns_are_void() -> None:
    plain = sample(1.0).trajectory
    (chosen,) = VoidTurns()([[plain, void(plain, 0, 1.0), void(plain, 7, 1.0)]], _rng())
    assert chosen == [True, False, True]


# --- GRPO-RoC


def called(reward: float, failed: int, calls: int) -> Trajectory:
    return sample(reward, info={"tool_calls": calls, "failed_calls": failed}).trajectory


def _rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def frequencies(group: list[Trajectory], draws: int = 6000) -> np.ndarray:
    rng, part = _rng(), ResampleOnCorrect()
    return np.mean([part([group], rng)[0] for _ in range(draws)], axis=0)


@pytest.mark.claim(
    "roc", says="Right episodes with fewer failed calls stay more often, wrong ones all alike."
)
def test_right_episodes_stay_in_proportion_to_the_inverse_of_their_faults() -> None:
    """Shares of failed calls 1/4, 1/2, 1 and, without a call, 1/2; two of four stay.

    Inclusion by enumeration of all orders of draws without replacement; wrong ones stay with 1/2.
    """
    right = [called(1.0, 1, 4), called(1.0, 1, 2), called(1.0, 3, 3), called(1.0, 0, 0)]
    wrong = [called(0.0, failed, 4) for failed in (0, 1, 2, 4)]
    rates = 1 / np.array([failed_share(item) for item in right])
    assert rates.tolist() == [4.0, 2.0, 1.0, 2.0]
    expected = np.zeros(4)
    for order in permutations(range(4)):
        chance, left = 1.0, rates.sum()
        for place in order:
            chance, left = chance * rates[place] / left, left - rates[place]
        expected[list(order[:2])] += chance
    assert expected.sum() == pytest.approx(2)
    found = frequencies([*right, *wrong])
    error = 4 * np.sqrt(0.25 / 6000)  # four standard errors at most
    assert found[:4] == pytest.approx(expected, abs=error)
    assert found[4:] == pytest.approx([0.5] * 4, abs=error)


def test_right_episodes_without_a_failure_come_first() -> None:
    group = [called(1.0, failed, 4) for failed in (0, 4, 0, 1, 0, 4)]
    assert frequencies(group, 20).tolist() == [1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("right", range(7))
def test_half_of_a_group_stays_whatever_its_outcomes(right: int) -> None:
    group = [called(float(n < right), 1, 2) for n in range(6)]
    (chosen,) = ResampleOnCorrect()([group], _rng(right))
    wrong = sum(chosen[right:])
    assert sum(chosen) == 3 and wrong == (6 - right) // 2
    (all_of_it,) = ResampleOnCorrect(1.0)([group], _rng())
    assert all(all_of_it) and ResampleOnCorrect()([[]], _rng()) == [[]]


def test_the_only_right_one_of_an_odd_group_stays() -> None:
    (chosen,) = ResampleOnCorrect()([[called(0.0, 0, 1)] * 4 + [called(1.0, 1, 1)]], _rng())
    assert chosen[4] and sum(chosen) == 3


def test_a_share_out_of_range_is_refused() -> None:
    for share in (0.0, 1.5):
        with pytest.raises(ValueError, match="share must be in"):
            FILTERS.make({"part": "roc", "share": share})
