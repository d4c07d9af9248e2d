"""Episodes a second of every registered task, beside an environment that does nothing.

    python -m zerogym.benchmarks.speed.env_steps [--seconds 1] [--tasks Countdown SQL ...]

Unit: whole episodes (reset, the oracle's actions to the end) a CPU second on one core, of the
environment alone. The floor is an empty text environment driven by the same loop, so the ratio is
what the task itself costs. The search for the oracle's actions has its own column, and so has the
clock: its seconds exceed those of the CPU where others compute, and where a task waits for
processes of its own, whose CPU seconds are not in the figure. A line on standard error names each
task as it is begun.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from zerogym.benchmarks.speed.loops import options, progress, show
from zerogym.envs.core import TaskEnv, TextEnv
from zerogym.envs.registry import TASKS
from zerogym.errors import MissingExtra, NoOracle, SandboxUnavailable, UnknownName


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


@dataclass
class Played:
    """Episodes that were played, and the seconds that they took.

    Attributes:
        episodes, steps: Numbers of them.
        env_s: CPU seconds of the environment.
        oracle_s: CPU seconds of the search for actions.
        clock_s: Seconds on the clock, of both.
    """

    episodes: int = 0
    steps: int = 0
    env_s: float = 0.0
    oracle_s: float = 0.0
    clock_s: float = 0.0


def play(env: gym.Env, seconds: float) -> Played:
    """Play episodes by the oracle for at least so many CPU seconds."""
    task, found = env.unwrapped, Played()
    assert isinstance(task, TaskEnv)
    env.reset(seed=0)
    start, clock = time.process_time(), time.perf_counter()
    while (spent := time.process_time() - start) < seconds:
        env.reset(seed=found.episodes)
        over = False
        while not over:
            before = time.process_time()
            action = task.oracle_action()
            found.oracle_s += time.process_time() - before
            _, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            found.steps += 1
        found.episodes += 1
    found.env_s, found.clock_s = spent - found.oracle_s, time.perf_counter() - clock
    return found


def make(task_id: str) -> gym.Env:
    """The task; where the reward is an argument, with its first named one."""
    env = gym.make(task_id, disable_env_checker=True)
    named = list(getattr(env.unwrapped, "tasks", ()))
    return gym.make(task_id, disable_env_checker=True, task=named[0]) if named else env


def rows(seconds: float, tasks: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Measure the floor and the tasks; yield the rows of the table."""
    floor = play(NothingEnv(), seconds)
    yield "(floor: does nothing)", *figures(floor, floor)
    for task_id in tasks:
        progress(task_id)
        try:
            played = play(make(task_id), seconds)
        except (MissingExtra, NoOracle, SandboxUnavailable) as error:
            yield task_id, str(error), *[""] * (len(COLUMNS) - 2)
        else:
            yield task_id, *figures(played, floor)


def figures(played: Played, floor: Played) -> tuple[str, ...]:
    """Return the figures of a row, in the order of `COLUMNS`."""
    episodes = played.episodes / played.env_s
    return (
        f"{episodes:,.0f}",
        f"{played.steps / played.env_s:,.0f}",
        f"{played.steps / max(played.oracle_s, 1e-9):,.0f}",
        f"{played.clock_s / (played.env_s + played.oracle_s):.1f}",
        f"{episodes / (floor.episodes / floor.env_s):.4f}",
    )


COLUMNS = (
    "task", "episodes/CPU s", "steps/CPU s", "oracle's actions/CPU s", "clock over CPU s",
    "share of the floor's episodes/CPU s",
)  # fmt: skip


def main(given: Sequence[str] | None = None) -> None:
    """Print the table."""
    arguments = options(
        __doc__,
        given,
        seconds=(1.0, "CPU seconds for each task"),
        tasks={"nargs": "*", "metavar": "NAME", "help": "such as Countdown; all without it"},
    )
    every = {task.id.removeprefix("zerogym/").removesuffix("-v0"): task.id for task in TASKS}
    for name in arguments.tasks or ():
        if name not in every:
            raise SystemExit(str(UnknownName("task", name, list(every))))
    chosen = [every[name] for name in arguments.tasks or every]
    show(COLUMNS, rows(arguments.seconds, chosen))


if __name__ == "__main__":
    main()
