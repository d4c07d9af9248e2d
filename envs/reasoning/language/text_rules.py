"""Rules on texts: each draws its parameters, says itself in words, and checks a text.

Left out: rules on meaning, style or language, which no program checks exactly.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of
from zerogym.envs.reasoning.language.texts import Text
from zerogym.envs.reasoning.language.words import draw_word

Rule = Mapping[str, Any]  # {"kind": ..., and its parameters}
COMMON = ("the", "and", "is", "it", "of", "to", "in", "that", "with", "for", "was", "are")
COMMON_LETTERS = "etaoinshr"
RARE_LETTERS = "bcdfgkmpuvwy"


@dataclass(frozen=True)
class RuleKind:
    """One kind of rule.

    Attributes:
        slots: Features of a text that it fixes; rules that share one may contradict each other.
        draw: Parameters (JSON values), from a generator and the difficulty.
        describe: The rule as a sentence; it is formatted with the parameters.
        obeyed: Tests whether a text obeys it.
        pins: Whether a text made regardless of the parameters has no chance.
    """

    slots: tuple[str, ...]
    draw: Callable[[np.random.Generator, float], dict[str, Any]]
    describe: str
    obeyed: Callable[[Text, Rule], bool]
    pins: bool = False


def describe(rule: Rule) -> str:
    """Return the rule as a sentence.

    Example:
        >>> describe({"kind": "words", "n": 20})
        'It has exactly 20 words.'
    """
    shown = {
        name: ", ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in rule.items()
    }
    return KINDS[rule["kind"]].describe.format(**shown)


def obeys(text: Text, rule: Rule) -> bool:
    """Return whether a text obeys a rule; a text without words obeys none."""
    return bool(text.words) and KINDS[rule["kind"]].obeyed(text, rule)


def _number(low: int, high: int, growth: float = 0.0) -> Callable[..., dict[str, Any]]:
    """Return a draw of `n` from `low` to `high`, which grows with the difficulty."""
    return lambda rng, level: {"n": draw_int(rng, low, high + int(growth * level))}


def _word(shortest: int, longest: int) -> Callable[..., dict[str, Any]]:
    return lambda rng, level: {"word": draw_word(rng, shortest, longest)}


def _letter(letters: str) -> Callable[..., dict[str, Any]]:
    return lambda rng, level: {"letter": pick(rng, letters)}


def _nothing(rng: np.random.Generator, level: float) -> dict[str, Any]:
    return {}


def _draw_range(rng: np.random.Generator, level: float) -> dict[str, Any]:
    low = draw_int(rng, 12, 40 + int(10 * level))
    return {"low": low, "high": low + draw_int(rng, 2, 5)}


def _draw_lengths(rng: np.random.Generator, level: float) -> dict[str, Any]:
    return {"lengths": [draw_int(rng, 3, 9) for _ in range(draw_int(rng, 3, 4 + int(level / 2)))]}


def _draw_words(rng: np.random.Generator, level: float) -> dict[str, Any]:
    count = draw_int(rng, 2, 3 + int(level / 2))
    return {"words": sorted({draw_word(rng, 3, 8) for _ in range(count)})}


def _draw_common(rng: np.random.Generator, level: float) -> dict[str, Any]:
    return {"words": sorted(sample_of(rng, COMMON, draw_int(rng, 2, 4)))}


def _initials(text: Text) -> str:
    return "".join(sentence[0][0] for sentence in text.sentences)


KINDS: dict[str, RuleKind] = {
    "words": RuleKind(
        ("words",), _number(12, 60, 10), "It has exactly {n} words.",
        lambda t, r: len(t.words) == r["n"], pins=True,
    ),
    "sentence_lengths": RuleKind(
        ("words", "sentences"), _draw_lengths,
        "Its sentences have these numbers of words, in this order: {lengths}.",
        lambda t, r: [len(sentence) for sentence in t.sentences] == r["lengths"], pins=True,
    ),
    "first_word": RuleKind(
        ("start", "initials"), _word(3, 8), 'Its first word is "{word}".',
        lambda t, r: t.words[0] == r["word"], pins=True,
    ),
    "last_word": RuleKind(
        ("end",), _word(3, 8), 'Its last word is "{word}".',
        lambda t, r: t.words[-1] == r["word"], pins=True,
    ),
    "acrostic": RuleKind(
        ("start", "initials", "sentences"), _word(3, 6),
        'The first letters of its sentences spell "{word}", one letter a sentence.',
        lambda t, r: _initials(t) == r["word"], pins=True,
    ),
    "word_range": RuleKind(
        ("words",), _draw_range, "It has at least {low} and at most {high} words.",
        lambda t, r: r["low"] <= len(t.words) <= r["high"],
    ),
    "sentences": RuleKind(
        ("sentences",), _number(3, 6, 1), "It has exactly {n} sentences.",
        lambda t, r: len(t.sentences) == r["n"],
    ),
    "paragraphs": RuleKind(
        ("layout",), _number(2, 3, 0.5), "It has exactly {n} paragraphs.",
        lambda t, r: t.paragraphs == r["n"],
    ),
    "bullets": RuleKind(
        ("layout",), _number(2, 4, 0.5),
        'It has exactly {n} bullet points, which are lines that start with "- " and a word.',
        lambda t, r: t.bullets == r["n"],
    ),
    "keyword": RuleKind(
        ("keyword",), lambda rng, level: _word(3, 8)(rng, level) | _number(2, 3, 0.5)(rng, level),
        'The word "{word}" occurs exactly {n} times.',
        lambda t, r: t.words.count(r["word"]) == r["n"],
    ),
    "include": RuleKind(
        ("include",), _draw_words, "These words occur: {words}.",
        lambda t, r: set(r["words"]) <= set(t.words),
    ),
    "forbid": RuleKind(
        ("forbid",), _draw_common, "None of these words occurs: {words}.",
        lambda t, r: not set(r["words"]) & set(t.words),
    ),
    "no_letter": RuleKind(
        ("letter",), _letter(COMMON_LETTERS), 'The letter "{letter}" does not occur.',
        lambda t, r: r["letter"] not in t.lower,
    ),
    "letter_count": RuleKind(
        ("letter",),
        lambda rng, level: _letter(RARE_LETTERS)(rng, level) | _number(2, 4, 1)(rng, level),
        'The letter "{letter}" occurs exactly {n} times.',
        lambda t, r: t.lower.count(r["letter"]) == r["n"],
    ),
    "no_commas": RuleKind(
        ("commas",), _nothing, "It has no commas.", lambda t, r: "," not in t.raw,
    ),
    "commas": RuleKind(
        ("commas",), _number(2, 4, 1), "It has exactly {n} commas.",
        lambda t, r: t.raw.count(",") == r["n"],
    ),
    "lower_case": RuleKind(
        ("case",), _nothing, "All of its letters are lower case.",
        lambda t, r: t.raw == t.lower,
    ),
    "upper_case": RuleKind(
        ("case",), _nothing, "All of its letters are capitals.",
        lambda t, r: t.raw == t.raw.upper(),
    ),
    "initial": RuleKind(
        ("start", "initials"), _letter("abcdefghilmnoprstw"),
        'Every sentence starts with the letter "{letter}".',
        lambda t, r: set(_initials(t)) == {r["letter"]},
    ),
    "exclamations": RuleKind(
        ("marks",), _number(2, 4), "It has exactly {n} exclamation marks.",
        lambda t, r: t.raw.count("!") == r["n"],
    ),
    "questions": RuleKind(
        ("marks",), _number(2, 4), "It has exactly {n} question marks.",
        lambda t, r: t.raw.count("?") == r["n"],
    ),
    "no_repeats": RuleKind(
        ("keyword",), _nothing, "No word occurs twice.",
        lambda t, r: len(set(t.words)) == len(t.words),
    ),
    "short_words": RuleKind(
        ("length",), _number(5, 7), "No word is longer than {n} characters.",
        lambda t, r: max(map(len, t.words)) <= r["n"],
    ),
    "quoted": RuleKind(
        ("layout",), _nothing, "The whole text stands in double quotation marks.",
        lambda t, r: t.raw[0] in '"\u201c' and t.raw[-1] in '"\u201d',
    ),
}  # fmt: skip
PINNING = tuple(name for name, kind in KINDS.items() if kind.pins)


def draw_rule(rng: np.random.Generator, kind: str, level: float) -> dict[str, Any]:
    """Draw the parameters of a rule."""
    return {"kind": kind} | KINDS[kind].draw(rng, level)
