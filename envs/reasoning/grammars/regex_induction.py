"""Induction of a regular expression from strings that it matches and strings that it does not.

Left out: alternatives, counted repetition and nesting in the hidden rule (answers may use them).
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.grammars.regex_matching import Matcher
from zerogym.envs.reasoning.grammars.regexes import PatternError, Sequence, parse_pattern
from zerogym.envs.reasoning.grammars.simple_rules import (
    Rule,
    draw_match,
    draw_part,
    near_rules,
    parts_of,
    rules_that_fit,
    ways,
    written,
)
from zerogym.envs.reasoning.renaming import key_up_to_names

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
MAX_PARTS = 6
LONGEST = 12  # characters of a string
SHOWN = 11  # strings of each kind, the shortest, before those that rule out near rules
SHOWN_OF_TWO = 4  # for rules of two parts, which have few strings
MOST_SHOWN = 16  # strings of each kind
HELD_OUT = 6  # strings of each kind
NEW_FORMS = 2  # held-out strings of the rule at least that are no shown one with longer runs
FEWEST_WAYS = 14  # to draw a string; rules with fewer have too few strings
DRAWS = 60  # of strings of each kind, for one rule


class RegexInductionEnv(ReasoningEnv):
    """Find a regular expression that matches some strings and not others.

    Description:
        A rule is drawn: a sequence of letters, classes of two letters and groups of two letters,
        each with `?`, `*`, `+` or nothing. The shortest of the drawn strings that it matches are
        shown, and of others that are a small change away. Each rule that differs from the hidden
        one in one part is ruled out by some string that is shown, if one of some hundred drawn
        strings can tell the two apart. Rules that differ in more parts may remain. Each rule of the
        stated kind that fits all shown strings is right, since nothing tells which was drawn; any
        other expression is tried on held-out strings. From three parts on, two or more of these are
        no shown string with longer or shorter runs, so that a list of the shown strings is worth
        nothing, nor is one in which `aab` became `a+b`.

    Observation:
        The strings as text, and what a rule is made of.

    Action:
        The reply as text; the answer is a regular expression of letters, digits, `.`, classes,
        brackets, `|`, `?`, `*`, `+` and `{2,4}`, read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line. `^` before and `$` after it are allowed.

    Reward:
        1 if all shown strings are right, and the answer is a rule of the stated kind or is right on
        12 held-out strings (6 of the rule, 6 others); else 0.

    Episode end:
        After a reply worth 1, or `max_attempts` of them.

    Difficulty:
        `2 + difficulty` parts of the rule (at most 6) and `2 + difficulty / 2` letters (at most 4);
        a fractional part is the chance of one more. Below 1 there are no groups.

    Example:
        >>> env = RegexInductionEnv(difficulty=0)
        >>> print(*env.reset(seed=1)[0].splitlines()[1:3], sep="\\n")
        match: sf, ff, f, ssf
        do not match: ss, fs, ffs, fss
        >>> env.step("<answer>[fs]*f</answer>")[1]
        1.0

    Source:
        The task regex induction of "Reasoning Core: A Scalable RL Environment for LLM Symbolic
        Reasoning" (2025, arXiv 2509.18083). Held-out strings, strings that rule out near rules, and
        the reward are our choice. No backtracking engine runs an answer: see `regex_matching`.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw rules until one has enough strings of each kind."""
        level = min(difficulty, 20.0)
        count = min(MAX_PARTS, 2 + round_randomly(rng, level))
        size = min(4, 2 + round_randomly(rng, level / 2))
        first = SHOWN_OF_TWO if count == 2 else SHOWN
        while True:
            letters = sorted(sample_of(rng, ALPHABET, size))
            rule = tuple(draw_part(rng, letters, level >= 1) for _ in range(count))
            if all(part.least == 0 for part in rule) or ways(rule) < FEWEST_WAYS:
                continue
            matcher = Matcher(Sequence(rule))
            good = _sorted_by_length([draw_match(rng, rule) for _ in range(DRAWS)])
            if len(good) < first + HELD_OUT:
                continue
            if count > 2 and not _has_new_forms(good[:first], good[first:]):
                continue
            bad = _draw_near(rng, matcher, good, letters)
            if len(bad) < first + HELD_OUT:
                continue
            shown = _shown(rule, good, bad, letters, {*good[:first], *bad[:first]})
            given = [[s for s in kind if s in shown] for kind in (good, bad)]
            held = [[s for s in kind if s not in shown] for kind in (good, bad)]
            if max(map(len, given)) > MOST_SHOWN or min(map(len, held)) < HELD_OUT:
                continue
            if count == 2 or _has_new_forms(given[0], held[0]):
                return _problem(rng, rule, letters, given, [kind[:HELD_OUT] for kind in held])

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Name a shown string that is wrong, or report that a held-out one is."""
        data = problem.data
        try:
            pattern = parse_pattern(answer.strip().strip("`'\"/"))
            matches = Matcher(pattern).matches
        except PatternError as error:
            return f"This is not such a regular expression: {error}."
        for string in data["positive"]:
            if not matches(string):
                return f"It does not match {string}."
        for string in data["negative"]:
            if matches(string):
                return f"It matches {string}."
        if all(map(matches, data["held_positive"])) and not any(
            map(matches, data["held_negative"])
        ):
            return ""
        parts = parts_of(pattern)
        if parts is not None and parts <= data["parts"]:
            return ""
        return "All shown strings are right, but not all others of the rule."

    @staticmethod
    def solve(problem: Problem) -> str:
        """Return the rule: it is in the data, as a search takes too long from four parts on."""
        return str(problem.data["rule"])

    @staticmethod
    def fitting(problem: Problem) -> Iterator[str]:
        """Yield the rules of the stated kind, over the letters that are shown, that fit."""
        good, bad = problem.data["positive"], problem.data["negative"]
        letters = sorted(set("".join(good + bad)))
        return rules_that_fit(letters, problem.data["parts"], good, bad)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the shown strings up to letters and order."""
        data = problem.data
        shown = [(kind, tuple(s)) for kind in ("positive", "negative") for s in data[kind]]
        letters = sorted({letter for _, string in shown for letter in string})
        return f"{data['parts']} parts: {key_up_to_names(shown, letters)}"


def _sorted_by_length(strings: list[str]) -> list[str]:
    return sorted((s for s in dict.fromkeys(strings) if 0 < len(s) <= LONGEST), key=len)


def _without_runs(string: str) -> str:
    """Return a string with each run of a letter as one letter: `aabaa` as `aba`."""
    return "".join(a for a, b in pairwise(f"{string} ") if a != b)


def _has_new_forms(shown: list[str], others: list[str]) -> bool:
    """Move those first that are no shown string with longer runs; return whether they suffice."""
    forms = set(map(_without_runs, shown))
    others.sort(key=lambda string: _without_runs(string) in forms)
    return _without_runs(others[NEW_FORMS - 1]) not in forms


def _draw_near(
    rng: np.random.Generator, matcher: Matcher, good: list[str], letters: list[str]
) -> list[str]:
    """Draw strings that do not match, one or two small changes away from one that does."""
    strings = []
    for _ in range(DRAWS):
        string = pick(rng, good)
        for _ in range(draw_int(rng, 1, 2)):
            place = draw_int(rng, 0, len(string))
            skip = draw_int(rng, 0, 1)
            new = pick(rng, letters) if skip == 0 or rng.random() < 0.6 else ""
            string = string[:place] + new + string[place + skip :]
        strings.append(string)
    return [s for s in _sorted_by_length(strings) if not matcher.matches(s)]


def _shown(
    rule: Rule, good: list[str], bad: list[str], letters: list[str], shown: set[str]
) -> set[str]:
    """Add one more string for each near rule that gets none of those shown wrong."""
    right, others = ([s for s in kind if s in shown] for kind in (good, bad))
    for near in near_rules(rule, letters):
        matcher = Matcher(Sequence(near))
        if not all(map(matcher.matches, right)) or any(map(matcher.matches, others)):
            continue
        wrong = [s for s in good if not matcher.matches(s)] or [
            s for s in bad if matcher.matches(s)
        ]
        if wrong:
            shown.add(wrong[0])
            (others if matcher.matches(wrong[0]) else right).append(wrong[0])
    return shown


def _problem(
    rng: np.random.Generator,
    rule: Rule,
    letters: list[str],
    given: list[list[str]],
    held: list[list[str]],
) -> Problem:
    answer = written(rule)
    good, bad = (shuffled(rng, kind) for kind in given)
    matcher = Matcher(Sequence(rule))
    steps = [_failure(matcher, string) for string in bad]
    data = {
        "positive": good,
        "negative": bad,
        "held_positive": held[0],
        "held_negative": held[1],
        "parts": len(rule),
        "rule": answer,
    }
    problem = Problem(
        prompt=f"Find a regular expression that matches all strings of the first list from "
        f"beginning to end, and none of the second:\nmatch: {', '.join(good)}\ndo not match: "
        f"{', '.join(bad)}\nThe strings were made by a rule, a sequence of {len(rule)} parts. Each "
        "part is a letter, a class of two letters such as [xy], or a group of two letters such as "
        "(xy); it comes once, or has ?, * or + after it. Any such rule that fits is right; an "
        "expression of another kind is tried on more strings of the rule. The answer may use "
        "letters, digits, . [] () | ? * + {} and nothing else.",
        answer=answer,
        solution="\n".join([f"Try {answer}.", *steps, f"So the answer is {answer}"]),
        data=data,
        canonical=f"{sorted(good)} {sorted(bad)}",
    )
    near = (written(other) for other in near_rules(rule, letters) if other)
    wrong = (text for text in near if RegexInductionEnv.fault(problem, text))
    always = ("|".join(problem.data["positive"]), ".*")
    return replace(problem, distractors=(*dict.fromkeys(islice(wrong, 2)), *always))


def _failure(matcher: Matcher, string: str) -> str:
    place = matcher.fails_at(string)
    if place == len(string):
        return f"{string}: more must follow, no match"
    return f"{string}: no match from character {place + 1} on"
