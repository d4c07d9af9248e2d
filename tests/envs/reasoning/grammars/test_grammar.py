"""Grammars against plain enumeration of derivations."""

import re
from collections.abc import Iterator
from itertools import pairwise
from math import comb

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.grammars.grammar import GrammarEnv
from zerogym.envs.reasoning.grammars.grammars import (
    Grammar,
    chart_of,
    count_derivations,
    draw_grammar,
    draw_tree,
    leftmost_derivation,
    words_of,
)


def derivations(grammar: Grammar, form: tuple[str, ...], longest: int) -> Iterator[tuple[str, ...]]:
    """The word strings of all leftmost derivations, each as often as it is derived."""
    if len(form) > longest:
        return
    place = next((n for n, symbol in enumerate(form) if symbol in grammar), None)
    if place is None:
        yield form
        return
    for parts in grammar[form[place]]:
        yield from derivations(grammar, (*form[:place], *parts, *form[place + 1 :]), longest)


def test_counts_agree_with_enumeration() -> None:
    rng = np.random.default_rng(0)
    compared = ambiguous = 0
    while compared < 120:
        grammar = draw_grammar(rng, 3, ["a", "b"])
        all_strings = list(derivations(grammar, ("S",), 5))
        if not 0 < len(all_strings) < 3000:
            continue
        compared += 1
        for string in dict.fromkeys(all_strings):
            count = all_strings.count(string)
            ambiguous += count > 1
            assert count_derivations(grammar, string) == count
            assert "S" in chart_of(grammar, string)[0, len(string)]
        for _ in range(20):
            words = tuple(rng.choice(["a", "b"], size=int(rng.integers(1, 6))))
            derived = words in all_strings
            assert (count_derivations(grammar, words) > 0) == derived
            assert ("S" in chart_of(grammar, words)[0, len(words)]) == derived
    assert ambiguous > 50, "the comparison saw ambiguous strings"


@pytest.mark.parametrize("words", range(1, 9))
def test_bracketings_are_catalan_numbers(words: int) -> None:
    n = words - 1
    grammar = {"S": [["a"], ["S", "S"]]}
    assert count_derivations(grammar, ["a"] * words) == comb(2 * n, n) // (n + 1)


def test_derivations_replace_one_nonterminal_at_a_time() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        grammar = draw_grammar(rng, 4, ["a", "b", "c"])
        tree = draw_tree(rng, grammar, 15)
        if tree is None:
            continue
        lines = [line.split() for line in leftmost_derivation(tree)]
        assert (lines[0], lines[-1]) == (["S"], words_of(tree))
        for before, after in pairwise(lines):
            place = next(n for n, symbol in enumerate(before) if symbol in grammar)
            made = after[place : len(after) - (len(before) - place - 1)]
            assert made in grammar[before[place]]
            assert after == [*before[:place], *made, *before[place + 1 :]]


def from_prompt(prompt: str) -> tuple[Grammar, tuple[str, ...]]:
    rules = re.findall(r"^(\w) -> (.*)$", prompt, re.MULTILINE)
    grammar = {name: [parts.split() for parts in right.split(" | ")] for name, right in rules}
    string = re.search(r"(?:\?|root:)\n(.*)", prompt)
    assert string is not None
    return grammar, tuple(string[1].split())


@pytest.mark.parametrize("difficulty", [0.0, 0.5])
def test_answers_hold_by_enumeration_from_the_prompt(difficulty: float) -> None:
    for problem in draw_problems(GrammarEnv, difficulty, count=100, category="parsability"):
        grammar, words = from_prompt(problem.prompt)
        assert grammar == problem.data["grammar"]
        derived = words in set(derivations(grammar, ("S",), len(words)))
        assert problem.answer == ("yes" if derived else "no")
    for problem in draw_problems(GrammarEnv, difficulty, count=60, category="parse"):
        grammar, words = from_prompt(problem.prompt)
        assert list(derivations(grammar, ("S",), len(words))).count(words) == 1
        assert follows(grammar, problem.answer) == list(words)


def follows(grammar: Grammar, text: str) -> list[str]:
    """The leaves of a tree whose nodes are checked one by one, innermost first."""
    leaves: dict[str, list[str]] = {}
    while text.startswith("("):
        inner = re.search(r"\((\w) ([^()]*)\)", text)
        assert inner is not None
        children = inner[2].split()
        assert [child.partition("#")[0] for child in children] in grammar[inner[1]]
        name = f"{inner[1]}#{len(leaves)}"
        leaves[name] = [leaf for child in children for leaf in leaves.get(child, [child])]
        text = text[: inner.start()] + name + text[inner.end() :]
    assert text.startswith("S#")
    return leaves[text]


def neighbours(grammar: Grammar) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The pairs of words that can be neighbours in a derived string ("" at its ends); in a rule."""
    ends: dict[str, tuple[set[str], set[str]]] = {name: (set(), set()) for name in grammar}

    def of(symbol: str, end: int) -> set[str]:
        return ends[symbol][end] if symbol in grammar else {symbol}

    for _ in grammar:
        for name, rule in grammar.items():
            for parts in rule:
                ends[name][0].update(of(parts[0], 0))
                ends[name][1].update(of(parts[-1], 1))
    written = {pair for rule in grammar.values() for parts in rule for pair in pairwise(parts)}
    can = {(a, b) for left, right in written for a in of(left, 1) for b in of(right, 0)}
    can |= {("", word) for word in of("S", 0)} | {(word, "") for word in of("S", 1)}
    return can, written


def local_features(problem: Problem) -> list[float]:
    """The features that words and neighbours alone give."""
    grammar, words = from_prompt(problem.prompt)
    can, written = neighbours(grammar)
    pairs = list(pairwise(["", *words, ""]))
    known = [word for rule in grammar.values() for parts in rule for word in parts]
    return [
        sum(pair not in can for pair in pairs),
        len(words),
        np.mean([pair in written for pair in pairs]),
        len(set(pairs)) / len(pairs),
        len(set(words)) / len(words),
        sum(a == b for a, b in pairs),
        np.mean([known.count(word) for word in words]),
        min(known.count(word) for word in words),
        len(can) / len(grammar),
    ]


@pytest.mark.parametrize(
    ("difficulty", "count"),
    [(0.0, 100), (1.0, 100), *(pytest.param(d, 2500, marks=pytest.mark.proof) for d in (0, 1, 4))],
)
def test_words_and_neighbours_do_not_tell_whether_a_string_is_derived(
    difficulty: float, count: int
) -> None:
    """A logistic regression on them, from as many other problems, is right in half of the cases."""
    drawn = draw_problems(GrammarEnv, difficulty, count=2 * count, category="parsability")
    features = np.array(list(map(local_features, drawn)))
    assert not features[:, 0].any(), "two words that are neighbours in no derived string"
    features = (features - features.mean(0)) / (features.std(0) + 1e-9)
    inputs = np.column_stack([np.ones(len(drawn)), features, features**2])
    answers = np.array([problem.answer == "yes" for problem in drawn])
    weights = np.zeros(inputs.shape[1])
    for _ in range(10):  # Newton's steps
        chance = 1 / (1 + np.exp(-inputs[:count] @ weights))
        slope = inputs[:count].T @ (answers[:count] - chance) - weights
        curve = (inputs[:count].T * (chance * (1 - chance))) @ inputs[:count]
        weights += np.linalg.solve(curve + np.eye(len(weights)), slope)
    right = np.mean((inputs[count:] @ weights > 0) == answers[count:])
    assert right - 0.5 < 3 * 0.5 / count**0.5


TREE = Problem("", "(S (A cat) dog)", category="parse", data={"words": ["cat", "dog"]})


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("(S (A cat) dog)", ""), ("( S ( A cat ) dog ).", ""), ("[S [A cat] dog]", ""),
        ("(s (a Cat)\n dog)", ""), ("`(S (A cat) dog)`", ""), ("(S A cat dog)", "leaves"),
        ("(S (A cat dog))", "node"), ("(S (A cat) dog", "brackets"), ("S (A cat) dog", "brackets"),
        ("(S (B cat) dog)", "node"), ("(S (A dog) cat)", "leaves"), ("cat dog", "brackets"),
        ("", "brackets"), ("()" * 2000, "leaves"),
    ],
)  # fmt: skip
def test_forms_of_a_tree(answer: str, fault: str) -> None:
    check_fault(GrammarEnv, TREE, answer, fault)
