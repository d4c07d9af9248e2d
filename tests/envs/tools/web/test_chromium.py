"""Recorded episodes end the same in headless Chromium, which needs `playwright` and a Chromium.

Neither is installed by `make test`: `pip install playwright`, and Debian's package `chromium`.
"""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from helpers.tools.web_episodes import record
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.web.sample import TEMPLATES
from zerogym.envs.tools.web.server import served

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium"),
]
EPISODES = [(seed, seed != 2) for seed in range(3)]  # two of the expert, one at random


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


def make(page: Any, call: Call, trail: list[str]) -> None:
    """Make a call in Chromium; a call that our browser refused does nothing here."""
    if call.tool == "back":
        if len(trail) > 1:
            trail.pop()
            page.goto(trail[-1])
        return
    element = page.locator(f"#e{call.arguments['element']}")
    if call.tool == "type":
        element.fill(call.arguments["text"])
    elif call.tool == "select":
        element.select_option(label=call.arguments["option"])
    else:
        element.click()
        page.wait_for_load_state()
        if trail[-1] != page.url:
            trail.append(page.url)


@pytest.mark.parametrize("category", TEMPLATES)
def test_a_recorded_episode_ends_the_same(chromium: Any, category: str) -> None:
    for seed, expert in EPISODES:
        site, calls, browser = record(category, seed, expert)
        with served(site) as server:
            context = chromium.new_context(java_script_enabled=False)
            page = context.new_page()
            page.goto(server.address)
            trail = [page.url]
            for call in calls:
                make(page, call, trail)
            assert server.data == browser.data, seed
            assert server.solved == expert
            assert page.title() == browser.page.title
            texts = page.locator("a, button").all_inner_texts()
            assert texts == [n.label for n in browser.page.elements if n.tag in ("a", "button")]
            context.close()
