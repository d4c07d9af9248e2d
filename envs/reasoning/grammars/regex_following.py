"""Following a regular expression: give a string that it matches.

Left out: `.`, negated classes and look-around in the drawn patterns; with them short strings of
one letter would match too many patterns.
"""

from functools import lru_cache

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
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
from zerogym.envs.reasoning.mistakes import wrong_among
from zerogym.envs.reasoning.renaming import Bag, Term, key_up_to_names

Counts = tuple[tuple[int, int | None], ...]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
MAX_PIECES = 8
MAX_DEPTH = 2
SHORTEST = 2  # characters of the shortest match
LONGEST = 100  # characters of an answer
MOST_REPEATS = 3  # beyond the least, in a worked solution
COUNTS: Counts = ((0, 1), (0, None), (1, None), (2, 2), (3, 3), (2, 3), (1, 3), (2, 4))
INNER_COUNTS: Counts = ((0, 1), (0, None), (1, None), (2, 2))  # inside a group


class RegexFollowingEnv(ReasoningEnv):
    """Give a string that a regular expression matches.

    Description:
        A pattern of literals, classes, groups, alternatives and repetitions is drawn. Categories:
        `any_match` (any string that the pattern matches as a whole) and `exact_length` (such a
        string of a stated length, longer than the shortest where the pattern allows it).

    Observation:
        The pattern, as text.

    Action:
        The reply as text; the answer is the string alone, of at most 100 characters, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line. Quotes around it
        do not matter, case does.

    Reward:
        1 if the pattern matches the whole string (and the length is right), else 0.

    Difficulty:
        `2 + difficulty` pieces (at most 8), which are single characters, classes or groups with
        alternatives; brackets are `difficulty` deep (at most 2). A fractional part is the chance of
        one more.

    Example:
        >>> env = RegexFollowingEnv(difficulty=0, category="any_match")
        >>> print(env.reset(seed=1)[0])
        Give a string that this regular expression matches from beginning to end:
        n+j{2}
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>nnnjj</answer>")[1]
        1.0

    Source:
        The task regex following of "Reasoning Core: A Scalable RL Environment for LLM Symbolic
        Reasoning" (2025, arXiv 2509.18083). Patterns and the stated length are our choice. Matching
        is linear in the answer: see `regex_matching`.
    """

    categories = ("any_match", "exact_length")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw pieces until no match is too short, then a match piece by piece."""
        category = pick(rng, RegexFollowingEnv.categories)
        level = min(difficulty, 20.0)
        count = min(MAX_PIECES, 2 + round_randomly(rng, level))
        depth = min(MAX_DEPTH, round_randomly(rng, level))
        while True:
            pattern = Sequence(tuple(_draw_piece(rng, depth, COUNTS) for _ in range(count)))
            parts = [_draw_match(rng, piece) for piece in pattern.parts]
            if not SHORTEST <= len("".join(parts)) <= LONGEST // 2:
                continue
            try:
                matcher = Matcher(pattern)
            except PatternError:
                continue  # too large when repetitions are written out: rare, but possible
            if all(matcher.string_of_length(n) is None for n in range(SHORTEST)):
                return _problem(category, pattern, parts)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Return where the match fails, or a wrong length."""
        string = answer.strip().strip("'\"`")
        length = problem.data["length"]
        if len(string) > LONGEST:
            return f"The string is longer than {LONGEST} characters."
        place = _matcher(problem.data["pattern"]).fails_at(string)
        if place < len(string):
            return f"No match can go on with character {place + 1} of the string."
        if place == len(string):
            return "The string is a beginning of a match, but more must follow."
        if length is not None and len(string) != length:
            return f"The string has {len(string)} characters."
        return ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the pattern up to characters and the order of alternatives."""
        pattern = _as_term(parse_pattern(problem.data["pattern"]))
        return f"{problem.data['length']} {key_up_to_names([pattern], LETTERS)}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Walk through the automaton of the pattern: the shortest match, or one of the length."""
        matcher = _matcher(problem.data["pattern"])
        length = problem.data["length"]
        lengths = range(LONGEST + 1) if length is None else [length]
        strings = (matcher.string_of_length(n) for n in lengths)
        return next(string for string in strings if string is not None)


def _as_term(pattern: Pattern) -> Term:
    if isinstance(pattern, Chars):
        return Bag(pattern.chars)
    if isinstance(pattern, Sequence):
        return tuple(map(_as_term, pattern.parts))
    if isinstance(pattern, Choice):
        return ("or", Bag(map(_as_term, pattern.options)))
    return ("repeat", pattern.least, str(pattern.most), _as_term(pattern.inner))


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Matcher:
    return Matcher(parse_pattern(pattern))


def _draw_piece(rng: np.random.Generator, depth: int, counts: Counts) -> Pattern:
    """Draw a literal, a class or (above depth 0) a group, most of them repeated."""
    if depth and rng.random() < 0.5:
        inner = _draw_group(rng, depth - 1)
    elif rng.random() < 0.5:
        inner = Chars(_draw_class(rng))
    else:
        literals = [Chars(pick(rng, LETTERS)) for _ in range(draw_int(rng, 1, 3))]
        if rng.random() < 0.5 or len(literals) == 1:
            repeated = Repeat(Chars(pick(rng, LETTERS)), *pick(rng, counts))
            return Sequence((*literals[:-1], repeated))
        return Sequence(tuple(literals))
    return Repeat(inner, *pick(rng, counts)) if rng.random() < 0.6 else inner


def _draw_class(rng: np.random.Generator) -> str:
    """Draw two to four characters: neighbours in the alphabet, or any."""
    count = draw_int(rng, 2, 4)
    if rng.random() < 0.5:
        start = draw_int(rng, 0, 22)
        return LETTERS[start : start + count]
    return "".join(sorted(sample_of(rng, LETTERS, count)))


def _draw_group(rng: np.random.Generator, depth: int) -> Pattern:
    """Draw two or three alternatives of one or two parts."""
    options = []
    for _ in range(draw_int(rng, 2, 3)):
        first: Pattern = Chars(pick(rng, LETTERS))
        second: Pattern = Chars(pick(rng, LETTERS))
        if rng.random() < 0.6:
            second = _draw_piece(rng, depth, INNER_COUNTS)
        options.append(Sequence((first, second)))
    return Choice(tuple(options))


def _draw_match(rng: np.random.Generator, pattern: Pattern) -> str:
    """Draw a string that the pattern matches."""
    if isinstance(pattern, Chars):
        return pick(rng, pattern.chars)
    if isinstance(pattern, Sequence):
        return "".join([_draw_match(rng, part) for part in pattern.parts])
    if isinstance(pattern, Choice):
        return _draw_match(rng, pick(rng, pattern.options))
    most = pattern.least + MOST_REPEATS if pattern.most is None else pattern.most
    times = draw_int(rng, pattern.least, min(most, pattern.least + MOST_REPEATS))
    return "".join([_draw_match(rng, pattern.inner) for _ in range(times)])


def _problem(category: str, pattern: Sequence, parts: list[str]) -> Problem:
    text, answer = str(pattern), "".join(parts)
    length = len(answer) if category == "exact_length" else None
    size = "" if length is None else f" of exactly {length} characters"
    steps = [
        f"{Sequence((piece,))} matches {part or 'the empty string'}"
        for piece, part in zip(pattern.parts, parts, strict=True)
    ]
    wrong = (answer[:-1], answer + answer[-1], answer[1:], answer[::-1], answer[:-1] + "_")
    data = {"pattern": text, "length": length}
    return Problem(
        prompt=f"Give a string{size} that this regular expression matches from beginning to end:\n"
        f"{text}",
        answer=answer,
        solution="\n".join([*steps, f"Together: {answer}"]),
        distractors=wrong_among(RegexFollowingEnv, data, wrong),
        category=category,
        data=data,
        canonical=f"{text} {length}",
    )
