"""Simple rules for strings: parts one after the other, each a letter, a class or a group.

The hidden rules of regex induction. A part is a `Repeat` that comes once or has `?`, `*` or `+`.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of
from zerogym.envs.reasoning.grammars.regex_matching import Matcher
from zerogym.envs.reasoning.grammars.regexes import Chars, Pattern, Repeat, Sequence

MORE_REPEATS = 3  # beyond the least, in a drawn string
COUNTS: tuple[tuple[int, int | None], ...] = ((1, 1), (0, 1), (0, None), (1, None))
Rule = tuple[Repeat, ...]


def draw_part(rng: np.random.Generator, letters: list[str], groups: bool) -> Repeat:
    """Draw a letter, a class of two letters or, if allowed, a group of two, and its repetition."""
    draw = rng.random()
    inner: Pattern = Chars(pick(rng, letters))
    if draw < 0.3:
        inner = Chars("".join(sorted(sample_of(rng, letters, 2))))
    elif draw < 0.5 and groups:
        inner = Sequence(tuple(map(Chars, sample_of(rng, letters, 2))))
    return Repeat(inner, *pick(rng, COUNTS))


def ways(rule: Rule) -> int:
    """Count the ways to draw a string: a bound on the number of different ones."""
    total = 1
    for part in rule:
        size = len(part.inner.chars) if isinstance(part.inner, Chars) else 1
        total *= sum(size**times for times in range(part.least, _most(part) + 1))
    return total


def _most(part: Repeat) -> int:
    return part.least + MORE_REPEATS if part.most is None else part.most


def written(rule: Rule) -> str:
    """Return the rule as text; a part that comes once needs no braces."""
    return str(Sequence(tuple(p.inner if p.most == p.least else p for p in rule)))


def draw_match(rng: np.random.Generator, rule: Rule) -> str:
    """Draw a string of the rule."""
    found = []
    for part in rule:
        times = draw_int(rng, part.least, _most(part))
        inner = part.inner
        one_of = inner.chars if isinstance(inner, Chars) else [str(inner)]
        found.extend([pick(rng, one_of) for _ in range(times)])
    return "".join(found)


def near_rules(rule: Rule, letters: list[str]) -> Iterator[Rule]:
    """Yield the rules that differ in one part: another repetition, letter or class, or no part."""
    for place, part in enumerate(rule):
        before, after = rule[:place], rule[place + 1 :]
        yield before + after
        for counts in COUNTS:
            if counts != (part.least, part.most):
                yield (*before, Repeat(part.inner, *counts), *after)
        if isinstance(part.inner, Chars):
            for letter in letters:
                chars = set(part.inner.chars) ^ {letter}
                if chars:
                    inner = Chars("".join(sorted(chars)))
                    yield (*before, Repeat(inner, part.least, part.most), *after)


def rules_that_fit(
    letters: list[str], count: int, good: list[str], bad: list[str]
) -> Iterator[str]:
    """Find the rules of `count` parts that match all the good strings and none of the bad ones.

    Example:
        >>> list(rules_that_fit(["a", "b"], 1, ["a", "aaa"], ["", "b", "ab"]))
        ['a+']
    """
    inner: list[Pattern] = [Chars(letter) for letter in letters]
    inner += [Chars(a + b) for a, b in combinations(letters, 2)]
    inner += [Sequence((Chars(a), Chars(b))) for a, b in product(letters, repeat=2)]
    parts = [Repeat(one, *counts) for one in inner for counts in COUNTS]
    ends = cache(_ends)

    def extended(rule: Rule, reached: list[frozenset[int]]) -> Iterator[str]:
        """Add parts; `reached` are the places of each good string where the rule can end."""
        if len(rule) == count:
            whole = all(len(s) in places for s, places in zip(good, reached, strict=True))
            if whole and not any(map(Matcher(Sequence(rule)).matches, bad)):
                yield written(rule)
            return
        for part in parts:
            after: list[frozenset[int]] = []
            for string, starts in zip(good, reached, strict=True):
                after.append(ends(part, string, starts))
                if not after[-1]:
                    break
            else:
                yield from extended((*rule, part), after)

    return extended((), [frozenset({0})] * len(good))


def _ends(part: Repeat, string: str, starts: frozenset[int]) -> frozenset[int]:
    """Return the places of a string where a match of the part can end that begins at a start."""
    one_of = part.inner.chars if isinstance(part.inner, Chars) else [str(part.inner)]
    reached, found = set(starts), set(starts if part.least == 0 else ())
    while reached:
        reached = {
            place + len(text)
            for place in reached
            for text in one_of
            if string.startswith(text, place)
        } - found
        found |= reached
        if part.most == 1:
            break
    return frozenset(found)


def parts_of(pattern: Pattern) -> int | None:
    """Count the parts of a rule, as few as it can have; None if the pattern is no such rule.

    Letters that follow one another, each once, are groups of two.

    Example:
        >>> from zerogym.envs.reasoning.grammars.regexes import parse_pattern
        >>> [parts_of(parse_pattern(text)) for text in ("a?[bc]+", "abc(de)*", "a|b", "(ab?)+")]
        [2, 3, None, None]
    """
    count = letters = 0
    for item in _in_sequence(pattern):
        once = isinstance(item, Chars)
        inner = item.inner if isinstance(item, Repeat) else item
        pieces = list(_in_sequence(inner))
        is_letters = all(
            isinstance(c, Chars) and len(c.chars) == 1 and not c.negated for c in pieces
        )
        is_class = isinstance(inner, Chars) and len(inner.chars) <= 2 and not inner.negated
        fits = is_class or (is_letters and len(pieces) == 2)
        if not fits or (isinstance(item, Repeat) and (item.least, item.most) not in COUNTS):
            return None
        if once and is_letters:
            letters += 1
        else:
            count, letters = count + (letters + 1) // 2 + 1, 0
    return count + (letters + 1) // 2


def _in_sequence(pattern: Pattern) -> Iterator[Pattern]:
    """Yield what follows one another, without brackets that change nothing."""
    for part in pattern.parts if isinstance(pattern, Sequence) else (pattern,):
        if isinstance(part, Sequence):
            yield from _in_sequence(part)
        else:
            yield part
