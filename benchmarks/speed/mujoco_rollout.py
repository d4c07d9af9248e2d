"""Steps a second of MuJoCo worlds: `env.step` beside `rollout` on one and on all cores.

    python -m zerogym.benchmarks.speed.mujoco_rollout [--bodies 256] [--steps 50] [--rounds 5]

Unit: steps of the world a second of wall clock, which is what threads save; the median over rounds,
in each of which every way is measured in turn on the same actions and starts. Rewards are not paid.
Goal: at least as fast as stepping on one core, and in proportion on more.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.table import Table

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.mujoco_rollout import Floats, rollout

IDS = (
    "zerogym/Walker-v0", "zerogym/Cheetah-v0", "zerogym/Hopper-v0", "zerogym/Ant-v0",
    "zerogym/PointMassMaze-v0", "zerogym/Reacher-v0",
)  # fmt: skip


def stepped(env: gym.Env, actions: Floats) -> None:
    """One body after the other."""
    for row in actions:
        env.reset()
        for action in row:
            env.step(action)


def rates(id: str, bodies: int, steps: int, rounds: int) -> list[float]:
    """Steps a second: one by one, on one core, on all."""
    env = gym.make(id, disable_env_checker=True, horizon=steps + 1).unwrapped
    starts = np.array([env.reset(seed=seed)[0] for seed in range(bodies)])
    states = np.hstack(env.states(starts))  # type: ignore[attr-defined]
    shape = (bodies, steps, *(env.action_space.shape or ()))
    actions = np.random.default_rng(0).uniform(-1, 1, shape)
    ways: list[Callable[[], object]] = [
        lambda: stepped(env, actions),
        lambda: rollout(env, actions, states, 1),
        lambda: rollout(env, actions, states, os.cpu_count()),
    ]
    found: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for way, seconds in zip(ways, found, strict=True):
            start = time.perf_counter()
            way()
            seconds.append(time.perf_counter() - start)
    return [bodies * steps / statistics.median(seconds) for seconds in found]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bodies", type=int, default=256)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    cores = os.cpu_count()
    table = Table("world", "env.step", "rollout, 1 core", f"rollout, {cores} cores", "gain")
    for id in IDS:
        one, single, every = rates(id, given.bodies, given.steps, given.rounds)
        table.add_row(id, f"{one:,.0f}", f"{single:,.0f}", f"{every:,.0f}", f"{every / one:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
