"""The text view of MiniGrid environments: the agent's view, its actions, and parsing of replies.

Sentences are like those of BabyAI-Text in "Grounding Large Language Models in Interactive
Environments with Online Reinforcement Learning" (2023, arXiv 2302.02662): each thing in the 7x7
view with its distance in steps, walls where they are nearest in a straight line. Ours: the actions
that would do something now are listed with every view.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.minigrid.state import COLORS, DOOR_STATES, KINDS
from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer

ACTION_NAMES = ("turn left", "turn right", "go forward", "pick up", "drop", "toggle", "wait")
LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE, WAIT = range(7)
REQUEST = f"Answer with one action: {', '.join(ACTION_NAMES[:-1])} or {ACTION_NAMES[-1]}."
VOID = "That is not an action, so you wait."
_SYNONYMS = {
    "left": LEFT, "right": RIGHT, "forward": FORWARD, "move forward": FORWARD,
    "walk forward": FORWARD, "step forward": FORWARD, "pickup": PICK_UP, "take": PICK_UP,
    "pick": PICK_UP, "put down": DROP, "open": TOGGLE, "close": TOGGLE, "unlock": TOGGLE,
    "done": WAIT, "stay": WAIT,
}  # fmt: skip
_LONGEST = 24  # characters of an action, with room for quotes and a full stop


def view_text(image: NDArray[np.uint8], carried: str) -> str:
    """Return the agent's view in words.

    Args:
        image: (7, 7, 3) the package's partial view: the agent is in the middle of the last row,
            which comes first in the second axis from the end; x grows to its right.
        carried: Name of the carried thing; "" for nothing.
    """
    middle, last = image.shape[0] // 2, image.shape[1] - 1
    things = []
    for ahead in range(last + 1):
        for i in range(image.shape[0]):
            kind = KINDS[image[i, last - ahead, 0]]
            if kind not in ("unseen", "empty", "floor", "wall") and (i, ahead) != (middle, 0):
                things.append(f"{_thing(image[i, last - ahead])} {_way(i - middle, ahead)}")
    things += _walls(image, middle, last)
    sight = " ".join(f"You see {thing}." for thing in things) or "You see nothing."
    return f"{sight} You carry {f'a {carried}' if carried else 'nothing'}."


def admissible(front: tuple[int, int, int], carried: tuple[int, int]) -> list[int]:
    """Return the actions that would change something.

    Args:
        front: Kind, colour and state of the cell in front.
        carried: Kind and colour of the carried thing; (0, 0) is nothing.
    """
    kind, color, state = KINDS[front[0]], front[1], front[2]
    found = [LEFT, RIGHT]
    if kind in ("empty", "floor", "goal", "lava") or (kind == "door" and state == 0):
        found.append(FORWARD)
    if kind in ("key", "ball", "box") and not carried[0]:
        found.append(PICK_UP)
    if kind == "empty" and carried[0]:
        found.append(DROP)
    fits = (KINDS.index("key"), color) == tuple(carried)
    if kind == "box" or (kind == "door" and (state < 2 or fits)):
        found.append(TOGGLE)
    return found


def admissible_text(actions: list[int]) -> str:
    """Return the actions that would change something, as a sentence."""
    return f"You can: {', '.join(ACTION_NAMES[action] for action in actions)}."


def parse_reply(reply: str) -> tuple[int | None, AnswerFormat]:
    """Return the action that a reply names, None if there is none, and where it was found.

    Example:
        >>> parse_reply("<answer>Go forward.</answer>"), parse_reply("pick up the key")
        ((2, 'tag'), (None, 'line'))
    """
    answer, found = extract_answer(reply)
    if len(answer) > _LONGEST:
        return None, found
    words = " ".join(answer.strip(" \t\n.!\"'*`").lower().replace("_", " ").split())
    if words in ACTION_NAMES:
        return ACTION_NAMES.index(words), found
    return _SYNONYMS.get(words), found


def _thing(cell: Any) -> str:
    kind, color = KINDS[cell[0]], COLORS[cell[1]]
    if kind == "lava":
        return "lava"
    if kind == "door":
        state = DOOR_STATES[cell[2]]
        return f"{'an' if state == 'open' else 'a'} {state} {color} door"
    return f"a {color} {kind}"


def _way(right: int, ahead: int) -> str:
    aside = f"{_steps(abs(right))} {'right' if right > 0 else 'left'}" if right else ""
    return " and ".join(filter(None, (aside, f"{_steps(ahead)} forward" if ahead else "")))


def _steps(count: int) -> str:
    return f"{count} step" if count == 1 else f"{count} steps"


def _walls(image: NDArray[np.uint8], middle: int, last: int) -> list[str]:
    """Return the nearest wall ahead, to the left and to the right, where one is in view."""
    wall, found = KINDS.index("wall"), []
    for dx, dy in ((0, 1), (-1, 0), (1, 0)):
        for far in range(1, last + 1 if dy else middle + 1):
            if image[middle + dx * far, last - dy * far, 0] == wall:
                found.append(f"a wall {_way(dx * far, dy * far)}")
                break
    return found
