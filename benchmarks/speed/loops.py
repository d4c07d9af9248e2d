"""Loops whose speed is compared: all in turn, several rounds of each, on the same machine."""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
from rich.console import Console
from rich.table import Table

Loop = Callable[[], int]  # works for a while, and returns how many steps it has made
ROUNDS = 5


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


def rate(loop: Loop, seconds: float) -> float:
    """Steps a CPU second, of one call or more."""
    steps, spent, start = 0, 0.0, time.process_time()
    while not steps or spent < seconds:
        steps += loop()
        spent = time.process_time() - start
    return steps / spent


def rounds(loops: Mapping[str, Loop | None], seconds: float) -> dict[str, list[float]]:
    """Steps a CPU second of those that there are, in each of `ROUNDS` rounds."""
    there = {name: loop for name, loop in loops.items() if loop is not None}
    for loop in there.values():
        loop()  # caches
    found: dict[str, list[float]] = {name: [] for name in there}
    for _ in range(ROUNDS):
        for name, loop in there.items():
            found[name].append(rate(loop, seconds / ROUNDS))
    return found


def rates(loops: Mapping[str, Loop | None], seconds: float) -> dict[str, float]:
    """The medians of `rounds`."""
    return {name: statistics.median(speeds) for name, speeds in rounds(loops, seconds).items()}


def thousands(speed: float) -> str:
    """A speed in thousand steps."""
    return f"{speed / 1000:,.0f}"


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
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds for each figure")
    parser.add_argument("--batch", type=int, default=4096, help="worlds stepped at once")
    given = parser.parse_args()
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
