"""Steps a second of MuJoCo and classic worlds, beside the bare simulator and peers; relabelling.

    python -m zerogym.benchmarks.speed.control.steps [--seconds 2] [--ids Walker ...]

Unit: thousand steps a CPU second on one core, random actions drawn beforehand, each environment
without wrappers and reset when its episode ends. `floor` is `mj_step`, as many times as in a step
of the world, and `qpos` and `qvel` side by side; `share` is the floor's time over the world's, and
nothing with this physics can be faster than the floor. The rows of `make_vec` are `VECTOR` bodies
in one vector environment: CPU seconds show what a second thread costs, not the time that it saves,
and so many simulators do not stay in the processor's cache as the floor's one does.
Peers are Gymnasium's bodies of the same kind and, where shimmy is installed, dm_control's, whose
physics is ours. Steps of Gymnasium's hold fewer or more steps of the simulator, and some of those
integrate in four stages, so that the steps of the simulator a second stand in the table, too. All
of a body are measured in turn, in `ROUNDS` rounds, of which the median counts.

Of the classic worlds the peers are Gymnasium's, with their one reward; `share` is the peer's
time over ours.

Relabelling: million rewards a CPU second, computed by a named task from stored observations; the
slowest and the median of the named tasks.
"""

import itertools
import statistics
import time
from typing import Any

import gymnasium as gym
import numpy as np
import rich
from rich.table import Table

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import Loop, options, rates, stepping
from zerogym.envs.control.classic.base import ClassicEnv
from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.registry import TASKS
from zerogym.errors import require

ACTIONS = 256  # drawn beforehand
VECTOR = 64  # bodies in a vector environment
STORED = 200_000  # transitions to be relabelled
PEERS = {
    "Walker": ("Walker2d-v5", "shimmy:dm_control/walker-walk-v0"),
    "Cheetah": ("HalfCheetah-v5", "shimmy:dm_control/cheetah-run-v0"),
    "Hopper": ("Hopper-v5", "shimmy:dm_control/hopper-hop-v0"),
    "Ant": ("Ant-v5",),
    "Reacher": ("Reacher-v5", "shimmy:dm_control/reacher-easy-v0"),
}
CLASSIC = {
    "CartPole": "CartPole-v1",
    "Pendulum": "Pendulum-v1",
    "Acrobot": "Acrobot-v1",
    "MountainCar": "MountainCar-v0",
}


def world(name: str, **kwargs: Any) -> MujocoEnv:
    """One of our bodies, without wrappers."""
    env = gym.make(f"zerogym/{name}-v0", **{"task": None, **kwargs}).unwrapped
    assert isinstance(env, MujocoEnv)
    return env


def bodies() -> list[str]:
    """The names of the MuJoCo worlds of the registry."""
    control = [task for task in TASKS if task.family == "control"]
    made = {task.name: gym.make(task.id).unwrapped for task in control}
    return [name for name, env in made.items() if isinstance(env, MujocoEnv)]


def actions(space: Any) -> list[Any]:
    """Random actions of a space."""
    space.seed(0)
    return [space.sample() for _ in range(ACTIONS)]


def random_steps(env: gym.Env) -> Loop:
    """An environment under random actions."""
    return stepping(env, actions(env.action_space))


def floor(env: MujocoEnv) -> Loop:
    """The bare simulator, and its state as the observation."""
    mj_step = require("mujoco", "control", "the floor").mj_step
    drawn, model, data = actions(env.action_space), env.model, env.data
    control, state = data.ctrl, (data.qpos, data.qvel)
    env.reset(seed=0)
    steps = 0

    def loop() -> int:
        nonlocal steps
        for action in drawn:
            control[:] = action
            mj_step(model, data, env.substeps)
            np.concatenate(state, dtype=np.float32)
            steps += 1
            if steps % env.horizon == 0:
                env.reset()
        return len(drawn)

    return loop


def vectorised(name: str, task: str, threads: int) -> Loop:
    """Our bodies in one vector environment, under random actions."""
    envs = gym.make_vec(f"zerogym/{name}-v0", num_envs=VECTOR, task=task, threads=threads)
    drawn = itertools.cycle(actions(envs.action_space))  # as many different ones as of one body
    envs.reset(seed=0)

    def loop() -> int:
        for _ in range(ACTIONS // VECTOR):
            envs.step(next(drawn))
        return ACTIONS

    return loop


def peer(id: str) -> gym.Env | None:
    """A peer without wrappers; None if its library is missing."""
    try:
        return gym.make(id).unwrapped
    except (gym.error.Error, ImportError):
        return None


def substeps(env: Any) -> int:
    """Steps of the simulator in one of an environment: ours, Gymnasium's or dm_control's."""
    found = getattr(env, "substeps", getattr(env, "frame_skip", None))
    return int(env._env._n_sub_steps if found is None else found)


def step_rows(name: str, seconds: float) -> list[tuple[str, ...]]:
    """Our body without and with a reward, its floor and its peers."""
    free = world(name)
    task = next(iter(free.tasks))
    rewarded = world(name, task=task)
    loops: dict[str, tuple[gym.Env, Loop]] = {"floor": (bare := world(name), floor(bare))}
    loops["reward-free"] = free, random_steps(free)
    loops[f"task {task}"] = rewarded, random_steps(rewarded)
    for threads in (1, 2):
        label = f"make_vec, {threads} thread{'s' * (threads > 1)}"
        loops[label] = rewarded, vectorised(name, task, threads)
    missing: list[tuple[str, ...]] = []
    for id in PEERS.get(name, ()):
        label = id.removeprefix("shimmy:")
        if (env := peer(id)) is None:
            missing.append((name, label, "", "not installed", "", ""))
        else:
            loops[label] = env, random_steps(env)
    speeds = rates({label: loop for label, (_, loop) in loops.items()}, seconds)
    rows: list[tuple[str, ...]] = []
    for label, speed in speeds.items():
        share = speed / speeds["floor"]
        each = substeps(loops[label][0])
        figures = f"{speed / 1000:.1f}", f"{speed * each / 1000:.0f}", f"{share:.2f}"
        rows.append((name, label, str(each), *figures))
    return rows + missing


def classic_rows(name: str, seconds: float) -> list[tuple[str, ...]]:
    """Our world without and with a reward, and Gymnasium's."""
    free = gym.make(f"zerogym/{name}-v0", task=None).unwrapped
    theirs = gym.make(CLASSIC[name]).unwrapped
    assert isinstance(free, ClassicEnv)
    task = next(iter(free.tasks))
    rewarded = gym.make(f"zerogym/{name}-v0", task=task).unwrapped
    envs = {"reward-free": free, f"task {task}": rewarded, CLASSIC[name]: theirs}
    speeds = rates({label: random_steps(env) for label, env in envs.items()}, seconds)
    floor = speeds[CLASSIC[name]]
    return [
        (name, label, f"{speed / 1000:.0f}", f"{speed / floor:.2f}")
        for label, speed in speeds.items()
    ]


def relabel_row(name: str) -> tuple[str, ...]:
    """Return the slowest of all named tasks, its speed, and the median speed."""
    env, rng = world(name), np.random.default_rng(0)
    states = np.concatenate([env._transitions()[2]] * (STORED // 32 + 1))[:STORED]
    given = rng.uniform(-1, 1, (STORED, env.model.nu)).astype(np.float32)
    speeds = {}
    for task in env.tasks.values():
        task.relabel(states, given, states)
        start = time.process_time()
        task.relabel(states, given, states)
        speeds[task.name] = STORED / (time.process_time() - start) / 1e6
    slowest = min(speeds, key=lambda task: speeds[task])
    median = statistics.median(speeds.values())
    return name, str(len(speeds)), f"{slowest}: {speeds[slowest]:.1f}", f"{median:.1f}"


def main() -> None:
    """Measure the bodies and print the tables."""
    given = options(
        __doc__,
        seconds=(2.0, "CPU seconds for each figure"),
        ids={"nargs": "*", "help": "names of worlds; all if not given"},
    )
    chosen = given.ids or [*bodies(), *CLASSIC]
    steps = Table("body", "what", "simulator steps in one", "k steps/s", "k of simulator", "share")
    classic = Table("world", "what", "k steps/s", "share")
    relabelled = Table("body", "tasks", "slowest, M transitions/s", "median")
    for name in chosen:
        table, measure = (classic, classic_rows) if name in CLASSIC else (steps, step_rows)
        for row in measure(name, given.seconds):
            table.add_row(*row)
        table.add_section()
        if name not in CLASSIC:
            relabelled.add_row(*relabel_row(name))
    for table in (steps, classic, relabelled):
        if table.row_count:
            rich.print(table)


if __name__ == "__main__":
    main()
