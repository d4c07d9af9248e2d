"""Sequences of integers: find the rule from examples, and continue.

Left out: sequences that are known by name only (primes, digits, look-and-say).
"""

from collections.abc import Iterable, Iterator

import numpy as np

from zerogym.envs.reasoning.algebra.sequence_rules import (
    KINDS,
    TURN_NAMES,
    Kind,
    Rule,
    continued,
    rules_that_fit,
)
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.listings import parse_integers

MIN_VALUES = 3  # different ones among the shown terms
MAX_LEVEL = 10.0  # difficulty above which numbers no longer grow
# The kinds of rule that each whole number of difficulty adds, and the numbers that they take:
# + is one to add, * one to multiply or divide by, r a coefficient of a recurrence.
STAGES: tuple[dict[str, str], ...] = (
    {"arithmetic": "+", "geometric": "*"},
    {"sum of two": "", "quadratic": "+", "alternating steps": "++", "division": "*"},
    {"affine": "*+", "times then plus": "*+", "plus then times": "*+", "sum of two and more": "+",
     "sum of three": ""},
    {"recurrence": "rr", "cubic": "+", "turns": ""},
)  # fmt: skip
SHAPES = {name: shape for stage in STAGES for name, shape in stage.items()}
TURNS_HINT = "two sequences, each with a rule of its own, take turns"


class SequencesEnv(ReasoningEnv):
    """Continue a sequence of integers by the simplest rule that fits.

    Description:
        The first terms of a sequence are shown, and the kinds of rule that may have made it. The
        family of rules, in the order in which difficulty adds them: a fixed number is added, or
        multiplied by; sums of the two terms before, quadratic sequences, two steps in turn,
        divisions; `a -> p a + c`, adding and multiplying in turn, sums of two and a constant, sums
        of three; linear recurrences `p a(n-1) + q a(n-2)`, cubic sequences, and two sequences
        (arithmetic, geometric, divisions or quadratic) in turn. All numbers are integers.

        Simple means: few numbers write the rule down, starting terms included (an arithmetic
        sequence takes 2, a recurrence 4). A problem is posed only if the whole family was searched
        and every rule that fits, whatever its place in that order and whatever the difficulty,
        gives the same next terms; a rule counts as fitting if more terms are shown than it takes
        numbers.

    Answer:
        A list of integers.

    Reward:
        1 if all next terms are right, else 0.

    Difficulty:
        Each whole number up to 3 adds kinds of rule (a fractional part is the chance of the next),
        and numbers grow up to difficulty 10. Below 1 the next term is required, then two. At 0
        there are 216 problems (183 train, 33 test).

    Example:
        >>> env = SequencesEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0])  # doctest: +NORMALIZE_WHITESPACE
        What comes next?
        1, 9, 17, 25, 33
        Give the next term. The rule is the simplest that fits, of these kinds: a fixed number is
        added; the term is multiplied by a fixed number.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>41</answer>")[1]
        1.0

    Source:
        Our choice of family and order. Inductive reasoning on number sequences is a classic of
        intelligence tests.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw rules until all that fit the shown terms agree about the next ones."""
        stage = min(round_randomly(rng, min(difficulty, MAX_LEVEL)), len(STAGES) - 1)
        names = [name for added in STAGES[: stage + 1] for name in added]
        count = 1 if stage == 0 else 2
        while True:
            rule, starts = _draw(rng, pick(rng, names), min(difficulty, MAX_LEVEL))
            posed = _posed(rule, starts, count)
            if posed is not None:
                return _problem(*posed, names)

    def all_keys(self, difficulty: float) -> Iterable[str] | None:
        """Return all terms that can be shown at difficulty 0: of two kinds, none negative."""
        if difficulty > 0:
            return None
        drawn = [("arithmetic", step, start) for step in range(1, 10) for start in range(21)]
        drawn += [("geometric", factor, start) for factor in range(2, 5) for start in range(10)]
        posed = (_posed(Rule(((KINDS[kind], (n,)),)), [start], 1) for kind, n, start in drawn)
        return (_listed(found[0]) for found in posed if found is not None)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search the whole family for the simplest rule that fits."""
        data = problem.data
        following = continued(rules_that_fit(data["terms"])[0], data["terms"], data["asked"])
        return _listed(following or [])

    @staticmethod
    def fitting(problem: Problem) -> Iterator[str]:
        """Yield the next terms by every rule of the family that fits the terms."""
        terms, count = problem.data["terms"], problem.data["asked"]
        for rule in rules_that_fit(terms):
            following = continued(rule, terms, count)
            if following is not None:
                yield _listed(following)

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Compare the list of the next terms."""
        count, found = problem.data["asked"], parse_integers(answer)
        if found is None or len(found) != count:
            return f"The answer is not a list of integers, as many as asked ({count})."
        if found == parse_integers(problem.answer):
            return ""
        return "These terms do not follow by the rule."


def _posed(rule: Rule, starts: list[int], count: int) -> tuple[list[int], list[int], Rule] | None:
    """Return shown terms, the next ones and the simplest rule; None if rules that fit differ."""
    more = _shown(rule) - len(starts) + count
    terms = starts + (continued(rule, starts, more) or [])
    shown, following = terms[:-count], terms[-count:]
    if len(set(shown)) < MIN_VALUES:
        return None
    fits = rules_that_fit(shown)
    if not fits or any(continued(fit, shown, count) != following for fit in fits):
        return None
    return shown, following, fits[0]


def _listed(terms: list[int]) -> str:
    return ", ".join(map(str, terms))


def _shown(rule: Rule) -> int:
    """Number of shown terms: three more than the rule takes, of each of two in turn two more."""
    if len(rule.parts) == 1:
        return rule.cost + 3
    return 2 * max(kind.cost + 2 for kind, _ in rule.parts)


def _draw(rng: np.random.Generator, name: str, level: float) -> tuple[Rule, list[int]]:
    """A rule of a kind, and the terms it starts with."""
    if name == "turns":
        return _draw_turns(rng, level)
    kind, shape = KINDS[name], SHAPES[name]
    small = int(9 + 2 * level)
    large = small if "*" in shape or "r" in shape else int(20 + 10 * level)
    negative = level >= 1
    sizes = {"+": small, "*": int(min(4 + level / 2, 6)), "r": 3}
    numbers = []
    for symbol in shape:
        size = draw_int(rng, 2 if symbol == "*" else 1, sizes[symbol])
        numbers.append(-size if rng.random() < 0.3 and negative else size)
    starts = [draw_int(rng, -large * negative, large) for _ in range(kind.starts)]
    if name == "division":  # divisible as often as there are terms
        starts = [starts[0] * numbers[0] ** (kind.cost + 5)]
    return Rule(((kind, tuple(numbers)),)), starts


def _draw_turns(rng: np.random.Generator, level: float) -> tuple[Rule, list[int]]:
    """Two rules that take turns, and the first two terms of each."""
    parts: list[tuple[Kind, tuple[int, ...]]] = []
    halves = []
    for _ in range(2):
        rule, starts = _draw(rng, pick(rng, TURN_NAMES), level)
        parts += rule.parts
        halves.append(starts + (continued(rule, starts, 2 - len(starts)) or []))
    return Rule(tuple(parts)), [term for pair in zip(*halves, strict=True) for term in pair]


def _problem(shown: list[int], following: list[int], rule: Rule, names: list[str]) -> Problem:
    count, text = len(following), _listed(shown)
    answer = _listed(following)
    hints = "; ".join(KINDS[name].hint if name in KINDS else TURNS_HINT for name in names)
    terms, lines = shown + following, [f"The simplest rule that fits: {rule.hint}."]
    for n in range(len(shown) - 2, len(terms)):
        lines.append(f"{rule.say(terms[:n])} = {terms[n]}")
    step = shown[-1] - shown[-2]
    wrong = (
        [shown[-1] + step * n for n in range(1, count + 1)],
        [*following[:-1], following[-1] + 1],
        [*following[:-1], following[-1] - step],
        shown[-count:],
        [-term for term in following],
    )
    what = "term" if count == 1 else f"{count} terms, separated by commas"
    return Problem(
        prompt=f"What comes next?\n{text}\nGive the next {what}. The rule is the "
        f"simplest that fits, of these kinds: {hints}.",
        answer=answer,
        solution="\n".join([*lines, f"The next terms: {answer}."]),
        distractors=tuple(map(_listed, wrong)),
        data={"terms": shown, "asked": count},
        canonical=text,
    )
