"""Sliding puzzles against the printed boards and known distances."""

import numpy as np
import pytest

from helpers.reasoning_problems import disturbed, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.puzzles.sliding_puzzle import SlidingPuzzleEnv, fewest_moves, slid

AHEAD = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


def slid_rows(rows: list[list[str]], move: str) -> bool:
    """Move the blank in place; false if it leaves the board."""
    ((y, x),) = [(y, x) for y, row in enumerate(rows) for x, tile in enumerate(row) if tile == "_"]
    to_y, to_x = y + AHEAD[move][0], x + AHEAD[move][1]
    if not (0 <= to_y < len(rows) and 0 <= to_x < 3):
        return False
    rows[y][x], rows[to_y][to_x] = rows[to_y][to_x], "_"
    return True


def test_sliding_scores_agree_with_the_printed_boards() -> None:
    rng, outcomes = np.random.default_rng(0), []
    for problem in draw_problems(SlidingPuzzleEnv, 0, 1, 2.5, 4, count=30):
        lines = problem.prompt.split("\n")
        middle = lines.index("Target:")
        target = [line.split() for line in lines[middle + 1 : -1]]
        for _ in range(8):
            moves = disturbed(problem.answer, rng)
            rows = [line.split() for line in lines[2:middle]]
            right = all(slid_rows(rows, move) for move in moves) and rows == target
            assert SlidingPuzzleEnv.score(problem, moves) == float(right)
            outcomes.append(right)
    assert 0.2 < np.mean(outcomes) < 0.8


def distances(board: str) -> dict[str, int]:
    found, waiting = {board: 0}, [board]
    for state in waiting:
        for after in (slid(state, move) for move in "UDLR"):
            if after is not None and after not in found:
                found[after] = found[state] + 1
                waiting.append(after)
    return found


@pytest.mark.proof
def test_the_known_numbers_of_the_eight_puzzle() -> None:
    found = distances("12345678_")
    assert len(found) == 181440 and max(found.values()) == 31
    assert [found[b] for b in ("8672543_1", "64785_321")] == [31, 31]
    for board, steps in list(found.items())[::9000]:
        assert len(fewest_moves(board, "12345678_")) == steps


def test_the_known_numbers_of_the_five_puzzle() -> None:
    found = distances("12345_")
    assert len(found) == 360 and max(found.values()) == 21
    assert all(len(fewest_moves(board, "12345_")) == steps for board, steps in found.items())
    with pytest.raises(ValueError, match="cannot be reached"):
        fewest_moves("21345_", "12345_")


def test_the_scramble_bounds_the_distance() -> None:
    for level, steps in ((0, 3), (1, 9), (2, 15)):
        for problem in draw_problems(SlidingPuzzleEnv, level, count=30):
            assert 1 <= len(SlidingPuzzleEnv.solve(problem)) <= len(problem.answer) <= steps + 1
            assert len(problem.data["start"]) == (6 if level == 0 else 9)


def test_what_is_wrong_in_sliding_is_said() -> None:
    problem = Problem("", "", data={"start": "12345678_", "target": "1234567_8"})
    assert SlidingPuzzleEnv.score(problem, "left") == 1
    assert SlidingPuzzleEnv.explain(problem, "R") == "Move 1, R, leaves the board."
    assert "1 2 3 / 4 5 _ / 7 8 6" in SlidingPuzzleEnv.explain(problem, "U")
