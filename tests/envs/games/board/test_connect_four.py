"""Connect four: rules, counts of the literature, OpenSpiel, the text and the scripted player."""

import numpy as np
import pytest

from helpers.games.positions import after, courses, positions, scripted_choices
from zerogym.envs.games.board.connect_four import ConnectFour, ConnectFourState, has_four
from zerogym.envs.games.core.game import TERMINAL

GAME = ConnectFour()


def test_numbers_of_courses() -> None:
    # 7 to the power of the depth, until a column is full: seven courses put 7 discs into one.
    assert [courses(GAME, GAME.initial(), depth) for depth in range(6)] == [7**d for d in range(6)]
    assert courses(GAME, GAME.initial(), 7) == 7**7 - 7


def test_numbers_of_positions_are_those_of_the_literature() -> None:
    layer, sizes = {GAME.initial()}, []
    for _ in range(8):
        sizes.append(len(layer))
        layer = {GAME.apply(state, action) for state in layer for action in GAME.legal(state)}
    assert sizes == [1, 7, 49, 238, 1120, 4263, 16422, 54859]  # OEIS A212693


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ("1212121", 0), ("1122334", 0), ("51526354", 1), ("12233434464", 0), ("76655454424", 0),
        ("121212", None), ("112233", None), ("1223343446", None),
    ],
)  # fmt: skip
def test_lines_of_four(columns: str, winner: int | None) -> None:
    state = after(GAME, columns)
    assert (GAME.to_move(state) == TERMINAL) == (winner is not None)
    if winner is not None:
        assert GAME.payoff(state) == ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))
        assert GAME.legal(state) == ()


def all_lines() -> list[set[tuple[int, int]]]:
    """Every four cells (column, row) in a row."""
    lines = []
    for column in range(7):
        for row in range(6):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = {(column + i * right, row + i * up) for i in range(4)}
                if all(0 <= c < 7 and 0 <= r < 6 for c, r in line):
                    lines.append(line)
    return lines


def test_exactly_the_69_lines_win() -> None:
    lines = all_lines()
    assert len(lines) == 69
    rng = np.random.default_rng(0)
    for line in lines:
        assert has_four(sum(1 << 7 * column + row for column, row in line))
    for _ in range(3000):
        cells = {(c, r) for c in range(7) for r in range(6) if rng.random() < 0.4}
        expected = any(line <= cells for line in lines)
        assert has_four(sum(1 << 7 * column + row for column, row in cells)) == expected


def test_a_full_board_is_a_draw_and_a_full_column_is_closed() -> None:
    state = after(GAME, "111111")
    assert GAME.legal(state) == (1, 2, 3, 4, 5, 6)
    assert GAME.parse(state, "<answer>1</answer>") is None
    full = after(GAME, "547125662261271266215743771576315353334444")
    assert GAME.to_move(full) == TERMINAL
    assert GAME.payoff(full) == (0.0, 0.0)
    assert GAME.describe(full, 0).endswith("A draw.")


def test_what_a_seat_reads_and_sees() -> None:
    state = after(GAME, "4431")
    assert GAME.describe(state, 0) == "\n".join(
        [
            "1 2 3 4 5 6 7",
            *[". . . . . . ."] * 4,
            ". . . O . . .",
            "O . X X . . .",
            "You are X. Reply <answer>column</answer>, of 1, 2, 3, 4, 5, 6, 7.",
        ]
    )
    assert "Reply" not in GAME.describe(state, 1)
    own, other, empty = GAME.observe(state, 1).reshape(3, 6, 7)
    assert sorted(map(tuple, np.argwhere(own))) == [(4, 3), (5, 0)]
    assert sorted(map(tuple, np.argwhere(other))) == [(5, 2), (5, 3)]
    assert ((own + other + empty) == 1).all()
    assert GAME.describe(after(GAME, "1212121"), 1).endswith("You lose.")


@pytest.mark.parametrize(
    ("columns", "allowed"),
    [
        ("121212", {1}),  # X wins
        ("12121", {1}),  # O stops it
        ("1212721", {2}),  # O would have to stop column 1, but wins
        ("", {4}),
        ("7443521375446143351277412132213277", {5}),  # 5 and 6 are left, both lose
    ],
)
def test_the_scripted_player(columns: str, allowed: set[int]) -> None:
    assert scripted_choices(GAME, after(GAME, columns)) == set(map(str, allowed))


def test_the_scripted_player_wins_stops_and_does_not_give_away() -> None:
    applied = [0, 0, 0]
    for state in positions(GAME):
        if GAME.to_move(state) == TERMINAL:
            continue
        chosen = {int(name) - 1 for name in scripted_choices(GAME, state)}
        passed = state._replace(mover=1 - state.mover)
        safe = {c for c in GAME.legal(state) if not winning_columns(GAME.apply(state, c))}
        rules = (winning_columns(state), winning_columns(passed), safe)
        rule = next(index for index, columns in enumerate(rules) if columns)
        applied[rule] += 1
        if rule < 2:
            assert chosen == rules[rule]
        else:
            nearest = min(abs(column - 3) for column in rules[rule])
            assert chosen == {column for column in rules[rule] if abs(column - 3) == nearest}
    assert min(applied) > 5


def winning_columns(state: ConnectFourState) -> set[int]:
    """The columns in which the seat to move wins at once."""
    mover = state.mover
    return {c for c in GAME.legal(state) if GAME.payoff(GAME.apply(state, c))[mover] == 1}
