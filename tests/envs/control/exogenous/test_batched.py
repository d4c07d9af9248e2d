"""Many bands and markets at once: each row equals a single environment."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from helpers.transitions import transitions
from zerogym.errors import NoOracle, UnknownName

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


def make(name: str, **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{name}-v0", **kwargs).unwrapped


@each_world
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_row_is_a_single_world_that_draws_the_same_numbers(
    name: str, kwargs: dict[str, Any], library: str
) -> None:
    env, rng, n, steps = make(name, **kwargs), np.random.default_rng(0), 6, 40
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


@each_world
def test_a_seed_gives_the_same_batch_and_rows_differ(name: str, kwargs: dict[str, Any]) -> None:
    def episode(library: str) -> np.ndarray:
        worlds = make(name, horizon=12, **kwargs).batched(5, library)
        rows, over = [np.asarray(worlds.reset(seed=7))], False
        while not over:
            observations, _, over = worlds.step(worlds._array(np.ones(5, dtype=np.int64)))
            rows.append(np.asarray(observations))
        assert worlds.turn == 12
        return np.array(rows)

    for library in ("numpy", "torch"):
        first = episode(library)
        assert first.dtype == np.float32
        np.testing.assert_array_equal(first, episode(library))
        assert len(np.unique(first[-1], axis=0)) == 5


@pytest.mark.parametrize("library", ["numpy", "torch"])
@each_world
def test_observations_may_be_written_into(name: str, kwargs: dict[str, Any], library: str) -> None:
    found = []
    for change in (False, True):
        worlds = make(name, **kwargs).batched(5, library)
        rows, actions = worlds.reset(seed=0), np.ones(5, dtype=np.int64)
        for _ in range(3):
            if change:
                rows[:] = 7.0
            rows, reward, _ = worlds.step(actions if library == "numpy" else torch.tensor(actions))
        found.append((np.asarray(rows), np.asarray(reward)))
    for left, right in zip(*found, strict=True):
        np.testing.assert_array_equal(left, right)


def test_misuse_of_a_batch_is_named() -> None:
    env = make("Trading", task="profit", horizon=2)
    for n in (0, 2.0, True):
        with pytest.raises(ValueError, match="integer number >= 1 of environments"):
            env.batched(n)
    with pytest.raises(UnknownName, match="Did you mean 'numpy'"):
        env.batched(2, "nunpy")
    with pytest.raises(ValueError, match="no device"):
        env.batched(2, device="cpu")
    worlds = env.batched(2)
    with pytest.raises(RuntimeError, match="call reset"):
        worlds.step(np.array([0, 0]))
    worlds.reset(seed=0)
    for actions in ([0], [0, 2], [-1, 0], [0.0, 1.0], [[0, 1]]):
        with pytest.raises(ValueError, match="actions must be 2 integers from 0 to 1"):
            worlds.step(np.array(actions))
    worlds.step(np.array([0, 0]))
    assert worlds.step(np.array([1, 0]))[2]
    with pytest.raises(RuntimeError, match="episodes are over"):
        worlds.step(np.array([0, 0]))
    free = make("CognitiveRadio").batched(3, "torch", "cpu")
    free.reset()
    assert isinstance(free.observations, torch.Tensor)
    assert free.step(torch.ones(3, dtype=torch.int64))[1].tolist() == [0.0, 0.0, 0.0]


BAD = (
    ("CognitiveRadio", {"channels": 1}, ValueError, "channels must be an integer from 2 to 10"),
    ("CognitiveRadio", {"channels": 4.0}, ValueError, "got 4.0"),
    ("CognitiveRadio", {"senders": "hopper"}, TypeError, r"such as \('hopper',\)"),
    ("CognitiveRadio", {"senders": ("hoper",)}, UnknownName, "Did you mean 'hopper'"),
    ("CognitiveRadio", {"senders": ()}, ValueError, "number of senders must be an integer"),
    ("CognitiveRadio", {"task": (1, 2)}, ValueError, "no goals in this world"),
    ("CognitiveRadio", {"context": {"miss": 0.7}}, ValueError, r"miss .* \[0, 0.5\], got 0.7"),
    ("CognitiveRadio", {"view": "words"}, UnknownName, "no view 'words'"),
    ("Trading", {"frames": 0}, ValueError, "frames must be an integer from 1 to 64, got 0"),
    ("Trading", {"task": "profits"}, UnknownName, "Did you mean 'profit'"),
)


@pytest.mark.parametrize(("name", "kwargs", "error", "match"), BAD)
def test_bad_arguments_are_refused(name: str, kwargs: Any, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        make(name, **kwargs)


@pytest.mark.parametrize(
    ("name", "last", "starts"),
    [
        ("CognitiveRadio", 5, ((1,), (0, 1), (1, 6), (1.5, 2), (np.nan, 1), "12", None.__class__)),
        ("Trading", 1, ((1,), (2, 0), "up", (0.5, 1), (np.nan, 0))),
    ],
)
def test_bad_actions_and_starts_are_refused(name: str, last: int, starts: Any) -> None:
    env = make(name)
    env.reset(seed=0)
    for action in (last + 1, -1, 1.5, np.nan, "1", [1]):
        with pytest.raises(ValueError, match=f"action must be an integer from 0 to {last}"):
            env.step(action)
    for start in starts:
        with pytest.raises(ValueError, match="start must be"):
            env.reset(options={"start": start})
    with pytest.raises(NoOracle, match="needs a task"):
        env.oracle_action()


@pytest.mark.parametrize("name", ["CognitiveRadio", "Trading"])
def test_rewards_of_torch_are_those_of_numpy(name: str) -> None:
    env = make(name)
    obs, action, after, _ = transitions(env, 1)
    for task in env.tasks.values():
        torched = task.relabel(*map(torch.as_tensor, (obs, action, after)))
        np.testing.assert_allclose(torched.numpy(), task.relabel(obs, action, after), rtol=1e-6)
    for values in env.features(torch.as_tensor(after)).values():
        assert values.shape == (len(after),)
