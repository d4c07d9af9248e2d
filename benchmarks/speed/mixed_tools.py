"""Many episodes of all worlds with tools at once, in threads of one process on two cores.

    python -m zerogym.benchmarks.speed.mixed_tools [--episodes 256] [--seconds 20]

Units: expert steps a second over all episodes, and MiB of memory, each of the first and the second
half of the time: a world that leaks shows as growth from one to the next. `MiB` is of this process
at the end of the half; `most MiB` is the most of any moment of it, of this process and all its
children in sandboxes, taken every half second; pages that processes share count for each of them,
so that it is a bound from above. Goal: at most `BOUND` MiB an episode, with what Python and the
libraries hold before the first one beside it. Worlds that this machine cannot run are named.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import gymnasium as gym

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import options, progress, show
from zerogym.benchmarks.suites.tool_suite import TOOLS
from zerogym.errors import SandboxUnavailable
from zerogym.wrappers import AsyncEnvPool

PAGE = os.sysconf("SC_PAGE_SIZE")
CORES = 2
EVERY = 0.5  # seconds between two measurements of memory
BOUND = 2.0  # MiB an episode, children included


def usable_worlds() -> tuple[list[str], list[str]]:
    """Return the ids of the suite's worlds whose sandbox this machine has, and the others."""
    usable, others = [], []
    for world in TOOLS.worlds:
        env = gym.make(world.env_id)
        try:
            env.reset(seed=0)
            env.step(env.unwrapped.oracle_action())  # type: ignore[attr-defined]
            usable.append(world.env_id)
        except SandboxUnavailable:
            others.append(world.env_id)
        env.close()
    return usable, others


def makers(worlds: list[str], episodes: int) -> list[Callable[[], gym.Env[str, str]]]:
    """Return functions that make the worlds, in turn, as many as there are episodes."""
    return [partial(gym.make, worlds[i % len(worlds)]) for i in range(episodes)]


def memory() -> tuple[float, float]:
    """Return MiB in memory of this process, and of all processes below it."""
    parents: dict[int, int] = {}
    resident: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(fields[1])
                resident[int(folder.name)] = int(fields[21]) * PAGE
    below, own = 0, os.getpid()
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != own:
            ancestor = parents[ancestor]
        below += resident[process] if ancestor == own and process != own else 0
    return resident[own] / 2**20, below / 2**20


def play(episodes: int, seconds: float, worlds: list[str]) -> list[tuple[float, ...]]:
    """Play experts' episodes, each of a seed of its own, and measure.

    Args:
        episodes: How many are open at any time.
        seconds: Wall seconds of the whole.
        worlds: Ids, taken in turn.

    Returns:
        For each half its seconds, steps, episodes ended, MiB of this process at its end and
        the most MiB measured of this process and all below it.
    """
    rows: list[tuple[float, ...]] = []
    with AsyncEnvPool(makers(worlds, episodes)) as pool:
        envs = [env.unwrapped for env in pool.envs]
        begun = time.perf_counter()
        pool.async_reset(seeds=list(range(episodes)))
        ended = 0
        for half in (1, 2):
            start, steps, before, due, most = time.perf_counter(), 0, ended, 0.0, 0.0
            while time.perf_counter() < begun + seconds * half / 2:
                for one in pool.recv(at_least=1):
                    if one.terminated or one.truncated:
                        ended += 1
                        pool.async_reset([episodes + ended], [one.env_id])
                    else:
                        action = envs[one.env_id].oracle_action()  # type: ignore[attr-defined]
                        pool.send([action], [one.env_id])
                        steps += 1
                if time.perf_counter() > due:
                    most = max(most, sum(memory()))
                    due = time.perf_counter() + EVERY
            own, below = memory()
            taken = time.perf_counter() - start
            rows.append((taken, steps, ended - before, own, max(most, own + below)))
    return rows


def main() -> None:
    """Play, and print a line for each half of the time and whether memory stayed in its bound."""
    given = options(
        __doc__, episodes=(256, "episodes at once"), seconds=(20.0, "seconds of the whole")
    )
    allowed = sorted(os.sched_getaffinity(0))[:CORES]
    os.sched_setaffinity(0, allowed)
    worlds, others = usable_worlds()
    if not worlds:
        raise SystemExit("no world of the suite can run here")
    alone = memory()[0]
    rows = play(given.episodes, given.seconds, worlds)
    show(
        ["seconds", "steps/s", "episodes ended", "MiB", "most MiB"],
        [
            [f"{s:.0f}", f"{n / s:,.0f}", f"{e:,.0f}", f"{own:,.0f}", f"{most:,.0f}"]
            for s, n, e, own, most in rows
        ],
    )
    most = max(row[-1] for row in rows)
    each = (most - alone) / given.episodes
    held = "held" if each <= BOUND else "NOT held"
    progress(
        f"{given.episodes} episodes of {len(worlds)} worlds on {len(allowed)} cores: at most "
        f"{most:,.0f} MiB, {alone:,.0f} of them before the first episode, {each:.2f} an episode; "
        f"bound of {BOUND:g}: {held}" + (f"; cannot run here: {', '.join(others)}" * bool(others))
    )


if __name__ == "__main__":
    main()
