"""Steps of zerogym/Web-v0, beside building its pages only and the same site in headless Chromium.

    python -m zerogym.benchmarks.speed.web [--steps 400] [--miniwob PYTHON]

Unit: steps a second of CPU of one process; the best of rounds taken in turns in the same run. A
step is a click that opens another page, with the page as text as its result. Below ours stands the
same page built and shown without the environment (no call to read, no log, no episode), the floor.
Chromium, where `playwright` and a Chromium are installed, clicks the same links of the same site
over HTTP and reads the page's text; it works in processes of its own, so that its figure is steps a
second on the clock. miniwob runs in a Python of its own, whose path is an argument;
`web_peers.py` says what a step of it is. It is set beside our page of 100 elements, in turn, in CPU
seconds of all its processes and on the clock. Goal: at least 1,000 steps a second at 100 elements,
and 50 times miniwob's.
"""

import importlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np

from zerogym.benchmarks.speed.loops import in_turn, options, show
from zerogym.envs.tools.web.browser import Browser
from zerogym.envs.tools.web.env import WebEnv
from zerogym.envs.tools.web.sample import sample_site
from zerogym.envs.tools.web.server import served
from zerogym.envs.tools.web.showing import show_page
from zerogym.envs.tools.web.site import Site
from zerogym.envs.tools.web.tools import Pointing

ELEMENTS = (10, 100, 200)
ROUNDS = 5
CATEGORY = "form"
PEERS = Path(__file__).with_name("web_peers.py")
FEW = 40  # steps of a browser in a round
AWAY, HOME = 2, 1  # the numbers of a link that leads away, and of the one to the first page

Step = Callable[[int], object]


def rate(step: Step, steps: int, clock: Callable[[], float]) -> float:
    """Return steps a second."""
    start = clock()
    for number in range(steps):
        step(number)
    return steps / (clock() - start)


def in_environment(elements: int, pointing: Pointing) -> Step:
    """Return a step of the environment."""
    env = WebEnv(
        category=CATEGORY, elements=elements, pointing=pointing, max_turns=10**9, max_calls=10**9
    )
    env.reset(seed=1)
    away, home = "<click>2</click>", "<click>1</click>"
    if pointing == "point":  # the links stand in the first line
        away, home = (
            '<click_at>{"x": 60, "y": 12}</click_at>',
            '<click_at>{"x": 10, "y": 12}</click_at>',
        )
    return lambda number: env.step(home if number % 2 else away)


def pages_only(site: Site) -> Step:
    """Return a step of the browser, without an environment."""
    browser = Browser.of(site)

    def step(number: int) -> str:
        browser.click(HOME if number % 2 else AWAY)
        return show_page(browser)

    return step


@contextmanager
def in_chromium(site: Site) -> Iterator[Step | None]:
    """Yield a step of Chromium, None where it cannot be started."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        program = None
    if program is None:
        yield None
        return
    with served(site) as server, playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=program)
        page = chromium.new_page(java_script_enabled=False)
        page.goto(server.address)

        def step(number: int) -> str:
            page.locator(f"#e{HOME if number % 2 else AWAY}").click()
            return str(page.locator("body").inner_text())

        yield step
        chromium.close()


def miniwob_rates(python: str, steps: int) -> tuple[float, float]:
    """Return miniwob's steps a CPU second and a second on the clock, run by another Python.

    Raises:
        CalledProcessError: If it does not run there.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, str(PEERS), str(steps)],
        stdout=subprocess.PIPE, text=True, check=True, env=environment,
    )  # fmt: skip
    cpu, clock = map(float, done.stdout.split()[-2:])
    return cpu, clock


def beside_miniwob(python: str, steps: int) -> list[tuple[str, ...]]:
    """Return rows of a page of 100 elements and of miniwob, for either clock."""
    ours = in_environment(100, "number")

    def both_rates() -> tuple[float, float]:
        cpu, clock = time.process_time(), time.perf_counter()
        for number in range(steps):
            ours(number)
        return steps / (time.process_time() - cpu), steps / (time.perf_counter() - clock)

    measures: dict[str, Callable[[], tuple[float, float]]] = {
        "ours": both_rates,
        "miniwob": partial(miniwob_rates, python, min(steps, FEW)),
    }
    found = in_turn(measures, ROUNDS)
    rows: list[tuple[str, ...]] = []
    for index, clock in enumerate(("CPU", "clock")):
        best = {name: max(pair[index] for pair in pairs) for name, pairs in found.items()}
        rows.append(("100", f"by number, {clock}", f"{best['ours']:,.0f}", "1.0"))
        times = f"{best['ours'] / best['miniwob']:,.0f}"
        rows.append(("25", f"miniwob, {clock}", f"{best['miniwob']:,.1f}", times))
    return rows


def main() -> None:
    """Measure and print the table."""
    given = options(
        __doc__,
        steps=(400, "of each kind in each round"),
        miniwob=("", "a Python that has miniwob, with Chromium and its driver on this machine"),
    )
    steps = given.steps
    table: list[tuple[str, ...]] = []
    for elements in ELEMENTS:
        site = sample_site(np.random.default_rng(1), 1.0, CATEGORY, elements)
        measures = {
            "by number": partial(
                rate, in_environment(elements, "number"), steps, time.process_time
            ),
            "by point": partial(rate, in_environment(elements, "point"), steps, time.process_time),
            "pages only": partial(rate, pages_only(site), steps, time.process_time),
        }
        with in_chromium(site) as step:
            if step is not None:
                few = min(steps, FEW)
                measures["Chromium"] = partial(rate, step, few, time.perf_counter)
            best = {name: max(rates) for name, rates in in_turn(measures, ROUNDS).items()}
        for name, value in best.items():
            ratio = f"{best['by number'] / value:.1f}"
            table.append((str(elements), name, f"{value:,.0f}", ratio))
    if given.miniwob:
        table += beside_miniwob(given.miniwob, steps)
    show(("elements", "what", "steps/s", "by number / this"), table, 100)


if __name__ == "__main__":
    main()
