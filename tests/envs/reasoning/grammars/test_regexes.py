"""Regular expressions against Python's own engine, which is used on patterns made here only."""

import re
import time
from itertools import product

import numpy as np
import pytest

from zerogym.envs.reasoning.grammars.regex_matching import Matcher
from zerogym.envs.reasoning.grammars.regexes import (
    Chars,
    Choice,
    Pattern,
    PatternError,
    Repeat,
    Sequence,
    parse_pattern,
)

STRINGS = ["".join(letters) for n in range(6) for letters in product("abc", repeat=n)]
COUNTS = ((0, 1), (0, None), (1, None), (2, 2), (1, 3), (2, None), (0, 2))


def random_pattern(rng: np.random.Generator, depth: int) -> Pattern:
    kind = int(rng.integers(0, 4 if depth else 1))
    if kind == 0:
        chars = "".join(sorted(rng.choice(list("abc"), int(rng.integers(1, 3)), replace=False)))
        return Chars(chars, bool(rng.random() < 0.2))
    if kind == 1:
        inner = random_pattern(rng, depth - 1)
        return Repeat(inner, *COUNTS[rng.integers(len(COUNTS))])
    parts = tuple(random_pattern(rng, depth - 1) for _ in range(int(rng.integers(2, 4))))
    return Choice(parts) if kind == 2 else Sequence(parts)


def test_matching_agrees_with_the_standard_library() -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        pattern = random_pattern(rng, 3)
        text = str(pattern)
        oracle, matcher, again = re.compile(text), Matcher(pattern), Matcher(parse_pattern(text))
        for string in STRINGS:
            expected = oracle.fullmatch(string) is not None
            assert matcher.matches(string) == expected, (text, string)
            assert again.matches(string) == expected, (text, string)


def test_lengths_of_strings_that_match() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        pattern = random_pattern(rng, 2)
        oracle = re.compile(str(pattern))
        for length in range(6):
            found = Matcher(pattern).string_of_length(length)
            strings = [s for s in STRINGS if len(s) == length and oracle.fullmatch(s)]
            if found is None:
                assert not strings
            else:
                assert len(found) == length
                assert oracle.fullmatch(found)


def test_the_place_of_failure_is_the_longest_beginning_of_a_match() -> None:
    rng = np.random.default_rng(2)
    for _ in range(60):
        pattern = random_pattern(rng, 2)
        oracle, matcher = re.compile(str(pattern)), Matcher(pattern)
        long = [s for s in STRINGS if oracle.fullmatch(s)]
        for string in ("ab", "cab", "bbb"):
            place = matcher.fails_at(string)
            assert (place > len(string)) == bool(oracle.fullmatch(string))
            begun = max((n for n in range(4) for s in long if s[:n] == string[:n]), default=0)
            assert place >= begun


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("^ab$", "ab"), ("(?:ab)+", "(ab)+"), ("[a-c]", "[abc]"), ("[abcd]", "[a-d]"),
        ("a{2}", "a{2}"), ("a{2,}", "a{2,}"), ("a{1,}", "a+"), ("a{0,1}", "a?"), ("(a|)", "a|"),
        ("((a))", "a"), ("[^a]", "[^a]"), ("x.y", "x.y"), ("(a|b)c", "(a|b)c"), ("a|bc", "a|bc"),
    ],
)  # fmt: skip
def test_patterns_that_are_understood(text: str, same: str) -> None:
    assert str(parse_pattern(text)) == same


@pytest.mark.parametrize(
    "text",
    [
        "(", ")", "(a", "a)", "[", "[]", "[a", "*", "a**", "a+?", "a{", "a{2", "a{x}", "a{3,1}",
        "a{100}", "a{-1}", "\\d", "a b", "(?=a)", "(?<x>a)", "[c-a]", "a^b", "a$b",
        "\x00", "\ud800", "é", "٣", "[a-é]", "(" * 2000 + ")" * 2000, "a{٣}",
    ],
)  # fmt: skip
def test_what_is_no_pattern_is_an_error(text: str) -> None:
    with pytest.raises(PatternError):
        parse_pattern(text)


@pytest.mark.parametrize(
    "text",
    [
        "(a{99}){99}", "((((){99}){99}){99}){99}", "((((a{9}){9}){9}){9}){9}", "a" * 4000,
        "(a|)" * 1000, "a{99}" * 800, "((a?){99}){99}",
    ],
)  # fmt: skip
def test_large_patterns_are_refused_quickly(text: str) -> None:
    start = time.process_time()
    with pytest.raises(PatternError):
        Matcher(parse_pattern(text))
    assert time.process_time() - start < 0.2


@pytest.mark.parametrize("text", ["(a+)+b", "(a|a)*b", "(a?){99}a{99}", "((a*)*)*b", "(.*)*.*x"])
def test_patterns_that_explode_elsewhere_are_matched_quickly(text: str) -> None:
    start = time.process_time()
    assert not Matcher(parse_pattern(text)).matches("a" * 40 + "c")
    assert time.process_time() - start < 0.2
