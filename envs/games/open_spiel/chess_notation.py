"""The notation of moves of chess, and how replies are parsed.

A move is read if exactly one legal move fits: `Nf3`, `exd5`, `O-O`, `e8=Q`, with or without signs
of capture, check and praise; with its number as `1. e4`; with more than is needed as `Ng1f3` or
`N5d4`; or as squares, `g1f3`, `e2-e4`, `e7e8q`. Left out: names in words, and other languages.
"""

import re
from collections import Counter
from functools import lru_cache

from zerogym.envs.games.open_spiel.state import SpielState, bare

NUMBER = re.compile(r"\d{1,4} ?\.+ ?")
SQUARES = re.compile(r"[a-h][1-8][-x ]?[a-h][1-8][qrbn]?")
MOVE = re.compile(r"([KQRBNP])?([a-h])?([1-8])?[-x ]?([a-h][1-8])([QRBNqrbn])?")


def fields(state: SpielState) -> list[str]:
    """The squares from a8 to h1, then side, castlings, en passant, moves without progress."""
    board, *rest = str(state.inner).split()
    squares = re.sub(r"\d", lambda digit: "." * int(digit[0]), board.replace("/", ""))
    return [squares, *rest[:4]]


@lru_cache(maxsize=16)  # a reply is read in the state that was described
def labels(state: SpielState) -> dict[int, str]:
    """Algebraic; in coordinates where only the case tells two apart, as in bxc3 and Bxc3."""
    shared = Counter(map(str.lower, _plain_names(state).values()))
    return {
        action: state.names[action] if shared[name.lower()] == 1 else coordinates(state, action)
        for action, name in _plain_names(state).items()
    }


@lru_cache(maxsize=16)
def _plain_names(state: SpielState) -> dict[int, str]:
    return {a: name.rstrip("+#").replace("=", "") for a, name in state.names.items()}


def read(state: SpielState, reply: str) -> int | None:
    """The one legal action that a reply names, or None."""
    move = _plain(reply)
    names = _plain_names(state)
    for written, form in ((move, str), (move.lower(), str.lower)):
        fits = [action for action, name in names.items() if form(name) == written]
        if len(fits) == 1:
            return fits[0]
    found = MOVE.fullmatch(move.lower() if SQUARES.fullmatch(move.lower()) else move)
    if not found:
        return None
    board, (piece, file, rank, target, promoted) = fields(state)[0], found.groups()
    if piece is None and not (file and rank):
        piece = "P"
    fits = []
    for action, name in names.items():
        if target not in name and name[0] != "O":  # castling is written as a move of the king
            continue
        squares = coordinates(state, action)
        moved = board[_index(squares)].upper()
        if (
            squares[2:4] == target
            and squares[4:] == (promoted or "").lower()
            and (file or squares[0]) == squares[0]
            and (rank or squares[1]) == squares[1]
            and (piece or moved) == moved
        ):
            fits.append(action)
    return fits[0] if len(fits) == 1 else None


def _plain(reply: str) -> str:
    """Without number, check and praise, which no two moves differ in; castling with letters."""
    move = bare(NUMBER.sub("", reply, count=1) if reply[:1].isdecimal() else reply)
    move = move.rstrip("+#!?").replace("0-0", "O-O").replace("-0", "-O")
    return move.replace("=", "").replace("(", "")


def coordinates(state: SpielState, action: int) -> str:
    """A move as two squares, with the piece that a pawn becomes: e2e4, e7e8q."""
    before, after = fields(state), fields(state.child(action))
    own = str.isupper if before[1] == "w" else str.islower
    left = [i for i in range(64) if own(before[0][i]) and not own(after[0][i])]
    taken = [i for i in range(64) if own(after[0][i]) and after[0][i] != before[0][i]]
    if len(left) > 1:  # castling is a move of the king
        left = [i for i in left if before[0][i] in "kK"]
        taken = [i for i in taken if after[0][i] in "kK"]
    source, target = left[0], taken[0]
    promoted = after[0][target] if before[0][source] != after[0][target] else ""
    return _square(source) + _square(target) + promoted.lower()


def _square(index: int) -> str:
    return "abcdefgh"[index % 8] + str(8 - index // 8)


def _index(square: str) -> int:
    return "abcdefgh".index(square[0]) + 8 * (8 - int(square[1]))
