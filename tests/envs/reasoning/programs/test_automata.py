"""Automata against tables known from the books and second ways to run them."""

import re
from collections import defaultdict
from itertools import pairwise, product

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.programs.cellular_automaton import CellularAutomatonEnv
from zerogym.envs.reasoning.programs.finite_automaton import FiniteAutomatonEnv
from zerogym.envs.reasoning.programs.rings import next_row, rules_between, text_row

RULE_30 = ("000010000", "000111000", "001100100", "011011110")  # Wolfram's figure, from one cell
RULE_110 = ("00000010", "00000110", "00001110", "00011010", "00111110")
GLIDER = ("010000", "001000", "111000", "000000", "000000", "000000")
BLINKER = {"board": ["00000", "00100", "00100", "00100", "00000"], "steps": 1}


@pytest.mark.parametrize(("rule", "rows"), [(30, RULE_30), (110, RULE_110)])
def test_rules_draw_the_figures_of_the_books(rule: int, rows: tuple[str, ...]) -> None:
    for before, after in pairwise(rows):
        assert text_row(next_row(int(before, 2), len(before), rule), len(before)) == after


def by_definition(row: str, rule: int) -> str:
    """Each cell from its three neighbours, by the definition of the rule's number."""
    table = {f"{7 - n:03b}": digit for n, digit in enumerate(f"{rule:08b}")}
    return "".join(table[(row[-1] + row + row[0])[n : n + 3]] for n in range(len(row)))


def test_a_step_of_bits_is_a_step_by_definition() -> None:
    rng = np.random.default_rng(0)
    for rule in range(256):
        row = "".join(map(str, rng.integers(0, 2, 9)))
        assert text_row(next_row(int(row, 2), 9, rule), 9) == by_definition(row, rule)


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 3.0])
def test_rows_and_rules_hold_by_definition(difficulty: float) -> None:
    for problem in draw_problems(CellularAutomatonEnv, difficulty, count=60, category="elementary"):
        row = problem.data["row"]
        for _ in range(problem.data["steps"]):
            row = by_definition(row, problem.data["rule"])
        assert row == problem.answer
        assert set(row) == set("01")
    for problem in draw_problems(CellularAutomatonEnv, difficulty, count=10, category="rule"):
        fitting = []
        for rule in range(256):
            rows = [start for start, _ in problem.data["pairs"]]
            for _ in range(problem.data["steps"]):
                rows = [by_definition(row, rule) for row in rows]
            fitting += [rule] if rows == [end for _, end in problem.data["pairs"]] else []
        assert fitting == [int(problem.answer)], "one rule, and no other"


def test_a_rule_that_rows_do_not_tell_is_not_unique() -> None:
    assert rules_between([(0, 0)], 12, 1) == list(range(0, 256, 2))


def life_by_rolling(rows: list[str], steps: int) -> list[str]:
    board = np.array([list(map(int, row)) for row in rows])
    shifts = [shift for shift in product((-1, 0, 1), repeat=2) if shift != (0, 0)]
    for _ in range(steps):
        around = sum(np.roll(board, shift, (0, 1)) for shift in shifts)
        board = ((around == 3) | ((around == 2) & (board == 1))).astype(int)
    return ["".join(map(str, row)) for row in board]


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_life_agrees_with_rolled_arrays(difficulty: float) -> None:
    for problem in draw_problems(CellularAutomatonEnv, difficulty, count=60, category="life"):
        rows = life_by_rolling(problem.data["board"], problem.data["steps"])
        assert problem.answer == CellularAutomatonEnv.solve(problem) == ";".join(rows)


def test_a_glider_moves_by_one_in_four_steps_and_a_blinker_turns() -> None:
    moved = ["000000", "001000", "000100", "011100", "000000", "000000"]
    glider = Problem("", "", category="life", data={"board": list(GLIDER), "steps": 4})
    assert CellularAutomatonEnv.solve(glider).split(";") == moved
    blinker = Problem("", "", category="life", data=BLINKER)
    assert CellularAutomatonEnv.solve(blinker) == "00000;00000;01110;00000;00000"


CELLS, FORM, RULE = "0 and 1", "2 x 2", "not the number"
BOARD = Problem("", "01;10", category="life")
RULE_ANSWER = Problem("", "110", category="rule", data={"rule": 110})


@pytest.mark.parametrize(
    ("problem", "answer", "fault"),
    [
        (BOARD, "01;10", ""), (BOARD, "0 1\n1 0", ""), (BOARD, "[[0, 1], [1, 0]]", ""),
        (BOARD, "[[0,1],[1,0]].", ""), (BOARD, "0110", FORM), (BOARD, "01;11", "Wrong cells: 1."),
        (BOARD, "01", FORM), (BOARD, "01;1", FORM), (BOARD, "", CELLS), (BOARD, "0x;10", CELLS),
        (RULE_ANSWER, "110", ""), (RULE_ANSWER, "Rule 110", ""), (RULE_ANSWER, "110.", ""),
        (RULE_ANSWER, "not 110", RULE), (RULE_ANSWER, "111", RULE), (RULE_ANSWER, "01101110", RULE),
    ],
)  # fmt: skip
def test_answers_may_be_written_in_several_ways(problem: Problem, answer: str, fault: str) -> None:
    check_fault(CellularAutomatonEnv, problem, answer, fault)


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_automata_run_as_read_from_the_prompt(difficulty: float) -> None:
    for category in FiniteAutomatonEnv.categories:
        for problem in draw_problems(FiniteAutomatonEnv, difficulty, count=30, category=category):
            assert problem.answer == run_from_text(problem.prompt, category)


def run_from_text(prompt: str, category: str) -> str:
    """The answer from nothing but the question."""
    moves = {}
    for state, line in re.findall(r"In (\w): (.*)", prompt):
        for letter, to, _, wrote in re.findall(r"on (\w) go to (\w)( and write (\d))?", line):
            moves[state, letter] = to, wrote
    now = re.search(r"starts in (\w)", prompt)[1]  # type: ignore[index]
    states, output = [now], ""
    for letter in re.search(r"word is (\w+)", prompt)[1]:  # type: ignore[index]
        now, wrote = moves[now, letter]
        states.append(now)
        output += wrote
    final = re.search(r"Accepting states: ([\w, ]+)", prompt)
    accepted = final is not None and now in final[1].split(", ")
    return {"states": ", ".join(states), "output": output}.get(category, ["no", "yes"][accepted])


def test_the_last_letters_alone_do_not_tell_whether_a_word_is_accepted() -> None:
    """Backwards from the accepting states, every ending leaves as many starts as there are."""
    for problem in draw_problems(FiniteAutomatonEnv, 1.5, count=100, category="accepted"):
        moves, starts = problem.data["moves"], set(problem.data["final"])
        for letter in reversed(problem.data["word"]):
            starts = {state for state in moves if moves[state][letter] in starts}
            assert len(starts) == len(problem.data["final"]), problem.prompt


def test_acceptance_is_balanced_whatever_the_number_of_states() -> None:
    found = defaultdict(list)
    for problem in draw_problems(FiniteAutomatonEnv, 1.5, count=600, category="accepted"):
        found[len(problem.data["moves"])].append(problem.answer == "yes")
    for answers in found.values():
        assert abs(np.mean(answers) - 0.5) < 4 * 0.5 / len(answers) ** 0.5


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("C, N, C", ""), ("[c, n, c]", ""), ("C -> N -> C", ""), ("CNC", ""), ("C N C.", ""),
        ("N, C", "2 entries"), ("C, N, C, C", "4 entries"), ("C, C, N", "Entry 2"),
        ("state C", "6 entries"), ("", "0 entries"),
    ],
)  # fmt: skip
def test_states_may_be_listed_in_several_ways(answer: str, fault: str) -> None:
    check_fault(FiniteAutomatonEnv, Problem("", "C, N, C", category="states"), answer, fault)
