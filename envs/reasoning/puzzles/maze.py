"""Mazes with one path, whose length and number of turns are set independently; as text or picture.

Left out: mazes with circles or several goals, and pictures drawn as scenes.
"""

from typing import Any, ClassVar, Literal, get_args

import numpy as np
from gymnasium import spaces

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import round_randomly
from zerogym.envs.reasoning.planning.moves import (
    FREE,
    GOAL,
    MOVES_FORMAT,
    START,
    WALL,
    WalkEnv,
    traced,
)
from zerogym.envs.reasoning.puzzles.maze_map import (
    MAX_PATH,
    MAX_RUN,
    SIDE,
    check_shape,
    draw_maze,
    picture,
)
from zerogym.envs.splits import Split
from zerogym.errors import UnknownName

View = Literal["text", "image"]
MAX_TURNS = 30  # by difficulty; the argument may be larger
QUESTION = (
    f"Answer with the moves as {MOVES_FORMAT}. Each move goes to the next square; a move into a "
    "wall makes the answer wrong."
)


class MazeEnv(WalkEnv):
    """Give the moves that lead through a maze from start to goal.

    Description:
        The free squares of the map form a tree, so exactly one path leads from start to goal
        without going back. Its length in moves and its number of turns are set independently of
        each other; dead ends branch off wherever there is room. The moves are executed one by one;
        any that end on the goal without running into a wall score, detours included.

    Observation:
        `view="text"`: the question with the map as text: `#` wall, `.` free, `S` start, `G` goal.
        `view="image"`: the map as a picture, uint8 (108, 108, 3): dark walls, white free squares,
        blue start, green goal; small mazes are drawn larger. The picture has no words: the question
        that belongs to it is `MazeEnv.image_question`. It stays the same after a reply.

    Difficulty:
        A path of `3 + 4 * difficulty` moves (at most 48) with `1 + 2 * difficulty` turns (at most
        30); fractional parts are the chance of one more. The map grows with the path, to 25 by 25
        squares.

    Arguments:
        path_length: Moves from start to goal, 1 to 48; None: from the difficulty.
        turns: Turns of the path, 0 to `path_length - 1`; None: from the difficulty. Between turns
            there are at most 24 moves.
        view: `text` or `image`.

    Example:
        >>> env = MazeEnv(path_length=4, turns=2)
        >>> print("\\n".join(env.reset(seed=2)[0].splitlines()[:8]))
        Find the way from S to G in this maze. # is a wall, . is free.
        #######
        #.##..#
        #....##
        ##.#..#
        #...#.#
        #S#G#.#
        #######
        >>> env.step("<answer>URRR</answer>")[0]
        'Move 4, R, goes into a wall.'

    Source:
        "Ariadne: A Controllable Framework for Probing and Extending VLM Reasoning Boundaries"
        (2025, arXiv 2511.00710) sets path length and turns of mazes for vision-language models. How
        mazes are drawn, the text and the picture are our choice.
    """

    views: ClassVar[tuple[str, ...]] = get_args(View)
    image_question: ClassVar[str] = (
        "Find the way from the blue to the green square. Dark squares are walls. "
        f"{QUESTION}\n{ReasoningEnv.answer_request}"
    )

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        path_length: int | None = None,
        turns: int | None = None,
        view: View = "text",
        max_attempts: int = 1,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_attempts, render_mode)
        if view not in self.views:
            raise UnknownName("view", view, list(self.views))
        for name, value in (("path_length", path_length), ("turns", turns)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
                raise ValueError(f"{name} must be an integer or None, got {value!r}")
        check_shape(*_shape(path_length, turns, 8, 1))
        self.path_length, self.turns, self.view = path_length, turns, view
        if view == "image":
            pictures = spaces.Box(0, 255, (SIDE, SIDE, 3), np.uint8)
            self.observation_space = pictures  # type: ignore[assignment]  # the base: text only

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw a problem; `options` may pin `difficulty`, `split`, `category`, `problem`."""
        text, info = super().reset(seed=seed, options=options)
        return self._shown(text), info

    def step(self, action: str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Walk as the reply says; in the image view the feedback is only in `info["feedback"]`."""
        text, *rest = super().step(action)
        return self._shown(text), *rest

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a path whose length and turns follow the difficulty, and a maze around it."""
        return _pose(rng, *_drawn_shape(rng, difficulty, None, None))

    def random_action(self, rng: np.random.Generator) -> str:
        """Return the way through another maze of the same shape."""
        shape = _drawn_shape(rng, self._running().difficulty, self.path_length, self.turns)
        return f"<answer>{_pose(rng, *shape).answer}</answer>"

    def _sample(self, difficulty: float) -> Problem:
        rng = self.np_random
        return _pose(rng, *_drawn_shape(rng, difficulty, self.path_length, self.turns))

    def _shown(self, text: str) -> Any:
        return text if self.view == "text" else picture(self._episode.problem.data["map"])


def _shape(
    path_length: int | None, turns: int | None, default_length: int, default_turns: int
) -> tuple[int, int]:
    """Return length and turns: the given ones, else the nearest possible ones to the defaults."""
    length = default_length if path_length is None else path_length
    bends = default_turns if turns is None else turns
    if path_length is None:
        length = max(1, min(max(length, bends + 1), (bends + 1) * MAX_RUN))
    if turns is None:
        bends = max(0, min(max(bends, (length - 1) // MAX_RUN), length - 1))
    return length, bends


def _drawn_shape(
    rng: np.random.Generator, difficulty: float, path_length: int | None, turns: int | None
) -> tuple[int, int]:
    most = min(difficulty, float(MAX_PATH))
    length = min(MAX_PATH, round_randomly(rng, 3 + 4 * most))
    return _shape(path_length, turns, length, min(MAX_TURNS, round_randomly(rng, 1 + 2 * most)))


def _pose(rng: np.random.Generator, length: int, turns: int) -> Problem:
    rows, moves = draw_maze(rng, length, turns)
    text = "\n".join(rows)
    return MazeEnv.pose(
        prompt=(
            f"Find the way from {START} to {GOAL} in this maze. {WALL} is a wall, {FREE} is free."
            f"\n{text}\n{QUESTION}"
        ),
        moves=moves,
        solution=traced(moves, "".join(rows).index(START), len(rows[0])),
        data={"map": rows},
        canonical=text,
    )
