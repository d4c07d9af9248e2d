"""Many episodes of all worlds with tools at once, in threads of one process.

    python -m zerogym.benchmarks.speed.mixed_tools [--episodes 256] [--seconds 20]

Units: expert steps a second over all episodes, and MiB of memory (of this process, and of its
children in sandboxes at the end), each after a half and the whole of the time: a world that leaks
shows as growth from one to the next. Worlds whose sandbox this machine does not have are left out.
"""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import gymnasium as gym

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import options, show
from zerogym.benchmarks.suites.tool_suite import TOOLS
from zerogym.errors import SandboxUnavailable
from zerogym.wrappers import AsyncEnvPool

PAGE = os.sysconf("SC_PAGE_SIZE")


def makers(episodes: int) -> list[Callable[[], gym.Env[str, str]]]:
    """Return functions that make the worlds, in turn, as many as there are episodes."""
    usable = []
    for world in TOOLS.worlds:
        env = gym.make(world.env_id)
        try:
            env.reset(seed=0)
            env.step(env.unwrapped.oracle_action())  # type: ignore[attr-defined]
            usable.append(world.env_id)
        except SandboxUnavailable:
            pass
        env.close()
    return [partial(gym.make, usable[i % len(usable)]) for i in range(episodes)]


def memory() -> tuple[float, float]:
    """Return MiB in memory of this process, and of all processes below it."""
    parents: dict[int, int] = {}
    resident: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(fields[1])
                resident[int(folder.name)] = int(fields[21]) * PAGE
            except OSError:  # it has ended
                continue
    below, own = 0, os.getpid()
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != own:
            ancestor = parents[ancestor]
        below += resident[process] if ancestor == own and process != own else 0
    return resident[own] / 2**20, below / 2**20


def main() -> None:
    """Play, and print a line after each half of the time."""
    given = options(
        __doc__, episodes=(256, "episodes at once"), seconds=(20.0, "seconds of the whole")
    )
    rows = []
    with AsyncEnvPool(makers(given.episodes)) as pool:
        envs = [env.unwrapped for env in pool.envs]
        start, steps, ended = time.perf_counter(), 0, 0
        pool.async_reset(seeds=list(range(given.episodes)))
        half = given.seconds / 2
        while (elapsed := time.perf_counter() - start) < given.seconds:
            for one in pool.recv(at_least=1):
                if one.terminated or one.truncated:
                    ended += 1
                    pool.async_reset([given.episodes + ended], [one.env_id])
                else:
                    action = envs[one.env_id].oracle_action()  # type: ignore[attr-defined]
                    pool.send([action], [one.env_id])
                    steps += 1
            if elapsed > half:
                rows.append((elapsed, steps, ended, *memory()))
                half = given.seconds
        rows.append((time.perf_counter() - start, steps, ended, *memory()))
    show(
        ["seconds", "steps/s", "episodes ended", "MiB", "MiB of children"],
        [
            [f"{s:.0f}", f"{n / s:,.0f}", f"{e:,}", f"{own:,.0f}", f"{below:,.0f}"]
            for s, n, e, own, below in rows
        ],
    )


if __name__ == "__main__":
    main()
