"""Collecting transitions and keeping them."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.dataset import Dataset, collect


class Line(gym.Env[np.ndarray, Any]):
    """A position that an action in [-1, 1] changes; cut after 5 steps."""

    def __init__(self, terminates: bool = False, spaces: Any = None) -> None:
        self.observation_space = gym.spaces.Box(-10, 10, (1,), np.float32)
        self.action_space = spaces or gym.spaces.Box(-1, 1, (1,), np.float32)
        self.terminates = terminates

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.steps, self.place = 0, self.np_random.normal(size=1).astype(np.float32)
        return self.place, {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.steps, self.place = self.steps + 1, self.place + action
        return self.place, 0.0, self.terminates and self.steps == 3, self.steps == 5, {}


def test_transitions_chain_within_episodes() -> None:
    data = collect(Line(), 12, seed=3)
    np.testing.assert_allclose(data.next_observations, data.observations + data.actions, rtol=1e-6)
    linked = (data.next_observations[:-1] == data.observations[1:]).ravel()
    assert linked.tolist() == [True, True, True, True, False] * 2 + [True]
    assert data.observations.dtype == data.actions.dtype == np.float32
    assert data.actions.shape == (12, 1)


def test_the_seed_decides_everything() -> None:
    env = Line()
    first, again, other = (collect(env, 20, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.observations, again.observations)
    np.testing.assert_array_equal(first.actions, again.actions)
    assert not np.array_equal(first.actions, other.actions)


def test_held_actions_are_repeated_but_not_across_episodes() -> None:
    actions = collect(Line(), 10, hold=3).actions.ravel()
    same = actions[:-1] == actions[1:]
    assert same.tolist() == [True, True, False, True, False, True, True, False, True]


def test_a_policy_can_collect() -> None:
    class Halve:
        def predict(self, observations: Any, state: Any, starts: Any) -> tuple[Any, Any]:
            observed.append((None if starts[0] else state, bool(starts[0])))
            return -0.5 * observations, (state or 0) + 1

    observed: list[Any] = []
    data = collect(Line(), 7, policy=Halve())  # type: ignore[arg-type]
    np.testing.assert_allclose(data.actions, -0.5 * data.observations)
    assert [start for _, start in observed] == [True, False, False, False, False, True, False]


def test_random_actions_of_a_grid_are_uniform() -> None:
    data = collect(gym.make("zerogym/UMap-v0", task=None), 2_000)
    counts = np.bincount(data.actions, minlength=5)
    assert data.actions.dtype == np.int64
    assert counts.min() > 300  # 400 expected, standard deviation 18


def test_saved_and_loaded(tmp_path: Path) -> None:
    data = collect(Line(), 6)
    data.save(tmp_path / "data.npz")
    again = Dataset.load(tmp_path / "data.npz")
    np.testing.assert_array_equal(data.next_observations, again.next_observations)
    assert [path.name for path in tmp_path.iterdir()] == ["data.npz"]
    with np.load(tmp_path / "data.npz", allow_pickle=False) as arrays:
        assert sorted(arrays) == ["actions", "next_observations", "observations", "starts"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "objects.npz", observations=np.array([{}], dtype=object))
    np.savez(tmp_path / "fewer.npz", observations=np.zeros((1, 1)))
    np.save(tmp_path / "array.npy", np.zeros(3))
    (tmp_path / "text.npz").write_text("hello")
    for name in ("objects.npz", "fewer.npz", "array.npy", "text.npz", "missing.npz"):
        with pytest.raises(NotAModel, match=name):
            Dataset.load(tmp_path / name)


def test_bad_arrays() -> None:
    one, two = np.zeros((1, 2), dtype=np.float32), np.zeros((2, 2), dtype=np.float32)
    with pytest.raises(ValueError, match="at least one"):
        Dataset(one[:0], one[:0], one[:0])
    with pytest.raises(ValueError, match="shape"):
        Dataset(one, one, two)
    with pytest.raises(ValueError, match="1 observations but 2 actions"):
        Dataset(one, two, one)
    for given in (None, b"abc", [[1.0, 2.0]], np.array([[None, 1]]), one * 1j):
        with pytest.raises(ValueError, match="array of numbers"):
            Dataset(one, one, given)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"next_observations.*finite"):
        Dataset(one, one, one * np.nan)


def test_an_episode_that_ends_is_marked_and_followed_by_another() -> None:
    data = collect(Line(terminates=True), 8, seed=3)
    ends = [False, False, True] * 2 + [False, False]
    assert data.terminated is not None and data.terminated.tolist() == ends
    assert data.starts is not None and data.starts.tolist() == [True, *ends[:-1]]


def test_bad_environments() -> None:
    with pytest.raises(ValueError, match=r"in \[-1, 1\]"):
        collect(Line(spaces=gym.spaces.Box(0, 2, (1,), np.float32)), 5)
    with pytest.raises(ValueError, match="Discrete or a bounded Box"):
        collect(Line(spaces=gym.spaces.MultiBinary(2)), 5)
    with pytest.raises(ValueError, match="start at 0"):
        collect(Line(spaces=gym.spaces.Discrete(3, start=1)), 5)
    with pytest.raises(ValueError, match="observations must be a Box"):
        collect(gym.make("zerogym/UMap-v0", task=None, view="text"), 5)
    with pytest.raises(ValueError, match="at least 1"):
        collect(Line(), 0)


def test_take_draws_without_repetition() -> None:
    data = collect(Line(), 10)
    assert sorted(data.take(99).actions.ravel()) == sorted(data.actions.ravel())
    some = data.take(4, seed=1)
    assert len(set(some.actions.ravel())) == 4
    np.testing.assert_array_equal(some.actions, data.take(4, seed=1).actions)
