"""Cryptarithms: sums in which letters stand for digits, as in SEND + MORE = MONEY.

Left out: products and differences, words of a language, other bases than ten.
"""

from collections.abc import Iterator, Mapping
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, shuffled
from zerogym.envs.reasoning.listings import parse_assignments
from zerogym.envs.reasoning.renaming import Term, key_up_to_names

MAX_LENGTH = 5  # digits of an addend
MAX_ADDENDS = 3

Column = tuple[tuple[str, int], ...]  # letters, and how often each counts: addends less total


class Step(NamedTuple):
    """A letter that gets a digit in a search.

    Attributes:
        letter: The letter.
        weight: The number of times that it counts in its column.
        domain: The digits that it may have, as bits.
        is_forced: Whether the sum of the column leaves only one digit.
        due: The known parts of the columns that begin when it has its digit.
    """

    letter: str
    weight: int
    domain: int
    is_forced: bool
    due: list[Column]


class CryptarithmEnv(ReasoningEnv):
    """Find the digit of each letter in a sum; there is exactly one solution.

    Description:
        A sum of random numbers with its digits replaced by letters: equal digits by equal letters,
        different ones by different letters, no number begins with 0. The digits of some letters are
        given, at least so many that only one solution is left.

    Action:
        The reply as text; the answer is a list such as `A=1, B=2` with all letters, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if every letter has its digit, else 0.

    Difficulty:
        Addends have up to `2 + difficulty` digits (at most 5), and up to `3 + 2 * difficulty`
        letters are not given (a fractional part is the chance of one more). From 3 there are
        three addends, else two.

    Example:
        >>> env = CryptarithmEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Each letter stands for a different digit, and no number begins with 0.
        UU + HW = XXO
        U is 2. W is 4. X is 1. Which digit is each letter?
        Answer with all 5 letters in the form A=1, B=2.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>H=9, O=6, U=2, W=4, X=1</answer>")[1]
        1.0

    Source:
        The puzzle is Dudeney's (SEND + MORE = MONEY, 1924). Giving letters until the solution is
        unique is our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a sum, replace its digits, and give letters until one solution is left."""
        bounded = min(difficulty, 100.0)
        length = min(MAX_LENGTH, 2 + round_randomly(rng, bounded))
        unknown = 3 + round_randomly(rng, 2 * bounded)
        numbers = [draw_int(rng, 10 ** (length - 1), 10**length - 1)]
        for _ in range(MAX_ADDENDS - 1 if difficulty >= 3 else 1):
            numbers.append(draw_int(rng, 10 ** (length - 2), 10**length - 1))
        letters = shuffled(rng, ascii_uppercase)[:10]
        words = ["".join([letters[int(d)] for d in str(n)]) for n in [*numbers, sum(numbers)]]
        used = sorted(set("".join(words)))
        digits = {letter: letters.index(letter) for letter in used}
        known = _given_letters(rng, words, digits, unknown)
        equation = f"{' + '.join(words[:-1])} = {words[-1]}"
        given = "".join(f"{letter} is {digit}. " for letter, digit in known.items())
        answer = _listed(digits)
        return Problem(
            prompt=f"Each letter stands for a different digit, and no number begins with 0.\n"
            f"{equation}\n{given}Which digit is each letter?\n"
            f"Answer with all {len(used)} letters in the form A=1, B=2.",
            answer=answer,
            solution="\n".join([*_work_out(words, digits), f"All letters: {answer}"]),
            distractors=_distractors(rng, digits, known),
            data={"addends": words[:-1], "total": words[-1], "known": known},
            canonical=f"{equation} {given}",
        )

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Return the broken rule, or the sum that is not right."""
        words = [*problem.data["addends"], problem.data["total"]]
        letters = sorted(set("".join(words)))
        given = parse_assignments(answer)
        if given is None:
            return "The answer is not a list such as A=1, B=2."
        if sorted(given) != [letter.casefold() for letter in letters]:
            return f"The answer must name exactly the letters {', '.join(letters)}."
        if not all(len(d) == 1 and d in "0123456789" for d in given.values()):
            return "Each letter must be a digit from 0 to 9."
        if len(set(given.values())) < len(given):
            return "Two letters have the same digit."
        for letter, digit in problem.data["known"].items():
            if given[letter.casefold()] != str(digit):
                return f"{letter} is {digit}."
        numbers = ["".join([given[letter.casefold()] for letter in word]) for word in words]
        if any(number[0] == "0" for number in numbers):
            return "A number begins with 0."
        if sum(map(int, numbers[:-1])) != int(numbers[-1]):
            return f"{' + '.join(numbers[:-1])} is not {numbers[-1]}."
        return ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the sum up to letters and the order of addends."""
        data = problem.data
        statements: list[Term] = [("addend", tuple(word)) for word in data["addends"]]
        statements.append(("total", tuple(data["total"])))
        statements += [("is", letter, digit) for letter, digit in data["known"].items()]
        return key_up_to_names(statements, ascii_uppercase)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search column by column from the right, with the carry."""
        data = problem.data
        return _listed(next(solutions([*data["addends"], data["total"]], data["known"])))


def solutions(words: list[str], known: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield all assignments for addends and their total (the last word), in a fixed order."""
    highest = dict.fromkeys("".join(words), 9)
    if len(words[-1]) > max(map(len, words[:-1])):
        highest[words[-1][0]] = len(words) - 2  # a carry of so many addends is no larger
    lowest = dict.fromkeys(highest, 0) | {word[0]: 1 for word in words}
    domains = {letter: (2 << highest[letter]) - (1 << lowest[letter]) for letter in highest}
    first, steps = _plan(_columns(words), domains, known)
    start = _carried(0, first, known)
    if start is not None:
        taken = sum([1 << digit for digit in known.values()])
        yield from _fill(steps, 0, dict(known), taken, start)


def _columns(words: list[str]) -> list[Column]:
    """Return the columns from the right; letters in order of their first place."""
    columns = []
    for place in range(1, len(words[-1]) + 1):
        counts: dict[str, int] = {}
        for index, word in enumerate(words, start=1):
            if place <= len(word):
                step = -1 if index == len(words) else 1
                counts[word[-place]] = counts.get(word[-place], 0) + step
        columns.append(tuple(counts.items()))
    return columns


def _plan(
    columns: list[Column], domains: dict[str, int], known: Mapping[str, int]
) -> tuple[list[Column], list[Step]]:
    """Return the order in which letters get digits, and what can be added up after each."""
    placed = set(known)
    first: list[Column] = []
    steps: list[Step] = []
    due = first  # the columns that begin when the last letter so far has its digit
    for column in columns:
        due.append(tuple([(letter, count) for letter, count in column if letter in placed]))
        fresh = [(letter, count) for letter, count in column if letter not in placed]
        for letter, count in fresh:
            is_forced = (letter, count) == fresh[-1] and count in (1, -1)
            due = []
            steps.append(Step(letter, count, domains[letter], is_forced, due))
        placed.update(letter for letter, _ in fresh)
    due.append(())
    return first, steps


def _carried(value: int, columns: list[Column], digits: Mapping[str, int]) -> int | None:
    """Return the sum of columns with carries; None if one before another is no multiple of 10.

    `value` is the sum so far, which is divided by ten before each column.
    """
    for column in columns:
        value, rest = divmod(value, 10)
        if rest:
            return None
        for letter, count in column:
            value += count * digits[letter]
    return value


def _fill(
    steps: list[Step], place: int, found: dict[str, int], taken: int, value: int
) -> Iterator[dict[str, int]]:
    """Give digits to the letters from `place` on; `value` is the sum of the column so far."""
    if place == len(steps):
        if value == 0:
            yield dict(found)
        return
    letter, count, domain, is_forced, due = steps[place]
    free = domain & ~taken
    if is_forced:
        free &= 1 << -count * value % 10
    while free:
        low = free & -free
        free ^= low
        found[letter] = digit = low.bit_length() - 1
        total = _carried(value + count * digit, due, found)
        if total is not None:
            yield from _fill(steps, place + 1, found, taken | low, total)


def _given_letters(
    rng: np.random.Generator, words: list[str], digits: dict[str, int], unknown: int
) -> dict[str, int]:
    """Draw letters to give: all but `unknown`, and more until one solution is left."""
    given = set(shuffled(rng, list(digits))[unknown:])
    while True:
        known = {letter: digit for letter, digit in digits.items() if letter in given}
        other = next((found for found in solutions(words, known) if found != digits), None)
        if other is None:
            return known
        given.add(pick(rng, [letter for letter in digits if other[letter] != digits[letter]]))


def _listed(digits: Mapping[str, int]) -> str:
    return ", ".join([f"{letter}={digits[letter]}" for letter in sorted(digits)])


def _work_out(words: list[str], digits: dict[str, int]) -> list[str]:
    """Return column by column from the right: letters, digits, carry."""
    lines, carry = [], 0
    for place in range(1, len(words[-1]) + 1):
        letters = [word[-place] for word in words[:-1] if place <= len(word)]
        terms = [(letter, digits[letter]) for letter in letters] + [("carry", carry)] * bool(carry)
        value = sum(digit for _, digit in terms)
        names, numbers = (" + ".join(map(str, part)) for part in zip(*terms, strict=True))
        reckoning = f"{names} = {numbers} = {value}" if letters else f"only the carry {carry}"
        carry = value // 10
        target = f"{words[-1][-place]} = {digits[words[-1][-place]]}"
        lines.append(f"Column {place} from the right: {reckoning}, carry {carry}, {target}")
    return lines


def _distractors(
    rng: np.random.Generator, digits: dict[str, int], known: dict[str, int]
) -> tuple[str, ...]:
    """Exchange two digits, use one digit twice, or leave out a letter."""
    first = pick(rng, [letter for letter in digits if letter not in known] or list(digits))
    second = pick(rng, [letter for letter in digits if letter != first])
    exchanged = digits | {first: digits[second], second: digits[first]}
    fewer = {letter: digit for letter, digit in digits.items() if letter != first}
    return _listed(exchanged), _listed(digits | {first: digits[second]}), _listed(fewer)
