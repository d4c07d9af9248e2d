"""AdAlign: three rounds by hand, both seats in one view, the repeated dilemma with a table."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from zerogym.agents.llm.algorithms.advantage_tables import weigh
from zerogym.agents.llm.algorithms.advantages.ad_align import AdAlign
from zerogym.agents.llm.algorithms.advantages.group_relative import Rloo
from zerogym.agents.llm.algorithms.batch import Batch, Sample
from zerogym.agents.trajectory import Trajectory, Turn

Array = NDArray[np.float64]


def seat_of(
    seat: int, episode: int, rewards: Sequence[float], infos: Any = None, tokens: int = 1
) -> Sample:
    """An episode as one seat has it, with a reward after each reply."""
    turns = tuple(
        Turn("", "", (9,), (1,) * tokens, (-1.0,) * tokens, reward, info=info)
        for reward, info in zip(rewards, infos or [{}] * len(rewards), strict=True)
    )
    known = {"reward": float(sum(rewards)), "seat": f"player_{seat}", "group": 0}
    item = Trajectory("e", 0, episode, turns, **known)  # type: ignore[arg-type]
    return Sample(item, np.zeros(tokens * len(turns)))


def two_seats(first: Any, second: Any, **more: Any) -> Batch:
    """A batch of the episodes of two seats, by their rewards."""
    return Batch(
        [
            [seat_of(seat, n, own, **more) for n, own in enumerate(rows)]
            for seat, rows in enumerate((first, second))
        ]
    )


def lists(part: AdAlign, batch: Batch) -> list[list[float]]:
    return [own.tolist() for own in weigh(part, batch)]


# In the second episode nobody gets anything, so that it is the baseline of the first.
FIRST, SECOND = ([1, 0, 2], [0, 0, 0]), ([0, 4, 0], [0, 0, 0])


@pytest.mark.parametrize("beta", [0.0, 1.0, 0.5])
def test_three_rounds_by_hand(beta: float) -> None:
    """Returns by half discounts are 1.5, 1, 2 and 2, 4, 0; the other episode has minus these."""
    b = beta
    assert lists(AdAlign(beta=b, gamma=0.5), two_seats(FIRST, SECOND)) == [
        [1.5, 1 + b * (0.5 * 1.5) * 4, 2 + b * (0.25 * 1.5 + 0.5 * 1) * 0],
        [-1.5, -1 + b * (0.5 * 1.5) * 4, -2.0],
        [2.0, 4 + b * (0.5 * 2) * 1, 0 + b * (0.25 * 2 + 0.5 * 4) * 2],
        [-2.0, -4 + b * (0.5 * 2) * 1, b * (0.25 * 2 + 0.5 * 4) * 2],
    ]


def drawn(seed: int, rounds: int = 5, episodes: int = 6) -> Array:
    """Rewards of two seats (2, G, R)."""
    return np.random.default_rng(seed).normal(size=(2, episodes, rounds))


def naive(rewards: Array, gamma: float) -> Array:
    """Return to go less the mean of the others' (G, R), by the plain recursion."""
    found = np.zeros_like(rewards)
    for t in reversed(range(rewards.shape[1])):
        found[:, t] = rewards[:, t]
        if t + 1 < rewards.shape[1]:
            found[:, t] += gamma * found[:, t + 1]
    others = (found.sum(axis=0) - found) / (len(found) - 1)
    difference: Array = found - others
    return difference


def test_without_beta_it_is_the_naive_gradient_bit_for_bit() -> None:
    for seed in range(5):
        rewards = drawn(seed)
        expected = [naive(own, 0.9) for own in rewards]
        found = lists(AdAlign(beta=0.0), two_seats(*rewards.tolist()))
        assert found == [row.tolist() for own in expected for row in own]
        alone = drawn(seed, rounds=1)
        batch = two_seats(*alone.tolist())
        for part in (AdAlign(beta=0.0), AdAlign(beta=2.0)):
            assert lists(part, batch) == [own.tolist() for own in weigh(Rloo(), batch)]


def test_it_is_the_double_sum_of_the_paper() -> None:
    for seed in range(5):
        rewards = drawn(seed)
        a, b = naive(rewards[0], 0.8), naive(rewards[1], 0.8)
        found = np.array(lists(AdAlign(beta=0.3, gamma=0.8), two_seats(*rewards.tolist())))
        for own, other, part in ((a, b, found[:6]), (b, a, found[6:])):
            for n in range(6):
                for t in range(5):
                    past = sum(0.8 ** (t - k) * own[n, k] for k in range(t))
                    assert part[n, t] == pytest.approx(own[n, t] + 0.3 * past * other[n, t])


def test_a_learner_of_one_seat_has_the_weights_of_one_that_trains_both() -> None:
    """With an adapter for each seat the other's groups are beside its own."""
    part = AdAlign()
    batch = two_seats(*drawn(0).tolist())
    both = lists(part, batch)
    own, other = batch.groups
    assert lists(part, Batch([own], beside=[other])) == both[:6]
    assert lists(part, Batch([other], beside=[own])) == both[6:]
    assert lists(part, Batch([own])) == lists(AdAlign(beta=0.0), Batch([own]))  # a fixed opponent
    assert both[:6] != lists(part, Batch([own]))
    shuffled = lists(part, Batch([own], beside=[list(reversed(other))]))
    assert np.allclose(shuffled, both[:6], atol=1e-12), "seats are matched by their episode"
    assert batch.others(own[2])[0] is other[2] and Batch([own]).others(own[2]) == []


def test_rounds_of_a_message_and_a_choice_with_replies_that_are_repeated() -> None:
    """A void reply has the round of the one that stands for it; tokens have that of their turn."""
    void, moved = {"void_turn": True}, {"void_turn": False}
    infos = [moved, void, moved, moved, moved]
    first = [
        seat_of(0, 0, [0, 0, 1, 0, 2], infos, tokens=2),
        seat_of(0, 1, [0, 0, 0, 0], tokens=2),
    ]
    second = [seat_of(1, 0, [0, 0, 0, 4]), seat_of(1, 1, [0, 0, 0, 0])]
    part = AdAlign(gamma=1.0, turns=2)
    assert part.rounds(first[0]).tolist() == [0, 0, 0, 1, 1]
    found = lists(part, Batch([first, second]))
    late = 2 + 3 * 4.0
    assert found[0] == [3.0] * 6 + [late] * 4
    assert found[2] == [4.0, 4.0, 4 + 4 * 2.0, 4 + 4 * 2.0]


def test_rewards_of_turns_have_what_the_other_rewards_have() -> None:
    """Penalties of its tokens and shaping at the end are in the reward of a turn."""
    one = replace(seat_of(0, 0, [1, 2, 3], tokens=2), shaping=0.5)
    one = replace(one, penalty=np.array([0.5, 0, 0, 0, 0.25, 0.5]))
    assert one.turn_rewards.tolist() == [0.5, 2.0, 2.75]
    assert one.turn_rewards.sum() == one.token_rewards.sum() == one.total
    assert seat_of(0, 0, []).turn_rewards.size == 0


# --- the repeated prisoner's dilemma with a table of five probabilities

POINTS = {(0, 0): 3.0, (0, 1): 0.0, (1, 0): 5.0, (1, 1): 1.0}  # own choice, the other's; 1: defect
ROUNDS, EPISODES, UPDATES, RATE = 16, 48, 250, 2.0


@cache
def turn_of(choice: int, reward: float) -> Turn:
    return Turn("", "", (7,), (choice,), (0.0,), reward)


def cooperation(logits: Array) -> Array:
    """The probability to cooperate (5,) at the start and after CC, CD, DC, DD."""
    result: Array = 1 / (1 + np.exp(-logits))
    return result


def trained(part: AdAlign, seed: int) -> Array:
    """The probabilities (5,) of one policy for both seats, after plain gradient steps."""
    rng, logits = np.random.default_rng(seed), np.zeros(5)
    for _ in range(UPDATES):
        p = cooperation(logits)
        known = np.zeros((2, EPISODES), dtype=np.int64)
        states, choices = np.zeros((2, 2, EPISODES, ROUNDS), dtype=np.int64)
        for t in range(ROUNDS):
            chosen = (rng.random(known.shape) > p[known]).astype(np.int64)
            states[:, :, t], choices[:, :, t] = known, chosen
            known = 1 + 2 * chosen + chosen[::-1]
        groups = [
            [played(seat, n, choices[:, n].tolist()) for n in range(EPISODES)] for seat in (0, 1)
        ]
        weights = np.stack(weigh(part, Batch(groups))).reshape(choices.shape)
        gradient = weights * ((choices == 0) - p[states])
        logits += RATE * np.bincount(states.ravel(), gradient.ravel(), 5) / choices.size
        logits = logits.clip(-6, 6)
    return cooperation(logits)


def played(seat: int, episode: int, choices: list[list[int]]) -> Sample:
    own, other = choices[seat], choices[1 - seat]
    turns = tuple(turn_of(a, POINTS[a, b]) for a, b in zip(own, other, strict=True))
    item = Trajectory("dilemma", 0, episode, turns, seat=f"player_{seat}")
    return Sample(item, np.zeros(ROUNDS))


def expected(policy: Array, other: Array) -> tuple[float, float]:
    """Mean points and share of cooperation of a policy in a round, exactly."""
    at, points, share = np.eye(5)[0], 0.0, 0.0  # the state as the policy sees it
    mirrored = other[[0, 1, 3, 2, 4]]
    for _ in range(ROUNDS):
        following = np.zeros(5)
        for (a, b), reward in POINTS.items():
            chance = at * np.abs(a - policy) * np.abs(b - mirrored)
            points += reward * chance.sum()
            share += (a == 0) * chance.sum()
            following[1 + 2 * a + b] = chance.sum()
        at = following
    return points / ROUNDS, share / ROUNDS


def test_points_of_known_policies_are_exact() -> None:
    ones, tit_for_tat, defects = np.ones(5), np.array([1.0, 1, 0, 1, 0]), np.zeros(5)
    assert expected(ones, defects) == (0, 1) and expected(defects, ones) == (5, 0)
    assert expected(tit_for_tat, tit_for_tat) == (3, 1)
    assert expected(tit_for_tat, defects) == pytest.approx((15 / 16, 1 / 16))
    assert expected(defects, tit_for_tat)[0] == pytest.approx((5 + 15) / 16)
    half = expected(np.full(5, 0.5), np.full(5, 0.5))
    assert half == pytest.approx((9 / 4, 1 / 2))


@pytest.mark.proof
@pytest.mark.claim(
    "ad_align",
    says="In the repeated dilemma a table that cooperates in 1 of 100 rounds without it cooperates "
    "in 3 of 4 with it; against always-defect it loses about one round, and always-defect has half "
    "of its points.",
)
def test_it_cooperates_and_is_not_exploited_where_the_naive_gradient_defects() -> None:
    """The naive gradient goes on towards 0, as one over rate times updates.

    After 250 updates its share of cooperation is 0.036 at a rate of 0.5, and 0.008 at this one.
    """
    for seed in range(3):
        greedy, aligned = (trained(AdAlign(beta=beta), seed) for beta in (0.0, 1.0))
        assert expected(greedy, greedy)[1] <= 0.01
        points, share = expected(aligned, aligned)
        assert share > 0.65 and points > 2.3
        defects = np.zeros(5)
        assert 1 - 1.5 / ROUNDS < expected(aligned, defects)[0] <= 1, "it loses one round, or so"
        assert expected(defects, aligned)[0] < 1 + 4 * 1.5 / ROUNDS < 0.65 * points
