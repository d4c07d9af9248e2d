"""The text view of point mazes: the position, free distances, and steps as two numbers.

It shows the numeric view, and the distance to the next wall or the border along each axis; the map
itself is not shown.
"""

import math
import re
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.mazes.base import MazeEnv, Place
from zerogym.envs.control.mazes.physics import Maze
from zerogym.envs.core import MAX_ACTION_LENGTH
from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer
from zerogym.envs.spaces import Utf8Text

REQUEST = (
    "Answer with two numbers from -1 to 1: how far to go along x (to the right) and along y (up), "
    "in units of {step:g}."
)
VOID = "Those are not two numbers, so you stay. "
_NUMBER = r"[-+]?(?:\d{1,9}(?:\.\d{0,64})?|\.\d{1,64})"
_PAIR = re.compile(rf"[(\[]?\s*({_NUMBER})(?:\s*,\s*|\s+)({_NUMBER})\s*[)\]]?\.?", re.ASCII)
_LONGEST = 160  # characters of two numbers


class TextMazeEnv(MazeEnv):
    """A maze with a text view, beside other views of subclasses.

    Args:
        view: `text`, or another view of the subclass.
        maze: As in `MazeEnv`, like the other arguments.
    """

    def __init__(
        self, view: str, maze: Maze, task: Any, horizon: int, render_mode: str | None
    ) -> None:
        self.view = view
        super().__init__(maze, task, horizon, render_mode)
        if view == "text":
            self.observation_space, self.action_space = Utf8Text(), Utf8Text(MAX_ACTION_LENGTH)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Put the point on a random free place; `options` may pin start and task."""
        obs, info = super().reset(seed=seed, options=options)
        if self.view != "text":
            return obs, info
        task = self._episode.task
        sentence, request = task.text if task else "Explore.", REQUEST.format(step=self.maze.step)
        return f"{sentence}\n{self._place()}\n{request}", info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Move the point.

        Raises:
            TypeError: If the view is text and the action is no string.
            ValueError: If another view's action is not two finite numbers.
        """
        if self.view != "text":
            return super().step(action)
        if not isinstance(action, str):
            raise TypeError(f"{self.name} takes a str as action, got {type(action).__name__}")
        move, found = parse_step(action)
        _, reward, terminated, truncated, info = super().step((0, 0) if move is None else move)
        obs = f"{VOID if move is None else ''}{self._place()}"
        reading = {"answer_format": found, "void_turn": move is None}
        return obs, reward, terminated, truncated, info | reading

    def oracle_action(self) -> Any:
        """Return the action along the shortest path to the best place; see `MazeEnv`."""
        return self._reply(super().oracle_action())

    def straight_line_action(self, rng: np.random.Generator) -> Any:
        """Return the action of the baseline that ignores walls; see `MazeEnv`."""
        return self._reply(super().straight_line_action(rng))

    def random_action(self, rng: np.random.Generator) -> Any:
        """Return a uniformly random step."""
        if self.view != "text":
            return super().random_action(rng)
        return self._reply(rng.uniform(-1.0, 1.0, 2).astype(np.float32))

    def _place(self) -> str:
        return place_text(self.maze, self._episode.position)

    def _reply(self, action: Place) -> Any:
        return step_reply(action) if self.view == "text" else action

    def _info(self) -> dict[str, Any]:
        info = super()._info()
        return info | {"position": self._episode.position.copy()} if self.view == "text" else info


def place_text(maze: Maze, position: NDArray[Any]) -> str:
    """Return a place in words, and the free distance in each direction."""
    x, y = position.tolist()
    free = ", ".join(f"{name} {far:.2f}" for name, far in free_distances(maze, x, y).items())
    return f"You are at ({x:.2f}, {y:.2f}). Free: {free}."


def free_distances(maze: Maze, x: float, y: float) -> dict[str, float]:
    """Return the distance of a free place to the next wall or border in each direction."""
    xs, ys, left, right, down, up = maze.listed
    row = bisect_left(ys, y) + bisect_right(ys, y)
    slot = (bisect_left(xs, x) + bisect_right(xs, x)) * (2 * len(ys) + 1) + row
    return {
        "left": x - left[slot],
        "right": right[slot] - x,
        "up": up[slot] - y,
        "down": y - down[slot],
    }


def parse_step(reply: str) -> tuple[tuple[float, float] | None, AnswerFormat]:
    """Return the step that a reply names, None if there is none, and where it was found.

    Example:
        >>> parse_step("<answer>0.5, -1</answer>"), parse_step("to the left")
        (((0.5, -1.0), 'tag'), (None, 'line'))
    """
    answer, found = extract_answer(reply)
    match = _PAIR.fullmatch(answer.strip()) if len(answer) <= _LONGEST else None
    if match is None:
        return None, found
    x, y = (min(max(float(number), -1.0), 1.0) for number in match.groups())
    return (x, y), found


def step_reply(action: Place) -> str:
    """Return a reply that `parse_step` reads as the action, to the last bit."""
    assert all(map(math.isfinite, action.tolist()))
    x, y = (np.format_float_positional(number, trim="-") for number in action)
    return f"<answer>{x} {y}</answer>"
