"""Hex: connect your two sides of the board; exactly one of two players always can.

Moves and payoffs are those of OpenSpiel's `hex`. Left out: the swap of
colours after the first move, boards that are not square, and virtual connections.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.board.hex_board import board_of
from zerogym.envs.games.core.game import TERMINAL, Game, uniform_over_best, win_or_loss
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.core.render import Board, board_of_bits
from zerogym.envs.games.views.single_seat import SingleSeatEnv

MARKS = "XO"
WAYS = ("top to bottom", "left to right")
MAX_SIZE = 11


class HexState(NamedTuple):
    """The stones of X and of O, and the seat to move or `TERMINAL`."""

    stones: tuple[int, int] = (0, 0)
    mover: int = 0


@dataclass(frozen=True)
class Hex(Game[HexState]):
    """The rules; `HexEnv` has them in words. Actions are cells, row by row; in words `a1`, `b1`.

    `observe` is a float32 vector (3 * board_size**2 + 1,): own stones, the opponent's, free cells,
    the seat.
    """

    board_size: int = 5

    name: ClassVar[str] = "hex"

    def __post_init__(self) -> None:
        check_number("board_size", self.board_size, 2, MAX_SIZE)

    @property
    def num_actions(self) -> int:
        """One for each cell."""
        return self.board_size**2

    @property
    def observation_size(self) -> int:
        """Three boards and the seat."""
        return 3 * self.board_size**2 + 1

    @property
    def enumerable(self) -> bool:
        """With nine cells there are 5,514 positions."""
        return self.board_size <= 3

    def initial(self) -> HexState:
        """The empty board."""
        return HexState()

    def to_move(self, state: HexState) -> int:
        """X has seat 0 and begins."""
        return state[1]

    def legal(self, state: HexState) -> tuple[int, ...]:
        """The free cells, while nobody has won."""
        (first, second), mover = state
        if mover == TERMINAL:
            return ()
        taken = first | second
        return tuple([cell for cell in range(self.board_size**2) if not taken >> cell & 1])

    def apply(self, state: HexState, action: int) -> HexState:
        """Put the mover's stone."""
        (first, second), mover = state
        stone = 1 << action
        own = (second if mover else first) | stone
        stones = (first, own) if mover else (own, second)
        board = board_of(self.board_size)
        start, goal = board.sides[mover]
        if own & start and own & goal:  # else it cannot have connected
            chain = board.spread(stone, own)
            if chain & start and chain & goal:
                return HexState(stones, TERMINAL)
        return HexState(stones, 1 - mover)

    def payoff(self, state: HexState) -> tuple[float, float]:
        """1 for the one who has connected, who moved last; -1 for the other."""
        first, second = state.stones
        return win_or_loss(0 if first.bit_count() > second.bit_count() else 1)

    def observe(self, state: HexState, seat: int) -> NDArray[np.float32]:
        """Own stones, the opponent's stones, free cells, the seat."""
        own, other = state.stones[seat], state.stones[1 - seat]
        boards = (own, other, ~(own | other))
        bits = [board >> cell & 1 for board in boards for cell in range(self.num_actions)]
        return np.array([*bits, seat], dtype=np.float32)

    def info_key(self, state: HexState, seat: int) -> str:
        """The board: everybody sees everything."""
        return f"{state.stones[0]:x}:{state.stones[1]:x}"

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        order = "first" if seat == 0 else "second"
        if self.board_size == 2:
            beside = "b1 touches a1, a2 and b2. "
        else:
            beside = "b2 touches a2, c2, b1, c1, a3 and b3. "
        return (
            "Hex: put one stone on a free cell in turn. A chain of X from top to bottom wins,\n"
            "and so does one of O from left to right. A cell touches up to six others:\n"
            f"{beside}You are {MARKS[seat]}, {WAYS[seat]}, and move {order}."
        )

    def situation(self, state: HexState, seat: int) -> str:
        """The board, with the names of the free cells."""
        lines = []
        for number, row in enumerate(self.board(state).rows):
            first = number * self.board_size
            names = [self.action_name(state, first + column) for column in range(self.board_size)]
            shown = [name if mark == "." else mark for name, mark in zip(names, row, strict=True)]
            lines.append("  " * number + "".join(f"{cell:<4}" for cell in shown).rstrip())
        return "\n".join(lines)

    def request(self, state: HexState) -> str:
        """For a free cell."""
        who = f"You are {MARKS[state.mover]}, {WAYS[state.mover]}."
        return f"{who} Reply <answer>cell</answer>, a free one by its name."

    def board(self, state: HexState) -> Board:
        """The board as a picture shows it."""
        rows = board_of_bits(state.stones, self.board_size, self.num_actions).rows
        return Board(rows, is_hexagonal=True)

    def action_name(self, state: HexState, action: int) -> str:
        """The letter of the column and the number of the row."""
        row, column = divmod(action, self.board_size)
        return f"{chr(ord('a') + column)}{row + 1}"


def scripted(game: Hex, state: HexState, seat: int) -> Sequence[float]:
    """Make the own way shorter and the opponent's longer.

    Probabilities of the free cells: equal for those after which the opponent needs most more stones
    than the player to connect if only it moved; of these, the nearest to the centre. On
    the default board it won 9,999 of 10,000 games against random play, seats in turn.
    """
    board, legal = board_of(game.board_size), game.legal(state)
    own, other = state.stones[seat], state.stones[1 - seat]
    free = board.cells & ~(own | other)
    middle = (game.board_size - 1) / 2
    ranks = []
    for cell in legal:
        stone = 1 << cell
        lead = board.missing(other, free & ~stone, 1 - seat) - board.missing(
            own | stone, free & ~stone, seat
        )
        row, column = divmod(cell, game.board_size)
        ranks.append((lead, -max(abs(row - middle), abs(column - middle))))
    return uniform_over_best(ranks)


class HexEnv(SingleSeatEnv):
    """One seat of hex, against a given opponent.

    Description:
        Two players put stones X and O in turn on a rhombus of 5 times 5 six-sided cells; X begins.
        X wins by a chain of touching stones from the top to the bottom, O by one from the left to
        the right. A full board has exactly one such chain, so there are no draws, and an extra
        stone never harms: played perfectly, X wins on boards of any size.

    Observation:
        `view="text"`: the rules (once), then the board, whose free cells show their names.
        `view="numeric"`: float32 vector (76,): own stones, the opponent's stones, free
        cells, the seat.

    Action:
        `view="text"`: the whole reply; the cell, such as `c3`, is read from
        `<answer>...</answer>`, else from the last line. `view="numeric"`: the cell, 0 to 24, row
        by row.

    Reward:
        0 until the end, then 1 for a win, -1 for a loss. `info["score"]` is the same as a number
        in [0, 1]: 1 or 0.

    Episode end:
        When two sides are connected. A reply that names no free cell may be repeated up to
        `max_retries` times, then the game is lost, as it is at once by an illegal number.

    Arguments:
        seat: 0 (X), 1 (O) or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.
        board_size: Rows and columns, 2 to 11; default 5.

    Example:
        >>> env = HexEnv(seat=0, opponent="minimax", board_size=3)
        >>> print(env.reset(seed=0)[0])
        Hex: put one stone on a free cell in turn. A chain of X from top to bottom wins,
        and so does one of O from left to right. A cell touches up to six others:
        b2 touches a2, c2, b1, c1, a3 and b3. You are X, top to bottom, and move first.
        a1  b1  c1
          a2  b2  c2
            a3  b3  c3
        You are X, top to bottom. Reply <answer>cell</answer>, a free one by its name.
        >>> print(env.step("<answer>b2</answer>")[0])
        a1  b1  c1
          a2  X   c2
            O   b3  c3
        You are X, top to bottom. Reply <answer>cell</answer>, a free one by its name.

    Source:
        Hein, "Polygon" (1942). Nash, "Some Games and Machines for Playing Them" (1952). Hayward et
        al., "Solving 7x7 Hex with domination, fill-in, and virtual connections" (2005).
    """

    rules_class = Hex
