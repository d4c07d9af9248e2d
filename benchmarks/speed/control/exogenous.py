"""Steps a second of the radio band and the toy market: many at once, and one by one.

    python -m zerogym.benchmarks.speed.control.exogenous [--seconds 1] [--batch 4096]

Unit: thousand steps a CPU second, one thread, with observations and rewards. The loops take turns,
several rounds of each, so that all meet the same machine; the table has the median, and the slowest
and fastest round. All actions are random and drawn before the clock starts. No peer is measured:
the RFRL Gym cannot be imported without Qt, and the world of MacroHFT is recorded prices.
"""

from typing import Any

import gymnasium as gym
import numpy as np

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import Loop, batches, compare, stepping
from zerogym.errors import require

CALLS = 20  # of `step`, for one call of a loop
WORLDS = {"CognitiveRadio": "avoid", "Trading": "profit"}  # each with a task


def batched(name: str, n: int, library: Any) -> Loop:
    """All copies at once."""
    env: Any = gym.make(f"zerogym/{name}-v0", task=WORLDS[name]).unwrapped
    worlds = env.batched(n, library)
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(env.action_names), size=(CALLS, n))
    worlds.reset(seed=0)
    actions = [worlds._array(each) for each in drawn]  # in the library, before the clock starts

    def step(action: Any) -> None:
        if worlds.step(action)[2]:
            worlds.reset()

    return batches(step, actions, n)


def single(name: str, view: str) -> Loop:
    """One environment as users get it, begun anew when its episode is over."""
    env = gym.make(f"zerogym/{name}-v0", task=WORLDS[name], view=view)
    world: Any = env.unwrapped
    rng = np.random.default_rng(0)
    return stepping(env, [world.random_action(rng) for _ in range(CALLS)])


def loops(n: int) -> dict[str, Loop]:
    """Return the loops to compare, by the names of their rows."""
    require("torch", "control", "batched worlds of torch").set_num_threads(1)
    found: dict[str, Loop] = {}
    for name in WORLDS:
        for library in ("numpy", "torch"):
            found[f"{name}, {n:,} at once, {library}"] = batched(name, n, library)
        for view in ("numeric", "text"):
            found[f"{name}, one, gym.make, {view}"] = single(name, view)
    return found


if __name__ == "__main__":
    compare(__doc__, loops)
