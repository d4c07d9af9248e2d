"""Integers in bases 2 to 36, to and from decimal and between two other bases.

Left out: fractions, negative numbers, and bases above 36.
"""

from typing import ClassVar

import numpy as np

from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick
from zerogym.envs.reasoning.listings import bare

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MAX_VALUE = 10**12
MAX_DIGITS = 200  # of an answer; leading zeros count
_PREFIXES = {2: "0B", 8: "0O", 16: "0X"}  # none of these letters is a digit of its base


class BaseConversionEnv(ReasoningEnv):
    """Write a number that is given in one base in another.

    Description:
        A number and two bases from 2 to 36 are drawn. Three categories: `to_decimal`,
        `from_decimal`, and `between` two bases of which none is 10. The number has at least two
        digits in both.

    Observation:
        The question as text. Digits above 9 are the letters A to Z.

    Answer:
        The digits. Letters of either case, leading zeros, blanks between groups of digits, `0x1F`
        and `1F_16` are understood.

    Difficulty:
        Numbers up to `60 * 30^difficulty` (at most 10^12), bases up to `5 + 11 * difficulty` (at
        most 36).

    Example:
        >>> env = BaseConversionEnv(difficulty=0)
        >>> print(env.reset(seed=2)[0])
        Convert 1220 from base 3 to base 10.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>51</answer>")[1]
        1.0

    Source:
        Our choice of ranges; positional notation is textbook matter.
    """

    categories: ClassVar[tuple[str, ...]] = ("to_decimal", "from_decimal", "between")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw the bases, then the number."""
        category = pick(rng, BaseConversionEnv.categories)
        largest = min(36, int(5 + 11 * difficulty))
        source = 10 if category == "from_decimal" else _draw_base(rng, largest, 10)
        target = 10 if category == "to_decimal" else _draw_base(rng, largest, source)
        most = int(min(60 * 30 ** min(difficulty, 10), MAX_VALUE))
        value = draw_int(rng, max(source, target), most)
        given, answer = write_number(value, source), write_number(value, target)
        letters = " Digits above 9 are the letters A to Z." if max(source, target) > 10 else ""
        return Problem(
            prompt=f"Convert {given} from base {source} to base {target}.{letters}",
            answer=answer,
            solution=_work_out(given, source, value, target, answer),
            distractors=_distractors(value, source, target, answer),
            category=category,
            data={"number": given, "source": source, "target": target},
            canonical=f"{given} {source} {target}",
        )

    @staticmethod
    def solve(problem: Problem) -> str:
        """Horner's rule with the target's own digits: multiply by the source base, add a digit."""
        source, target = problem.data["source"], problem.data["target"]
        digits = [0]  # of the target base, the lowest first
        for symbol in problem.data["number"]:
            carry = DIGITS.index(symbol)
            for place, digit in enumerate(digits):
                carry, digits[place] = divmod(digit * source + carry, target)
            while carry:
                carry, digit = divmod(carry, target)
                digits.append(digit)
        return "".join(DIGITS[digit] for digit in reversed(digits)).lstrip("0") or "0"

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Read the answer in the target base."""
        target = problem.data["target"]
        value = parse_digits(answer, target)
        if value is None:
            return f"This is not a number in base {target}."
        return "" if value == int(problem.answer, target) else "It is another number."


def write_number(value: int, base: int) -> str:
    """A number >= 0 in a base from 2 to 36.

    Example:
        >>> write_number(255, 16), write_number(5, 2)
        ('FF', '101')
    """
    digits = ""
    while value or not digits:
        value, digit = divmod(value, base)
        digits = DIGITS[digit] + digits
    return digits


def parse_digits(text: str, base: int) -> int | None:
    """A number >= 0 of a base; None if it has other symbols or too many.

    Example:
        >>> parse_digits("0xff", 16), parse_digits("1111 1111_2", 2), parse_digits("12", 2)
        (255, 255, None)
    """
    if not text.isascii():  # some letters of other alphabets have a digit as upper case
        return None
    text = bare(text.rpartition("=")[2]).upper().strip("$ ")
    if base == 10:
        number = parse_number(text)
        if number is not None:
            return int(number) if number.denominator == 1 and number >= 0 else None
    if not text.isalnum():
        for ending in (f"_{base}", f"_{{{base}}}", f"(BASE {base})", f"BASE {base}"):
            text = bare(text.removesuffix(ending))
    text = text.removeprefix(_PREFIXES.get(base, "")).replace(" ", "")
    if not 1 <= len(text) <= MAX_DIGITS or text.strip(DIGITS[:base]):
        return None
    return int(text, base)


def _draw_base(rng: np.random.Generator, largest: int, other: int) -> int:
    """A base from 2 to `largest` that is neither 10 nor `other`."""
    while True:
        base = draw_int(rng, 2, largest)
        if base not in (10, other):
            return base


def _work_out(given: str, source: int, value: int, target: int, answer: str) -> str:
    """Digit by digit to decimal, then by divisions to the target base."""
    lines, reached = [], 0
    if source != 10:
        for symbol in given:
            digit = DIGITS.index(symbol)
            after = reached * source + digit
            lines.append(f"{reached} * {source} + {digit} = {after}")
            reached = after
    if target != 10:
        while value:
            lines.append(f"{value} = {value // target} * {target} + {value % target}")
            value //= target
        lines.append("The remainders from the last to the first are the digits.")
    return "\n".join([*lines, f"The number is {answer}."])


def _distractors(value: int, source: int, target: int, answer: str) -> tuple[str, ...]:
    """Off by one, a digit too few, digits in reverse order, the unchanged digits."""
    wrong = [*(write_number(v, target) for v in (value + 1, value - 1)), answer[:-1], answer[::-1]]
    unchanged = write_number(value, source)
    if parse_digits(unchanged, target) != value:  # such as 1E5, a decimal number in its way
        wrong.append(unchanged)
    return tuple(wrong)
