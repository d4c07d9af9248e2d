"""Syllogisms, against the classical lists and against enumeration of Venn diagrams."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from helpers.reasoning_problems import draw
from zerogym.benchmarks.auditing.shortcuts import shortcut
from zerogym.benchmarks.auditing.subject import QUICK, Subject
from zerogym.benchmarks.auditing.views import Views
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.syllogism import (
    SyllogismEnv,
    _valid_chain,
    _with_twin,
    valid_forms,
)
from zerogym.envs.reasoning.logic.venn import Statement, follows, follows_by_chaining, negation, say
from zerogym.envs.reasoning.logic.words import KINDS
from zerogym.envs.splits import split_of

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
    return read_lines(problem.prompt.split("\n")[1:])


def read_lines(lines: list[str]) -> tuple[list[Statement], Statement, list[str]]:
    found = SENTENCE.findall("\n".join(lines))
    kinds = sorted({kind for _, a, _, b in found for kind in (a, b)})
    moods = {("All", ""): "A", ("No", ""): "E", ("Some", ""): "I", ("Some", "not "): "O"}
    statements = [
        Statement(moods[word, negated], kinds.index(a), kinds.index(b))
        for word, a, negated, b in found
    ]
    return statements[:-1], statements[-1], kinds


@pytest.mark.parametrize("length", [2, 4])
def test_yes_is_shown_by_steps_that_are_valid_in_all_diagrams(length: int) -> None:
    diagrams = {"modern": worlds(3, False), "existential": worlds(3, True)}
    for problem in draw(SyllogismEnv, length - 2.0, 60, seed=2):
        if problem.answer == "no":
            continue
        _, *lines = problem.prompt.split("\n")
        known = {line for line in lines if line.endswith(".")}
        steps = problem.solution.split("\n")[:-1]
        assert len(steps) == length - 1
        for step in steps:
            *parents, result = (f"{part.removesuffix('.')}." for part in step.split("; "))
            result = result.removeprefix("therefore ")
            premises, conclusion, names = read_lines([*parents, result])
            assert len(names) == 3
            assert is_valid(premises, conclusion, diagrams[problem.category])
            assert known.issuperset(parents)
            known.add(result)
        assert f"Conclusion: {result}" in lines


@pytest.mark.parametrize("difficulty", [0.0, 2.0])
def test_counterexamples_are_some(difficulty: float) -> None:
    for problem in draw(SyllogismEnv, difficulty, 300, seed=2):
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
    for problem in draw(SyllogismEnv, 0.0, 3000, seed=3):
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


@pytest.mark.parametrize("difficulty", [0.0, 1.0, pytest.param(4.0, marks=pytest.mark.proof)])
def test_the_premises_about_the_ends_do_not_tell_the_answer(difficulty: float) -> None:
    """A table over them, from problems of the train side, is right in half of the cases."""
    table: Counter[tuple[object, ...]] = Counter()
    right = []
    for split in ("train", "test"):
        env = SyllogismEnv(difficulty=difficulty)
        env.reset(seed=5)
        for _ in range(150):
            env.reset(options={"split": split})
            problem = env._episode.problem
            ends, is_yes = ends_of(problem), problem.answer == "yes"
            if split == "train":
                table[ends] += 1 if is_yes else -1
            else:
                right.append((table[ends] > 0) == is_yes)
    assert abs(np.mean(right) - 0.5) < 3 * 0.5 / len(right) ** 0.5


@pytest.mark.parametrize("difficulty", [0.0, 2.0, 4.0])
def test_two_paths_of_the_same_length_lead_from_end_to_end(difficulty: float) -> None:
    """So which kinds a premise joins tells nothing unless its quantifier and direction are read."""
    length, answers = int(difficulty) + 2, set()
    for problem in draw(SyllogismEnv, difficulty, 60, seed=4):
        premises, (_, first, last), names = read(problem)
        links: dict[int, list[int]] = {kind: [] for kind in range(len(names))}
        for _, *pair in premises:
            for kind, other in (pair, pair[::-1]):
                links[kind].append(other)
        assert {kind: len(found) for kind, found in links.items()} == dict.fromkeys(links, 2)
        for second in links[first]:
            path = [first, second]
            while path[-1] != last:
                path += [kind for kind in links[path[-1]] if kind != path[-2]]
            assert len(path) == length + 1
        answers.add(problem.answer)
    assert answers == {"yes", "no"}


@pytest.mark.parametrize("existential", [False, True])
@pytest.mark.parametrize("count", [2, 3, 6])
def test_an_argument_and_its_twin_have_the_same_parts(count: int, existential: bool) -> None:
    rng = np.random.default_rng(count)
    checked = 0
    category = "existential" if existential else "modern"
    while checked < 20:
        chain, conclusion, _ = _valid_chain(rng, count, category, list(KINDS[: 2 * count]))
        pair = _with_twin(rng, chain, conclusion, existential)
        if pair is None:
            continue
        checked += 1
        valid, twin = pair
        assert is_pair(valid, twin, conclusion, existential)
        sides = [problem_of(one, conclusion, category) for one in pair]
        assert SyllogismEnv.canonical_key(sides[0]) == SyllogismEnv.canonical_key(sides[1])


def is_pair(
    valid: list[Statement], twin: list[Statement], conclusion: Statement, existential: bool
) -> bool:
    """An argument that needs each premise of its chain, and an invalid one of the same lines."""
    kinds, half = len(valid), len(valid) // 2
    shorter = [valid[:n] + valid[n + 1 :] for n in range(half)]
    return (
        follows_by_chaining(valid, conclusion, kinds, existential)
        and not follows_by_chaining(valid, negation(conclusion), kinds, existential)
        and not follows_by_chaining(twin, conclusion, kinds, existential)
        and not any(follows_by_chaining(rest, conclusion, kinds, existential) for rest in shorter)
        and [masked(one) for one in valid] == [masked(one) for one in twin]
    )


def masked(statement: Statement) -> tuple[object, ...]:
    """A premise without the kinds that are not in the conclusion."""
    mood, *ends = statement
    return mood, *(kind if kind < 2 else "_" for kind in ends)


def equal_up_to_kinds(
    premises: list[Statement], conclusion: Statement, existential: bool
) -> tuple[object, ...]:
    """A form of an argument of four premises: the first of all renamings."""
    ends = [(0, 1), (1, 0)] if conclusion.mood in "EI" else [(0, 1)]
    forms = []
    for names in ((*end, *inner) for end in ends for inner in ((2, 3), (3, 2))):
        lines = []
        for mood, *pair in premises:
            renamed = [names[kind] for kind in pair]
            lines.append((mood, *(sorted(renamed) if mood in "EI" else renamed)))
        forms.append(sorted(lines))
    return existential, conclusion.mood, tuple(min(forms))


def pairs_of_four_premises(
    existential: bool,
) -> Iterator[tuple[list[Statement], list[Statement], Statement]]:
    """All valid forms beside all other paths through a new kind, and what is left if both cross."""
    for (major, minor, end), one, other, first, second in product(
        valid_forms(existential), "AEIO", "AEIO", ([0, 3], [3, 0]), ([3, 1], [1, 3])
    ):
        conclusion = Statement(end.mood, 0, 1)
        chain = [Statement(m, (0, 2, 1)[a], (0, 2, 1)[b]) for m, a, b in (minor, major)]
        argument = [*chain, Statement(one, *first), Statement(other, *second)]
        changed = [
            Statement(mood, *({2: 3, 3: 2}.get(kind, kind) for kind in ends))
            for mood, *ends in argument
        ]
        twin = [argument[0], changed[1], argument[2], changed[3]]
        if is_pair(argument, twin, conclusion, existential):
            yield argument, twin, conclusion


def test_all_problems_of_difficulty_0_have_a_twin_with_the_same_lines() -> None:
    """Enumerated by chaining and renaming: 270 pairs, each with a key of its own."""
    keys, forms = set(), set()
    for category, existential in (("modern", False), ("existential", True)):
        for argument, twin, conclusion in pairs_of_four_premises(existential):
            found = {
                SyllogismEnv.canonical_key(problem_of(one, conclusion, category))
                for one in (argument, twin)
            }
            assert len(found) == 1
            keys |= found
            forms |= {equal_up_to_kinds(one, conclusion, existential) for one in (argument, twin)}
    assert len(keys) == 270 and len(forms) == 540
    sides = Counter(split_of("SyllogismEnv", key) for key in keys)
    page = " ".join(str(SyllogismEnv.__doc__).split())
    assert f"270 pairs ({sides['train']} train, {sides['test']} test)" in page
    drawn = {SyllogismEnv.canonical_key(one) for one in draw(SyllogismEnv, 0.0, 1000, seed=1)}
    assert drawn <= keys and len(drawn) > 200


PARTS = ("first sentence", "last sentence", "sentences that share names with the last", "counts")


@pytest.mark.parametrize("existential", [False, True])
def test_parts_of_the_prompt_have_the_features_of_those_of_the_twin(existential: bool) -> None:
    """Every pair of difficulty 0, as the audit's classifiers see it."""
    form = frozenset(("Premises:", "Does the conclusion follow from the premises?"))
    words = {"All", "No", "Some", "are", "not", "Conclusion"}
    views, count = Views(form, words, ("yes", "no")), 0
    for *both, conclusion in pairs_of_four_premises(existential):
        features = []
        for premises in both:
            said = [f"{say(premise, KINDS)}." for premise in premises]
            found = views.of("\n".join([*said, f"Conclusion: {say(conclusion, KINDS)}."]))
            features.append([found[name] for name in PARTS])
        assert features[0] == features[1]
        count += 1
    assert count > 300


def problem_of(premises: list[Statement], conclusion: Statement, category: str) -> Problem:
    data = {"premises": [list(p) for p in premises], "conclusion": list(conclusion)}
    return Problem("", "", category=category, data=data)


@pytest.mark.proof
@pytest.mark.parametrize("difficulty", [0.0, 1.0, 2.0, 4.0])
def test_no_bag_of_words_tells_the_answer(difficulty: float) -> None:
    found = shortcut(Subject("zerogym/Syllogism-v0", {"difficulty": difficulty}), QUICK)
    assert found.status == "pass", found.says
