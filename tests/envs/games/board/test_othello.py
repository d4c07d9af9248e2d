"""Othello: rules against plain ones cell by cell, known counts and games, OpenSpiel, the text."""

import re
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import after, courses, names, positions
from zerogym.envs.games.board.othello import PASS, Othello, OthelloState, scripted
from zerogym.envs.games.board.othello_board import enclosed, placeable
from zerogym.envs.games.core.game import TERMINAL

GAME = Othello()
DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def plain_enclosed(board: list[list[str]], row: int, column: int, own: str) -> set[int]:
    """The discs that a new one turns, by walking from it in every direction."""
    turned: set[int] = set()
    for down, right in DIRECTIONS:
        run, r, c = set(), row + down, column + right
        while 0 <= r < 8 and 0 <= c < 8 and board[r][c] not in (own, "."):
            run.add(8 * r + c)
            r, c = r + down, c + right
        if 0 <= r < 8 and 0 <= c < 8 and board[r][c] == own:
            turned |= run
    return turned


def bits(cells: Any) -> int:
    return sum(1 << cell for cell in cells)


def position(text: str, mover: int) -> OthelloState:
    """The state of a board, row by row from the top."""
    cells = "".join(text.split())
    first, second = (bits(i for i, mark in enumerate(cells) if mark == who) for who in "XO")
    own, other = (first, second) if mover == 0 else (second, first)
    return OthelloState((first, second), mover, placeable(own, other))


def play(record: str) -> tuple[OthelloState, int]:
    """The end of a game in the common notation, which leaves out the passes, and their number."""
    state, passes = GAME.initial(), 0
    for move in re.findall("..", record):
        if GAME.legal(state) == (PASS,):
            state, passes = GAME.apply(state, PASS), passes + 1
        state = after(GAME, [move], state)
    return state, passes


def test_numbers_of_courses_are_those_of_the_literature() -> None:
    found = [courses(GAME, GAME.initial(), depth) for depth in range(1, 8)]
    assert found == [4, 12, 56, 244, 1396, 8200, 55092]


@pytest.mark.parametrize("density", [0.2, 0.5, 0.9])
def test_bitboards_turn_what_plain_rules_turn(density: float) -> None:
    rng = np.random.default_rng(0)
    weights = [1 - density, density / 2, density / 2]
    for _ in range(60):
        board = rng.choice([".", "X", "O"], (8, 8), p=weights).tolist()
        flat = "".join("".join(row) for row in board)
        own, other = (bits(i for i, mark in enumerate(flat) if mark == who) for who in "XO")
        allowed = set()
        for cell in (i for i, mark in enumerate(flat) if mark == "."):
            turned = plain_enclosed(board, cell // 8, cell % 8, "X")
            assert enclosed(own, other, cell) == bits(turned)
            allowed |= {cell} if turned else set()
        assert placeable(own, other) == bits(allowed)


def test_a_move_by_hand() -> None:
    state = GAME.apply(GAME.initial(), 19)  # d3
    assert state.discs == (bits((19, 27, 28, 35)), bits((36,)))
    assert names(GAME, state) == ["c3", "e3", "c5"]


def test_a_full_line_is_turned() -> None:
    state = position(".OOOOOOX " + "........ " * 7, 0)
    assert GAME.legal(state) == (0,)
    end = GAME.apply(state, 0)
    assert end.discs == (0xFF, 0)
    assert (GAME.to_move(end), GAME.payoff(end)) == (TERMINAL, (1.0, -1.0))


def test_discs_do_not_enclose_around_the_edge() -> None:
    rows = ["........"] * 8
    rows[3], rows[4] = "......XO", "O......."  # g4 h4 | a5 are consecutive cells
    assert GAME.legal(position(" ".join(rows), 0)) == (PASS,)


@pytest.mark.parametrize(
    ("record", "discs", "passes"),
    [
        ("e6f4e3f6g5d6e7f5c5", (13, 0), 0),
        ("f5f4c3e6f7g6g4e8g8g5h5", (14, 1), 0),
        (
            "f5d6c4g5d7c7h5d8b8b7b6a7b5a6a5b4b3c6e8f8c8a8e7a4b2a2c2d2d1e2f2c5c3a1a3e6d3f6f7f1g2h2"
            "e3f4b1g1c1e1g8g7f3h1h3h4h6",
            (0, 59),
            23,
        ),
    ],
)
def test_known_games_end_before_the_board_is_full(
    record: str, discs: tuple[int, int], passes: int
) -> None:
    state, passed = play(record)
    assert tuple(each.bit_count() for each in state.discs) == discs
    assert passed == passes
    assert (GAME.to_move(state), GAME.legal(state)) == (TERMINAL, ())
    assert GAME.payoff(state)[0] == (1 if discs[0] > discs[1] else -1)


def test_a_pass_is_forced_and_only_then_legal() -> None:
    kinds = set()
    for state in positions(GAME):
        legal = GAME.legal(state)
        kinds.add(PASS in legal)
        assert PASS not in legal or len(legal) == 1
        if legal == (PASS,):
            passed = GAME.apply(state, PASS)
            assert passed.discs == state.discs
            assert GAME.to_move(passed) == 1 - state.mover
            assert GAME.legal(passed) != (PASS,)
            requests = GAME.describe(state, state.mover)
            assert requests.endswith("and can take no cell. Reply <answer>pass</answer>.")
            assert GAME.parse(state, "<answer>Pass</answer>") == PASS
        elif legal:
            assert GAME.parse(state, "pass") is None
    assert kinds == {True, False}


def test_equal_discs_are_a_draw() -> None:
    state = position("XXXXOOOO " + "........ " * 7, 0)._replace(mover=TERMINAL)
    assert GAME.payoff(state) == (0.0, 0.0)
    assert GAME.describe(state, 1).endswith("A draw, 4 discs to 4.")


def test_what_a_seat_reads_and_sees() -> None:
    state = GAME.apply(GAME.initial(), 19)
    assert GAME.describe(state, 1) == "\n".join(
        [
            "  a b c d e f g h",
            *(f"{row} . . . . . . . ." for row in (1, 2)),
            "3 . . . X . . . .",
            "4 . . . X X . . .",
            "5 . . . X O . . .",
            *(f"{row} . . . . . . . ." for row in (6, 7, 8)),
            "You are O. Reply <answer>cell</answer>, one of c3, e3, c5.",
        ]
    )
    assert "Reply" not in GAME.describe(state, 0)
    own, other, empty = GAME.observe(state, 1)[:-1].reshape(3, 64)
    assert np.flatnonzero(own).tolist() == [36]
    assert np.flatnonzero(other).tolist() == [19, 27, 28, 35]
    assert ((own + other + empty) == 1).all()
    assert [GAME.observe(state, seat)[-1] for seat in (0, 1)] == [0, 1]
    end = play("e6f4e3f6g5d6e7f5c5")[0]
    assert GAME.describe(end, 1).endswith("You lose, 0 discs to 13.")


def test_the_scripted_player_wins_takes_corners_and_does_not_give_them_away() -> None:
    assert scripted(GAME, GAME.initial(), 0) == [0.25] * 4
    applied = [0, 0, 0]
    for state in positions(GAME):
        if GAME.to_move(state) == TERMINAL:
            continue
        row, legal, seat = scripted(GAME, state, state.mover), GAME.legal(state), state.mover
        assert sum(row) == pytest.approx(1)
        chosen = {action for action, p in zip(legal, row, strict=True) if p > 0}
        winning = {action for action in legal if wins_at_once(state, action)}
        rest = {action: corners_after(state, action) for action in legal}
        if winning:
            allowed = winning
        elif CORNERS & set(legal):
            allowed = CORNERS
        else:
            allowed = {action for action in legal if rest[action] == min(rest.values())}
        assert chosen <= allowed, GAME.describe(state, seat)
        applied[0 if winning else 1 if allowed is CORNERS else 2] += allowed != set(legal)
    assert min(applied) > 0


def test_the_scripted_player_takes_everything_rather_than_a_corner() -> None:
    state = position("........ .OO..... .XXX.... " + "........ " * 5, 0)
    assert {0, 1} < set(GAME.legal(state))
    row = scripted(GAME, state, 0)
    assert dict(zip(GAME.legal(state), row, strict=True))[1] == 1


CORNERS = {0, 7, 56, 63}


def corners_after(state: OthelloState, action: int) -> int:
    """The corners that the opponent could take after a move."""
    discs = GAME.apply(state, action).discs
    own, other = discs[state.mover], discs[1 - state.mover]
    return sum(placeable(other, own) >> corner & 1 for corner in CORNERS)


def wins_at_once(state: OthelloState, action: int) -> bool:
    end = GAME.apply(state, action)
    return GAME.to_move(end) == TERMINAL and GAME.payoff(end)[state.mover] == 1
