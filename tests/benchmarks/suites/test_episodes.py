"""Playing episodes: which are played is fixed beforehand, and each is kept as it was."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.benchmarks.suites.episodes import MAX_TURN_TEXT, play


class Countdown(gym.Env[np.ndarray, int]):
    """Lasts as many steps as its seed says; rewards 1 a step; cannot be stepped after its end."""

    observation_space = gym.spaces.Box(0.0, 99.0, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)
    left = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        self.left = seed or 0
        return np.array([self.left], np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        assert self.left > 0, "stepped after the end"
        self.left -= 1
        over = self.left == 0
        return np.array([self.left], np.float32), 1.0, over, False, {"success": over}


class Watcher:
    """Notes what it is shown."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.starts: list[list[bool]] = []

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[int], int]:
        self.batches.append(len(observations))
        self.starts.append([bool(b) for b in episode_start])
        return [0] * len(observations), (state or 0) + 1


def test_every_seed_is_played_once_and_in_order() -> None:
    seeds = [5, 1, 7, 2, 2 + 1, 9, 4]
    episodes = play([Countdown() for _ in range(3)], Watcher(), seeds)
    assert [(e.seed, e.value, e.length) for e in episodes] == [(s, s, s) for s in seeds]
    assert all(e.success for e in episodes)


class Tiring(Countdown):
    """The reward falls with each episode."""

    resets = 0

    def reset(self, **options: Any) -> tuple[np.ndarray, dict[str, Any]]:
        self.resets += 1
        return super().reset(**options)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        observation, _, over, cut, info = super().step(action)
        return observation, 1 / self.resets, over, cut, info


def test_episodes_that_only_fill_the_batch_do_not_count() -> None:
    episodes = play([Tiring(), Tiring()], Watcher(), [1, 9])
    assert [e.value for e in episodes] == [1, 9], "seed 1 was played again, for nothing"


def test_the_batch_keeps_its_shape_and_starts_are_marked() -> None:
    watcher = Watcher()
    play([Countdown() for _ in range(2)], watcher, [1, 3, 2])
    assert set(watcher.batches) == {2}
    assert watcher.starts == [[True, True], [True, False], [False, False]]


def test_more_environments_than_episodes_is_refused() -> None:
    with pytest.raises(ValueError, match="3 environments for 2 episodes"):
        play([Countdown() for _ in range(3)], Watcher(), [1, 2])


def test_an_episode_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zerogym.benchmarks.suites.episodes.MAX_STEPS", 50)
    with pytest.raises(RuntimeError, match="did not end within 50"):
        play([Countdown()], Watcher(), [60])


def make(count: int, name: str = "zerogym/RandomCalculation-v0", **kwargs: Any) -> list[Any]:
    return [gym.make(name, **kwargs) for _ in range(count)]


class Shouter:
    """Says something long and wrong."""

    def predict(self, observations: Sequence[str], *rest: Any) -> tuple[list[str], None]:
        return ["no " * 5000] * len(observations), None


def test_transcripts_of_the_first_episodes_only_and_cut() -> None:
    episodes = play(make(2), Shouter(), [10, 11, 12, 13], keep=2)
    assert [len(e.transcript) for e in episodes] == [3, 3, 0, 0]
    roles = [turn.role for turn in episodes[0].transcript]
    assert roles == ["world", "policy", "world"]
    assert len(episodes[0].transcript[1].text) == MAX_TURN_TEXT


class Lucky:
    """Is right in one problem only."""

    def __init__(self, env: Any) -> None:
        self.env, self.calls = env, 0

    def predict(self, observations: Sequence[str], *rest: Any) -> tuple[list[str], None]:
        self.calls += 1
        return [self.env.unwrapped.oracle_action() if self.calls == 5 else "x"], None


def test_transcripts_of_the_best_and_the_worst_are_kept() -> None:
    (env,) = make(1)
    episodes = play([env], Lucky(env), list(range(8)), keep=1)
    assert [e.value for e in episodes] == [0, 0, 0, 0, 1, 0, 0, 0]
    kept = [n for n, e in enumerate(episodes) if e.transcript]
    assert kept == [0, 1, 4], "the worst is the first; another wrong one is typical"
    assert not any(e.transcript for e in play([env], Lucky(env), list(range(8)), keep=0))


def test_batches_do_not_change_what_is_measured() -> None:
    one = make(1)
    many = make(5)
    seeds = list(range(20))
    assert play(one, OraclePolicy(one), seeds) == play(many, OraclePolicy(many), seeds)


def test_random_policy_repeats_by_its_seed() -> None:
    runs = []
    for seed in (1, 1, 2):
        envs = make(4)
        runs.append(play(envs, RandomPolicy(envs, seed), list(range(12)), keep=12))
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_paths_of_worlds_in_the_plane() -> None:
    envs = make(1, "zerogym/PointMaze-v0", task="goal_left")
    (episode,) = play(envs, OraclePolicy(envs), [3], keep=1)
    assert len(episode.path) == episode.length + 1
    assert not episode.transcript
