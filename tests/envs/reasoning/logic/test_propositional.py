"""Formulas, clauses and propositional entailment, against plain enumeration of cases."""

from itertools import product

import numpy as np
import pytest

from helpers.reasoning_problems import draw
from zerogym.benchmarks.auditing.shortcuts import shortcut
from zerogym.benchmarks.auditing.subject import QUICK, Subject
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.clauses import clauses_of, satisfy
from zerogym.envs.reasoning.logic.formulas import (
    Formula,
    columns,
    names_of,
    parse_formula,
    table,
    write,
)
from zerogym.envs.reasoning.logic.propositional_entailment import (
    PropositionalEntailmentEnv,
    _fill_both_ways,
    _shape,
)

OPERATORS = ("and", "or", "implies", "iff")


def holds(formula: Formula, case: dict[str, bool]) -> bool:
    """The value of a formula in one case, from the meaning of its operators."""
    if isinstance(formula, str):
        return case[formula]
    values = [holds(part, case) for part in formula[1:]]
    meaning = {
        "not": lambda: not values[0],
        "and": lambda: all(values),
        "or": lambda: any(values),
        "implies": lambda: values[1] if values[0] else True,
        "iff": lambda: values[0] is values[1],
    }
    return bool(meaning[str(formula[0])]())


def cases(names: list[str]) -> list[dict[str, bool]]:
    return [dict(zip(names, row, strict=True)) for row in product((True, False), repeat=len(names))]


def random_formula(rng: np.random.Generator, depth: int) -> Formula:
    if depth == 0 or rng.random() < 0.2:
        return "pqrs"[rng.integers(4)]
    if rng.random() < 0.3:
        return ("not", random_formula(rng, depth - 1))
    parts = random_formula(rng, depth - 1), random_formula(rng, depth - 1)
    return (OPERATORS[rng.integers(4)], *parts)


FORMULAS = [random_formula(np.random.default_rng(seed), 4) for seed in range(200)]


def test_tables_are_the_values_in_all_cases() -> None:
    names = list("pqrs")
    tables = dict(zip(names, columns(4), strict=True))
    for formula in FORMULAS:
        rows = table(formula, tables, (1 << 16) - 1)
        for row in range(16):
            case = {name: bool(row >> index & 1) for index, name in enumerate(names)}
            assert bool(rows >> row & 1) is holds(formula, case)


def test_written_formulas_are_read_back() -> None:
    assert [parse_formula(write(formula)) for formula in FORMULAS] == FORMULAS


def test_operators_bind_as_documented() -> None:
    meanings: dict[str, Formula] = {
        "~p & q": ("and", ("not", "p"), "q"),
        "p | q & r": ("or", "p", ("and", "q", "r")),
        "p -> q -> r": ("implies", "p", ("implies", "q", "r")),
        "p <-> q | r": ("iff", "p", ("or", "q", "r")),
        "p & q & r": ("and", ("and", "p", "q"), "r"),
        "((p))": "p",
        "~~p": ("not", ("not", "p")),
    }
    assert {text: parse_formula(text) for text in meanings} == meanings


@pytest.mark.parametrize("text", ["", "p q", "p &", "(p", "p)", "& p", "p + q", "2", "p ~ q"])
def test_what_is_no_formula_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="not a formula"):
        parse_formula(text)


def test_the_search_finds_a_case_when_there_is_one() -> None:
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(200):
        formulas = [FORMULAS[rng.integers(len(FORMULAS))] for _ in range(3)]
        names = names_of(formulas)
        clauses, numbers = clauses_of(formulas)
        found = satisfy(clauses)
        possible = any(all(holds(f, case) for f in formulas) for case in cases(names))
        assert (found is not None) is possible
        outcomes.add(possible)
        if found is not None:  # whatever is left open does not matter
            case = {name: numbers[name] in found for name in names}
            assert all(holds(formula, case) for formula in formulas)
    assert outcomes == {True, False}


def follows(problem: Problem) -> bool:
    premises = [parse_formula(text) for text in problem.data["premises"]]
    goal = parse_formula(problem.data["conclusion"])
    every = cases(names_of([*premises, goal]))
    return all(holds(goal, c) for c in every if all(holds(p, c) for p in premises))


@pytest.mark.parametrize("difficulty", [0, 1, 3.5])
def test_answers_are_those_of_all_cases(difficulty: float) -> None:
    for problem in draw(PropositionalEntailmentEnv, difficulty, 150, seed=1):
        assert problem.answer == ("yes" if follows(problem) else "no")


def test_known_arguments() -> None:
    known = {
        ("p -> q", "p", "q"): "yes",
        ("p -> q", "~q", "~p"): "yes",
        ("p -> q", "q", "p"): "no",
        ("p -> q", "~p", "~q"): "no",
        ("p | q", "~p", "q"): "yes",
        ("p -> q", "q -> r", "p -> r"): "yes",
        ("p <-> q", "q <-> r", "~p <-> ~r"): "yes",
    }
    for (*premises, goal), answer in known.items():
        problem = Problem("", answer, data={"premises": premises, "conclusion": goal})
        assert PropositionalEntailmentEnv.solve(problem) == answer


def premises_about_the_conclusion(problem: Problem) -> tuple[object, ...]:
    """The conclusion, and the premises without the letters that are not in it."""
    goal = problem.data["conclusion"]
    kept = sorted(set(goal) - set("~&|<-> ()"), key=goal.index)
    text = "".join(problem.data["premises"])

    def shown(formula: str) -> str:
        return "".join(
            str(kept.index(c)) if c in kept else "#" if c.isalpha() and text.count(c) > 1 else c
            if not c.isalpha() else "." for c in formula
        )  # fmt: skip

    near = (p for p in problem.data["premises"] if set(p) & set(kept))
    return shown(goal), *sorted(map(shown, near))


@pytest.mark.parametrize("letters", ["abc", "abcd"])
def test_a_problem_and_its_twin_look_alike_from_the_conclusion(letters: str) -> None:
    rng = np.random.default_rng(0)
    found = 0
    while found < 20:
        shapes = [_shape(rng, 1) for _ in range(3)] + [_shape(rng, int(rng.integers(2)))]
        pair = _fill_both_ways(rng, shapes, list(letters))
        if pair is None:
            continue
        found += 1
        sides = []
        for *premises, goal in pair:
            data = {"premises": [write(p) for p in premises], "conclusion": write(goal)}
            sides.append(Problem("", "", data=data))
        assert [follows(problem) for problem in sides] == [False, True]
        assert len({premises_about_the_conclusion(problem) for problem in sides}) == 1
        assert len({PropositionalEntailmentEnv.canonical_key(problem) for problem in sides}) == 1
        assert len({"".join(sorted("".join(p.data["premises"]))) for p in sides}) == 1


@pytest.mark.proof
@pytest.mark.parametrize("difficulty", [0.0, 1.0, 3.0])
def test_no_bag_of_words_tells_the_answer(difficulty: float) -> None:
    subject = Subject("zerogym/PropositionalEntailment-v0", {"difficulty": difficulty})
    found = shortcut(subject, QUICK)
    assert found.status == "pass", found.says


@pytest.mark.proof
def test_neither_length_nor_operators_tell_the_answer() -> None:
    problems = list(draw(PropositionalEntailmentEnv, 1.0, 3000, seed=2))
    yes = np.array([problem.answer == "yes" for problem in problems])
    assert abs(yes.mean() - 0.5) < 0.03
    for feature in (len, lambda text: text.count("|"), lambda text: text.count("~")):
        values = np.array([feature(problem.prompt) for problem in problems])
        assert abs(np.corrcoef(values, yes)[0, 1]) < 0.06


def test_the_worked_cases_close_every_case() -> None:
    for problem in draw(PropositionalEntailmentEnv, 2.0, 100, seed=3):
        lines = problem.solution.split("\n")[1:-1]
        names = sorted(names_of([parse_formula(text) for text in problem.data["premises"]]))
        if problem.answer == "yes":
            fixed = [line.partition(":")[0].count("=") for line in lines]
            assert sum(2.0 ** (len(names) - n) for n in fixed) == 2 ** len(names)
