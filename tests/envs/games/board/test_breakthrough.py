"""Breakthrough: rules against plain ones on a list of cells, OpenSpiel, text, scripted player."""

from functools import cache

import pytest

from helpers.games.positions import after, courses, names, scripted_choices
from zerogym.envs.games.board.breakthrough import Breakthrough, BreakthroughState
from zerogym.envs.games.board.breakthrough_board import ends
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.solvers.alpha_beta import AlphaBeta
from zerogym.envs.games.solvers.minimax import solve

Board = tuple[str, ...]  # rows from the top


def read(*rows: str, mover: int = 0) -> tuple[Breakthrough, BreakthroughState]:
    """A game and a position from rows of X, O and dots, from the top."""
    cells = "".join(rows)
    down, up = (sum(1 << i for i, mark in enumerate(cells) if mark == who) for who in "XO")
    return Breakthrough(len(rows), len(rows[0])), BreakthroughState((down, up), mover)


def plain_moves(board: Board, seat: int) -> list[Board]:
    """The boards after each move, by the rules of the page, cell by cell."""
    own, other, forward = ("X", "O", 1) if seat == 0 else ("O", "X", -1)
    found = []
    for row, line in enumerate(board):
        for column, mark in enumerate(line):
            for side in (-1, 0, 1):
                to_row, to = row + forward, column + side
                if mark != own or not (0 <= to_row < len(board) and 0 <= to < len(line)):
                    continue
                if board[to_row][to] == "." or (board[to_row][to] == other and side):
                    cells = [list(each) for each in board]
                    cells[row][column], cells[to_row][to] = ".", own
                    found.append(tuple("".join(each) for each in cells))
    return found


def is_won(board: Board, seat: int) -> bool:
    """True if the seat that has just moved has won."""
    own, other, goal = ("X", "O", -1) if seat == 0 else ("O", "X", 0)
    return own in board[goal] or not any(other in line for line in board)


def plain_courses(board: Board, seat: int, depth: int) -> int:
    if depth == 0 or is_won(board, 1 - seat):
        return depth == 0
    return sum(plain_courses(each, 1 - seat, depth - 1) for each in plain_moves(board, seat))


@cache
def wins(board: Board, seat: int) -> bool:
    """True if the seat to move wins against perfect play."""
    return any(is_won(each, seat) or not wins(each, 1 - seat) for each in plain_moves(board, seat))


@pytest.mark.parametrize(
    ("board", "depth"),
    [
        (("XXXXXXXX",) * 2 + ("........",) * 4 + ("OOOOOOOO",) * 2, 3),
        (("XXXX", "....", "....", "OOOO"), 5),
        (("XXX", "...", "OOO"), 6),
    ],
)
def test_numbers_of_courses_are_those_of_plain_rules(board: Board, depth: int) -> None:
    game, state = read(*board)
    assert state == game.initial()
    for each in range(1, depth + 1):
        assert courses(game, state, each) == plain_courses(board, 0, each) > 0


def test_known_numbers_of_courses() -> None:
    game = Breakthrough()
    assert [courses(game, game.initial(), depth) for depth in (1, 2)] == [22, 22 * 22]


@pytest.mark.parametrize(("rows", "columns"), [(3, 2), (3, 3), (4, 2), (5, 2)])
def test_minimax_is_a_plain_recursion(rows: int, columns: int) -> None:
    game = Breakthrough(rows, columns)
    board = ("X" * columns, *("." * columns,) * (rows - 2), "O" * columns)
    assert solve(game)[game.initial()] == ((1, -1) if wins(board, 0) else (-1, 1))
    assert wins(board, 0) == ((rows, columns) != (4, 2))


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (5, 3), (4, 4), (6, 2)])
def test_alpha_beta_is_a_plain_recursion(rows: int, columns: int) -> None:
    game = Breakthrough(rows, columns)
    assert game.searchable and not game.enumerable
    full = 2 if rows >= 6 else 1
    board = (
        *("X" * columns,) * full,
        *("." * columns,) * (rows - 2 * full),
        *("O" * columns,) * full,
    )
    assert AlphaBeta(game).value(game.initial()) == (1 if wins(board, 0) else -1)


def test_moves_by_hand() -> None:
    game, state = read("X..", ".OX", "O..", "..O")
    assert names(game, state) == ["a4a3", "a4b3", "c3b2", "c3c2"]
    captured = after(game, ["a4b3"], state)
    assert captured == read("...", ".XX", "O..", "..O", mover=1)[1]
    assert names(game, captured) == ["a2a3", "a2b3", "c1b2", "c1c2"]
    game, blocked = read("X.", "O.", "OO")
    assert names(game, blocked) == ["a3b2"]
    game, state = read("XX", "..", ".O", mover=1)
    assert names(game, state) == ["b1a2", "b1b2"]


@pytest.mark.parametrize(
    ("rows", "mover", "move"),
    [
        (("...", "X.O", "..O"), 0, "a2a1"),
        (("X..", "..O", "..."), 1, "c2b3"),
        (("XX.", ".O.", "..."), 0, "a3b2"),
        (("...", ".X.", "O.O"), 1, "c1b2"),
    ],
)
def test_wins_by_arrival_and_by_capture(rows: Board, mover: int, move: str) -> None:
    game, state = read(*rows, mover=mover)
    end = after(game, [move], state)
    assert (game.to_move(end), game.legal(end)) == (TERMINAL, ())
    assert game.payoff(end) == ((1.0, -1.0) if mover == 0 else (-1.0, 1.0))
    assert game.describe(end, mover).endswith("You win.")
    assert game.describe(end, 1 - mover).endswith("You lose.")


def test_what_a_seat_reads_and_sees() -> None:
    game, state = read("XX.", "..X", "...", "OOO", mover=1)
    assert game.describe(state, 1) == "\n".join(
        [
            "4 X X .", "3 . . X", "2 . . .", "1 O O O", "  a b c",
            "You are O. Reply <answer>move</answer>, one of "
            "a1a2, a1b2, b1a2, b1b2, b1c2, c1b2, c1c2.",
        ]
    )  # fmt: skip
    assert "Reply" not in game.describe(state, 0)
    boards, seat = game.observe(state, 1)[:-1].reshape(3, 4, 3), game.observe(state, 1)[-1]
    assert ["".join("OX."[i] for i in row) for row in boards.argmax(0)] == [
        "XX.", "..X", "...", "OOO",
    ]  # fmt: skip
    assert (boards.sum(0) == 1).all() and seat == 1 and game.observe(state, 0)[-1] == 0


@pytest.mark.parametrize(
    "reply", ["b7a6", "B7A6", "b7 a6", "b7-a6", "Well.\n<answer>b7xa6</answer>"]
)
def test_moves_are_read(reply: str) -> None:
    game = Breakthrough()
    action = game.parse(game.initial(), reply)
    assert action is not None and ends(action, 8) == (9, 16)


@pytest.mark.parametrize(
    ("rows", "mover", "chosen"),
    [
        (("X..", ".O.", "X..", "..O"), 0, {"a2a1", "a2b1"}),  # wins rather than captures
        (("X.X.", ".O..", "X...", ".O..", "...O"), 0, {"a5b4", "c5b4"}),  # the closest first
        (("X..", "..X", "...", "OOO"), 0, {"a4a3", "a4b3"}),  # not where O captures
        (("X...", "....", ".OOX", "....", ".OO."), 0, {"a5a4", "a5b4"}),  # all are lost
        (("XXX", "...", "O..", "..O"), 1, {"c1b2", "c1c2"}),
    ],
)
def test_the_scripted_player(rows: Board, mover: int, chosen: set[str]) -> None:
    game, state = read(*rows, mover=mover)
    assert scripted_choices(game, state) == chosen
