"""Every goal of a grid, and rewards of three goals, beside a walk that goes straight there."""

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation import policy_score
from zerogym.agents.zero_shot.model import FBModel
from zerogym.benchmarks.zero_shot.record import Cell, Proof, Scores
from zerogym.benchmarks.zero_shot.training import trained, without_seed
from zerogym.envs.control.four_rooms import FourRoomsEnv
from zerogym.envs.control.layouts import Layout, greedy_policy
from zerogym.envs.control.tasks import Task

SETTINGS = {
    "13x13": FBConfig(
        env="zerogym/FourRooms-v0",
        env_kwargs={"layout": "four_rooms_13"},
        data_steps=40_000,
        dim=96,
        updates=4_000,
    ),
}
COLUMNS = {"every goal": "goal", "three goals": "multi_goal"}


def measure(cell: Cell, seed: int) -> Scores:
    """Train; score the agent, the straight walk and random actions."""
    config = SETTINGS[cell.group]
    return _scores(config, trained(config, seed))


def _scores(config: FBConfig, model: FBModel) -> Scores:
    env = gym.make(config.env, **config.env_kwargs)
    world: Any = env.unwrapped
    here = world.observation_of(np.arange(world.num_states))  # (S, k)
    asked = {column: _asked(world, kind) for column, kind in COLUMNS.items()}
    uniform = np.full((world.num_states, len(world.action_names)), 1 / len(world.action_names))
    policies = {
        "forward-backward": lambda task: model.act(here, model.infer(task)),
        "straight line": lambda task: straight(world.layout, task),
        "random": lambda task: uniform,
    }
    return {
        who: {
            column: {task.name: policy_score(world, task, policy(task)) for task in tasks}
            for column, tasks in asked.items()
        }
        for who, policy in policies.items()
    }


def straight(layout: Layout, task: Task) -> NDArray[np.float64]:
    """Straight to whatever pays and is nearest with walls ignored; probabilities (S, A)."""
    cells = np.array(layout.cells)  # (S, 2)
    still = np.zeros(len(cells), dtype=np.int64)
    eye = np.eye(len(cells), dtype=np.float32)
    pays = np.flatnonzero(task.relabel(eye, still, eye))  # (G,)
    away = np.abs(cells[:, None] - cells[pays]).sum(-1)  # (S, G)
    policies = np.stack([greedy_policy(layout, int(goal)) for goal in pays])  # (G, S, A)
    chosen: NDArray[np.float64] = policies[away.argmin(1), np.arange(len(cells))]
    return chosen


def _asked(world: FourRoomsEnv, kind: str) -> list[Task]:
    """Tasks of a kind; a goal task is a goal, whatever else is named after one."""
    if kind == "goal":
        return [task for task in world.tasks.values() if task.goal is not None]
    return [task for name, task in world.tasks.items() if name.startswith(kind)]


PROOF = Proof(
    "rooms",
    "Tasks of grids that were never trained on",
    "0 is random actions, 1 value iteration; exact discounted values, the mean over all starts.",
    {group: without_seed(config) for group, config in SETTINGS.items()},
    tuple(Cell(group, "forward-backward") for group in SETTINGS),
    measure,
)
