"""Steps a second of the vehicle worlds, single and batched, beside the arithmetic alone.

    python -m zerogym.benchmarks.speed.control.vehicles [--seconds 1] [--batch 4096]

Unit: thousand steps a CPU second on one core (for swarms, of one vehicle), with random actions that
were drawn before. All rows are measured in turn, and of the rounds the median counts. `single` is
the environment that `gym.make` returns, without its wrappers; `batched` is
`env.unwrapped.batched(n)`, with observations, rewards, costs and episodes that begin anew; `motion`
is the equations of motion of as many worlds and nothing else; `floor` is the least that any such
step does in NumPy: one multiplication and one addition of the whole state, in each of the four
stages of the integration. For one core, set `OMP_NUM_THREADS=1` in the environment. Left out: a
peer.
"""

from typing import Any

import gymnasium as gym
import numpy as np

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import Loop, batches, compare, stepping
from zerogym.envs.control.core.arrays import Library
from zerogym.envs.control.vehicles.base import VehicleEnv
from zerogym.errors import MissingExtra, require

STEPS = 100  # of a single environment in one call of a loop
BATCHES = 4  # of actions, used in turn
STAGES = 4  # of the integration
WORLDS = {"Quadrotor": "hover", "QuadrotorSwarm": "reach", "RacingRing": "lap"}  # id: a task


def made(name: str) -> VehicleEnv:
    """One of `WORLDS`, with its task."""
    env = gym.make(f"zerogym/{name}-v0", task=WORLDS[name]).unwrapped
    assert isinstance(env, VehicleEnv)
    return env


def vehicles(env: VehicleEnv) -> int:
    """Return the number of vehicles that one step moves."""
    return int(getattr(env, "vehicles", 1))


def drawn(env: VehicleEnv, shape: tuple[int, ...]) -> Any:
    """Small random actions, so that episodes are not over at once; (*shape, k)."""
    size = (*shape, env.rules.actions)
    return np.random.default_rng(0).uniform(-0.2, 0.2, size).astype(np.float32)


def single(name: str) -> Loop:
    """Steps of one environment, with resets."""
    env = made(name)
    loop, each = stepping(env, list(drawn(env, (STEPS,)))), vehicles(env)
    return lambda: loop() * each


def batched(name: str, library: Library, n: int) -> Loop:
    """Steps of many worlds at once."""
    env = made(name)
    worlds, actions = env.batched(n, library), list(drawn(env, (BATCHES, n)))
    worlds.reset(seed=0)
    if library == "torch":
        torch = require("torch", "control", "batched vehicles of torch")
        torch.set_num_threads(1)
        actions = [torch.as_tensor(each) for each in actions]
    return batches(worlds.step, actions, n * vehicles(env))


def motion(name: str, n: int) -> Loop:
    """The equations of motion alone."""
    env = made(name)
    actions = list(drawn(env, (BATCHES, n)).astype(np.float64))
    states = env.rules.draw(np.random.default_rng(0), n, env.context)
    return batches(
        lambda action: env.rules.advance(states, action, env.context), actions, n * vehicles(env)
    )


def floor(name: str, n: int) -> Loop:
    """One multiplication and one addition of the state in each stage."""
    env = made(name)
    states = env.rules.draw(np.random.default_rng(0), n, env.context)

    def loop() -> int:
        for _ in range(BATCHES * STAGES):
            states * 0.5 + states
        return BATCHES * n * vehicles(env)

    return loop


def loops(batch: int) -> dict[str, Loop | None]:
    """Everything that is measured; None for what is not installed."""
    found: dict[str, Loop | None] = {}
    for name in WORLDS:
        found[f"{name}, single"] = single(name)
        found[f"{name}, batched numpy"] = batched(name, "numpy", batch)
        try:
            found[f"{name}, batched torch"] = batched(name, "torch", batch)
        except MissingExtra:
            found[f"{name}, batched torch"] = None
        found[f"{name}, motion numpy"] = motion(name, batch)
        found[f"{name}, floor numpy"] = floor(name, batch)
    return found


if __name__ == "__main__":
    compare(__doc__, loops)
