"""Battleship: rules by hand, values of tiny seas, OpenSpiel, the texts, the script."""

import pytest

from helpers.games.positions import after, names, scripted_choices
from zerogym.envs.games.board.battleship import Battleship
from zerogym.envs.games.board.battleship_fleets import HIT, SUNK, WATER, layouts, outcomes
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.envs.games.solvers.cfr import cfr_equilibrium

GAME = Battleship()


def test_numbers_of_layouts() -> None:
    # 16 ships of 3 and 24 of 2, less the pairs that overlap: on a plain count of cells.
    ships = {
        size: [{(r, c + i) for i in range(size)} for r in range(4) for c in range(5 - size)]
        + [{(r + i, c) for i in range(size)} for r in range(5 - size) for c in range(4)]
        for size in (2, 3)
    }
    pairs = sum(not three & two for three in ships[3] for two in ships[2])
    assert (len(ships[3]), len(ships[2]), pairs) == (16, 24, 264)
    found = layouts(GAME.sea, 2)
    assert len(found) == len({places for places, _ in found}) == pairs
    assert sum(weight for _, weight in found) == pytest.approx(1)


@pytest.mark.parametrize(
    ("cells", "shots", "value"),
    [
        (2, 1, 1 / 4),  # the first hits with 1/2, else the second with 1/2
        (3, 1, 1 / 9),  # 1/3, less 2/3 of 1/3
        (3, 3, 1 / 3),  # the first wins if it needs no more shots: 6 of 9 cases, and loses 3
    ],
)
def test_values_of_tiny_seas(cells: int, shots: int, value: float) -> None:
    """One ship of one cell, hidden uniformly: whatever the order of the shots."""
    game = Battleship(cells, 1, (1,), shots)
    strategy = cfr_equilibrium(game)
    assert expected_payoffs(game, [strategy, strategy])[0] == pytest.approx(value, abs=2e-3)
    assert exploitability(game, strategy) < 2e-3


def test_shots() -> None:
    state = after(GAME, ("a1 across", "b1 down", "a3 down", "c4 across"))
    assert state.mover == 0
    assert GAME.legal(state) == tuple(range(16))
    state = after(GAME, ["b1", "a4", "b3", "b1", "d4", "a3", "b2", "d1", "c4"], state)
    texts = [outcomes(GAME.sea, state.ships[1 - seat], state.shots[seat]) for seat in (0, 1)]
    assert texts == [(HIT, HIT, HIT, SUNK, SUNK), (HIT, HIT, SUNK, WATER)]
    assert GAME.to_move(state) == TERMINAL
    assert GAME.legal(state) == ()
    assert GAME.payoff(state) == (1.0, -1.0)


def test_the_shots_run_out() -> None:
    game = Battleship(num_shots=1)
    state = after(game, ("a1 across", "b1 down", "a3 down", "c4 across", "b1"))
    assert game.to_move(state) == 1
    state = game.apply(state, 0)
    assert game.to_move(state) == TERMINAL
    assert game.payoff(state) == (0.0, 0.0)


def test_a_ship_leaves_room_for_the_next() -> None:
    game = Battleship(3, 2, (2, 3), 6)
    assert names(game, game.initial()) == ["a1 across", "b1 across", "a2 across", "b2 across"]
    first = after(game, ("b2 across", "a1 across"))
    assert names(game, first) == ["a1 across"]


def test_texts() -> None:
    moves = ("a1 across", "b1 down", "a3 down", "c4 across")
    assert GAME.describe(GAME.initial(), 0).splitlines() == [
        "You are player 1. Your ships: none yet.",
        "Place your ship of 3 by its top left cell and its direction: reply "
        "<answer>cell across</answer> or <answer>cell down</answer>.",
    ]
    assert GAME.describe(after(GAME, moves[:1]), 0) == "You are player 1. Your ships: a1-c1."
    assert GAME.describe(after(GAME, (*moves, "b1", "d1", "d3")), 1).splitlines() == [
        "You are player 2. Your ships: b1-b3, c4-d4.",
        "Your shots: d1 water.",
        "Opponent's shots: b1 hit, d3 water.",
        "Opponent's sea (~ water, X hit):",
        "a1 b1 c1 ~", "a2 b2 c2 d2", "a3 b3 c3 d3", "a4 b4 c4 d4",
        "Reply <answer>cell</answer>, one you have not shot at.",
    ]  # fmt: skip
    state = after(GAME, (*moves, "b1", "d1", "b2", "d2", "b3", "a4", "d4", "d3", "c4"))
    assert GAME.describe(state, 0).endswith("\nYou win: +2.")
    assert GAME.describe(state, 1).endswith("\nYou lose: -2.")


@pytest.mark.parametrize(
    ("shots", "best"),
    [
        ((), {"b1"}),  # both places of a ship of two among three cells
        (("b1", "b1"), {"a1", "c1"}),
        (("a1", "a1"), {"b1", "c1"}),  # water, so the ship is on both others
    ],
)
def test_the_scripted_player_shoots_where_most_layouts_have_a_ship(
    shots: tuple[str, ...], best: set[str]
) -> None:
    game = Battleship(3, 1, (2,), 3)
    state = after(game, ("a1 across", "b1 across", *shots))
    assert scripted_choices(game, state) == best


def test_the_array_holds_boards_in_the_order_of_its_page() -> None:
    game = Battleship(2, 2, (2, 1), 4)
    state = after(game, ("a1 across", "a1 down", "b2 across", "b1 across", "b2", "a1", "a1", "b1"))
    boards = game.observe(state, 0)[2:].reshape(6, 4)
    assert game.observe(state, 0)[:2].tolist() == [1, 0]
    assert game.observe(state, 1)[:2].tolist() == [0, 1]
    assert boards.tolist() == [
        [1, 1, 0, 0],  # a1-b1
        [0, 0, 0, 1],  # b2
        [0.5, 0, 0, 0.25],  # b2 first, then a1
        [1, 0, 0, 0],  # a hit at a1
        [0, 0, 0, 0],  # that did not sink
        [0.25, 0.5, 0, 0],  # the opponent: a1, then b1
    ]
    sunk = game.observe(after(game, ("a1 across", "a1 down", "b2 across", "b1 across", "b1")), 0)
    assert sunk[2:].reshape(6, 4)[3:5].tolist() == [[0, 1, 0, 0], [0, 1, 0, 0]]
