"""Syllogisms, against the classical lists and against enumeration of Venn diagrams."""

import re
from itertools import product

import numpy as np
import pytest

from helpers.reasoning_problems import draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.syllogism import SyllogismEnv, valid_forms
from zerogym.envs.reasoning.logic.venn import Statement, follows, follows_by_chaining

# Figure: subject and predicate of the major and of the minor premise (S, M, P are 0, 1, 2).
FIGURES = {1: ((1, 2), (0, 1)), 2: ((2, 1), (0, 1)), 3: ((1, 2), (1, 0)), 4: ((2, 1), (1, 0))}
ALWAYS_VALID = (
    "AAA-1 EAE-1 AII-1 EIO-1 EAE-2 AEE-2 EIO-2 AOO-2 IAI-3 AII-3 OAO-3 EIO-3 AEE-4 IAI-4 EIO-4"
)
VALID_WITH_MEMBERS = "AAI-1 EAO-1 EAO-2 AEO-2 AAI-3 EAO-3 AAI-4 EAO-4 AEO-4"
SENTENCE = re.compile(r"(All|No|Some) (\w+) are (not )?(\w+)\.")


def form(name: str) -> tuple[Statement, Statement, Statement]:
    moods, _, figure = name.partition("-")
    major, minor = FIGURES[int(figure)]
    return (
        Statement(moods[0], *major), Statement(moods[1], *minor), Statement(moods[2], 0, 2)
    )  # fmt: skip


def is_true(statement: Statement, world: list[tuple[bool, ...]]) -> bool:
    """In a world given as its members: for each, of which kinds it is."""
    mood, subject, predicate = statement
    found = [member[predicate] for member in world if member[subject]]
    return {"A": all(found), "E": not any(found), "I": any(found), "O": not all(found)}[mood]


def worlds(kinds: int, existential: bool) -> list[list[tuple[bool, ...]]]:
    """All worlds with at most one member a region: statements cannot tell more apart."""
    regions = list(product((False, True), repeat=kinds))
    found = []
    for inhabited in product((False, True), repeat=len(regions)):
        world = [region for region, lives in zip(regions, inhabited, strict=True) if lives]
        if not existential or all(any(member[k] for member in world) for k in range(kinds)):
            found.append(world)
    return found


def is_valid(
    premises: list[Statement], conclusion: Statement, among: list[list[tuple[bool, ...]]]
) -> bool:
    return all(
        is_true(conclusion, world)
        for world in among
        if all(is_true(premise, world) for premise in premises)
    )


def test_the_valid_forms_are_the_classical_ones() -> None:
    modern = {form(name) for name in ALWAYS_VALID.split()}
    assert set(valid_forms(False)) == modern
    assert set(valid_forms(True)) == modern | {form(name) for name in VALID_WITH_MEMBERS.split()}


@pytest.mark.parametrize("existential", [False, True])
def test_both_methods_agree_with_all_diagrams_on_all_forms(existential: bool) -> None:
    diagrams = worlds(3, existential)
    for moods in product("AEIO", repeat=3):
        for figure in FIGURES:
            major, minor, conclusion = form(f"{''.join(moods)}-{figure}")
            expected = is_valid([major, minor], conclusion, diagrams)
            for method in (follows, follows_by_chaining):
                assert method([major, minor], conclusion, 3, existential) is expected


@pytest.mark.parametrize("existential", [False, True])
def test_the_methods_agree_on_any_premises(existential: bool) -> None:
    """Not only chains: also premises on few kinds that contradict each other."""
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(2000):
        drawn = [
            Statement("AEIO"[rng.integers(4)], *map(int, rng.permutation(4)[:2]))
            for _ in range(1 + rng.integers(6))
        ]
        first = follows(drawn[1:], drawn[0], 4, existential)
        assert follows_by_chaining(drawn[1:], drawn[0], 4, existential) is first
        outcomes.add(first)
    assert outcomes == {True, False}


def read(problem: Problem) -> tuple[list[Statement], Statement, list[str]]:
    """Premises, conclusion and kinds, from the text alone."""
    found = SENTENCE.findall(problem.prompt.split("\n", 1)[1])
    kinds = sorted({kind for _, a, _, b in found for kind in (a, b)})
    moods = {("All", ""): "A", ("No", ""): "E", ("Some", ""): "I", ("Some", "not "): "O"}
    statements = [
        Statement(moods[word, negated], kinds.index(a), kinds.index(b))
        for word, a, negated, b in found
    ]
    return statements[:-1], statements[-1], kinds


@pytest.mark.parametrize(("kinds", "count"), [(3, 300), (4, 12)])
def test_answers_are_those_of_all_diagrams(kinds: int, count: int) -> None:
    diagrams = {"modern": worlds(kinds, False), "existential": worlds(kinds, True)}
    for problem in draw(SyllogismEnv, kinds - 3.0, count, seed=1):
        premises, conclusion, names = read(problem)
        assert len(names) == kinds
        expected = is_valid(premises, conclusion, diagrams[problem.category])
        assert problem.answer == ("yes" if expected else "no")
        assert '"All a are b"' in problem.prompt or problem.category == "existential"


def test_counterexamples_are_some() -> None:
    for problem in draw(SyllogismEnv, 2.0, 300, seed=2):
        premises, conclusion, kinds = read(problem)
        if problem.answer == "yes":
            continue
        members = re.findall(r"- somebody who is among the (.+)", problem.solution)
        world = [tuple(kind in m.split(", the ") for kind in kinds) for m in members]
        assert all(is_true(premise, world) for premise in premises)
        assert not is_true(conclusion, world)
        if problem.category == "existential":
            assert all(any(member[k] for member in world) for k in range(len(kinds)))


def test_the_quantifiers_do_not_tell_the_answer() -> None:
    answers: dict[tuple[str, ...], list[bool]] = {}
    for problem in draw(SyllogismEnv, 0.0, 6000, seed=3):
        premises, conclusion, _ = read(problem)
        key = (problem.category, *sorted(p.mood for p in premises), conclusion.mood)
        answers.setdefault(key, []).append(problem.answer == "yes")
    assert len(answers) > 10
    for found in answers.values():
        assert abs(np.mean(found) - 0.5) < 2.5 / len(found) ** 0.5


def ends_of(problem: Problem) -> tuple[object, ...]:
    """The conclusion's quantifier, and the premises that name one of its kinds."""
    premises, (mood, first, last), _ = read(problem)
    role = {first: "subject", last: "predicate"}
    named = [(p.mood, role.get(p.subject, ""), role.get(p.predicate, "")) for p in premises]
    return problem.category, mood, *sorted(p for p in named if p[1] or p[2])


@pytest.mark.parametrize(
    ("difficulty", "count"), [(1.0, 1500), pytest.param(4.0, 20_000, marks=pytest.mark.proof)]
)
def test_the_premises_about_the_ends_do_not_tell_the_answer(difficulty: float, count: int) -> None:
    """A table over them, from as many other problems, is right in half of the cases."""
    drawn = list(draw(SyllogismEnv, difficulty, 2 * count, seed=5))
    table: dict[tuple[object, ...], int] = {}
    for problem in drawn[:count]:
        ends = ends_of(problem)
        table[ends] = table.get(ends, 0) + (1 if problem.answer == "yes" else -1)
    right = [(table.get(ends_of(p), 0) > 0) == (p.answer == "yes") for p in drawn[count:]]
    assert abs(np.mean(right) - 0.5) < 3 * 0.5 / count**0.5
