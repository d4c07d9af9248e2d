"""Rewards of pointing by hand, and the grounding task read back from its prompt alone."""

import re

import numpy as np
import pytest

from zerogym.envs.tools.web.grounding import WebGroundingEnv
from zerogym.envs.tools.web.rewards import (
    GUI_G1_MOST,
    gui_g1_reward,
    hit_reward,
    iou_reward,
    size_reward,
    ui_r1_reward,
)

TARGET = (10, 20, 30, 40)


def test_a_hit_includes_the_edges() -> None:
    inside = [(x, y) for x in range(50) for y in range(50) if hit_reward(x, y, TARGET)]
    assert inside == [(x, y) for x in range(10, 31) for y in range(20, 41)]


def test_overlap_is_that_of_counted_cells() -> None:
    def cells(box: tuple) -> set:
        return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}

    rng = np.random.default_rng(0)
    for _ in range(200):
        one, other = (tuple(rng.integers(0, 9, 2)) + tuple(rng.integers(9, 20, 2)) for _ in "ab")
        shifted = tuple(int(v) + (12 if i % 2 == 0 else 0) for i, v in enumerate(other))
        for box in (tuple(map(int, other)), shifted):
            first = tuple(map(int, one))
            both, either = cells(first) & cells(box), cells(first) | cells(box)
            assert iou_reward(first, box) == pytest.approx(len(both) / len(either), abs=1e-15)
    assert iou_reward((5, 5, 5, 5), TARGET) == 0.0
    assert iou_reward((30, 40, 10, 20), TARGET) == 0.0  # a box with its corners exchanged


def test_gui_g1_by_hand() -> None:
    assert gui_g1_reward(TARGET, TARGET, 100, 200) == GUI_G1_MOST == 1.375
    # Edges off by 10, 0, 0 and 20 pixels of 100 x 200: 0.9, 1, 1, 0.9; 4 / (2 / 0.9 + 2) = 0.947...
    box = (20, 20, 30, 60)
    assert size_reward(box, TARGET, 100, 200) == pytest.approx(36 / 38)
    # Middle (25, 40) on the edge: a hit; overlap 200 of 400 + 400 - 200 = 1/3.
    expected = 1 + 0.25 / 3 + 0.125 * 36 / 38
    assert gui_g1_reward(box, TARGET, 100, 200) == pytest.approx(expected)
    assert size_reward((110, 20, 30, 40), TARGET, 100, 200) == 0.0


def test_hit_does_not_see_the_size_of_a_box_and_the_sum_does() -> None:
    point, whole = (20, 30, 20, 30), TARGET
    middles = [((a + c) / 2, (b + d) / 2) for a, b, c, d in (point, whole)]
    assert hit_reward(*middles[0], TARGET) == hit_reward(*middles[1], TARGET)
    sums = [gui_g1_reward((20 - r, 30 - r, 20 + r, 30 + r), TARGET, 100, 100) for r in range(25)]
    assert int(np.argmax(sums)) == 10  # neither smaller nor larger than the element


def test_ui_r1_by_hand() -> None:
    good = "<think>there</think>\n<answer>click [12, 25]</answer>"
    assert ui_r1_reward("click", (12, 25), "click", TARGET, good) == 3.0
    assert ui_r1_reward("click", (12, 25), "click", TARGET, f"So: {good}") == 2.0
    assert ui_r1_reward("click", (1, 25), "click", TARGET) == 1.0
    assert ui_r1_reward("type", (12, 25), "click", TARGET) == 0.0
    assert ui_r1_reward("back", None, "back", None) == 2.0
    assert ui_r1_reward("click", None, "click", TARGET) == 1.0


def test_the_prompt_alone_leads_to_the_box() -> None:
    """A reader of the prompt that shares no code with the solver finds the same element."""
    line = re.compile(r'([a-z ]+) "([^"]*)" \((\d+), (\d+), (\d+), (\d+)\)')
    for seed in range(60):
        env = WebGroundingEnv(difficulty=seed % 4, reward="gui_g1")
        prompt = env.reset(seed=seed)[0]
        shown = [found.groups() for found in map(line.fullmatch, prompt.split("\n")) if found]
        instruction = prompt.partition("Instruction: ")[2].partition("\n")[0]
        kind, label = re.search(r'the ([a-z ]+) "([^"]*)"', instruction).groups()
        near = re.search(r'in the row of "([^"]*)"', instruction)
        tops = {one[3] for one in shown if near and one[1] == near[1]}
        boxes = [
            one[2:] for one in shown
            if one[:2] == (kind, label) and (one[3] in tops or not near)
        ]  # fmt: skip
        assert len(boxes) == 1
        verb = {"use": "click", "ent": "type", "set": "select"}[instruction[:3]]
        assert env.step(f"<answer>{verb} [{', '.join(boxes[0])}]</answer>")[1] == 1.0


def test_each_reward_scores_box_point_and_action() -> None:
    def scores(answer_of: object) -> dict[str, float]:
        found = {}
        for reward in ("hit", "iou", "gui_g1", "ui_r1"):
            env = WebGroundingEnv(reward=reward)
            env.reset(seed=4)
            data = env._running().problem.data
            found[reward] = env.step(f"<answer>{answer_of(data)}</answer>")[1]
        return found

    def shifted(data: dict) -> str:
        return (
            f"{data['action']} {[v + (4 if i % 2 == 0 else 0) for i, v in enumerate(data['box'])]}"
        )

    def point(data: dict) -> str:
        a, b, c, d = data["box"]
        return f"{data['action']} [{(a + c) / 2}, {(b + d) / 2}]"

    right = scores(lambda data: f"{data['action']} {data['box']}")
    assert right == {"hit": 1.0, "iou": 1.0, "gui_g1": 1.0, "ui_r1": 1.0}
    assert scores(lambda data: str(data["box"]))["ui_r1"] == 0.0
    pointed = scores(point)
    assert (pointed["hit"], pointed["iou"], pointed["ui_r1"]) == (1.0, 0.0, 1.0)
    assert 1 / GUI_G1_MOST < pointed["gui_g1"] < 1.0
    moved = scores(shifted)
    assert moved["hit"] == 1.0 and 0 < moved["iou"] < 1 and moved["iou"] < moved["gui_g1"] < 1


@pytest.mark.parametrize("text", ["", "click", "click [1]", "click [1, 2, 3]", "[a, b]", "9" * 500])
def test_other_answers_are_described(text: str) -> None:
    env = WebGroundingEnv()
    env.reset(seed=0)
    _, reward, _, _, info = env.step(f"<answer>{text}</answer>")
    assert reward == 0 and ("form" in info["feedback"] or "no answer" in info["feedback"])


def test_an_unknown_reward_is_refused() -> None:
    with pytest.raises(ValueError, match="reward must be one of hit, iou, gui_g1, ui_r1"):
        WebGroundingEnv(reward="area")
