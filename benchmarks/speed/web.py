"""Steps of zerogym/Web-v0, beside building its pages only and the same site in headless Chromium.

    python -m zerogym.benchmarks.speed.web [--steps 400]

Unit: steps a second of CPU of one process; the best of rounds taken in turns in the same run. A
step is a click that opens another page, with the page as text as its result. Below ours stands the
same page built and shown without the environment (no call to read, no log, no episode), the floor.
Chromium, where `playwright` and a Chromium are installed, clicks the same links of the same site
over HTTP and reads the page's text; it works in processes of its own, so that its figure is steps a
second on the clock. Goal: at least 1,000 steps a second at 100 elements, and 50 times Chromium's.
"""

import importlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

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


def main() -> None:
    """Measure and print the table."""
    steps = options(__doc__, steps=(400, "of each kind in each round")).steps
    table = []
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
                few = min(steps, 40)
                measures["Chromium"] = partial(rate, step, few, time.perf_counter)
            best = {name: max(rates) for name, rates in in_turn(measures, ROUNDS).items()}
        for name, value in best.items():
            ratio = f"{best['by number'] / value:.1f}"
            table.append((str(elements), name, f"{value:,.0f}", ratio))
    show(("elements", "what", "steps/s", "by number / this"), table, 100)


if __name__ == "__main__":
    main()
