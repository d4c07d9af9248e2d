"""The 2x2x2 cube against turns written by hand, group laws and the known numbers of cubes."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.puzzles.cube import (
    FACES,
    SEARCHED,
    fewest_turns,
    inverse,
    is_solved,
    parse_turns,
    turned,
)
from zerogym.envs.reasoning.puzzles.rubik import Rubik2x2Env

SOLVED = "".join(face * 4 for face in FACES)
CUBES = (1, 9, 54, 321, 1847, 9992, 50136)  # at each distance, a half turn counts as one
LETTERS = "abcdefghijklmnopqrstuvwx"  # U abcd, L efgh, F ijkl, R mnop, B qrst, D uvwx

# Where the letters of a marked cube are after a clockwise turn: U, L, F, R, B, D.
BY_HAND = {
    "U": "cadb ijgh mnkl qrop efst uvwx",
    "D": "abcd efst ijgh mnkl qrop wuxv",
    "F": "abhf eugv kilj cndp qrst omwx",
    "B": "npcd bfah ijkl mxow sqtr uveg",
    "R": "ajcl efgh ivkx ompn drbt uswq",
    "L": "tbrd gehf ajcl mnop qwsu ivkx",
}


def played(cube: str, turns: str) -> str:
    for turn in turns.split():
        cube = turned(cube, turn)
    return cube


@pytest.mark.parametrize("face", FACES)
def test_turns_as_written_by_hand(face: str) -> None:
    assert turned(LETTERS, face) == BY_HAND[face].replace(" ", "")
    assert played(LETTERS, f"{face} {face}") == turned(LETTERS, f"{face}2")
    assert played(LETTERS, f"{face} {face} {face}") == turned(LETTERS, f"{face}'")
    for amount in ("", "'", "2"):
        assert played(LETTERS, f"{face}{amount} {inverse(face + amount)}") == LETTERS


def test_laws_of_the_group() -> None:
    assert played(LETTERS, "R U R' U' " * 6) == LETTERS, "known order 6"
    assert played(LETTERS, "R U R' U' " * 3) != LETTERS
    assert played(LETTERS, "R U " * 15) == LETTERS, "known order 15 on corners"
    assert played(LETTERS, "R L") == played(LETTERS, "L R")
    for pair in ("R L'", "U D'", "F B'"):
        assert is_solved(played(SOLVED, pair)), "turns the whole cube"
    assert not is_solved(turned(SOLVED, "R"))


def rings(cube: str) -> Iterator[list[str]]:
    """Yield the cubes at each distance from a cube."""
    visited, edge = {cube}, [cube]
    while edge:
        yield edge
        edge = list({turned(one, turn) for one in edge for turn in SEARCHED} - visited)
        visited.update(edge)


def test_the_known_numbers_of_cubes() -> None:
    assert [len(ring) for ring in islice(rings(SOLVED), len(CUBES))] == list(CUBES)


def distance(cube: str) -> int:
    """Breadth-first search from a cube until one is solved."""
    return next(steps for steps, ring in enumerate(rings(cube)) if any(map(is_solved, ring)))


def test_the_fewest_turns() -> None:
    for problem in draw_problems(Rubik2x2Env, 1.2, count=20):
        cube = problem.data["cube"]
        turns = fewest_turns(cube)
        assert len(turns) == distance(cube)
        assert is_solved(played(cube, " ".join(turns)))


def test_no_cube_needs_more_than_eleven_turns() -> None:
    drawn = draw_problems(Rubik2x2Env, 9, count=10)
    found = [len(fewest_turns(problem.data["cube"])) for problem in drawn]
    assert 8 <= np.mean(found) <= 10 and max(found) <= 11, "8.76 on average"


@pytest.mark.proof
def test_a_twisted_corner_cannot_be_solved() -> None:
    places = (3, 9, 12)  # of the corner at U, F, R
    twisted = list(SOLVED)
    for place, other in zip(places, places[1:] + places[:1], strict=True):
        twisted[place] = SOLVED[other]
    with pytest.raises(ValueError, match="cannot be solved"):
        fewest_turns("".join(twisted))


def test_scores_agree_with_the_printed_net() -> None:
    rng, visited = np.random.default_rng(1), []
    for problem in draw_problems(Rubik2x2Env, 1, count=60):
        lines = problem.prompt.split("\n")[1:7]
        cells = {(y, x): c for y, line in enumerate(lines) for x, c in enumerate(line) if c != " "}
        corners = {"U": (0, 4), "L": (2, 0), "F": (2, 4), "R": (2, 8), "B": (2, 12), "D": (4, 4)}
        cube = "".join(
            cells[y + dy, x + dx]
            for y, x in (corners[face] for face in FACES)
            for dy in (0, 1)
            for dx in (0, 2)
        )
        turns = problem.answer.split()
        if rng.random() < 0.5:
            turns[int(rng.integers(len(turns)))] = SEARCHED[int(rng.integers(9))]
        right = is_solved(played(cube, " ".join(turns)))
        assert Rubik2x2Env.score(problem, " ".join(turns)) == float(right)
        assert Rubik2x2Env.score(problem, "".join(turns)) == float(right), "without blanks"
        visited.append(right)
    assert 0.3 < np.mean(visited) < 0.9


COLOURS = "At the end, faces with several colours: U, F, B, D."


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        (("R'", "R2 R", "L'", "R’", " R' ", "D D' R'."), ""), (("R",), COLOURS),
        (("", "r'", "R'x", "turn R back", "x", "R''", "R22"), "standard notation"),
    ],
)  # fmt: skip
def test_every_face_may_be_turned_and_faults_are_named(answers: tuple, fault: str) -> None:
    for answer in answers:
        problem = Problem("", "", data={"cube": turned(SOLVED, "R")})
        check_fault(Rubik2x2Env, problem, answer, fault)


def test_reading_turns_is_bounded() -> None:
    assert parse_turns("R" * 4096) == ["R"] * 4096
    assert parse_turns("R" * 4097) is None
    assert parse_turns("U2' F2") == ["U2", "F2"]
    assert parse_turns("R,U") == ["R", "U"]
