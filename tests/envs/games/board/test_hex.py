"""Hex: rules by hand, the theorem that there is no draw, known openings, OpenSpiel, the text."""

from itertools import combinations

import numpy as np
import pytest

from helpers.games.positions import after, scripted_choices
from zerogym.envs.games.board.hex import Hex
from zerogym.envs.games.board.hex_board import board_of
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import layers
from zerogym.envs.games.solvers.alpha_beta import AlphaBeta
from zerogym.envs.games.solvers.minimax import solve

GAME = Hex()


def at(cells: str, size: int = 5) -> int:
    """Bits of cells such as `a1 b2`."""
    return sum(1 << (int(c[1:]) - 1) * size + ord(c[0]) - ord("a") for c in cells.split())


def connected(cells: set[tuple[int, int]], size: int, seat: int) -> bool:
    """True if cells (row, column) connect the sides of a seat: a plain search."""
    found = [cell for cell in cells if cell[seat] == 0]
    for row, column in found:
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
            near = (row + down, column + right)
            if near in cells and near not in found:
                found.append(near)
    return any(cell[seat] == size - 1 for cell in found)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_full_board_connects_exactly_one_seat(size: int) -> None:
    """All boards with as many stones as at the end of a game: there is no draw."""
    cells, board = size * size, board_of(size)
    for chosen in combinations(range(cells), (cells + 1) // 2):
        first = sum(1 << cell for cell in chosen)
        stones = (first, board.cells & ~first)
        done = [board.missing(stones[seat], 0, seat) == 0 for seat in (0, 1)]
        assert sum(done) == 1
        assert done[0] == connected({divmod(cell, size) for cell in chosen}, size, 0)


def test_chains_are_those_of_a_plain_search() -> None:
    rng, board = np.random.default_rng(0), board_of(5)
    both = set()
    for _ in range(2000):
        chosen = np.flatnonzero(rng.random(25) < rng.random()).tolist()
        stones = sum(1 << cell for cell in chosen)
        for seat in (0, 1):
            expected = connected({divmod(cell, 5) for cell in chosen}, 5, seat)
            assert (board.missing(stones, 0, seat) == 0) == expected
            both.add((seat, expected))
    assert len(both) == 4


def test_missing_stones_are_counted_as_by_trying_all() -> None:
    rng, board = np.random.default_rng(1), board_of(3)
    observed = set()
    for _ in range(300):
        kinds = rng.integers(3, size=9)
        own = sum(1 << cell for cell in range(9) if kinds[cell] == 0)
        empty = [cell for cell in range(9) if kinds[cell] == 1]
        for seat in (0, 1):
            needed = next(
                (
                    count
                    for count in range(len(empty) + 1)
                    for more in combinations(empty, count)
                    if board.missing(own | sum(1 << cell for cell in more), 0, seat) == 0
                ),
                9,
            )
            assert board.missing(own, sum(1 << cell for cell in empty), seat) == needed
            observed.add(needed)
    assert observed == {0, 1, 2, 3, 9}


def test_numbers_of_positions() -> None:
    # The three full boards are those in which X has not connected with its second stone.
    assert [len(layer) for layer in layers(Hex(2))] == [1, 4, 4 * 3, 6 * 2, 3]
    assert sum(map(len, layers(Hex(3)))) == 5514


@pytest.mark.parametrize(
    ("size", "winning"), [(2, {"b1", "a2"}), (3, {"c1", "a2", "b2", "c2", "a3"})]
)
def test_winning_openings_are_those_of_the_literature(size: int, winning: set[str]) -> None:
    game = Hex(size)
    values = solve(game)
    root = game.initial()
    assert values[root] == (1.0, -1.0)
    found = {
        game.action_name(root, cell)
        for cell in game.legal(root)
        if values[game.apply(root, cell)][0] == 1
    }
    assert found == winning


@pytest.mark.proof
def test_only_the_short_diagonal_wins_on_the_board_of_sixteen_cells() -> None:
    game = Hex(4)
    best = AlphaBeta(game).probabilities(game.initial())
    winning = [cell for cell, p in enumerate(best) if p > 0]
    assert winning == [3, 6, 9, 12]  # d1, c2, b3, a4


@pytest.mark.parametrize(
    ("cells", "winner"),
    [
        ("c1 a1 c2 a2 c3 a3 c4 a4 c5", 0),
        ("e1 a1 d2 a2 c3 a3 b4 a4 a5", 0),  # along the cells that touch across the corner
        ("a1 e1 b2 e2 c3 e3 d4 e4 e5", None),  # the other diagonal does not touch
        ("a1 a3 b1 b3 c1 c3 d1 d3 e2 e3", 1),
        ("a1 b1 a2 b2 a3 b3 a4 b4", None),
    ],
)
def test_chains(cells: str, winner: int | None) -> None:
    state = after(GAME, cells.split())
    assert (GAME.to_move(state) == TERMINAL) == (winner is not None)
    if winner is not None:
        assert GAME.payoff(state) == ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))
        assert GAME.legal(state) == ()


def test_texts() -> None:
    game = Hex(3)
    state = after(game, ["b2", "a3", "b1"])
    board = "a1  X   c1\n  a2  X   c2\n    O   b3  c3"
    assert game.describe(state, 0) == board
    assert game.describe(state, 1) == board + (
        "\nYou are O, left to right. Reply <answer>cell</answer>, a free one by its name."
    )
    end = after(game, ["b2", "a3", "b1", "a1", "b3"])
    assert game.describe(end, 0).endswith("\nYou win.")
    assert game.describe(end, 1).endswith("\nYou lose.")
    assert "You are O, left to right, and move second" in game.rules(1)


def test_the_neighbours_that_the_rules_name_are_right() -> None:
    board = board_of(5)
    assert board.beside(at("b2")) & board.cells == at("a2 c2 b1 c1 a3 b3")
    assert "b2 touches a2, c2, b1, c1, a3 and b3" in GAME.rules(0)


@pytest.mark.parametrize(
    ("cells", "best"),
    [
        ("", "c3"),
        ("c1 a1 c2 a2 c3 a3 c4 a4", "b5 c5"),  # wins; both cells touch c4 and the last row
        ("a1 a3 e1 b3 a2 c3 e5 d3 e2", "e3"),
        ("a1 a3 e2 b3 a2 c3 e5 d3", "e3"),  # stops the opponent
    ],
)
def test_the_scripted_player(cells: str, best: str) -> None:
    state = after(GAME, cells.split())
    assert scripted_choices(GAME, state) == set(best.split())


def test_the_array_has_own_stones_first() -> None:
    state = after(Hex(2), ["b1", "a1"])
    assert Hex(2).observe(state, 0).tolist() == [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0]
    assert Hex(2).observe(state, 1).tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1]
