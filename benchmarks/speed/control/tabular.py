"""Steps a second of the four rooms: ours at once, ours one by one, MiniGrid's.

    python -m zerogym.benchmarks.speed.control.tabular [--seconds 1] [--batch 4096]

Unit: thousand steps a CPU second, one thread. The loops take turns, several rounds of each, so that
all meet the same machine; the table has the median, and the slowest and fastest round. All actions
are random and drawn before the clock starts. MiniGrid's step returns a picture of 7 x 7 cells as
the agent sees it, ours the cell: both rows say so. `times` is over MiniGrid's.
"""

from typing import Any

import gymnasium as gym
import numpy as np

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import Loop, batches, compare, stepping
from zerogym.errors import require

CALLS = 100  # of `step`, for one call of a loop
TASK = "goal_7_7"
PEER = "MiniGrid FourRooms, one, gym.make, 7 x 7 view"


def batched(name: str, n: int, library: Any, observe: bool) -> Loop:
    """All copies at once; with the observations made, or only the states."""
    env: Any = gym.make(f"zerogym/{name}-v0", task=TASK).unwrapped
    worlds = env.batched(n, library)
    worlds.reset(seed=0)
    actions = [worlds.random_actions() for _ in range(CALLS)]
    if observe:
        return batches(lambda action: (worlds.step(action), worlds.observe()), actions, n)
    return batches(worlds.step, actions, n)


def loops(n: int) -> dict[str, Loop]:
    """Return the loops to compare, by the names of their rows."""
    require("minigrid", "control", "the peer of this comparison")
    require("torch", "control", "batched worlds of torch").set_num_threads(1)
    ours, rng = "zerogym/FourRooms-v0", np.random.default_rng(0)
    moves = rng.integers(3, size=CALLS).tolist()  # those of MiniGrid that go or turn
    said = gym.make(ours, task=TASK, view="text")
    world: Any = said.unwrapped
    replies = [world.random_action(rng) for _ in range(CALLS)]
    return {
        f"ours, {n:,} at once, NumPy, states": batched("FourRooms", n, "numpy", False),
        f"ours, {n:,} at once, NumPy, one-hot": batched("FourRooms", n, "numpy", True),
        f"ours, {n:,} at once, torch, states": batched("FourRooms", n, "torch", False),
        f"ours, {n:,} at once, torch, one-hot": batched("FourRooms", n, "torch", True),
        f"ours slippery, {n:,} at once, NumPy, states": batched("SlipperyGrid", n, "numpy", False),
        "ours, one, gym.make, one-hot": stepping(gym.make(ours, task=TASK), moves),
        "ours, one, gym.make, text": stepping(said, replies),
        PEER: stepping(gym.make("MiniGrid-FourRooms-v0"), moves),
    }


if __name__ == "__main__":
    compare(__doc__, loops, PEER)
