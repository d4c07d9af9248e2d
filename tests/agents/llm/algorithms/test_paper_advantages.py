"""Advantages of papers against numbers by hand, enumeration and what each paper claims of it."""

import math
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest

from helpers.llm.samples import group_of, sample
from zerogym.agents.llm.algorithms.advantage_tables import Advantage, weigh
from zerogym.agents.llm.algorithms.advantages.ace import Ace
from zerogym.agents.llm.algorithms.advantages.best_of_k import MaxAtK, PassAtK
from zerogym.agents.llm.algorithms.advantages.c_grpo import CGrpo
from zerogym.agents.llm.algorithms.advantages.group_relative import Grpo, Rloo
from zerogym.agents.llm.algorithms.advantages.lite_ppo import LitePpo
from zerogym.agents.llm.algorithms.advantages.opo import Opo
from zerogym.agents.llm.algorithms.advantages.rae import Rae
from zerogym.agents.llm.algorithms.advantages.rl_zvp import RlZvp
from zerogym.agents.llm.algorithms.advantages.signed_outcomes import Nsr, Psr, WReinforce
from zerogym.agents.llm.algorithms.advantages.tempo import Tempo, prefix_values
from zerogym.agents.llm.algorithms.advantages.trr_pp import TrrPP
from zerogym.agents.llm.algorithms.batch import Batch


def weights(part: Advantage, batch: Batch) -> list[float]:
    """The weight of each episode, the same for all of its tokens."""
    found = weigh(part, batch)
    assert all((own == own[0]).all() for own in found)
    return [float(own[0]) for own in found]


# --- Lite PPO


def test_lite_ppo_by_hand() -> None:
    """Seven right and one wrong: their own deviation blows the wrong one up, that of a batch of as
    many right as wrong is 1/2."""
    one_wrong = [1.0] * 7 + [0.0]
    grpo = weights(Grpo(), group_of(one_wrong))
    assert grpo[0] == pytest.approx(0.378, abs=1e-3) and grpo[7] == pytest.approx(-2.646, abs=1e-3)
    other = [1.0] + [0.0] * 7
    batch = Batch([group_of(one_wrong).groups[0], group_of(other).groups[0]])
    found = weights(LitePpo(), batch)
    assert found[:8] == pytest.approx([0.25] * 7 + [-1.75])
    assert found[8:] == pytest.approx([1.75] + [-0.25] * 7)


@pytest.mark.claim(
    "lite_ppo",
    says="Where rewards of a group hardly differ, the deviation of the batch keeps "
    "weights small and the group's does not.",
)
def test_rewards_that_hardly_differ_are_not_blown_up() -> None:
    near = group_of([0.5, 0.5001]).groups[0]
    batch = Batch([near, group_of([1.0, 0.0]).groups[0]])
    assert np.abs(weights(Grpo(), batch)[:2]) == pytest.approx([1, 1])
    assert np.abs(weights(LitePpo(), batch)[:2]).max() < 2e-4


# --- OPO


def test_opo_by_hand() -> None:
    """Four tokens of return 1 and one of return 0: the baseline is 4/5."""
    batch = Batch([[sample(1.0, 4), sample(0.0, 1)]])
    assert weights(Opo(), batch) == pytest.approx([0.2, -0.8])


@pytest.mark.claim(
    "opo", says="Its baseline has the least variance where squared gradients grow with the length."
)
def test_opo_has_the_least_variance_where_gradients_grow_with_length() -> None:
    """With squared gradients of T, the variance of (r - b) g over the batch is least at its b."""
    lengths, returns = np.array([4, 1, 2]), np.array([1.0, 0.0, 0.5])
    batch = Batch([[sample(r, int(n)) for r, n in zip(returns, lengths, strict=True)]])
    baseline = returns[0] - weights(Opo(), batch)[0]
    tried = np.linspace(0, 1, 1001)
    second = [(lengths * (returns - b) ** 2).sum() for b in tried]
    assert baseline == pytest.approx(tried[int(np.argmin(second))], abs=1e-3)


# --- PSR, NSR, W-REINFORCE


def test_signed_outcomes_by_hand() -> None:
    """The outcome is the environment's, whatever the reward; without one the reward says it."""
    batch = Batch(
        [[sample(0.2, info={"correct": True}), sample(0.9, info={"success": False}), sample(0.0)]]
    )
    assert weights(Psr(), batch) == [1.0, 0.0, 0.0]
    assert weights(Nsr(), batch) == [0.0, -1.0, -1.0]
    assert weights(WReinforce(), batch) == [0.1, -1.0, -1.0]


@pytest.mark.claim(
    "psr", "nsr", "w_reinforce", says="On-policy, PSR and NSR have the same expected gradient."
)
def test_psr_and_nsr_have_the_same_expected_gradient() -> None:
    """On a softmax over four replies of which two are right; W-REINFORCE's is 1.1 times theirs."""
    logits, right = np.array([0.3, -0.5, 1.0, 0.1]), [True, False, False, True]
    p = np.exp(logits) / np.exp(logits).sum()
    scores = np.eye(4) - p  # gradient of log p of each reply

    def expected(part: Advantage) -> np.ndarray:
        own = weights(part, Batch([[sample(float(each)) for each in right]]))
        return (p * own) @ scores

    assert expected(Psr()) == pytest.approx(expected(Nsr()), abs=1e-15)
    assert expected(WReinforce()) == pytest.approx(1.1 * expected(Psr()), abs=1e-15)


# --- TEMPO


def test_tempo_at_one_branch_by_hand() -> None:
    """Three replies 1 2 3, 1 2 4 and 1 5 6 with returns 1, 0 and 1; mean 2/3, deviation sqrt(2)/3.

    Values are 2/3 after token 1, 1/2 after 2, 1 after 5; then each reply's own return.
    """
    replies = ([1, 2, 3], [1, 2, 4], [1, 5, 6])
    rewards = (1.0, 0.0, 1.0)
    batch = Batch([[sample(r, ids) for r, ids in zip(rewards, replies, strict=True)]])
    deviation = math.sqrt(2) / 3
    changes = ([0, -1 / 6, 1 / 2], [0, -1 / 6, -1 / 2], [0, 1 / 3, 0])
    found = weigh(Tempo(), batch)
    for own, reward, change in zip(found, rewards, changes, strict=True):
        expected = (reward - 2 / 3 + np.array(change)) / deviation
        assert own == pytest.approx(expected, abs=1e-12)
    assert [own.tolist() for own in weigh(Tempo(alpha=0.0), batch)] == [
        own.tolist() for own in weigh(Grpo(), batch)
    ]


@pytest.mark.claim(
    "tempo", says="The changes of a reply's tokens add up to its return less the mean of the group."
)
def test_changes_of_the_tree_add_up_to_the_return_less_the_mean() -> None:
    """Also of replies that end inside another; of equal ones, to their common mean."""
    rng = np.random.default_rng(0)
    rows = [rng.integers(2, size=rng.integers(1, 6)).tolist() for _ in range(30)]
    returns = rng.normal(size=30)
    values = prefix_values(rows, returns.tolist())
    for row, own in zip(rows, values, strict=True):
        same = [r for other, r in zip(rows, returns, strict=True) if other == row]
        assert np.diff(own).sum() == pytest.approx(np.mean(same) - returns.mean())
        for place in range(len(row)):  # by definition
            under = [i for i, other in enumerate(rows) if other[:place] == row[:place]]
            assert own[place] == pytest.approx(returns[under].mean())


def test_tempo_weighs_nothing_where_nothing_branches() -> None:
    batch = Batch([[sample(1.0, [1, 2, 3, 4]), sample(0.0, [1, 2, 9, 4])]])
    tree = [a - b for a, b in zip(weigh(Tempo(), batch), weigh(Grpo(), batch), strict=True)]
    assert [own.tolist() for own in tree] == [[0, 0, 1, 0], [0, 0, -1, 0]]


# --- RL-ZVP


def test_rl_zvp_by_hand() -> None:
    right = [sample(1.0, signals={"entropy": [1.0, 3.0]})] * 2
    wrong = [sample(0.0, signals={"entropy": [2.0, 5.0]})] * 2
    mixed = [right[0], wrong[0]]
    found = [own.tolist() for own in weigh(RlZvp(alpha=0.1), Batch([right, wrong, mixed]))]
    assert found[0] == pytest.approx([0.1, 0.3]) and found[2] == pytest.approx([-0.3, 0.0])
    assert found[4:] == [[1.0, 1.0], [-1.0, -1.0]]


# --- ACE


def test_ace_by_hand() -> None:
    """Log-probabilities are -1 at each of two tokens; a reference of -2 makes c = 2, one of 0, -2.

    GRPO's advantages are 1, 1, -1, -1.
    """
    batch = Batch([[
        sample(1.0, signals={"reference": [-2.0, -2.0]}),
        sample(1.0, signals={"reference": [0.0, 0.0]}),
        sample(0.0, signals={"reference": [-2.0, -2.0]}),
        sample(0.0, signals={"reference": [0.0, 0.0]}),
    ]])  # fmt: skip
    softplus = [math.log(1 + math.exp(c)) for c in (2, -2)]
    expected = [1, 1, -1 - 0.5 * softplus[0], -1 - 0.5 * softplus[1]]
    assert weights(Ace(alpha=0.5), batch) == pytest.approx(expected)
    assert weights(Ace(alpha=0.0), batch) == weights(Grpo(), batch)


# --- max@k, pass@k


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_max_at_k_by_enumeration(k: int) -> None:
    returns = np.random.default_rng(k).integers(4, size=6).astype(float)  # with ties
    expected = []
    for i in range(6):
        others = [j for j in range(6) if j != i]
        best_with = [max(returns[[i, *each]]) for each in combinations(others, k - 1)]
        best_without = [max(returns[list(each)]) for each in combinations(others, k)]
        expected.append(k * (np.mean(best_with) - np.mean(best_without)))
    found = MaxAtK(k).of_group(returns.tolist())
    assert found == pytest.approx(expected, abs=1e-12)
    if k == 1:
        assert found == pytest.approx(Rloo().of_group(returns.tolist()))


@pytest.mark.claim("max_at_k", says="Its expected gradient is that of the best of k, exactly.")
@pytest.mark.parametrize("k", [1, 2])
def test_max_at_k_has_the_gradient_of_the_best_of_k(k: int) -> None:
    """Exactly, over all groups of three replies of a softmax over three arms."""
    logits, rewards = np.array([0.2, -0.3, 0.5]), np.array([0.6, 0.0, 1.0])
    p = np.exp(logits) / np.exp(logits).sum()
    scores = np.eye(3) - p
    found, expected = np.zeros(3), np.zeros(3)
    for arms in product(range(3), repeat=3):
        own = MaxAtK(k).of_group(rewards[list(arms)].tolist())
        found += p[list(arms)].prod() * (own[:, None] * scores[list(arms)]).mean(0)
    for arms in product(range(3), repeat=k):
        best = rewards[list(arms)].max()
        expected += p[list(arms)].prod() * best * scores[list(arms)].sum(0)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.claim(
    "max_at_k", says="With k = 4 a risky arm wins over a sure one, with k = 1 it loses."
)
def test_the_best_of_four_prefers_the_risky_arm() -> None:
    """0.6 for sure, or 1 with probability 0.3: ascent on exact gradients ends at one or the other.

    The gain of more probability of the risky arm is a difference of two expected weights.
    """

    def risky_share(k: int) -> float:
        logit, outcomes = 0.0, [(0.6, False), (1.0, True), (0.0, True)]
        for _ in range(30):
            share = 1 / (1 + math.exp(-logit))
            chances = np.array([1 - share, 0.3 * share, 0.7 * share])
            slope = 0.0
            for draws in product(range(3), repeat=k + 1):
                own = MaxAtK(k).of_group([outcomes[i][0] for i in draws])
                scores = np.array([outcomes[i][1] - share for i in draws])
                slope += chances[list(draws)].prod() * float((own * scores).mean())
            logit += 40 * slope
        return 1 / (1 + math.exp(-logit))

    assert risky_share(1) < 0.1 and risky_share(4) > 0.6


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("right", range(6))
def test_pass_at_k_by_enumeration(k: int, right: int) -> None:
    """The mean, over all sets of k with an episode, of the set's advantage among all sets."""
    outcomes = [1.0] * right + [0.0] * (5 - right)
    sets = list(combinations(range(5), k))
    best = np.array([max(outcomes[i] for i in each) for each in sets])
    scale = best.std() or 1.0
    relative = (best - best.mean()) / scale
    expected = [
        np.mean([own for each, own in zip(sets, relative, strict=True) if i in each])
        for i in range(5)
    ]
    assert weights(PassAtK(k), group_of(outcomes)) == pytest.approx(expected, abs=1e-12)


# --- RAE


def test_rae_reads_before_it_updates() -> None:
    """Rewards 1 and 1: advantages 1 and 0.95. Seats and games have averages of their own."""
    part, state = Rae(), {}

    def step(*samples: object) -> list[float]:
        return weights(part, Batch([list(samples)], state))  # type: ignore[list-item]

    assert step(sample(1.0)) == [1.0]
    assert step(sample(1.0)) == pytest.approx([0.95])
    assert step(sample(1.0, seat="player_1")) == [1.0] == step(sample(1.0, env="other"))
    assert state["baselines"]["e player_0 player"] == pytest.approx(1 - 0.95**2)


def test_rae_of_several_episodes_does_not_depend_on_their_order() -> None:
    found = []
    for rewards in ([1.0, 0.0, 3.0], [3.0, 1.0, 0.0]):
        state: dict[str, object] = {}
        assert weights(Rae(), Batch([[sample(r)] for r in rewards], state)) == rewards
        found.append(state)
    assert found[0] == found[1]
    ((_, average),) = found[0]["baselines"].items()  # type: ignore[attr-defined]
    assert average == pytest.approx((1 - 0.95**3) * 4 / 3)
    same: dict[str, object] = {}  # equal rewards: as one after the other
    for _ in range(3):
        weights(Rae(), Batch([[sample(2.0)]], same))
    at_once: dict[str, object] = {}
    weights(Rae(), Batch([[sample(2.0)] * 3], at_once))
    assert same["baselines"] == pytest.approx(at_once["baselines"])


# --- TRR++


@pytest.mark.claim("trr_pp", says="The six baselines of two roles and three kinds do not mix.")
def test_six_baselines_do_not_mix() -> None:
    """By hand: of each role and kind of task the mean, and what changes when one of them does."""
    kinds = [
        (r, c) for r in ("proposer", "solver") for c in ("deduction", "abduction", "induction")
    ]
    known = {kind: [10.0 * n, 10.0 * n + 2, 10.0 * n + 4] for n, kind in enumerate(kinds)}

    def found(returns: dict[Any, list[float]]) -> list[list[float]]:
        groups = [  # a group for each pair of kinds, so that groups and kinds are not the same
            [
                sample(returns[kind][place], role=kind[0], info={"category": kind[1]})
                for kind in pair
            ]
            for place in range(3)
            for pair in zip(kinds[::2], kinds[1::2], strict=True)
        ]
        own = iter(weights(TrrPP(), Batch(groups)))
        by_kind: dict[Any, list[float]] = {kind: [] for kind in kinds}
        for _ in range(3):
            for kind in kinds:
                by_kind[kind].append(next(own))
        return [by_kind[kind] for kind in kinds]

    deviation = (8 / 3) ** 0.5
    before = found(known)
    for own in before:
        assert own == pytest.approx([-2 / deviation, 0, 2 / deviation])
    after = found(known | {kinds[4]: [1.0, 1.0, 1.0]})
    assert after[4] == [0, 0, 0] and after[:4] + after[5:] == before[:4] + before[5:]


KUHN = {"cc": 0, "cbf": -1, "cbk": 0, "bf": 1, "bk": 0}  # reward of the first seat; 0: of the cards
NODES = {"": "cb", "cb": "fk", "c": "cb", "b": "fk"}  # actions after a history


def kuhn(seat: int, handicap: float) -> tuple[list[float], np.ndarray]:
    """All 48 equally likely episodes of random play of Kuhn poker: a seat's rewards and scores.

    The first seat gives the handicap to the second before the cards are dealt. A score is the
    gradient of the log-probability of the seat's actions by the logits of a softmax in each state.
    """
    rewards, scores = [], []
    for cards in permutations(range(3), 2):
        for history, reward in KUHN.items():
            better = 1 if cards[0] > cards[1] else -1
            won = reward or better * (2 if history.endswith("bk") else 1)
            score = np.zeros((3, len(NODES), 2))
            for place in range(seat, len(history), 2):
                node = history[:place]
                own = score[cards[seat], list(NODES).index(node)]
                own -= 0.5
                own[NODES[node].index(history[place])] += 1
            copies = 8 // 2 ** len(history)
            rewards += [(won - handicap) * (1 if seat == 0 else -1)] * copies
            scores += [score.ravel()] * copies
    return rewards, np.array(scores)


def spread(weights_of_episodes: np.ndarray, scores: np.ndarray) -> float:
    """The variance of the gradient of an episode, summed over the parameters."""
    gradients = weights_of_episodes[:, None] * scores
    return float((gradients**2).sum(1).mean() - (gradients.mean(0) ** 2).sum())


@pytest.mark.claim(
    "rae",
    says="Averages of roles lower the variance of the gradient where the seats of a game are "
    "unequal, and do nothing where they are not.",
)
@pytest.mark.parametrize(
    ("handicap", "ratios"), [(0.0, (1.007, 0.992)), (0.5, (0.902, 0.935)), (1.0, (0.687, 0.726))]
)
def test_rae_lowers_the_variance_where_seats_are_unequal(
    handicap: float, ratios: tuple[float, float]
) -> None:
    """By enumeration, against no baseline, which is the mean over both seats."""
    part, state = Rae(), dict[str, Any]()
    played = [kuhn(seat, handicap) for seat in (0, 1)]
    groups = [
        [sample(reward, seat=f"player_{seat}") for reward in rewards]
        for seat, (rewards, _) in enumerate(played)
    ]
    for _ in range(12):  # until the averages are the means
        found = np.split(np.array(weights(part, Batch(groups, state))), 2)
    for (rewards, scores), own, ratio in zip(played, found, ratios, strict=True):
        assert own == pytest.approx(np.array(rewards) - np.mean(rewards), abs=1e-9)
        assert (own[:, None] * scores).mean(0) == pytest.approx(
            (np.array(rewards)[:, None] * scores).mean(0), abs=1e-12
        )
        assert spread(own, scores) / spread(np.array(rewards), scores) == pytest.approx(
            ratio, abs=5e-4
        )


# --- C-GRPO


def cited(rewards: list[float], shares: list[float]) -> Batch:
    """A group with these rewards and shares of proved facts."""
    pairs = zip(rewards, shares, strict=True)
    return Batch([[sample(reward, info={"rubric": share}) for reward, share in pairs]])


def test_c_grpo_by_hand() -> None:
    """Shares of 1/4 and 1/2 are a half and all of the largest; a wrong answer has nothing of it."""
    found = weights(CGrpo(alpha=0.5), cited([1.0, 1.0, 0.0], [0.25, 0.5, 0.5]))
    rewards = np.array([0.75, 1.0, 0.0])
    assert found == pytest.approx((rewards - rewards.mean()) / rewards.std())
    plain = weights(Grpo(), group_of([1.0, 1.0, 0.0]))
    assert weights(CGrpo(alpha=0.0), cited([1.0, 1.0, 0.0], [0.0, 1.0, 1.0])) == plain
    assert weights(CGrpo(), group_of([1.0, 1.0, 0.0])) == pytest.approx(plain)  # no rubric
    assert weights(CGrpo(), cited([1.0, 1.0], [0.5, 0.5])) == [0.0, 0.0]
    assert weights(CGrpo(), cited([0.0, 0.0], [0.0, 1.0])) == [0.0, 0.0]
    with pytest.raises(ValueError, match="alpha"):
        CGrpo(alpha=1.5)


@pytest.mark.claim(
    "c_grpo",
    says="Where all answers of a group are right, those that prove less are held back, and "
    "GRPO treats all alike.",
)
def test_right_answers_without_proof_are_held_back() -> None:
    proved, lucky = weights(CGrpo(), cited([1.0, 1.0], [1.0, 0.0]))
    assert proved == pytest.approx(1) and lucky == pytest.approx(-1)
    assert weights(Grpo(), group_of([1.0, 1.0])) == [0.0, 0.0]
