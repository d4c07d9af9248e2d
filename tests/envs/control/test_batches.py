"""Contracts of all batched control environments: seeds, both libraries, and misuse."""

import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from helpers.control.worlds import bare
from zerogym.errors import MissingExtra, UnknownName

TABULAR = ("FourRooms", "SlipperyGrid", "UMap", "RiverSwim", "TMaze")
VEHICLES = ("Quadrotor", "RacingRing", "QuadrotorSwarm")
LOCKSTEP = ("PointMaze", "TwoRooms", "CognitiveRadio", "Trading")  # all episodes end together
each_batch = pytest.mark.parametrize("name", (*TABULAR, *VEHICLES, *LOCKSTEP))
each_library = pytest.mark.parametrize("library", ["numpy", "torch"])


def drawn(env: Any, n: int, seed: int = 0) -> np.ndarray:
    """Random actions of a batch."""
    rng = np.random.default_rng(seed)
    if isinstance(env.action_space, gym.spaces.Discrete):
        return rng.integers(env.action_space.n, size=n)
    return rng.uniform(-1, 1, (n, *env.action_space.shape)).astype(np.float32)


@each_library
@each_batch
def test_a_seed_gives_the_same_batch_and_results_may_be_written_into(
    name: str, library: Any
) -> None:
    env = bare(name, task=next(iter(bare(name).tasks)), horizon=20)

    def episode(seed: int, change: bool = False) -> list[np.ndarray]:
        batch = env.batched(6, library)
        kept = [np.asarray(batch.reset(seed=seed)).copy()]
        for turn in range(12):
            actions = drawn(env, 6, turn)
            steps = batch.step(torch.as_tensor(actions) if library == "torch" else actions)
            kept += [np.asarray(part).copy() for part in steps[:2]]
            if change:
                steps[1][:] = 7
            if change and name in (*VEHICLES, *LOCKSTEP[2:]):  # places are read, not observed
                steps[0][:] = 7
        return kept

    first = episode(3)
    for one, other in zip(first, episode(3, change=True), strict=True):
        np.testing.assert_array_equal(one, other)
    assert any(not np.array_equal(*pair) for pair in zip(first, episode(4), strict=True))


@each_batch
def test_misuse_of_a_batch_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = bare(name)
    for n in (0, 2.5, True, "3"):
        with pytest.raises(ValueError, match="an integer number >= 1 of environments"):
            env.batched(n)
    with pytest.raises(UnknownName, match="Did you mean 'numpy'"):
        env.batched(2, "numpi")
    with pytest.raises(ValueError, match="no device"):
        env.batched(2, device="cpu")
    batch, actions = env.batched(3), drawn(env, 3)
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        batch.step(actions)
    batch.reset(seed=0)
    numbers = actions.astype(float)
    for bad in (actions[:2], actions[None], numbers + np.nan, numbers + np.inf):
        with pytest.raises(ValueError, match="actions must be"):
            batch.step(bad)
    if np.issubdtype(actions.dtype, np.integer):
        for bad in (numbers, actions * 0 - 1, actions * 0 + env.action_space.n, actions < 1):
            with pytest.raises(ValueError, match="actions must be 3 integers from 0 to"):
                batch.step(bad)
    batch.step(actions)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"torch.* needs torch: .*zerogym\[control\]"):
        env.batched(3, "torch")


@pytest.mark.parametrize("name", LOCKSTEP)
def test_a_batch_that_is_over_begins_anew_by_reset_only(name: str) -> None:
    env = bare(name, horizon=2)
    batch, actions = env.batched(3), drawn(env, 3)
    batch.reset(seed=0)
    assert [batch.step(actions)[2] for _ in range(2)] == [False, True] and batch.turn == 2
    with pytest.raises(RuntimeError, match="the episodes are over: call reset"):
        batch.step(actions)
    batch.reset(seed=0)
    assert not batch.step(actions)[2]
