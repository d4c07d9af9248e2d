"""Following and induction of regular expressions, with Python's engine as a second opinion.

It is used on patterns that the package made, never on answers.
"""

import re
from itertools import combinations, product

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.grammars.regex_following import LONGEST, RegexFollowingEnv
from zerogym.envs.reasoning.grammars.regex_induction import RegexInductionEnv
from zerogym.envs.reasoning.grammars.regexes import parse_pattern
from zerogym.envs.reasoning.grammars.simple_rules import parts_of

PART = re.compile(r"(\[\w+\]|\(\w+\)|\w)([?*+]?)")


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 2.5, 20.0])
def test_answers_match_and_are_long_enough(difficulty: float) -> None:
    for problem in draw_problems(RegexFollowingEnv, difficulty, count=60):
        pattern = re.compile(problem.data["pattern"])
        assert problem.prompt.endswith(problem.data["pattern"])
        length = problem.data["length"]
        for answer in (problem.answer, RegexFollowingEnv.solve(problem)):
            assert pattern.fullmatch(answer)
            assert len(answer) == (length or len(answer))
        for wrong in problem.distractors:
            assert not pattern.fullmatch(wrong) or len(wrong) != length


def test_scores_agree_with_the_standard_library_on_changed_answers() -> None:
    rng = np.random.default_rng(1)
    counted = {0.0: 0, 1.0: 0}
    for problem in draw_problems(RegexFollowingEnv, 1.0, count=300):
        text = problem.answer
        place = int(rng.integers(len(text)))
        for answer in (text[:place] + text[place + 1 :], text[: place + 1] + text[place:]):
            fits = re.fullmatch(problem.data["pattern"], answer) is not None
            fits = fits and problem.data["length"] in (None, len(answer))
            assert RegexFollowingEnv.score(problem, answer) == fits
            counted[float(fits)] += 1
    assert min(counted.values()) > 50


FOLLOW = Problem("", "aab", data={"pattern": "a+b[0-3]?", "length": None})
EXACT = Problem("", "aab", data={"pattern": "a+b[0-3]?", "length": 3})


@pytest.mark.parametrize(
    ("answer", "free", "exact"),
    [
        ("aab", 1, 1), (" 'ab2' ", 1, 1), ("`ab`", 1, 0), ("aaab", 1, 0), ("aab4", 0, 0),
        ("AAB", 0, 0), ("aa", 0, 0), ("", 0, 0), ("a+b[0-3]?", 0, 0), ("a" * 3000 + "b", 0, 0),
    ],
)  # fmt: skip
def test_forms_of_a_string(answer: str, free: float, exact: float) -> None:
    assert RegexFollowingEnv.score(FOLLOW, answer) == free
    assert RegexFollowingEnv.score(EXACT, answer) == exact


def test_explanations_of_a_string() -> None:
    assert "character 3" in RegexFollowingEnv.explain(FOLLOW, "aac")
    assert "more must follow" in RegexFollowingEnv.explain(FOLLOW, "aa")
    assert RegexFollowingEnv.explain(EXACT, "ab") == "The string has 2 characters."
    assert str(LONGEST) in RegexFollowingEnv.explain(FOLLOW, "a" * 200 + "b")


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 4.0])
def test_the_rule_tells_all_strings_apart_and_lists_do_not(difficulty: float) -> None:
    for problem in draw_problems(RegexInductionEnv, difficulty, count=30):
        data = {kind: problem.data[kind] for kind in STRINGS}
        rule = re.compile(problem.answer)
        assert all(map(rule.fullmatch, data["positive"] + data["held_positive"]))
        assert not any(map(rule.fullmatch, data["negative"] + data["held_negative"]))
        strings = [s for kind in data.values() for s in kind]
        assert len(set(strings)) == len(strings), "no string is shown and held out"
        for string in data["held_positive"] + data["held_negative"]:
            assert not re.search(rf"[ ,]{string}(,|\n|$)", problem.prompt)
        shown = "|".join(problem.data["positive"])
        for answer in (shown, f"({shown})", ".*", ".+", "[a-z]*", "", "|"):
            assert RegexInductionEnv.score(problem, answer) == 0.0


def runs(string: str, least: int) -> str:
    """`aab` as `a+b`, or as `a+b+` if `least` is 1."""
    found = [match[0] for match in re.finditer(r"(.)\1*", string)]
    return "".join(run[0] + "+" * (len(run) >= least) for run in found)


@pytest.mark.parametrize("difficulty", [1.0, 2.5])
def test_mechanical_generalisations_are_worth_little(difficulty: float) -> None:
    scores = []
    for problem in draw_problems(RegexInductionEnv, difficulty, count=100):
        shown = problem.data["positive"]
        letters = f"[{''.join(sorted(set(''.join(shown))))}]"
        guesses = ["|".join({runs(s, least): 0 for s in shown}) for least in (1, 2)]
        guesses += [f"{letters}+", "|".join({runs(s, 2).replace("+", "*"): 0 for s in shown})]
        guesses += ["|".join({re.sub(r"(..)\1+", r"(\1)+", s): 0 for s in shown})]
        scores.append([RegexInductionEnv.score(problem, guess) for guess in guesses])
    assert np.mean(scores, axis=0).max() < 0.15


def test_other_repetitions_of_a_part_are_ruled_out_or_equivalent() -> None:
    ruled_out = 0
    for problem in draw_problems(RegexInductionEnv, 1.0, count=40):
        parts = PART.findall(problem.answer)
        assert "".join(inner + sign for inner, sign in parts) == problem.answer
        if f"sequence of {len(parts)} parts" not in problem.prompt:
            continue  # a group that comes once is written without brackets: two parts to the eye
        for place, (inner, sign) in enumerate(parts):
            for other in {"", "?", "*", "+"} - {sign}:
                changed = [a + b for a, b in parts]
                changed[place] = inner + other
                score = RegexInductionEnv.score(problem, "".join(changed))
                assert score in (0.0, 1.0)
                ruled_out += score == 0
    assert ruled_out > 200


def fitting_rules(problem: Problem) -> list[str]:
    """All rules of the kind that the prompt states over its letters that fit the shown strings."""
    stated = re.search(r"sequence of (\d) parts", problem.prompt)
    lists = re.findall(r"match: (.*)", problem.prompt)
    assert stated is not None
    good, bad = (line.split(", ") for line in lists)
    letters = sorted(set("".join(good + bad)))
    inner = [*letters, *(f"[{a}{b}]" for a, b in combinations(letters, 2))]
    inner += [f"({a}{b})" for a, b in product(letters, repeat=2)]
    parts = [text + sign for text in inner for sign in ("", "?", "*", "+")]
    found = []
    for chosen in product(parts, repeat=int(stated[1])):
        rule = re.compile("".join(chosen))
        if all(map(rule.fullmatch, good)) and not any(map(rule.fullmatch, bad)):
            found.append(rule.pattern)
    return found


@pytest.mark.parametrize(
    ("difficulty", "count"), [(0.0, 12), pytest.param(1.0, 8, marks=pytest.mark.proof)]
)
def test_every_rule_of_the_stated_kind_that_fits_scores(difficulty: float, count: int) -> None:
    several = 0
    for problem in draw_problems(RegexInductionEnv, difficulty, count=count):
        rules = fitting_rules(problem)
        several += len(rules) > 1
        once = re.compile(r"\((\w+)\)(?![?*+])")  # brackets that change nothing
        known = {once.sub(r"\1", rule) for rule in rules}
        assert {once.sub(r"\1", rule) for rule in RegexInductionEnv.fitting(problem)} == known
        assert problem.answer in rules or "(" not in problem.answer
        for rule in rules:
            assert RegexInductionEnv.score(problem, rule) == 1.0, (problem.prompt, rule)
    assert several


def test_the_oracle_answers_with_a_rule() -> None:
    for problem in draw_problems(RegexInductionEnv, 1.0, count=20):
        assert "|" not in RegexInductionEnv.solve(problem)
        assert parts_of(parse_pattern(RegexInductionEnv.solve(problem))) is not None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a", 1), ("ab", 1), ("abc", 2), ("a?b", 2), ("[ab]c+", 2), ("(ab)*", 1), ("a{1,}", 1),
        ("(ab)", 1), ("a(bc)d", 2), ("", 0), ("a{2}", None), ("[abc]", None), ("a|b", None),
        (".", None), ("[^a]", None), ("(abc)*", None), ("(a?)+", None), ("([ab]c)?", None),
    ],
)  # fmt: skip
def test_parts_of_a_rule(text: str, count: int | None) -> None:
    assert parts_of(parse_pattern(text)) == count


STRINGS = {
    "positive": ["ab", "aab"],
    "negative": ["b", "abb"],
    "held_positive": ["aaab", "aaaab"],
    "held_negative": ["ba", "a", "aba", "aa"],
}
INDUCE = Problem("", "a+b", data=STRINGS | {"parts": 2})


HELD_OUT, SYNTAX = "not all others", "not such a regular expression"


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("a+b", ""), ("^a+b$", ""), ("`aa*b`", ""), ("/(?:a)+b/", ""), ("a{1,}b", ""),
        ("a{1,3}b", HELD_OUT), ("a+b|a", HELD_OUT), ("a+b|a|aa|ba|aba", HELD_OUT),
        ("ab|aab", HELD_OUT), ("ab", "It does not match aab."), ("a*b", "It matches b."),
        ("a+b+", "It matches abb."), ("(a+b", SYNTAX), ("a++b", SYNTAX), ("\\w+", SYNTAX),
        ("", "It does not match ab."),
    ],
)  # fmt: skip
def test_faults_of_an_expression_by_hand(answer: str, fault: str) -> None:
    check_fault(RegexInductionEnv, INDUCE, answer, fault)
