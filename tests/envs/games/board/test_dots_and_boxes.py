"""Dots and boxes: rules by hand, values of the literature, OpenSpiel, the text, the script."""

from typing import Any

import pytest

from helpers.games.positions import after, scripted_choices
from zerogym.envs.games.board.dots_and_boxes import DotsAndBoxes, DotsAndBoxesState
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import layers
from zerogym.envs.games.solvers.minimax import solve

GAME = DotsAndBoxes()
INSIDE = {3, 4, 8, 11}  # the lines between two boxes, as they are written


def test_numbers_of_positions() -> None:
    states = [state for layer in layers(GAME) for state in layer]
    assert len({state.lines for state in states}) == 2**12  # as Barker and Korf count them
    assert len(states) == 5349
    assert [len(layer) for layer in layers(DotsAndBoxes(1, 1))] == [1, 4, 6, 4, 1]


@pytest.mark.parametrize(
    ("rows", "cols", "margin"), [(1, 1, -1), (1, 2, 0), (2, 1, 0), (1, 3, -1), (2, 2, 2)]
)
def test_values(rows: int, cols: int, margin: int) -> None:
    """Boxes by which the first player wins; that of 2 times 2 boxes is also proved by hand."""
    game = DotsAndBoxes(rows, cols, utility_margin=True)
    assert solve(game)[game.initial()] == (margin, -margin)


def test_only_a_first_line_at_the_edge_wins() -> None:
    values = solve(GAME)
    assert values[GAME.initial()] == (1.0, -1.0)
    for number in range(1, 13):
        assert values[GAME.apply(GAME.initial(), number - 1)][0] == (
            0.0 if number in INSIDE else 1.0
        )


def test_who_closes_a_box_draws_again() -> None:
    assert after(GAME, ["1", "7", "8"]) == DotsAndBoxesState(0b11000001, (0, 0), 1)
    closed = after(GAME, ["1", "7", "8", "3"])
    assert (closed.boxes, closed.player) == ((0, 1), 1)
    assert (GAME.apply(closed, 1).boxes, GAME.apply(closed, 1).player) == ((0, 1), 0)


def test_one_line_may_close_two_boxes() -> None:
    state = after(GAME, ["1", "3", "7", "2", "4", "9", "8"])
    assert (state.boxes, state.player) == ((2, 0), 0)


def test_each_box_has_its_four_sides() -> None:
    for sides in ((1, 3, 7, 8), (2, 4, 8, 9), (3, 5, 10, 11), (4, 6, 11, 12)):
        assert after(GAME, map(str, sides)).boxes == (0, 1)
        others = [number for number in range(1, 13) if number not in sides]
        assert sum(after(GAME, map(str, others)).boxes) == 1, "the box across the corner"


@pytest.mark.parametrize(
    ("boxes", "payoff", "margin"),
    [((3, 1), (1, -1), (2, -2)), ((2, 2), (0, 0), (0, 0)), ((0, 4), (-1, 1), (-4, 4))],
)
def test_payoffs(boxes: Any, payoff: Any, margin: Any) -> None:
    state = DotsAndBoxesState(2**12 - 1, boxes, 0)
    assert GAME.to_move(state) == TERMINAL
    assert GAME.payoff(state) == payoff
    assert DotsAndBoxes(utility_margin=True).payoff(state) == margin


def test_texts() -> None:
    state = after(GAME, ["1", "3", "7", "8", "5", "12"])
    assert GAME.describe(state, 0) == (
        "Boxes: you (player 1) 0, opponent 1.\n"
        "+---+ 2 +\n"
        "|   |   9\n"
        "+---+ 4 +\n"
        "10  11  |\n"
        "+---+ 6 +"
    )
    assert GAME.describe(state, 1).startswith("Boxes: you (player 2) 1, opponent 0.\n")
    assert GAME.describe(state, 1).endswith("\nReply <answer>line</answer>, a free number.")
    end = DotsAndBoxesState(2**12 - 1, (3, 1), 0)
    assert GAME.describe(end, 0).endswith("\nYou win.")
    assert GAME.describe(end, 1).endswith("\nYou lose.")
    assert GAME.describe(DotsAndBoxesState(2**12 - 1, (2, 2), 0), 1).endswith("\nA draw.")
    assert "pays 1" in DotsAndBoxes(utility_margin=True).rules(0)


@pytest.mark.parametrize(
    ("drawn", "best"),
    [
        ((1, 3, 7), {8}),  # closes a box
        ((1, 3), {2, 4, 5, 6, 9, 10, 11, 12}),  # not the third side of a box
        ((3, 6, 8, 9, 10, 12), {1, 7}),  # one box rather than the chain of three
    ],
)
def test_the_scripted_player(drawn: tuple[int, ...], best: set[int]) -> None:
    state = after(GAME, map(str, drawn))
    assert scripted_choices(GAME, state) == set(map(str, best))


def test_the_array_holds_lines_shares_seat_and_turn() -> None:
    state = after(GAME, ["1", "3", "7", "8"])
    lines = [float(number in (1, 3, 7, 8)) for number in range(1, 13)]
    assert GAME.observe(state, 0).tolist() == [*lines, 0, 0.25, 0, 0]
    assert GAME.observe(state, 1).tolist() == [*lines, 0.25, 0, 1, 1]
