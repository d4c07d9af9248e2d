"""Sudoku, Latin squares and Futoshiki against plain backtracking."""

from itertools import pairwise, product

import numpy as np
import pytest

from helpers.reasoning_problems import draw_problems
from zerogym.envs.reasoning.constraints.boards import (
    board_of,
    candidates,
    numbers_of,
    propagate,
    random_board,
    solve_board,
    worked_steps,
)
from zerogym.envs.reasoning.constraints.futoshiki import FutoshikiEnv
from zerogym.envs.reasoning.constraints.latin_square import LatinSquareEnv
from zerogym.envs.reasoning.constraints.number_grids import (
    NumberGridEnv,
    draw_grid,
    read_grid,
    with_blanks,
)
from zerogym.envs.reasoning.constraints.sudoku import SudokuEnv
from zerogym.envs.reasoning.core import Problem

GRIDS: list[type[NumberGridEnv]] = [SudokuEnv, LatinSquareEnv, FutoshikiEnv]
SHAPES = [(4, (2, 2)), (6, (2, 3)), (9, (3, 3)), (4, None), (5, None), (7, None)]

# From the literature: the example in Wikipedia's article on Sudoku, and its solution.
KNOWN = (
    "530070000600195000098000060800060003400803001700020006060000280000419005000080079",
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
)


def all_fillings(
    size: int,
    box: tuple[int, int] | None,
    clues: list[int],
    smaller: list[list[int]],
    limit: int = 2,
) -> list[list[int]]:
    """Up to `limit` solutions, cell by cell in reading order: slow, and nothing else in common."""
    found: list[list[int]] = []
    cells = list(clues)

    def fits(cell: int, number: int) -> bool:
        row, column = divmod(cell, size)
        for other in range(size * size):
            if other == cell or cells[other] != number:
                continue
            r, c = divmod(other, size)
            if r == row or c == column:
                return False
            if box and (r // box[0], c // box[1]) == (row // box[0], column // box[1]):
                return False
        low = [cells[b] > number for a, b in smaller if a == cell and cells[b]]
        high = [cells[a] < number for a, b in smaller if b == cell and cells[a]]
        return all(low) and all(high)

    def fill(cell: int) -> None:
        if len(found) == limit:
            return
        if cell == size * size:
            found.append(list(cells))
        elif clues[cell]:
            fill(cell + 1)
        else:
            for number in range(1, size + 1):
                if fits(cell, number):
                    cells[cell] = number
                    fill(cell + 1)
                    cells[cell] = 0

    fill(0)
    return found


def fillings_of(problem: Problem) -> list[list[int]]:
    data = problem.data
    box = (data["box"][0], data["box"][1]) if "box" in data else None
    return all_fillings(data["size"], box, data["clues"], data.get("smaller", []))


@pytest.mark.parametrize("env", GRIDS, ids=lambda env: env.__name__)
@pytest.mark.parametrize(("difficulty", "count"), [(0.0, 8), (0.5, 8), (1.0, 8), (2.0, 1)])
def test_a_grid_puzzle_has_one_solution_by_plain_backtracking(
    env: type[NumberGridEnv], difficulty: float, count: int
) -> None:
    for problem in draw_problems(env, difficulty, count=count):
        found = fillings_of(problem)
        assert [draw_grid(problem.data["size"], cells) for cells in found] == [problem.answer]


@pytest.mark.parametrize("env", GRIDS, ids=lambda env: env.__name__)
def test_more_difficulty_means_more_blanks(env: type[NumberGridEnv]) -> None:
    levels = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0)
    drawn = [draw_problems(env, level, count=12) for level in levels]
    means = [np.mean([p.data["clues"].count(0) for p in problems]) for problems in drawn]
    assert means == sorted(set(means))


def test_a_sudoku_from_the_literature() -> None:
    board = board_of(9, (3, 3))
    clues, solution = ([int(d) for d in text] for text in KNOWN)
    state, placed = candidates(board, clues)
    assert numbers_of(board, solve_board(board, state, placed)) == solution
    assert all_fillings(9, (3, 3), clues, []) == [solution]


@pytest.mark.parametrize(("size", "box"), SHAPES)
def test_random_full_boards_keep_the_rules_and_differ(
    size: int, box: tuple[int, int] | None
) -> None:
    rng, board = np.random.default_rng(0), board_of(size, box)
    boards = [random_board(board, rng) for _ in range(20)]
    for cells in boards:
        assert is_legal(cells, size, box)
        for cell in range(size * size):  # each number can be read off the others
            others = [n for c, n in enumerate(cells) if c != cell]
            rest = [*others[:cell], 0, *others[cell:]]
            assert all_fillings(size, box, rest, []) == [cells]
    assert len({tuple(cells) for cells in boards}) > 15


def test_all_latin_squares_of_size_three_are_found() -> None:
    """There are 12; each is the only completion of itself less a corner."""
    board = board_of(3)
    squares = all_fillings(3, None, [0] * 9, [], limit=100)
    assert len(squares) == 12
    for square in squares:
        state, placed = candidates(board, [0, *square[1:]])
        assert numbers_of(board, solve_board(board, state, placed)) == square
    drawn = {tuple(random_board(board, np.random.default_rng(s))) for s in range(200)}
    assert drawn == {tuple(square) for square in squares}


@pytest.mark.parametrize(("size", "box"), SHAPES)
def test_the_solver_agrees_with_backtracking_on_random_clues(
    size: int, box: tuple[int, int] | None
) -> None:
    """Also where there is no solution, or many."""
    rng, board = np.random.default_rng(7), board_of(size, box)
    outcomes = set()
    for trial in range(60):
        clues = random_board(board, rng)
        for cell in range(size * size):
            if rng.random() < 0.45:
                clues[cell] = 0
        if trial % 2:
            clues[int(rng.integers(size * size))] = int(rng.integers(1, size + 1))
        if any(clues.count(n) > size for n in range(1, size + 1)):
            continue
        found = all_fillings(size, box, clues, [], limit=100)
        found = [cells for cells in found if is_legal(cells, size, box)]
        state, placed = candidates(board, clues)
        solved = solve_board(board, state, placed)
        assert bool(solved) == bool(found)
        assert not solved or numbers_of(board, solved) in found or len(found) == 100
        outcomes.add(min(len(found), 2))
    assert outcomes >= {0, 1}


def is_legal(cells: list[int], size: int, box: tuple[int, int] | None) -> bool:
    """Return whether no two equal numbers share a line or box; clues are not checked elsewhere."""
    lines: dict[tuple[object, ...], list[int]] = {}
    for cell, number in enumerate(cells):
        row, column = divmod(cell, size)
        places: list[tuple[object, ...]] = [("row", row), ("column", column)]
        if box:
            places.append(("box", row // box[0], column // box[1]))
        for place in places:
            lines.setdefault(place, []).append(number)
    return all(len(set(line)) == size for line in lines.values())


def test_bounds_of_signs_by_hand() -> None:
    """A chain of three in a row, then in a column upwards; other cells keep all numbers."""
    board = board_of(3)
    for chain in ((0, 1, 2), (6, 3, 0), (8, 7, 6), (2, 5, 8)):
        prune = FutoshikiEnv.pruning(board, {"smaller": list(pairwise(chain))})
        state = prune(board.full)
        left = [[n + 1 for n in range(3) if state >> 9 * n + cell & 1] for cell in range(9)]
        assert [left[cell] for cell in chain] == [[1, 2], [2], [2, 3]]
        assert left.count([1, 2, 3]) == 6
        state, _ = propagate(board, board.full, 0, prune)
        left = [[n + 1 for n in range(3) if state >> 9 * n + cell & 1] for cell in range(9)]
        assert [left[cell] for cell in chain] == [[1], [2], [3]]


def test_bounds_of_signs_never_lose_a_solution() -> None:
    rng, board = np.random.default_rng(3), board_of(4)
    for _ in range(40):
        problem = FutoshikiEnv.sample(rng, 0.0)
        signs = problem.data["smaller"][: int(rng.integers(1, 9))]
        found = all_fillings(4, None, [0] * 16, signs, limit=1000)
        state = FutoshikiEnv.pruning(board, {"smaller": signs})(board.full)
        for cell, number in product(range(16), range(1, 5)):
            if any(cells[cell] == number for cells in found):
                assert state >> 16 * (number - 1) + cell & 1


@pytest.mark.parametrize(("size", "box"), SHAPES)
def test_a_puzzle_without_a_limit_of_blanks_needs_each_clue(
    size: int, box: tuple[int, int] | None
) -> None:
    rng, board = np.random.default_rng(2), board_of(size, box)
    solution = random_board(board, rng)
    clues = with_blanks(board, solution, size * size, rng)
    for cell in [cell for cell in range(size * size) if clues[cell]][:12]:
        state, placed = candidates(board, [0 if c == cell else n for c, n in enumerate(clues)])
        other = state & ~(1 << size * size * (solution[cell] - 1) + cell)
        assert solve_board(board, other, placed), "this clue could have been taken away"


@pytest.mark.parametrize("env", GRIDS, ids=lambda env: env.__name__)
def test_worked_steps_fill_each_blank_once(env: type[NumberGridEnv]) -> None:
    for problem in draw_problems(env, 0.0, 1.0, 3.0, count=1):
        data = problem.data
        board = board_of(data["size"], tuple(data["box"]) if "box" in data else None)
        cells = list(data["clues"])
        for step in worked_steps(board, *candidates(board, cells), env.pruning(board, data)):
            assert cells[step.cell] == 0
            cells[step.cell] = step.number
        assert draw_grid(data["size"], cells) == problem.answer


def test_singles_suffice_for_a_default_sudoku_and_not_for_the_hardest() -> None:
    def has_trial(problem: Problem) -> bool:
        return "every other number leads to a contradiction" in problem.solution

    rng = np.random.default_rng(8)
    assert not any(has_trial(SudokuEnv.sample(rng, d)) for d in [0.0, 0.5, 1.0] * 10)
    assert any(has_trial(SudokuEnv.sample(rng, 4.0)) for _ in range(10))


def test_grids_are_read_in_many_layouts() -> None:
    flat = ["1", "2", "3", "4"]
    layouts = ("1 2\n3 4", "[[1, 2], [3, 4]]", "12;34", "1 | 2\n3 | 4", "1,2\n3,4\n")
    assert all(read_grid(text) == flat for text in (*layouts, "[1, 2]\n[3, 4]"))
    assert read_grid("") is None


def test_faults_of_a_grid_are_named() -> None:
    env, problem = FutoshikiEnv, FutoshikiEnv.sample(np.random.default_rng(0), 1.0)
    size, clues = problem.data["size"], problem.data["clues"]
    cells = problem.answer.split()
    given = next(c for c in range(size * size) if clues[c])
    changed = [*cells[:given], str(clues[given] % size + 1), *cells[given + 1 :]]
    assert "was given" in env.explain(problem, draw_grid(size, [int(c) for c in changed]))
    assert "not a grid" in env.explain(problem, "1 2 3")
    assert "no number from" in env.explain(problem, problem.answer.replace("5", "6"))
    blank = next(c for c in range(size * size) if not clues[c])
    twice = [*cells[:blank], str(int(cells[blank]) % size + 1), *cells[blank + 1 :]]
    assert "more than once" in env.explain(problem, " ".join(twice))
    legal = all_fillings(size, None, clues, [], limit=50)
    other = next(f for f in legal if draw_grid(size, f) != problem.answer)
    assert "must be smaller" in env.explain(problem, draw_grid(size, other))
    assert env.score(problem, draw_grid(size, other)) == 0.0
