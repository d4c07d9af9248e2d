"""Breakthrough: pawns race to the other side, and capture sideways forward.

Left out: other opening positions, and boards of more than 8 rows or columns.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.board.breakthrough_board import (
    DIRECTIONS,
    FILES,
    MARKS,
    TWO_ROWS,
    cell_name,
    ends,
    opening,
    steps,
)
from zerogym.envs.games.core.game import (
    TERMINAL,
    Game,
    named_action,
    uniform_over_best,
    win_or_loss,
)
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.core.render import Board, board_of_bits
from zerogym.envs.games.core.replies import joined, written_move
from zerogym.envs.games.views.single_seat import SingleSeatEnv

ENUMERABLE, SEARCHABLE = 12, 16  # cells
_APART = re.compile(r"([a-h][1-8])(?:[ \t]*[-x][ \t]*|[ \t]+)([a-h][1-8])")


class BreakthroughState(NamedTuple):
    """The pieces of X and of O, and the seat to move or `TERMINAL`."""

    pieces: tuple[int, int]
    mover: int = 0


@dataclass(frozen=True)
class Breakthrough(Game[BreakthroughState]):
    """The rules; `BreakthroughEnv` has them in words.

    Action `2 * (6 * cell + direction) + capture`: cells row by row from the top, directions 0 to 5
    as in `DIRECTIONS`, capture 1 if a piece is taken. In words a move is its two cells, `a7b6`.
    `observe` is a float32 vector (3 * rows * columns + 1,): own pieces, the opponent's pieces,
    empty cells, each row by row from the top, and the seat, 0 or 1.

    Args:
        rows: 3 to 8; each side has two rows of pieces, on boards of less than 6 rows one.
        columns: 2 to 8.
    """

    name: ClassVar[str] = "breakthrough"
    rows: int = 8
    columns: int = 8

    def __post_init__(self) -> None:
        check_number("rows", self.rows, 3, 8)
        check_number("columns", self.columns, 2, 8)

    @property
    def num_actions(self) -> int:
        """Every cell in every direction, with and without a capture."""
        return self.rows * self.columns * DIRECTIONS * 2

    @property
    def observation_size(self) -> int:
        """Three boards and the seat."""
        return 3 * self.rows * self.columns + 1

    @property
    def enumerable(self) -> bool:
        """True if the board is tiny, and each side has one row of pieces."""
        return self.rows < TWO_ROWS and self.rows * self.columns <= ENUMERABLE

    @property
    def searchable(self) -> bool:
        """Alpha-beta plays up to 16 cells perfectly, in a second."""
        return self.rows * self.columns <= SEARCHABLE

    def initial(self) -> BreakthroughState:
        """X above, O below."""
        return BreakthroughState(opening(self.rows, self.columns))

    def to_move(self, state: BreakthroughState) -> int:
        """X has seat 0 and begins."""
        return state[1]

    def legal(self, state: BreakthroughState) -> tuple[int, ...]:
        """One step forward: straight or diagonally to an empty cell, diagonally to capture."""
        pieces, mover = state
        if mover == TERMINAL:
            return ()
        own, other = pieces[mover], pieces[1 - mover]
        taken = own | other
        table = steps(self.rows, self.columns)[mover]
        actions = []
        left = own
        while left:
            piece = left & -left
            left ^= piece
            for cell, action, diagonal in table[piece]:
                if not taken & cell:
                    actions.append(action)
                elif diagonal and other & cell:
                    actions.append(action + 1)
        return tuple(actions)

    def apply(self, state: BreakthroughState, action: int) -> BreakthroughState:
        """Move a piece, and capture what is there."""
        pieces, mover = state
        start, end = ends(action, self.columns)
        own, other = pieces[mover] ^ (1 << start | 1 << end), pieces[1 - mover] & ~(1 << end)
        goal = self.rows - 1 if mover == 0 else 0
        is_over = end // self.columns == goal or not other
        moved = (other, own) if mover else (own, other)
        return BreakthroughState(moved, TERMINAL if is_over else 1 - mover)

    def payoff(self, state: BreakthroughState) -> tuple[float, float]:
        """1 for who reached the other side or captured everything, -1 for the other."""
        down, up = state.pieces
        arrived = down >> self.columns * (self.rows - 1)
        return win_or_loss(0 if arrived or not up else 1)

    def observe(self, state: BreakthroughState, seat: int) -> NDArray[np.float32]:
        """Own pieces, the opponent's, empty cells, and the seat."""
        own, other = state.pieces[seat], state.pieces[1 - seat]
        cells = self.rows * self.columns
        boards = own | other << cells | ((1 << cells) - 1 & ~(own | other)) << 2 * cells
        packed = (boards | seat << 3 * cells).to_bytes(3 * cells // 8 + 1, "little")
        bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
        return bits[: self.observation_size].astype(np.float32)

    def info_key(self, state: BreakthroughState, seat: int) -> str:
        """The seat and the board: everybody sees everything."""
        return f"{seat}:{state.pieces[0]:x}:{state.pieces[1]:x}"

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        way, order = ("down", "first") if seat == 0 else ("up", "second")
        return (
            "Breakthrough: in turn, X moves a piece one cell down, O one cell up, straight or "
            "diagonally.\nThe cell must be empty; a diagonal move may capture an opposing piece "
            "there.\nWhoever reaches the last row, or captures every opposing piece, wins.\n"
            f"You are {MARKS[seat]} and move {order}, {way}."
        )

    def situation(self, state: BreakthroughState, seat: int) -> str:
        """The board between its coordinates."""
        rows = enumerate(self.board(state).rows)
        lines = [f"{self.rows - above} {' '.join(row)}" for above, row in rows]
        return "\n".join([*lines, "  " + " ".join(FILES[: self.columns])])

    def request(self, state: BreakthroughState) -> str:
        """For a move."""
        names = ", ".join(self.action_name(state, action) for action in self.legal(state))
        return f"You are {MARKS[state.mover]}. Reply <answer>move</answer>, one of {names}."

    def board(self, state: BreakthroughState) -> Board:
        """The board as a picture shows it."""
        return board_of_bits(state.pieces, self.columns, self.rows * self.columns)

    def action_name(self, state: BreakthroughState, action: int) -> str:
        """Both cells: `a7b6`."""
        cells = ends(action, self.columns)
        return "".join(cell_name(cell, self.rows, self.columns) for cell in cells)

    def parse(self, state: BreakthroughState, text: str) -> int | None:
        """The move a reply names, exactly, but for blanks, a hyphen or x between its cells."""
        return named_action(self, state, joined(written_move(text), _APART))


def scripted(game: Breakthrough, state: BreakthroughState, seat: int) -> Sequence[float]:
    """Win, else capture whoever has come closest, else advance where nobody captures.

    Probabilities of the legal moves: equal for the best by, in this order, (1) that it wins, (2)
    how far the piece that it captures has come, (3) that the opponent cannot then capture the
    moved piece, (4) how far that piece has come then (if it is safe; else how little). It wins all
    of 10,000 games against random play, and on 6 rows of 6 all but one.
    """
    legal = game.legal(state)
    ranks = [_rank(game, state, seat, action) for action in legal]
    return uniform_over_best(ranks)


def _rank(game: Breakthrough, state: BreakthroughState, seat: int, action: int) -> tuple[int, ...]:
    after = game.apply(state, action)
    end = ends(action, game.columns)[1]
    below = end // game.columns
    above = game.rows - 1 - below
    own, other = (below, above) if seat == 0 else (above, below)
    is_lost = any(reply & 1 and ends(reply, game.columns)[1] == end for reply in game.legal(after))
    captured = other + 1 if action & 1 else 0
    return after.mover == TERMINAL, captured, not is_lost, -own if is_lost else own


class BreakthroughEnv(SingleSeatEnv):
    """One seat of breakthrough, against a given opponent.

    Description:
        Two players have two rows of pieces each on a board of 8 rows and 8 columns (one row on
        boards of less than 6 rows), X above and O below, and move one piece by one cell in turn; X
        begins. A piece goes straight or diagonally forward to an empty cell, or captures an
        opposing piece diagonally forward. Whoever first reaches the last row, or captures every
        opposing piece, wins; there are no draws.

    Observation:
        `view="text"`: the rules (once), then the board and the legal moves.
        `view="numeric"`: float32 vector (3 * rows * columns + 1,): own pieces, the opponent's
        pieces, empty cells, each row by row from the top, then 0 for X, 1 for O.

    Action:
        `view="text"`: the whole reply; the move, its first and last cell as in `a7b6`, is read from
        `<answer>...</answer>`, else from the last line.
        `view="numeric"`: `2 * (6 * cell + direction) + capture`: cells row by row from the top,
        directions 0 to 2 down left, down, down right, 3 to 5 up left, up, up right.

    Reward:
        0 until the end, then 1 for a win, -1 for a loss. `info["score"]` is the same as a number in
        [0, 1]: 1 or 0.

    Episode end:
        When a piece reaches the last row or the last piece of a side is captured. A reply that
        names no legal move may be repeated up to `max_retries` times, then the game is lost, as it
        is at once by an illegal number.

    Arguments:
        rows: 3 to 8; default 8.
        columns: 2 to 8; default 8.
        opponent: A name (`random` by default; the error for a wrong name lists them), or a policy;
            `minimax` is perfect, on boards of at most 16 cells.
        seat: 0 (X), 1 (O) or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> env = BreakthroughEnv(rows=4, columns=3, seat=0, opponent="minimax")
        >>> print(env.reset(seed=0)[0])
        Breakthrough: in turn, X moves a piece one cell down, O one cell up, straight or diagonally.
        The cell must be empty; a diagonal move may capture an opposing piece there.
        Whoever reaches the last row, or captures every opposing piece, wins.
        You are X and move first, down.
        4 X X X
        3 . . .
        2 . . .
        1 O O O
          a b c
        You are X. Reply <answer>move</answer>, one of a4a3, a4b3, b4a3, b4b3, b4c3, c4b3, c4c3.
        >>> env.step("<answer>b4b3</answer>")[1:3]
        (0.0, False)

    Source:
        Dan Troyka's game of 2000, winner of the 8x8 Game Design Competition of 2001.
    """

    rules_class = Breakthrough
