"""Steps of miniwob in headless Chromium: a script for the Python that has `miniwob`.

    PYTHON web_peers.py STEPS

It imports nothing of zerogym. A step is a click on the other tab of `miniwob/click-tab-2-v1`, whose
page has about 25 elements, with the elements of the page as the result and no picture of it
(`record_screenshots=False`, which is faster than the default). Starts and resets do not count.
Where Chromium is not on the path, `MINIWOB_CHROME_BINARY` and `MINIWOB_CHROMEDRIVER` name it and
its driver. The last output is two numbers: steps a CPU second, of this process and of all below
it, and steps a second on the clock.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of all that run below it."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)] = int(fields[1])
                ticks[int(folder.name)] = int(fields[11]) + int(fields[12])
    total = 0
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor != os.getpid():
            ancestor = parents[ancestor]
        total += ticks[process] if ancestor == os.getpid() else 0
    return total / TICKS


def begin(env: Any) -> list[int]:
    """Begin an episode, and return the numbers of its first two tabs."""
    observation, _ = env.reset(seed=1, options={"record_screenshots": False})
    links = [one for one in observation["dom_elements"] if one["text"].startswith("Tab #")]
    return [int(one["ref"]) for one in links[:2]]


def click_rates(steps: int) -> tuple[float, float]:
    """Return the clicks a CPU second and a second on the clock."""
    import gymnasium as gym
    import miniwob  # type: ignore[import-not-found]

    gym.register_envs(miniwob)
    env: Any = gym.make("miniwob/click-tab-2-v1").unwrapped
    tabs = begin(env)
    cpu = clock = 0.0
    made = 0
    while made < steps:
        start, cpu_start = time.perf_counter(), cpu_seconds()
        terminated = False
        while made < steps and not terminated:  # an episode ends after some seconds
            made += 1
            action = env.create_action("CLICK_ELEMENT", ref=tabs[made % 2])
            observation, _, terminated, _, _ = env.step(action)
            assert terminated or len(observation["dom_elements"]) > 10
        clock += time.perf_counter() - start
        cpu += cpu_seconds() - cpu_start
        if terminated:
            tabs = begin(env)
    env.close()
    return made / cpu, made / clock


if __name__ == "__main__":
    sys.stdout.write(" ".join(map(str, click_rates(int(sys.argv[1])))) + "\n")
