"""Rules on texts: each kind by hand and by regular expressions, together, and hostile texts."""

import re
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.language.instructions import MAX_RULES, InstructionsEnv
from zerogym.envs.reasoning.language.text_rules import KINDS, PINNING, describe, draw_rule, obeys
from zerogym.envs.reasoning.language.text_writer import write_text
from zerogym.envs.reasoning.language.texts import Text
from zerogym.envs.reasoning.language.words import words_by_initial, words_up_to

LEVELS = (0.0, 1.0, 2.5, 4.0, 20.0)

BY_HAND: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {  # kind: obeyed, not obeyed
    "words": (
        {"n": 3},
        ["One two three.", "- One, two -- 'three' \U0001f600"],
        ["One two.", "A b c d"],
    ),
    "sentence_lengths": (
        {"lengths": [2, 1]},
        ["It rains. Again!", "'It rains.' Again", "It\nrains? Again..."],
        ["It rains again.", "Again. It rains.", "It rains. Again. Yes."],
    ),
    "first_word": ({"word": "rain"}, ["Rain falls.", '"RAIN!" - he'], ["Rains fall.", "A rain"]),
    "last_word": ({"word": "rain"}, ["It is rain.", "It is\n\nRAIN!"], ["rain is", "It rains"]),
    "acrostic": (
        {"word": "tea"},
        ["Ten. Ever so! And?", "To. 'Eat'. Apples"],
        ["Ten. And. Ever.", "Tea.", "T. E. A. T.", "Ten. Ever."],
    ),
    "word_range": ({"low": 2, "high": 3}, ["a b", "a b c"], ["a", "a b c d"]),
    "sentences": ({"n": 2}, ["Hm. Yes", "So... What? \U0001f600"], ["One", "A. B. C."]),
    "paragraphs": (
        {"n": 2},
        ["a\n\nb", "a\nc\n \n\n\nb", "a\r\n\r\nb"],
        ["a", "a\nb", "a\n\nb\n\nc"],
    ),
    "bullets": (
        {"n": 2},
        ["- a\n- b", "So:\n  * a\n- b"],
        ["- a", "a - b - c", "-a\n-b", "- a\n- ", "- \n- a\n* ..."],
    ),
    "keyword": (
        {"word": "tea", "n": 2},
        ["Tea, tea!", "tea or TEA?"],
        ["tea", "tea team tea's", "tea tea tea"],
    ),
    "include": ({"words": ["sea", "tea"]}, ["Tea at sea."], ["tea", "Seas, tea", "teasea"]),
    "forbid": ({"words": ["the", "and"]}, ["Then a band"], ["The band", "you, and I"]),
    "no_letter": ({"letter": "e"}, ["A fair day."], ["The day", "EAST"]),
    "letter_count": ({"letter": "b", "n": 2}, ["Bob", "a b, a B"], ["b", "Bobby"]),
    "no_commas": ({}, ["So it is."], ["So, it is."]),
    "commas": ({"n": 2}, ["a, b, c", ",a,"], ["a, b", "a,,, b"]),
    "lower_case": ({}, ["all of it. 3"], ["All of it"]),
    "upper_case": ({}, ["ALL OF IT. 3"], ["ALL OF It"]),
    "initial": ({"letter": "s"}, ["So. Say it.", "s"], ["So. It is.", "It. So."]),
    "exclamations": ({"n": 2}, ["a! b!", "a!!"], ["a!", "a! b! c!"]),
    "questions": ({"n": 2}, ["a? b?", "a??"], ["a?", "a? b? c?"]),
    "no_repeats": ({}, ["one two"], ["one, One", "a b a"]),
    "short_words": ({"n": 5}, ["seven words"], ["longer word"]),
    "quoted": ({}, ['"So it is."', "\u201cSo.\u201d"], ['"So" it is.', "'So'", 'So "is"']),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_by_hand(kind: str) -> None:
    parameters, right, wrong = BY_HAND[kind]
    rule = {"kind": kind} | parameters
    assert all(str(value) in describe(rule) for value in parameters.values() if value == str(value))
    for text in right:
        assert obeys(Text(text), rule), text
    for text in wrong:
        assert not obeys(Text(text), rule), text
    for text in ("", " \n", "...", "- -"):
        assert not obeys(Text(text), rule), "no words"


WORD = r"(?<!\S)[^\w\s]*{}[^\w\s]*(?!\S)"
Check = Callable[[str, dict[str, Any]], bool]


def occurs(word: str, text: str) -> int:
    return len(re.findall(WORD.format(word), text, re.IGNORECASE))


def split_sentences(text: str) -> list[str]:
    """For the texts of our writer: each mark ends a sentence."""
    return [part.strip(" \n-") for part in re.split(r"[.!?]", text) if re.search(r"[a-zA-Z]", part)]


BY_REGEX: dict[str, Check] = {
    "words": lambda t, r: len(re.findall(r"[A-Za-z]+", t)) == r["n"],
    "sentence_lengths": lambda t, r: [len(s.split()) for s in split_sentences(t)] == r["lengths"],
    "first_word": lambda t, r: re.findall(r"[A-Za-z]+", t)[0].lower() == r["word"],
    "last_word": lambda t, r: re.findall(r"[A-Za-z]+", t)[-1].lower() == r["word"],
    "acrostic": lambda t, r: [s.strip('"')[0].lower() for s in split_sentences(t)] == [*r["word"]],
    "word_range": lambda t, r: r["low"] <= len(re.findall(r"[A-Za-z]+", t)) <= r["high"],
    "sentences": lambda t, r: len(re.findall(r"[.!?]", t)) == r["n"],
    "paragraphs": lambda t, r: len(t.split("\n\n")) == r["n"],
    "bullets": lambda t, r: len(re.findall(r"^- .*\w", t, re.MULTILINE)) == r["n"],
    "keyword": lambda t, r: occurs(r["word"], t) == r["n"],
    "include": lambda t, r: all(occurs(word, t) for word in r["words"]),
    "forbid": lambda t, r: not any(occurs(word, t) for word in r["words"]),
    "no_letter": lambda t, r: not re.search(r["letter"], t, re.IGNORECASE),
    "letter_count": lambda t, r: len(re.findall(r["letter"], t, re.IGNORECASE)) == r["n"],
    "no_commas": lambda t, r: not re.search(",", t),
    "commas": lambda t, r: len(re.findall(",", t)) == r["n"],
    "lower_case": lambda t, r: not re.search("[A-Z]", t),
    "upper_case": lambda t, r: not re.search("[a-z]", t),
    "initial": lambda t, r: {s.strip('"')[0].lower() for s in split_sentences(t)} == {r["letter"]},
    "exclamations": lambda t, r: len(re.findall("!", t)) == r["n"],
    "questions": lambda t, r: len(re.findall(r"\?", t)) == r["n"],
    "no_repeats": lambda t, r: not re.search(r"\b(\w+)\b.*\b\1\b", t.lower(), re.DOTALL),
    "short_words": lambda t, r: not re.search(rf"\w{{{r['n'] + 1}}}", t),
    "quoted": lambda t, r: re.fullmatch('".*"', t, re.DOTALL) is not None,
}


def test_regular_expressions_agree_with_the_rules() -> None:
    """On texts that obey, and on those of other problems, of which some do and most do not."""
    problems = draw_problems(InstructionsEnv, *LEVELS, count=60)
    texts = [InstructionsEnv.solve(problem) for problem in problems]
    counted: Counter[tuple[str, bool]] = Counter()
    for place, problem in enumerate(problems):
        own = (texts[place], problem.answer)
        for text in (*own, texts[place - 1], texts[place - 7]):
            for rule in problem.data["rules"]:
                right = obeys(Text(text), rule)
                assert right == BY_REGEX[rule["kind"]](text, rule), (rule, text)
                assert right or text not in own
                counted[rule["kind"], right] += 1
    assert {kind for kind, right in counted if right} == set(KINDS), "each kind is drawn and obeyed"
    assert {kind for kind, right in counted if not right} == set(KINDS), "and broken"


def test_rules_share_no_slot_and_one_pins() -> None:
    for problem in draw_problems(InstructionsEnv, *LEVELS, count=30):
        kinds = [rule["kind"] for rule in problem.data["rules"]]
        slots = [slot for kind in kinds for slot in KINDS[kind].slots]
        assert len(set(slots)) == len(slots)
        assert kinds[0] in PINNING
        assert not re.search(r",[.!?]", problem.answer)
        assert all(describe(rule) in problem.prompt for rule in problem.data["rules"])


def test_there_are_as_many_rules_as_the_difficulty_says() -> None:
    for level, count in ((0, 1), (1, 2), (3, 4)):
        problems = draw_problems(InstructionsEnv, level, count=60)
        assert all(len(problem.data["rules"]) == count for problem in problems)
    hardest = draw_problems(InstructionsEnv, 1e9, count=60)
    many = [len(problem.data["rules"]) for problem in hardest]
    assert max(many) == MAX_RULES
    assert np.mean(many) > 6


@pytest.mark.parametrize("kind", KINDS)
def test_the_writer_obeys_each_kind_alone(kind: str) -> None:
    rng, written = np.random.default_rng(1), 0
    for start in range(40):
        written += write_text([draw_rule(rng, kind, 1.0)], start) is not None
    assert written >= 35, "an acrostic may ask for a letter that starts no listed word"


def test_contradictions_have_no_text() -> None:
    word = {"kind": "first_word", "word": "tea"}
    for other in (
        {"kind": "no_letter", "letter": "e"},
        {"kind": "letter_count", "letter": "x", "n": 900},
        {"kind": "initial", "letter": "s"},
        {"kind": "keyword", "word": "tea", "n": 1},
    ):
        text = write_text([word, other], 0)
        assert text is None or all(obeys(Text(text), rule) for rule in (word, other))
    assert write_text([word, {"kind": "no_letter", "letter": "e"}], 0) is None
    assert write_text([word, {"kind": "forbid", "words": ["tea"]}], 0) is None
    twice = [{"kind": "words", "n": 12}, {"kind": "keyword", "word": "tea", "n": 13}]
    assert write_text(twice, 0) is None


def test_the_stride_reaches_every_word() -> None:
    pools = [words_up_to(7), *words_by_initial().values()]
    assert all(len(pool) % 997 for pool in pools)


def test_long_mixtures_score_nothing() -> None:
    """Texts made to hit many rules at once: all words of the list, all letters, many lengths."""
    problems = draw_problems(InstructionsEnv, 1.0, count=200)
    words = words_up_to(7)
    attempts = [" ".join(words[n::step])[:4000] for step in (5, 7, 11, 97, 151) for n in range(3)]
    attempts += [" ".join(words[:n]) + "." for n in range(12, 72, 3)]
    for text in attempts:
        scores = [InstructionsEnv.score(problem, text) for problem in problems]
        assert np.mean(scores) < 0.05, text[:50]


def test_broken_rules_are_named() -> None:
    rules = [{"kind": "words", "n": 3}, {"kind": "no_commas"}]
    problem = Problem("", "", data={"rules": rules})
    check_fault(InstructionsEnv, problem, "One two three", "")
    check_fault(InstructionsEnv, problem, "One, two three", "no commas")
    assert "3 words" not in InstructionsEnv.fault(problem, "One, two three")


@pytest.mark.parametrize(
    "unit", ["a", "a ", "! ", "\n", "\n\n", "- ", '"', ",", "\ud800", "\u0130"]
)
def test_hostile_texts_take_bounded_time(unit: str) -> None:
    text = (unit * 4096)[:4096]
    (problem,) = draw_problems(InstructionsEnv, 20.0, count=1)
    start = time.process_time()
    for _ in range(20):
        assert InstructionsEnv.score(problem, text) == 0
    assert time.process_time() - start < 1.0
