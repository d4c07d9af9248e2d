"""Episodes a second of every registered task, beside an environment that does nothing.

    python -m zerogym.benchmarks.speed.env_steps [--seconds 1]

Unit: whole episodes (reset, the oracle's actions to the end) a CPU second on one core. The floor
is an empty text environment driven by the same loop, so the ratio is what the task itself costs.
The oracle's thinking is part of the figure.
"""

import time
from collections.abc import Iterator
from typing import Any

import gymnasium as gym

from zerogym.benchmarks.speed.loops import options, show
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


def rows(seconds: float) -> Iterator[tuple[str, ...]]:
    """Measure the floor and every task; yield the rows of the table."""
    floor, _ = rate(NothingEnv(), seconds)
    yield "(floor: does nothing)", f"{floor:,.0f}", f"{floor:,.0f}", "1"
    for task in TASKS:
        try:
            episodes, steps = rate(make(task.id), seconds)
        except (MissingExtra, NoOracle, SandboxUnavailable) as error:
            yield task.id, str(error), "", ""
        else:
            yield task.id, f"{episodes:,.0f}", f"{steps:,.0f}", f"{episodes / floor:.4f}"


def main() -> None:
    """Print the table."""
    seconds = options(__doc__, seconds=(1.0, "CPU seconds for each task")).seconds
    show(("task", "episodes/s", "steps/s", "share of the floor's episodes/s"), rows(seconds))


if __name__ == "__main__":
    main()
