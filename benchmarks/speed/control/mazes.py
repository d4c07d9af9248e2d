"""Steps a second of the point mazes, single, batched and relabelled, beside gymnasium-robotics.

    python -m zerogym.benchmarks.speed.control.mazes [--seconds 1] [--batch 4096]

Unit: thousand steps a CPU second on one core, with random actions that were drawn before. All rows
are measured in turn, and of the rounds the median counts. `single` is the environment that
`gym.make` returns, without its wrappers; `batched` is `env.unwrapped.batched(n)`; both with the
reward of a goal, or reward-free. `relabel` is the reward of stored transitions. The peer's point
has a body in MuJoCo, with speed and contacts, and its goal in the observation: it does more in a
step. Goal: 5,000 thousand batched steps, and as many relabelled transitions. For one core, set
`OMP_NUM_THREADS=1` in the environment. The peer is not an extra of ours:

    pip install gymnasium-robotics
"""

from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.benchmarks.speed.loops import Loop, batches, compare, stepping
from zerogym.envs.control.core.arrays import Library
from zerogym.envs.control.mazes.base import MazeEnv
from zerogym.errors import MissingExtra, require

STEPS = 200  # of a single environment in one call of a loop
BATCHES = 8  # of actions, used in turn
FOREVER = 10**9  # steps: no episode ends while it is timed

WORLDS: dict[str, tuple[str, dict[str, Any], str]] = {  # id, arguments, a task
    "PointMaze s": ("zerogym/PointMaze-v0", {}, "goal_left"),
    "PointMaze medium": ("zerogym/PointMaze-v0", {"layout": "medium"}, "goal_0"),
    "PointMaze large": ("zerogym/PointMaze-v0", {"layout": "large"}, "goal_0"),
    "TwoRooms": ("zerogym/TwoRooms-v0", {}, "goal_left"),
    "TwoRooms image": ("zerogym/TwoRooms-v0", {"view": "image"}, "goal_left"),
}
PEERS = ("PointMaze_UMaze-v3", "PointMaze_Large-v3")


def made(name: str, rewarded: bool) -> MazeEnv:
    """One of `WORLDS`, with its task or without."""
    env_id, kwargs, task = WORLDS[name]
    env = gym.make(env_id, horizon=FOREVER, task=task if rewarded else None, **kwargs).unwrapped
    assert isinstance(env, MazeEnv)
    return env


def single(env: gym.Env[Any, Any]) -> Loop:
    """Steps of one environment."""
    rng = np.random.default_rng(0)
    return stepping(env, list(rng.uniform(-1, 1, (STEPS, 2)).astype(np.float32)))


def batched(name: str, rewarded: bool, library: Library, n: int) -> Loop:
    """Steps of many points at once."""
    world = made(name, rewarded).batched(n, library)
    world.reset(seed=0)
    drawn = np.random.default_rng(0).uniform(-1, 1, (BATCHES, n, 2)).astype(np.float32)
    actions = list(drawn)
    if library == "torch":
        torch = require("torch", "control", "batched mazes of torch")
        torch.set_num_threads(1)
        actions = [torch.as_tensor(each) for each in drawn]
    return batches(world.step, actions, n)


def relabelled(name: str, n: int) -> Loop:
    """Rewards of stored transitions."""
    env = made(name, rewarded=True)
    world = env.batched(n)
    places, (_, _, task) = world.reset(seed=0), WORLDS[name]

    def loop() -> int:
        env.tasks[task].relabel(places, places, places)
        return n

    return loop


def peer(name: str) -> Loop:
    """A maze of gymnasium-robotics.

    Raises:
        MissingExtra: If it is not installed.
    """
    gym.register_envs(require("gymnasium_robotics", "control", "the peer"))
    return single(gym.make(name, max_episode_steps=FOREVER).unwrapped)


def loops(batch: int) -> dict[str, Loop | None]:
    """Everything that is measured; None for what is not installed."""
    makers: dict[str, Any] = {}
    for name in WORLDS:
        for rewarded, what in ((True, "goal"), (False, "reward-free")):
            makers[f"{name}, single, {what}"] = lambda n=name, r=rewarded: single(made(n, r))
            if "image" in name:
                continue
            libraries: tuple[Library, ...] = ("numpy", "torch")
            for library in libraries:
                label = f"{name}, batched {library}, {what}"
                makers[label] = partial(batched, name, rewarded, library, batch)
        if "image" not in name:
            makers[f"{name}, relabel"] = partial(relabelled, name, batch)
    makers |= {f"gymnasium-robotics {name}": partial(peer, name) for name in PEERS}
    return {name: found(make) for name, make in makers.items()}


def found(make: Any) -> Loop | None:
    """A loop, or None if its library is not installed."""
    try:
        loop: Loop = make()
    except MissingExtra:
        return None
    return loop


if __name__ == "__main__":
    compare(__doc__, loops)
