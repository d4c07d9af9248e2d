"""Steps a second of the four rooms: ours at once, ours one by one, MiniGrid's.

    python -m zerogym.benchmarks.speed.tabular [--batch 4096] [--seconds 1] [--rounds 5]

Unit: steps a CPU second, one thread. The loops take turns, several rounds of each, so that all
meet the same machine; the table has the median, and the slowest and fastest round. All actions
are random and drawn before the clock starts. MiniGrid's step returns a picture of 7 x 7 cells as
the agent sees it, ours the cell: both rows say so.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.table import Table

import zerogym  # noqa: F401 (registers the ids)
from zerogym.errors import require

Loop = Callable[[], int]  # steps for a while, and returns how many steps that were
CALLS = 100  # of `step`, for one call of a loop
TASK = "goal_7_7"


def batched(name: str, n: int, library: Any, observe: bool) -> Loop:
    """All copies at once; with the observations made, or only the states."""
    env: Any = gym.make(f"zerogym/{name}-v0", task=TASK).unwrapped
    worlds = env.batched(n, library)
    worlds.reset(seed=0)
    actions = [worlds.random_actions() for _ in range(CALLS)]

    def loop() -> int:
        for each in actions:
            worlds.step(each)
            if observe:
                worlds.observe()
        return CALLS * n

    return loop


def single(make: Callable[[], gym.Env[Any, Any]]) -> Loop:
    """One environment, begun anew when its episode is over."""
    env = make()
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(3, size=CALLS).tolist()  # MiniGrid's moves

    def loop() -> int:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return CALLS

    return loop


def loops(n: int) -> dict[str, Loop]:
    """What is compared, by the name of its row."""
    require("minigrid", "the peer of this comparison", "control")
    ours = "zerogym/FourRooms-v0"
    return {
        f"ours, {n:,} at once, NumPy, states": batched("FourRooms", n, "numpy", False),
        f"ours, {n:,} at once, NumPy, one-hot": batched("FourRooms", n, "numpy", True),
        f"ours, {n:,} at once, torch, states": batched("FourRooms", n, "torch", False),
        f"ours, {n:,} at once, torch, one-hot": batched("FourRooms", n, "torch", True),
        f"ours slippery, {n:,} at once, NumPy, states": batched("SlipperyGrid", n, "numpy", False),
        "ours, one, gym.make, one-hot": single(lambda: gym.make(ours, task=TASK)),
        "ours, one, gym.make, text": single_text(ours),
        "MiniGrid FourRooms, one, gym.make, 7 x 7 view": single(
            lambda: gym.make("MiniGrid-FourRooms-v0")
        ),
    }


def single_text(name: str) -> Loop:
    """One environment in its text view, played by replies."""
    env = gym.make(name, task=TASK, view="text")
    env.reset(seed=0)
    world: Any = env.unwrapped
    rng = np.random.default_rng(0)
    replies = [world.random_action(rng) for _ in range(CALLS)]

    def loop() -> int:
        for reply in replies:
            if env.step(reply)[3]:
                env.reset()
        return CALLS

    return loop


def rate(loop: Loop, seconds: float) -> float:
    """Steps a CPU second, measured for at least `seconds`."""
    steps, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        steps += loop()
    return steps / spent


def main() -> None:
    """Measure all and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--batch", type=int, default=4096, help="worlds at once")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds for each round")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each loop")
    given = parser.parse_args()
    require("torch", "control", "batched worlds of torch").set_num_threads(1)
    found: dict[str, list[float]] = {}
    compared = loops(given.batch)
    for _ in range(given.rounds):
        for name, loop in compared.items():
            found.setdefault(name, []).append(rate(loop, given.seconds))
    peer = median(found[next(reversed(found))])
    table = Table("loop", "steps/s", "slowest", "fastest", "times MiniGrid")
    for name, rates in found.items():
        middle = median(rates)
        columns = (f"{value:,.0f}" for value in (middle, min(rates), max(rates)))
        table.add_row(name, *columns, f"{middle / peer:,.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
