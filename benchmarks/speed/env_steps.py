"""Episodes a second of every registered task, beside an environment that does nothing.

    python -m zerogym.benchmarks.speed.env_steps [--seconds 1]

Unit: whole episodes (reset, the oracle's actions to the end) a CPU second on one core. The floor
is an empty text environment driven by the same loop, so the ratio is what the task itself costs.
The oracle's thinking is part of the figure.
"""

import argparse
import time
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.table import Table

from zerogym.envs.core import TaskEnv, TextEnv
from zerogym.envs.registry import TASKS
from zerogym.errors import MissingExtra, NoOracle, SandboxUnavailable


class NothingEnv(TextEnv):
    """The floor: one constant question, one step."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Return a constant."""
        super().reset(seed=seed)
        return "", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """End the episode."""
        return "", 0.0, True, False, {}

    def oracle_action(self) -> str:
        """Nothing."""
        return ""


def rate(env: gym.Env, seconds: float) -> tuple[float, float]:
    """Episodes and steps a CPU second, measured for at least `seconds`."""
    task = env.unwrapped
    assert isinstance(task, TaskEnv)
    env.reset(seed=0)
    episodes = steps = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        env.reset(seed=episodes)
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(task.oracle_action())
            over = terminated or truncated
            steps += 1
        episodes += 1
    return episodes / spent, steps / spent


def make(task_id: str) -> gym.Env:
    """The task; where the reward is an argument, with its first named one."""
    env = gym.make(task_id, disable_env_checker=True)
    named = list(getattr(env.unwrapped, "tasks", ()))
    return gym.make(task_id, disable_env_checker=True, task=named[0]) if named else env


def main() -> None:
    """Measure every task and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds for each task")
    seconds = parser.parse_args().seconds
    floor, _ = rate(NothingEnv(), seconds)
    table = Table("task", "episodes/s", "steps/s", "share of the floor's episodes/s")
    table.add_row("(floor: does nothing)", f"{floor:,.0f}", f"{floor:,.0f}", "1")
    for task in TASKS:
        try:
            episodes, steps = rate(make(task.id), seconds)
        except (MissingExtra, NoOracle, SandboxUnavailable) as error:
            table.add_row(task.id, str(error), "", "")
            continue
        table.add_row(task.id, f"{episodes:,.0f}", f"{steps:,.0f}", f"{episodes / floor:.4f}")
    Console().print(table)


if __name__ == "__main__":
    main()
