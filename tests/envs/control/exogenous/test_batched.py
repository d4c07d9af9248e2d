"""Many bands and markets at once: each row equals a single environment."""

from typing import Any

import numpy as np
import pytest

from helpers.control.worlds import bare

RADIO: dict[str, Any] = {
    "task": "avoid_steadily",
    "senders": ("hopper", "bursty"),
    "context": {"miss": 0.33, "switch": 0.4},
}
TRADING: dict[str, Any] = {
    "task": "risk_adjusted",
    "short": True,
    "trend_visible": True,
    "context": {"calm": 0.37, "fee": 0.13},
}
WORLDS = (("CognitiveRadio", RADIO), ("Trading", TRADING), ("Trading", {"task": "calm_only"}))
each_world = pytest.mark.parametrize(("name", "kwargs"), WORLDS, ids=["radio", "trends", "market"])


class Dealt:
    """A generator that returns given numbers."""

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers, self.next = numbers, 0

    def random(self, size: Any) -> np.ndarray:
        """Return the next `size` numbers; of a batch (n, count), count for each row."""
        count = size[1] if isinstance(size, tuple) else size
        dealt = self.numbers[..., self.next : self.next + count]
        self.next += count
        return dealt


@each_world
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_row_is_a_single_world_that_draws_the_same_numbers(
    name: str, kwargs: dict[str, Any], library: str
) -> None:
    env, rng, n, steps = bare(name, **kwargs), np.random.default_rng(0), 6, 40
    numbers, choices = rng.random((n, 2000)), rng.integers(len(env.action_names), size=(steps, n))
    worlds = env.batched(n, library)
    worlds.reset(seed=0)
    begun = np.asarray(worlds.observations)
    hidden = (
        np.array([np.asarray(state) for state in worlds._states]).T
        if name == "CognitiveRadio"
        else np.array([np.asarray(worlds._up), np.asarray(worlds._wild)]).T.astype(int)
    )
    dealt = Dealt(numbers)
    worlds._uniform = lambda count: worlds._array(dealt.random((n, count)))
    together, rewards = [], []
    for actions in choices:
        rows, reward, over = worlds.step(worlds._array(actions))
        together.append(np.asarray(rows))
        rewards.append(np.asarray(reward))
    assert not over
    for row in range(n):
        env.reset(seed=0)
        env._episode.hidden = tuple(hidden[row].tolist())
        env._episode.observation = begun[row]
        env._np_random = Dealt(numbers[row])
        for step, actions in enumerate(choices):
            rows, reward, *_ = env.step(int(actions[row]))
            np.testing.assert_allclose(rows, together[step][row], rtol=1e-6, atol=1e-6)
            assert reward == pytest.approx(float(rewards[step][row]), abs=1e-6)
        del env._np_random
