"""Tic-tac-toe: three in a row on nine cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import TERMINAL, Game, uniform_over_best, win_or_loss
from zerogym.envs.games.core.render import Board
from zerogym.envs.games.views.single_seat import SingleSeatEnv

MARKS = "XO"
EMPTY = "."
CELLS = 9
CENTRE, CORNERS = 4, (0, 2, 6, 8)
LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8),
    (0, 3, 6), (1, 4, 7), (2, 5, 8),
    (0, 4, 8), (2, 4, 6),
)  # fmt: skip


@dataclass(frozen=True)
class TicTacToe(Game[str]):
    """The rules; `TicTacToeEnv` has them in words. A state is its board, `XO.......`, row by row.

    Actions 0 to 8 are cells, row by row; in words they are 1 to 9. `observe` is a float32 vector
    (27,): own marks (9), the opponent's marks (9), empty cells (9).
    """

    name: ClassVar[str] = "tic_tac_toe"
    num_actions: ClassVar[int] = CELLS
    observation_size: ClassVar[int] = 3 * CELLS
    enumerable: ClassVar[bool] = True

    def initial(self) -> str:
        """The empty board."""
        return EMPTY * CELLS

    def to_move(self, state: str) -> int:
        """X has seat 0 and begins."""
        empty = state.count(EMPTY)
        return TERMINAL if empty == 0 or _winner(state) is not None else (CELLS - empty) % 2

    def legal(self, state: str) -> tuple[int, ...]:
        """The empty cells, while nobody has won."""
        if self.to_move(state) == TERMINAL:
            return ()
        return tuple(cell for cell in range(CELLS) if state[cell] == EMPTY)

    def apply(self, state: str, action: int) -> str:
        """Put the mover's mark."""
        mark = MARKS[(CELLS - state.count(EMPTY)) % 2]
        return state[:action] + mark + state[action + 1 :]

    def payoff(self, state: str) -> tuple[float, float]:
        """1 for the winner, -1 for the loser, 0 for a draw."""
        return win_or_loss(_winner(state))

    def observe(self, state: str, seat: int) -> NDArray[np.float32]:
        """Own marks, the opponent's marks, empty cells."""
        planes = (MARKS[seat], MARKS[1 - seat], EMPTY)
        return np.array([cell == mark for mark in planes for cell in state], dtype=np.float32)

    def info_key(self, state: str, seat: int) -> str:
        """The board: everybody sees everything."""
        return state

    def rules(self, seat: int) -> str:
        """The rules in one line."""
        order = "first" if seat == 0 else "second"
        return f"Tic-tac-toe: three in a row win. You are {MARKS[seat]} and move {order}."

    def situation(self, state: str, seat: int) -> str:
        """The board, with numbers of free cells."""
        shown = [str(i + 1) if mark == EMPTY else mark for i, mark in enumerate(state)]
        return "\n".join(" ".join(shown[row : row + 3]) for row in (0, 3, 6))

    def request(self, state: str) -> str:
        """For a free cell."""
        return "Reply <answer>cell</answer>, a free number."

    def board(self, state: str) -> Board:
        """The board as a picture shows it."""
        return Board(tuple(state[row : row + 3] for row in (0, 3, 6)))

    def action_name(self, state: str, action: int) -> str:
        """The number of the cell, 1 to 9."""
        return str(action + 1)


@cache  # of at most 3^9 boards
def _winner(board: str) -> int | None:
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != EMPTY:
            return MARKS.index(board[a])
    return None


def scripted(game: TicTacToe, state: str, seat: int) -> Sequence[float]:
    """Win, else stop a win, else the centre, else a corner.

    Probabilities of the free cells: equal for the cells of the first of these rules that has any;
    else any cell. Of games against random play it wins 96.0% as X and 84.8% as O, and loses 0 and
    1.2%. As X it cannot be beaten; as O it can, by two corners at the ends of a diagonal.
    """
    legal = game.legal(state)
    for mark in (MARKS[seat], MARKS[1 - seat]):
        wins = [c for c in legal if _winner(state[:c] + mark + state[c + 1 :]) is not None]
        if wins:
            break
    best = wins or [c for c in legal if c == CENTRE] or [c for c in legal if c in CORNERS] or legal
    return uniform_over_best([c in best for c in legal])


class TicTacToeEnv(SingleSeatEnv):
    """One seat of tic-tac-toe, against a given opponent.

    Description:
        Two players put X and O in turn on a board of 3 times 3 cells; X begins. Three own marks in
        a row, column or diagonal win. Played perfectly by both, it is a draw.

    Observation:
        `view="text"`: the rules (once), then the board, whose free cells show their numbers.
        `view="numeric"`: float32 vector (27,): own marks, the opponent's marks, empty cells.

    Action:
        `view="text"`: the whole reply; the cell, 1 to 9 row by row, is read from
        `<answer>...</answer>`, else from the last line. `view="numeric"`: the cell, 0 to 8.

    Episode end:
        At three in a row or on a full board. A reply that names no free cell may be repeated up to
        `max_retries` times, then the game is lost, as it is at once by an illegal number.

    Arguments:
        opponent: `random` (default), `scripted` (win, block, centre, corner), `minimax` (perfect),
            `mcts` or `mcts:200` (tree search with so many simulations), a `TabularPolicy`, any
            policy, or a mixture, of which one is drawn for each episode: `random+minimax`.
        seat: 0 (X), 1 (O) or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> env = TicTacToeEnv(seat=0, opponent="minimax")
        >>> print(env.reset(seed=0)[0])
        Tic-tac-toe: three in a row win. You are X and move first.
        1 2 3
        4 5 6
        7 8 9
        Reply <answer>cell</answer>, a free number.
        >>> print(env.step("I take a corner.\\n1")[0])
        X 2 3
        4 O 6
        7 8 9
        Reply <answer>cell</answer>, a free number.

    Source:
        A folk game. Its 255,168 courses and 5,478 positions are counted in the tests.
    """

    rules_class = TicTacToe
