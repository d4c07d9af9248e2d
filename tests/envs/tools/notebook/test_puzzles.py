"""Problems of the notebook environment: their exact answers, programs and files."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from helpers.notebook_cases import CASES, GRAPH, LOG, NUMBERS, RECORDS, TABLE, TEXT
from zerogym.envs.tools.notebook.graphs import STYLES
from zerogym.envs.tools.notebook.number_lists import Kind, NumberPuzzle
from zerogym.envs.tools.notebook.puzzle import is_right, scaled
from zerogym.envs.tools.notebook.sample import SAMPLERS, sample_puzzle
from zerogym.envs.tools.notebook.tables import Condition


def test_answers_are_those_worked_out_by_hand() -> None:
    for puzzle, answer in CASES:
        assert puzzle.solve() == answer, puzzle


RUN_PROGRAMS = """
import contextlib, io, json, os, sys
os.chdir(sys.argv[1])
for files, program in json.load(open("cases")):
    for name, text in files.items():
        with open(name, "w") as file:
            file.write(text)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(program, {})
    print(out.getvalue().splitlines()[-1])
"""


def test_the_programs_find_it_in_the_files(run_python: Callable[..., str], tmp_path: Path) -> None:
    cases = [(dict(puzzle.files()), puzzle.program()) for puzzle, _ in CASES]
    (tmp_path / "cases").write_text(json.dumps(cases))
    found = run_python(RUN_PROGRAMS, str(tmp_path)).splitlines()
    assert found == [answer for _, answer in CASES]


def naive(puzzle: NumberPuzzle) -> int:
    """By trying everything."""
    kept = [n for n in puzzle.numbers if puzzle.drop is None or n % puzzle.drop]
    spans = [kept[a:b] for a, b in combinations(range(len(kept) + 1), 2)]
    chosen = [c for size in range(1, len(kept) + 1) for c in combinations(kept, size)]
    ordered = sorted(set(kept))
    left = Counter(n % puzzle.divisor for n in kept)
    return {
        "climb": max(sum(c) for c in chosen if list(c) == sorted(set(c))),
        "gap": sorted(b - a for a, b in pairwise(ordered))[-2],
        "inversions": sum(a > b for a, b in combinations(kept, 2)),
        "run": max(map(sum, spans)),
        "pairs": sum((a + b) % puzzle.divisor == 0 for a, b in combinations(kept, 2)),
        "common": min(left, key=lambda n: (-left[n], n)),
    }[puzzle.kind]


@pytest.mark.parametrize("kind", get_args(Kind))
def test_numbers_agree_with_trying_everything(kind: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(25):
        numbers = tuple(int(n) for n in rng.integers(-9, 10, size=10))
        drop = None if rng.random() < 0.5 else 3
        puzzle = replace(NUMBERS, numbers=numbers, kind=kind, drop=drop)
        if puzzle.is_sound():
            assert puzzle.solve() == str(naive(puzzle)), numbers


def test_a_question_with_an_idle_condition_is_not_posed() -> None:
    every = Condition(0, "weight", ">", 0)
    assert TABLE.is_sound() and not replace(TABLE, conditions=(every,)).is_sound()
    assert not replace(TABLE, conditions=(Condition(0, "weight", ">", 8),)).is_sound()
    assert not replace(LOG, window=(0, 27)).is_sound()
    assert not replace(GRAPH, stops=("d", "a")).is_sound()
    assert not replace(GRAPH, most=1).is_sound()
    assert not replace(RECORDS, keep=((0, "closed"),)).is_sound()
    assert TEXT.is_sound() and not replace(TEXT, word="zz").is_sound()


@pytest.mark.parametrize(
    ("given", "right"),
    [("1,204", "1204"), ("1204.0", "1204"), ("x = 1204", "1204"), ("**-3**", "-3"),
     ("(3, 7)", "3, 7"), ("3 7", "3, 7"), ("'Bob'", "bob"), ("bob.", "bob"), ("A B", "a b"),
     ("2031-01-04", "2031-01-04")],
)  # fmt: skip
def test_other_forms_of_the_answer_are_right(given: str, right: str) -> None:
    assert is_right(given.strip("*"), right)


@pytest.mark.parametrize(
    ("given", "right"),
    [("1204 1", "1204"), ("1205", "1204"), ("", "1204"), ("602 + 602", "1204"), ("7, 3", "3, 7"),
     ("37", "3, 7"), ("bobby", "bob"), ("a b c", "a b"), ("b a", "a b"), ("", "bob"),
     ("2031-01-05", "2031-01-04"), ("bob " * 10_000, "bob"), ("\ud800", "bob")],
)  # fmt: skip
def test_other_answers_are_wrong(given: str, right: str) -> None:
    assert not is_right(given, right)


@pytest.mark.parametrize("category", SAMPLERS)
def test_words_and_numbers_that_stand_out_in_the_files_are_seldom_the_answer(category: str) -> None:
    """The most frequent ones, the first and the last, how many there are: cheaper than to read."""
    rng, right, count = np.random.default_rng(2), Counter[str](), 0
    while count < 150:
        puzzle = SAMPLERS[category](rng, 0.0, False)
        if not puzzle.is_sound():
            continue
        count += 1
        text, answer = "\n".join(puzzle.files().values()), puzzle.solve()
        for pattern in (r"[a-z]{3,}", r"\d+"):
            found = re.findall(pattern, text)
            often = [word for word, _ in Counter(found).most_common(8)]
            for name, guess in enumerate([*often, *found[:1], *found[-1:], str(len(found))]):
                right[f"{pattern} {name}"] += is_right(guess, answer)
    assert max(right.values()) < 0.08 * count, right.most_common(3)


@pytest.mark.parametrize("category", SAMPLERS)
def test_files_stay_bounded(category: str) -> None:
    huge = SAMPLERS[category](np.random.default_rng(3), 1e300, True)
    assert huge.category == category
    assert sum(map(len, huge.files().values())) < 3_000_000


def test_every_kind_is_drawn_equally_often_and_soundly() -> None:
    rng = np.random.default_rng(4)
    puzzles = [sample_puzzle(rng, 2.0) for _ in range(400)]
    counts = Counter(puzzle.category for puzzle in puzzles)
    assert set(counts) == set(SAMPLERS) and min(counts.values()) > 25
    assert all(puzzle.is_sound() for puzzle in puzzles)
    assert len({puzzle.question for puzzle in puzzles}) > 395


def test_sizes_double_and_stop_at_the_most() -> None:
    rng = np.random.default_rng(6)
    sizes = [np.mean([scaled(rng, d, 100, 1000) for _ in range(200)]) for d in (0, 1, 2, 9)]
    assert sizes == pytest.approx([100, 200, 400, 1000], rel=0.05)


def test_the_question_about_roads_gives_the_order_on_a_line() -> None:
    for style, (line, _) in enumerate(STYLES):
        question = replace(GRAPH, style=style).question
        said = ["the cost" if "cost" in field else "where" for field in re.findall(r"{\w+}", line)]
        places = [question.index("the cost"), question.index("where")]
        assert not said or (places[0] < places[1]) == (said[0] == "the cost")
        assert ("in this order on each line" in question) == bool(said)
