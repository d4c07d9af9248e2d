"""Measurements that take turns on the same machine, and the options and tables of the commands."""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import gymnasium as gym
from rich.console import Console
from rich.table import Table

T = TypeVar("T")
Loop = Callable[[], int]  # works for a while, and returns how many steps it has made
ROUNDS = 5


def options(
    doc: str | None,
    given: Sequence[str] | None = None,
    **declared: tuple[Any, str] | dict[str, Any],
) -> argparse.Namespace:
    """Parse the options of a benchmark.

    Args:
        doc: Docstring of its module; the first line is the description.
        given: The arguments; None for those of the command line.
        declared: By name, the default (whose type is the option's) and the help; or the arguments
            of `add_argument`.
    """
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    for name, option in declared.items():
        if isinstance(option, tuple):
            option = {"default": option[0], "type": type(option[0]), "help": option[1]}
        parser.add_argument(f"--{name.replace('_', '-')}", **option)
    return parser.parse_args(given)


def show(
    columns: Iterable[str], rows: Iterable[Sequence[str]], width: int | None = None, title: str = ""
) -> None:
    """Print a table."""
    table = Table(*columns, title=title or None)
    for row in rows:
        table.add_row(*row)
    Console(width=width).print(table)


def progress(text: str) -> None:
    """Print a line on standard error, while the table is yet to come."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def in_turn(
    measures: Mapping[str, Callable[[], T]], repeats: int, title: str = ""
) -> dict[str, list[T]]:
    """Take each measure once in every round, so that a change of the machine meets all alike.

    With a title, each round is announced on standard error.
    """
    found: dict[str, list[T]] = {name: [] for name in measures}
    for number in range(repeats):
        if title:
            progress(f"{title}: round {number + 1} of {repeats}")
        for name, measure in measures.items():
            found[name].append(measure())
    return found


def stepping(env: gym.Env[Any, Any], actions: Sequence[Any]) -> Loop:
    """One environment under these actions, begun anew when its episode is over."""
    env.reset(seed=0)

    def loop() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions)

    return loop


def batches(step: Callable[[Any], object], actions: Sequence[Any], steps: int) -> Loop:
    """Many worlds at once under each of these actions; a call of `step` makes so many steps."""

    def loop() -> int:
        for action in actions:
            step(action)
        return len(actions) * steps

    return loop


def rate(loop: Loop, seconds: float) -> float:
    """Steps a CPU second, of one call or more."""
    steps, spent, start = 0, 0.0, time.process_time()
    while not steps or spent < seconds:
        steps += loop()
        spent = time.process_time() - start
    return steps / spent


def call_rate(call: Callable[[], Any], seconds: float) -> float:
    """Return the calls a CPU second, after one call to warm up."""

    def once() -> int:
        call()
        return 1

    call()
    return rate(once, seconds)


def rounds(loops: Mapping[str, Loop | None], seconds: float) -> dict[str, list[float]]:
    """Steps a CPU second of those that there are, in each of `ROUNDS` rounds."""
    there = {name: loop for name, loop in loops.items() if loop is not None}
    for loop in there.values():
        loop()  # caches
    measures = {name: partial(rate, loop, seconds / ROUNDS) for name, loop in there.items()}
    return in_turn(measures, ROUNDS)


def rates(loops: Mapping[str, Loop | None], seconds: float) -> dict[str, float]:
    """The medians of `rounds`."""
    return {name: statistics.median(speeds) for name, speeds in rounds(loops, seconds).items()}


def compare(
    doc: str | None,
    loops: Callable[[int], Mapping[str, Loop | None]],
    beside: str | None = None,
) -> None:
    """The command of a benchmark of many worlds at once: measure, and print the table.

    Args:
        doc: That of its module.
        loops: Makes the loops by their names, for so many worlds; None for what is not installed.
        beside: The loop of which the last column, `times`, shows the multiple.
    """
    given = options(
        doc,
        seconds=(1.0, "CPU seconds for each figure"),
        batch=(4096, "worlds stepped at once"),
    )
    compared = loops(given.batch)
    found = rounds(compared, given.seconds)
    table = Table()
    table.add_column("what", no_wrap=True)
    for column in ("k steps/s", "slowest", "fastest", *(["times"] if beside else [])):
        table.add_column(column, justify="right", no_wrap=True)
    for name in compared:
        if name not in found:
            table.add_row(name, "not installed")
            continue
        middle = statistics.median(found[name])
        figures = [f"{speed / 1000:,.1f}" for speed in (middle, min(found[name]), max(found[name]))]
        if beside and beside in found:
            figures.append(f"{middle / statistics.median(found[beside]):,.0f}")
        table.add_row(name, *figures)
    Console(width=110).print(table)
