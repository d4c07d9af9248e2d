"""Generalised advantage estimation against sums by brute force, hand cases and another library."""

import numpy as np
import pytest

from zerogym.agents.llm.algorithms.advantages.gae import Gae, explained_variance, gae
from zerogym.agents.llm.algorithms.advantages.group_relative import whiten
from zerogym.agents.llm.algorithms.advantages.vl_dac import VlDac
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Sample
from zerogym.agents.llm.algorithms.shapings.length import Overlong
from zerogym.agents.trajectory import Trajectory, Turn


def token_rewards(episode: Trajectory, limit: int, overlong: float, penalty: Floats) -> Floats:
    plain = Sample(episode, penalty)
    [[shaping]] = Overlong(overlong)(Batch([[plain]]), limit)
    return Sample(episode, penalty, shaping).token_rewards


def played(*turns: tuple[int, float], early: float = 0.0) -> Trajectory:
    """An episode with replies of so many tokens and such rewards, after three tokens each."""
    reported = tuple(
        Turn("", "", (7, 7, 7), (5,) * length, (0.0,) * length, reward) for length, reward in turns
    )
    return Trajectory("e", 0, 0, reported, reward=early + sum(reward for _, reward in turns))


@pytest.mark.parametrize("gamma", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_advantages_are_the_double_sum(gamma: float, lam: float) -> None:
    """Equation 14 of the paper: a mean of k-step advantages, with weights that end in lam^(T-t-1).

    Each k-step advantage is itself a sum of rewards and one value, written out.
    """
    rng = np.random.default_rng(0)
    rewards, values = rng.normal(size=7), rng.normal(size=7)
    ahead = np.append(values, 0.0)

    def of_k_steps(t: int, k: int) -> float:
        rewarded = sum(gamma**j * rewards[t + j] for j in range(k))
        return float(rewarded + gamma**k * ahead[t + k] - values[t])

    expected_value = []
    for t in range(7):
        last = 7 - t
        mean = sum((1 - lam) * lam ** (k - 1) * of_k_steps(t, k) for k in range(1, last))
        expected_value.append(mean + lam ** (last - 1) * of_k_steps(t, last))
    advantages, returns = gae(rewards, values, gamma, lam)
    assert advantages == pytest.approx(expected_value, abs=1e-12)
    assert returns == pytest.approx(advantages + values)


def test_advantages_by_hand() -> None:
    """A reward of 1 at the end of three tokens with values 0.5, 0.25 and 1; gamma 0.5, lambda 0.5.

    d = (0.125 - 0.5, 0.5 - 0.25, 1 - 1); A_1 = 0.25 + 0.25 * 0; A_0 = -0.375 + 0.25 * 0.25
    """
    advantages, _ = gae(np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.25, 1.0]), 0.5, 0.5)
    assert advantages.tolist() == [-0.3125, 0.25, 0.0]


@pytest.mark.claim(
    "gae", says="With lambda = 1 values bring no bias: targets do not depend on them."
)
def test_with_lambda_1_returns_do_not_depend_on_values() -> None:
    rng = np.random.default_rng(1)
    rewards, values = rng.normal(size=9), rng.normal(size=9)
    advantages, returns = gae(rewards, values, 1.0, 1.0)
    to_go = np.cumsum(rewards[::-1])[::-1]
    assert returns == pytest.approx(to_go) and advantages == pytest.approx(to_go - values)
    assert [part.size for part in gae(np.zeros(0), np.zeros(0), 1.0, 1.0)] == [0, 0]


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (0.97, 0.8)])
def test_advantages_are_those_of_stable_baselines3(gamma: float, lam: float) -> None:
    """Its buffer takes two episodes of four and three steps as one stream with an end inside."""
    torch = pytest.importorskip("torch")
    buffers = pytest.importorskip("stable_baselines3.common.buffers")
    from gymnasium.spaces import Box

    rng = np.random.default_rng(2)
    rewards, values = rng.normal(size=7), rng.normal(size=7)
    space = Box(0, 1, (1,))
    buffer = buffers.RolloutBuffer(7, space, space, "cpu", gae_lambda=lam, gamma=gamma)
    for t in range(7):
        buffer.add(
            np.zeros((1, 1)), np.zeros((1, 1)), rewards[t : t + 1], np.array([t in (0, 4)]),
            torch.tensor(values[t : t + 1]), torch.zeros(1),
        )  # fmt: skip
    buffer.compute_returns_and_advantage(torch.zeros(1), np.array([True]))
    ours = [gae(rewards[part], values[part], gamma, lam) for part in (slice(4), slice(4, 7))]
    for own, theirs in zip(
        zip(*ours, strict=True), (buffer.advantages, buffer.returns), strict=True
    ):
        assert np.concatenate(own) == pytest.approx(theirs[:, 0], abs=1e-5)


def test_rewards_of_turns_come_at_their_last_token() -> None:
    """Two, one and three tokens, rewards 1, 0.5 and 2; one before the first turn is left out."""
    episode = played((2, 1.0), (1, 0.5), (3, 2.0), early=9.0)
    costs = np.arange(6) / 8
    assert token_rewards(episode, 10, 0.0, np.zeros(6)).tolist() == [0, 1, 0.5, 0, 0, 2]
    assert (token_rewards(episode, 10, 0.0, costs) + costs).tolist() == [0, 1, 0.5, 0, 0, 2]
    # the longest reply has 3 of 4 tokens, with a buffer of 2: half a point, at the very end
    assert token_rewards(episode, 4, 0.5, np.zeros(6)).tolist() == [0, 1, 0.5, 0, 0, 1.5]
    silent = played((0, 4.0), (2, 1.0), (0, 3.0))
    assert token_rewards(silent, 10, 0.0, np.zeros(2)).tolist() == [0, 4.0]
    assert token_rewards(played((0, 1.0)), 10, 0.5, np.zeros(0)).size == 0


def test_the_next_reply_follows_the_last() -> None:
    """With lambda 0 a turn's last token is weighed by the value of the next turn's first one."""
    episode = played((2, 1.0), (1, 0.5))
    values = np.array([0.25, 0.5, 2.0])
    advantages, _ = gae(token_rewards(episode, 9, 0.0, np.zeros(3)), values, 1.0, 0.0)
    assert advantages.tolist() == [0.5 - 0.25, 1.0 + 2.0 - 0.5, 0.5 - 2.0]


def test_whitened_over_all_tokens_by_hand() -> None:
    """2, 4, 4 and 10: mean 5, variance (9 + 1 + 1 + 25) / 4 = 9."""
    one, other = whiten([np.array([2.0, 4.0, 4.0]), np.array([10.0])])
    assert one.tolist() == [-1, -1 / 3, -1 / 3] and other == pytest.approx([5 / 3])
    flat = whiten([np.full(3, 0.1 + 0.2), np.array([0.3])])
    assert [part.tolist() for part in flat] == [[0, 0, 0], [0]]


def test_explained_variance_by_hand() -> None:
    rewarded = np.array([0.0, 1.0, 2.0, 3.0])
    assert explained_variance(rewarded - 7, rewarded) == 1.0  # a constant error is no variance
    assert explained_variance(np.full(4, 9.0), rewarded) == 0.0
    assert explained_variance(-rewarded, rewarded) == -3.0
    assert explained_variance(rewarded, np.ones(4)) is None


def valued(episode: Trajectory, values: list[float]) -> Sample:
    return Sample(episode, np.zeros(len(values)), signals={"values": np.array(values)})


@pytest.mark.claim("vl_dac", says="With one token a turn it is GAE over tokens.")
def test_turns_of_one_token_are_tokens() -> None:
    rng = np.random.default_rng(0)
    samples = [
        valued(played(*((1, float(r)) for r in rng.normal(size=size))), rng.normal(size=size))
        for size in (4, 1, 2)
    ]
    for turns, tokens in zip(
        VlDac(0.9, 0.8).estimate(Batch([samples])),
        Gae(0.9, 0.8).estimate(Batch([samples])),
        strict=True,
    ):
        assert [own.tolist() for own in turns] == [own.tolist() for own in tokens]


def test_values_of_turns_by_hand() -> None:
    """Turns of two, none and one token: values 0.5 and 0.25 before the first and the third count.

    A reward before an empty reply is of the turn before it: 1, and 2 for the last. gamma 0.5,
    lambda 0.5: the last d is 2 - 0.25, the first 1 + 0.125 - 0.5, and a quarter of it is added.
    """
    one = valued(played((2, 0.0), (0, 1.0), (1, 2.0)), [0.5, 9.0, 0.25])
    part = VlDac(0.5, 0.5)
    assert part.steps(one).tolist() == [0, 2] and part.step_rewards(one).tolist() == [1.0, 2.0]
    first, last = 0.625 + 1.75 / 4, 1.75
    advantages, targets = part.estimate(Batch([[one, valued(played(), [])]]))
    assert advantages[0] == pytest.approx([-1, -1, 1]) and advantages[1].size == 0
    assert targets[0] == pytest.approx([first + 0.5, first + 0.5, last + 0.25])
