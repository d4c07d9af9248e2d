"""Measure agents in the tasks of a control world, and keep each result as soon as it is there.

Random actions and the best policy are computed where the world is finite, and played elsewhere.
Scripts are what the world offers: `straight_line` (ignores walls) and `oracle` (shortest ways,
plans, energy and linear regulation, ...). A planner samples actions in the simulator of a MuJoCo
body (`agents/baselines/planner.py`). Learners are Stable-Baselines3's, with its own defaults,
one environment, evaluated after their last step in episodes that no choice was made by. PPO rounds
its steps up to whole rollouts of 2048. Left out: text views, arguments other than the id's own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.spaces import Box, Discrete

from zerogym.agents.baselines.sb3 import SB3Config, SB3Policy, train_sb3
from zerogym.benchmarks.baselines.exact import exact_returns
from zerogym.benchmarks.baselines.relabelled import RandomEpisodes
from zerogym.benchmarks.baselines.scripts import players
from zerogym.benchmarks.baselines.store import Records, Row, exact_row, load, sampled_row, save
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.suites.cells import episode_seeds
from zerogym.benchmarks.suites.episodes import play
from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.control.tabular.base import TabularEnv
from zerogym.envs.registry import TASKS
from zerogym.envs.registry import Task as Entry
from zerogym.errors import NoOracle, UnknownName, ZerogymError, require

UNTRAINED = ("random", "scripted", "exact")
PLANNER = "planner"
LEARNERS: Mapping[str, tuple[type, ...]] = {
    "sac": (Box,),
    "ppo": (Box, Discrete),
    "dqn": (Discrete,),
}
AGENTS = (*UNTRAINED, PLANNER, *LEARNERS)

Progress = Callable[[str, int, int], object]  # what, done, total


class CannotMeasure(ZerogymError, ValueError):
    """An agent does not fit a world; the message gives the reason."""


@dataclass(frozen=True)
class Request:
    """A request to measure agents in a world.

    Attributes:
        entry: Of the registry.
        tasks: Names; empty are all, also those that draw a task for each episode.
        agents: Of `AGENTS`.
        steps: Of each training run.
        seeds: How many training runs, seeded from 0.
        episodes: Played by each agent, by each training run.
    """

    entry: Entry
    tasks: tuple[str, ...] = ()
    agents: tuple[str, ...] = UNTRAINED
    steps: int = 50_000
    seeds: int = 1
    episodes: int = 20

    def __post_init__(self) -> None:
        for name in self.agents:
            if name not in AGENTS:
                raise UnknownName("agent", name, list(AGENTS))


def control_worlds() -> list[Entry]:
    """Return the worlds that can be measured; bridges to other packages are many worlds each."""
    return [each for each in TASKS if each.family == "control" and "bridge" not in each.tags]


def about(env: ControlEnv, entry: Entry) -> dict[str, Any]:
    """Return the id, arguments and horizon, which make returns comparable."""
    return {"id": entry.id, "kwargs": dict(entry.kwargs), "horizon": env.horizon}


def task_names(env: ControlEnv) -> list[str]:
    """Return all names that `task=` takes."""
    return [*env.tasks, *env.random_tasks]


def fitting_learners(env: ControlEnv) -> list[str]:
    """Return the learners that can act in an environment."""
    return [name for name, spaces in LEARNERS.items() if isinstance(env.action_space, spaces)]


def measure(
    request: Request,
    folder: Path,
    command: str,
    callback: Progress = lambda what, done, total: None,
) -> Records:
    """Measure what is not in the file of a world yet, and write it there.

    Args:
        request: World, tasks and agents.
        folder: The folder of the file.
        command: Written into the file, so that it can be repeated.
        callback: Called often.

    Raises:
        CannotMeasure: If a learner cannot act in this world.
        UnknownName: If there is no such task.
        MissingExtra: If the world or a learner needs a package that is not installed.
    """
    env = gym.make(request.entry.id, task=None)
    world: Any = env.unwrapped
    names = _chosen(world, request)
    records = load(request.entry.name, about(world, request.entry), folder)
    stored = RandomEpisodes(request.entry.id, episode_seeds(request.episodes, 0))
    played = {"episodes": request.episodes, "first_seed": stored.seeds[0]}
    session = {"command": command, **played, **provenance()}
    started = False
    try:
        for done, name in enumerate(names):
            callback(f"{request.entry.name} {name}", done, len(names))
            for row in _rows(request, records, name, stored, callback):
                if not started:  # a session that measured nothing is none
                    records.sessions.append(session)
                    started = True
                records.add(row)
                if not row.exact:  # what took time is on the disk at once
                    save(records, folder)
        return records
    finally:
        env.close()
        if started:
            save(records, folder)


def _chosen(world: ControlEnv, request: Request) -> list[str]:
    known = task_names(world)
    for name in request.tasks:
        if name not in known:
            raise UnknownName(f"task of {request.entry.name}", name, known)
    if PLANNER in request.agents and not isinstance(world, MujocoEnv):
        raise CannotMeasure(f"the planner needs a MuJoCo body, {request.entry.name} is none")
    for agent in set(request.agents) & set(LEARNERS):
        if not isinstance(world.action_space, LEARNERS[agent]):
            raise CannotMeasure(
                f"{agent} cannot act in {request.entry.name}, whose actions are "
                f"{world.action_space}: take {' or '.join(fitting_learners(world))}"
            )
    return list(request.tasks) or known


def _rows(
    request: Request, records: Records, name: str, stored: RandomEpisodes, callback: Progress
) -> Iterator[Row]:
    """Yield the rows of a task that are not there yet."""
    env = gym.make(request.entry.id, task=name)
    world: Any = env.unwrapped
    seeds = stored.seeds
    finite = isinstance(world, TabularEnv) and name in world.tasks
    requested = [agent for agent in request.agents if agent not in LEARNERS]
    try:
        if finite and {"random", "exact"} & set(requested):
            chance, best = exact_returns(world, world.tasks[name])
            values = {"random": chance, "exact": best}
            for agent, value in values.items():
                if agent in requested and (name, agent, 0) not in records.rows:
                    yield exact_row(name, agent, value)
        for agent, policy in players(env, name, requested, finite):
            old = records.rows.get((name, agent, 0))
            if old is None or (len(old.returns[0]) if old.returns else 0) != len(seeds):
                try:
                    if agent == "random" and isinstance(world, MujocoEnv):
                        returns = stored.returns(world.tasks[name])
                    else:
                        returns = [episode.value for episode in play([env], policy, seeds)]
                except NoOracle:  # a task that some of the drawn worlds do not admit
                    continue
                yield sampled_row(name, agent, 0, (0,), [returns])
        for agent in (each for each in request.agents if each in LEARNERS):
            yield from _trained(request, records, name, agent, seeds, callback)
    finally:
        env.close()


def _trained(
    request: Request, records: Records, task: str, agent: str, seeds: list[int], callback: Progress
) -> Iterator[Row]:
    """Yield a row after each training run, with all runs of that many steps so far."""
    steps = request.steps
    old = records.rows.get((task, agent, steps))
    kept: dict[int, tuple[float, ...]] = {}
    if old is not None and len(old.returns[0]) == len(seeds):
        kept = dict(zip(old.seeds, old.returns, strict=True))
    for seed in range(request.seeds):
        if seed in kept:
            continue
        what = f"{request.entry.name} {task} {agent} seed {seed}"
        torch = require("torch", "sb3", f"the {agent} baseline")
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # more of them only wait for each other in so small a network
        env = gym.make(request.entry.id, task=task)
        callback(what, 0, steps)
        try:
            model = train_sb3(
                SB3Config(agent, steps, envs=1, seed=seed),
                lambda: gym.make(request.entry.id, task=task),
                lambda done, mean, what=what: callback(what, min(done, steps), steps),  # type: ignore[misc]
            )
            played = play([env], SB3Policy(model), seeds)
        finally:
            env.close()
            torch.set_num_threads(threads)
        kept[seed] = tuple(episode.value for episode in played)
        yield sampled_row(task, agent, steps, tuple(kept), list(kept.values()))
