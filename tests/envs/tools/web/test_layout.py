"""Boxes and points: what a click hits is what an enumeration of boxes says."""

import numpy as np
import pytest

from zerogym.envs.tools.web.browser import Browser
from zerogym.envs.tools.web.layout import WIDTH, Layout, inside
from zerogym.envs.tools.web.sample import TEMPLATES, sample_site


def pages(category: str) -> list[Browser]:
    return [
        Browser.of(sample_site(np.random.default_rng(seed), 2 * seed, category, 40 * seed))
        for seed in range(3)
    ]


@pytest.mark.parametrize("category", TEMPLATES)
def test_no_two_boxes_overlap_and_all_are_on_the_page(category: str) -> None:
    for browser in pages(category):
        layout = Layout.of(browser.page)
        boxes = list(layout.boxes.values())
        for left, top, right, bottom in boxes:
            assert 0 <= left < right <= WIDTH and 0 <= top < bottom <= layout.height
        area = np.zeros((layout.height, WIDTH), dtype=np.int8)
        for left, top, right, bottom in boxes:
            area[top:bottom, left:right] += 1
        assert area.max() == 1
        assert set(layout.numbers.values()) == set(range(1, len(browser.page.elements) + 1))


def test_a_hit_is_a_point_in_a_box() -> None:
    layout = Layout.of(pages("compare")[1].page)
    rng, hits = np.random.default_rng(3), 0
    for x, y in rng.uniform((0, 0), (WIDTH, layout.height), (2000, 2)).tolist():
        within = [n for node, n in layout.numbers.items() if inside(x, y, layout.boxes[node])]
        assert layout.hit(x, y) == (within[0] if within else 0)
        hits += bool(within)
    assert 20 < hits < 1980


def test_the_right_and_the_lower_edge_are_outside() -> None:
    box = (10, 20, 30, 40)
    assert inside(10, 20, box) and inside(29, 39, box)
    assert not inside(30, 20, box) and not inside(10, 40, box) and not inside(9, 20, box)


@pytest.mark.parametrize("elements", [0, 37, 100, 200])
def test_the_number_of_elements_is_a_dial(elements: int) -> None:
    for category in ("login", "calendar", "checkboxes"):
        site = sample_site(np.random.default_rng(1), 0, category, elements)
        bare = sample_site(np.random.default_rng(1), 0, category)
        count = len(Browser.of(bare).page.elements)
        assert len(Browser.of(site).page.elements) == max(elements, count)
