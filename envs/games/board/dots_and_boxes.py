"""Dots and boxes: who draws the fourth side of a box has it, and draws again.

Moves and payoffs are those of OpenSpiel's `dots_and_boxes`. Left out: who has which box, which
matters to nobody once it is counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import TERMINAL, Game, uniform_over_best
from zerogym.envs.games.core.parameters import check_flag, check_number
from zerogym.envs.games.views.single_seat import SingleSeatEnv


class DotsAndBoxesState(NamedTuple):
    """The lines drawn (bit i: line i), the boxes of both, and who draws next."""

    lines: int = 0
    boxes: tuple[int, int] = (0, 0)
    player: int = 0


@dataclass(frozen=True)
class DotsAndBoxes(Game[DotsAndBoxesState]):
    """The rules; `DotsAndBoxesEnv` has them in words.

    Actions are lines: first the horizontal ones, row by row, then the vertical ones, row by row;
    in words from 1. `observe` is a float32 vector (lines + 4,): lines drawn, the shares of all
    boxes that the seat and its opponent have, the seat, and whether it draws next.
    """

    num_rows: int = 2
    num_cols: int = 2
    utility_margin: bool = False

    name: ClassVar[str] = "dots_and_boxes"

    def __post_init__(self) -> None:
        check_number("num_rows", self.num_rows, 1, 9)
        check_number("num_cols", self.num_cols, 1, 9)
        check_flag("utility_margin", self.utility_margin)

    @property
    def num_actions(self) -> int:
        """One for each line."""
        return 2 * self.num_rows * self.num_cols + self.num_rows + self.num_cols

    @property
    def observation_size(self) -> int:
        """The lines and four numbers."""
        return self.num_actions + 4

    @property
    def payoff_range(self) -> tuple[float, float]:
        """A win or a loss, or all boxes."""
        most = float(self.num_rows * self.num_cols) if self.utility_margin else 1.0
        return (-most, most)

    @property
    def enumerable(self) -> bool:
        """With 12 lines there are 5,349 states."""
        return self.num_actions <= 12

    @property
    def searchable(self) -> bool:
        """Alpha-beta plays up to 17 lines (2 times 3 boxes) perfectly, in half a second."""
        return self.num_actions <= 17

    def initial(self) -> DotsAndBoxesState:
        """Only dots."""
        return DotsAndBoxesState()

    def to_move(self, state: DotsAndBoxesState) -> int:
        """Until all lines are drawn."""
        return TERMINAL if state[0] + 1 == 1 << self.num_actions else state[2]

    def legal(self, state: DotsAndBoxesState) -> tuple[int, ...]:
        """The lines that are not drawn."""
        lines = state[0]
        return tuple([line for line in range(self.num_actions) if not lines >> line & 1])

    def apply(self, state: DotsAndBoxesState, action: int) -> DotsAndBoxesState:
        """Draw a line; the other draws next unless a box is closed."""
        lines, (first, second), player = state
        lines |= 1 << action
        closed = 0
        for box in _boxes_at(self.num_rows, self.num_cols)[action]:
            closed += lines & box == box
        if not closed:
            return DotsAndBoxesState(lines, state[1], 1 - player)
        boxes = (first, second + closed) if player else (first + closed, second)
        return DotsAndBoxesState(lines, boxes, player)

    def payoff(self, state: DotsAndBoxesState) -> tuple[float, float]:
        """1 for more boxes, 0 for as many, -1 for fewer; or the difference."""
        ahead = state.boxes[0] - state.boxes[1]
        won = float(ahead if self.utility_margin else (ahead > 0) - (ahead < 0))
        return (won, 0.0 - won)  # not -won, which may be -0.0

    def observe(self, state: DotsAndBoxesState, seat: int) -> NDArray[np.float32]:
        """The lines, then both shares, the seat and its turn."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[:-4] = [state.lines >> line & 1 for line in range(self.num_actions)]
        total = self.num_rows * self.num_cols
        vector[-4:-2] = state.boxes[seat] / total, state.boxes[1 - seat] / total
        vector[-2:] = seat, state.player == seat
        return vector

    def info_key(self, state: DotsAndBoxesState, seat: int) -> str:
        """Everything: both see all there is. The seat, because both can have the same decisions."""
        return f"{seat}:{state.lines:x}:{state.boxes[0]}-{state.boxes[1]}:{state.player}"

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        order = "first" if seat == 0 else "second"
        aim = "each box more than the other pays 1" if self.utility_margin else "most boxes win"
        return (
            "Dots and boxes: draw one line a turn. Who draws the fourth side of a box gets it and "
            f"draws again; {aim}.\nFree lines are shown as numbers, drawn ones as --- or |. You "
            f"are player {seat + 1} and draw {order}."
        )

    def situation(self, state: DotsAndBoxesState, seat: int) -> str:
        """The boxes of both, and the board."""
        own, other = state.boxes[seat], state.boxes[1 - seat]
        return f"Boxes: you (player {seat + 1}) {own}, opponent {other}.\n{self._board(state)}"

    def request(self, state: DotsAndBoxesState) -> str:
        """For a free line."""
        return "Reply <answer>line</answer>, a free number."

    def action_name(self, state: DotsAndBoxesState, action: int) -> str:
        """The number of the line, from 1."""
        return str(action + 1)

    def _board(self, state: DotsAndBoxesState) -> str:
        rows, cols = self.num_rows, self.num_cols
        shown = [None if state.lines >> i & 1 else str(i + 1) for i in range(self.num_actions)]
        vertical = (rows + 1) * cols  # the first of the vertical lines
        pictures = []
        for row in range(rows + 1):
            across = [shown[row * cols + col] for col in range(cols)]
            pictures.append("".join(f"+{line or '---':^3}" for line in across) + "+")
            if row < rows:
                start = vertical + row * (cols + 1)
                down = "".join(f"{line or '|':<4}" for line in shown[start : start + cols + 1])
                pictures.append(down.rstrip())
        return "\n".join(pictures)


@lru_cache
def _boxes_at(rows: int, cols: int) -> tuple[tuple[int, ...], ...]:
    """For each line, the boxes beside it, each as the bits of its four sides."""
    vertical = (rows + 1) * cols
    beside: list[list[int]] = [[] for _ in range(vertical + rows * (cols + 1))]
    for row in range(rows):
        for col in range(cols):
            top, left = row * cols + col, vertical + row * (cols + 1) + col
            sides = (top, top + cols, left, left + 1)
            for side in sides:
                beside[side].append(sum(1 << each for each in sides))
    return tuple(map(tuple, beside))


def scripted(game: DotsAndBoxes, state: DotsAndBoxesState, seat: int) -> Sequence[float]:
    """Close boxes, else give none away, else give few.

    Probabilities of the free lines: equal for the lines of the first of these rules that has any.
    (1) Lines that close a box. (2) Lines after which the opponent cannot close one. (3) Lines after
    which it can close the fewest in one turn. Against random play with 2 times 2 boxes it wins
    0.981 in seat 0 and 0.559 in seat 1, exactly; it wins 80% of games and draws 17%.
    """
    legal = game.legal(state)
    closing = [game.apply(state, line).player == seat for line in legal]
    if any(closing):
        return uniform_over_best(closing)
    return uniform_over_best([-_taken(game, game.apply(state, line)) for line in legal])


def _taken(game: DotsAndBoxes, state: DotsAndBoxesState) -> int:
    """The number of boxes that the seat to move can close in this turn."""
    player, before = state.player, state.boxes[state.player]
    closed: DotsAndBoxesState | None = state
    while closed is not None:
        state = closed
        nexts = (game.apply(state, line) for line in game.legal(state))
        closed = next((after for after in nexts if after.player == player), None)
    return state.boxes[player] - before


class DotsAndBoxesEnv(SingleSeatEnv):
    """One seat of dots and boxes, against a given opponent.

    Description:
        Nine dots are the corners of 2 times 2 boxes. Two players draw lines between neighbouring
        dots in turn. Who draws the fourth side of a box gets the box and must draw again. When all
        lines are drawn, most boxes win. Played perfectly, the first player wins 3 to 1 if its first
        line is at the edge of the board, and only draws with a line inside.

    Observation:
        `view="text"`: the rules (once), then the boxes of both and the board, whose free lines show
        their numbers. `view="numeric"`: float32 vector (16,): lines drawn (12), the shares of all
        boxes that the seat and its opponent have, the seat, and whether it draws next.

    Action:
        `view="text"`: the whole reply; the number of a line is read from `<answer>...</answer>`,
        else from the last line. `view="numeric"`: the line from 0, horizontal ones first.

    Episode end:
        When all lines are drawn. A reply that names no free line may be repeated up to
        `max_retries` times, then the game is lost, as it is at once by an illegal number.

    Arguments:
        num_rows: Rows of boxes, 1 to 9; default 2.
        num_cols: Columns of boxes, 1 to 9; default 2.
        utility_margin: Whether the payoff is the difference of boxes; default False.

    Example:
        >>> env = DotsAndBoxesEnv(seat=0, opponent="minimax")
        >>> text, info = env.reset(seed=0)
        >>> print(env.step("<answer>1</answer>")[0])
        Boxes: you (player 1) 0, opponent 0.
        +---+ 2 +
        7   8   |
        + 3 + 4 +
        10  11  12
        + 5 + 6 +
        Reply <answer>line</answer>, a free number.

    Source:
        Lucas, "La Pipopipette" (1889). Barker and Korf, "Solving Dots-And-Boxes" (AAAI 2012).
    """

    rules_class = DotsAndBoxes
