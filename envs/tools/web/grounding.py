"""Grounding: find the place of the element of a screen that an instruction means.

Left out: pictures of the screen (the boxes are given as text), and scrolling.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.splits import Split
from zerogym.envs.tools.web.browser import Browser, role
from zerogym.envs.tools.web.expert import begun, locate
from zerogym.envs.tools.web.layout import WIDTH, Layout
from zerogym.envs.tools.web.rewards import (
    GUI_G1_MOST,
    Box,
    gui_g1_reward,
    hit_reward,
    iou_reward,
    ui_r1_reward,
)
from zerogym.envs.tools.web.sample import MAX_ELEMENTS, sample_site
from zerogym.envs.tools.web.site import Act
from zerogym.envs.tools.web.words import number, sample

PointReward = Literal["hit", "iou", "gui_g1", "ui_r1"]

_MARGIN = 200  # pixels, at most, by which the page is away from the edges of the screen
_TALLEST = 1600  # pixels of a screen; problems with longer pages are drawn again
_ANSWER = re.compile(r"(?:(click|type|select)\b)?[^\d\[(-]{0,20}[\[(]?([-\d.,\s]+)[\])]?\.?")
_NUMBER = re.compile(r"-?\d{1,7}(?:\.\d{1,7})?")
_PROMPT = """\
A screen of {width} x {height} pixels shows these elements, in no order, each with its box (left, \
top, right, bottom):
{elements}
Instruction: {instruction}
Answer with the action (click, type or select) and the box of the element to use, in the form \
click [left, top, right, bottom]; a point in it, as in click [x, y], is less exact."""


class Pointed(NamedTuple):
    """The answer of a reply; a point is a box without area."""

    action: str
    box: Box


class WebGroundingEnv(ReasoningEnv):
    """Find the box of the element of a web page that an instruction means.

    Description:
        A page of a site of `zerogym/Web-v0` stands at a random place on a screen. The instruction
        is the next step of the expert on it. Where a label stands several times, the row
        decides: its elements have the same top.

    Observation:
        The elements of the screen in random order, each with kind, label and box in pixels, and the
        instruction.

    Action:
        The reply as text; the answer is an action and a box, `click [8, 40, 72, 64]`, or a point,
        `click [40, 52]`, read from `<answer>...</answer>`, else the last `\\boxed{...}`, else the
        last line.

    Reward:
        By `reward`: `hit`, 1 if the point or the middle of the box lies in the element; `iou`, the
        intersection over union of the boxes; `gui_g1`, hit + 0.25 overlap + 0.125 size, divided by
        its greatest value 1.375; `ui_r1`, half for the right action, half for a hit with it (its
        third reward, for the format, is `ui_r1_reward` of the whole reply).

    Difficulty:
        The pages of sites of this difficulty, with at least `8 + 8 * difficulty` links, buttons and
        fields on the first one (at most 60).

    Arguments:
        `difficulty` (default 1), `split`, `category` (an action: click, type, select), `reward`
        (default `hit`), `max_attempts`, `render_mode`.

    Example:
        >>> env = WebGroundingEnv(difficulty=0)
        >>> print(env.reset(seed=0)[0])
        A screen of 1160 x 512 pixels shows these elements, in no order, each with its box ...
        link "Inbox" (195, 105, 235, 129)
        button "Delete" (195, 297, 267, 321)
        button "Star" (195, 233, 251, 257)
        heading "Parking" (195, 49, 251, 97)
        text "from Farid Gruber" (195, 137, 331, 161)
        text field "Reply to this mail" (195, 169, 531, 193)
        link "Start" (195, 17, 235, 41)
        button "Archive" (195, 265, 275, 289)
        button "Reply" (195, 201, 259, 225)
        Instruction: use the button "Delete".
        Answer with the action (click, type or select) and the box of the element to use, ...
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>click [0, 0]</answer>")[1]
        0.0

    Source:
        The rewards: "GUI-G1: Understanding R1-Zero-Like Training for Visual Grounding in GUI
        Agents" (2025, arXiv 2505.15810) and "UI-R1: Enhancing Efficient Action Prediction of GUI
        Agents by Reinforcement Learning" (2025, arXiv 2503.21620). Their screens are pictures; here
        the boxes are given, so that a language model without eyes can be trained with them.
    """

    categories = ("click", "type", "select")
    unreadable = "The answer is not of the form click [left, top, right, bottom] or click [x, y]."
    wrong = "That is not the element, or not its box."

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        reward: PointReward = "hit",
        max_attempts: int = 1,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_attempts, render_mode)
        if reward not in get_args(PointReward):
            known = ", ".join(get_args(PointReward))
            raise ValueError(f"reward must be one of {known}, got {reward!r:.80}")
        self.reward = reward

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a page at some step of the expert, and its place on the screen."""
        elements = 8 + int(8 * min(difficulty, 6.5))
        while True:
            site = sample_site(rng, difficulty, elements=min(elements, MAX_ELEMENTS))
            acts = site.acts()
            step = number(rng, 0, len(acts) - 1)
            browser = begun(site, step)
            if Layout.of(browser.page).height <= _TALLEST:
                return _problem(rng, browser, acts[step])

    @staticmethod
    def solve(problem: Problem) -> str:
        """Look for the label, in the row of the text that is named with it."""
        data = problem.data
        tops = [box[1] for _, label, box in data["elements"] if label == data["near"]]
        for kind, label, box in data["elements"]:
            usable = kind in ("link", "button", "checkbox", "radio") or kind.endswith("field")
            fits = label == data["label"] and (usable or kind == "select")
            if fits and (not data["near"] or box[1] in tops) and _does(kind, data["action"]):
                return _written(data["action"], box)
        raise ValueError("no element of the screen fits the instruction")

    @staticmethod
    def read(answer: str, /) -> Pointed | None:
        """Parse an action and a box or a point; None for anything else."""
        found = _ANSWER.fullmatch(answer.strip().lower()) if len(answer) < 200 else None
        if found is None:
            return None
        numbers = [float(one) for one in _NUMBER.findall(found[2])]
        if len(numbers) == 2:
            x, y = numbers
            return Pointed(found[1] or "", (x, y, x, y))
        if len(numbers) != 4:
            return None
        left, top, right, bottom = numbers
        return Pointed(found[1] or "", (left, top, right, bottom))

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Return what is wrong with a point or the middle of a box; empty for a hit."""
        pointed = cls.read(answer)
        if pointed is None:
            return cls.unreadable
        return "" if _hit(pointed, problem.data["box"]) else cls.wrong

    def random_action(self, rng: np.random.Generator) -> str:
        """The box of a random element of the screen."""
        data = self._running().problem.data
        _, _, box = data["elements"][int(rng.integers(len(data["elements"])))]
        return f"<answer>{_written(self.categories[int(rng.integers(3))], box)}</answer>"

    def _judge(self, problem: Problem, answer: str) -> tuple[float, str]:
        score, feedback = super()._judge(problem, answer)
        pointed = self.read(answer)
        if self.reward == "hit" or pointed is None:
            return score, feedback
        score = self._scored(problem.data, pointed)
        return score, "Correct." if score == 1.0 else self.wrong

    def _scored(self, data: Mapping[str, Any], pointed: Pointed) -> float:
        """Return the chosen reward, scaled so that 1 is the right answer."""
        left, top, right, bottom = pointed.box
        target: Box = tuple(data["box"])
        match self.reward:
            case "iou":
                return iou_reward(pointed.box, target)
            case "gui_g1":
                width, height = data["screen"]
                return gui_g1_reward(pointed.box, target, width, height) / GUI_G1_MOST
            case _:
                middle = (left + right) / 2, (top + bottom) / 2
                return ui_r1_reward(pointed.action, middle, data["action"], target) / 2


def _problem(rng: np.random.Generator, browser: Browser, act: Act) -> Problem:
    """Put a page on a screen and write the instruction of an act."""
    layout = Layout.of(browser.page)
    right, down = number(rng, 0, _MARGIN), number(rng, 0, _MARGIN)
    width, height = WIDTH + _MARGIN, layout.height + _MARGIN
    target = browser.element(locate(browser, act))
    elements: list[tuple[str, str, list[int]]] = []
    for node, (a, b, c, d) in layout.boxes.items():
        kind = {"p": "text", "h1": "heading"}.get(node.tag, role(node.tag))
        elements.append((kind, node.label, [a + right, b + down, c + right, d + down]))
        if node is target:
            box = elements[-1][2]
    shown = sample(rng, elements, len(elements))
    lines = "\n".join(f'{kind} "{label}" {tuple(where)}' for kind, label, where in shown)
    name = f'the {role(target.tag)} "{act.label}"'
    row = f' in the row of "{act.near}"' if act.near else ""
    said = {
        "click": f"use {name}{row}.",
        "type": f'enter "{act.value}" into {name}{row}.',
        "select": f'set {name}{row} to "{act.value}".',
    }[act.tool]
    answer = _written(act.tool, box)
    others = [where for _, label, where in shown if where != box and label == act.label]
    others += [where for _, _, where in shown if where != box and where not in others]
    return Problem(
        prompt=_PROMPT.format(width=width, height=height, elements=lines, instruction=said),
        answer=answer,
        solution=f"The element has the top {box[1]} and the left edge {box[0]}.\nAnswer: {answer}",
        distractors=tuple(_written(act.tool, where) for where in others[:3]),
        category=act.tool,
        data={
            "elements": [list(one) for one in shown], "box": box, "screen": [width, height],
            "action": act.tool, "label": act.label, "near": act.near,
        },
    )  # fmt: skip


def _hit(pointed: Pointed, target: list[int]) -> bool:
    left, top, right, bottom = pointed.box
    a, b, c, d = target
    return hit_reward((left + right) / 2, (top + bottom) / 2, (a, b, c, d)) == 1.0


def _does(kind: str, action: str) -> bool:
    """Return whether an element of a kind takes an action."""
    if action == "type":
        return kind.endswith("field")
    return (kind == "select") == (action == "select")


def _written(action: str, box: list[int]) -> str:
    return f"{action} [{', '.join(map(str, box))}]"
