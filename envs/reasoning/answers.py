r"""Answers in replies: where the answer stands, its number, and whether it is the expected one.

Every function takes any string, ends in bounded time and may be called from any thread; nothing is
run as code, and the results do not depend on what else is installed.

`equal` reads numbers (`parse_number`), expressions, equations, lists and tuples, sets, intervals
and their unions, and matrices, in LaTeX, Unicode or plain notation. What is decided exactly is said
in `checking/algebra.py`, what by high-precision values in `checking/values.py`, what is refused as
unclear in `checking/expression_grammar.py`. Further choices:

- `1,234` is a number; inside brackets, or with a blank, a comma separates.
- `50%` is one half and `90°` half of pi, unless `%` or `°` is among the units.
- Letters multiply (`xy` is `yx`) up to three in a row; longer runs are names. Lists of words are
  for `listings`.
- Lists match with any brackets or none; but two things in brackets may be an interval, so there
  the brackets must be the same, or none for `()`.
- A list without brackets may stand for a set. Sets have no order and no repetitions.
- `x = 5` stands for `5` and the reverse, a true `2 + 3 = 5` for `5`, but `2x = 10` for no number.
  Two equations are equal if, with all on one side, they differ by a constant factor.

Left out: inequalities, set-builder notation, determinants, sums and integrals, `log^{-1}`.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from zerogym.envs.reasoning.checking.answer_grammar import parse_tokens
from zerogym.envs.reasoning.checking.comparison import Comparison
from zerogym.envs.reasoning.checking.tokens import AnswerSyntaxError, tokenize, without_units
from zerogym.envs.reasoning.numerals import MAX_LENGTH, format_number, parse_number, parse_numeral

__all__ = [
    "MAX_ANSWER_LENGTH",
    "AnswerFormat",
    "equal",
    "extract_answer",
    "format_number",
    "parse_number",
]

AnswerFormat = Literal["tag", "boxed", "line", "none"]

MAX_ANSWER_LENGTH = MAX_LENGTH  # characters; longer answers score 0 unread
_OPEN, _CLOSE, _BOXED = "<answer>", "</answer>", "\\boxed{"


def extract_answer(reply: str) -> tuple[str, AnswerFormat]:
    r"""The answer in a model's whole reply, and where it was found.

    Order: the last `<answer>...</answer>`, else the last `\boxed{...}`, else the last line that
    is not blank.

    Example:
        >>> extract_answer("2 + 2 is <answer> 4 </answer>, I think.")
        ('4', 'tag')
        >>> extract_answer("So\n4\n")
        ('4', 'line')
    """
    end = reply.rfind(_CLOSE)
    start = reply.rfind(_OPEN, 0, end) if end >= 0 else -1
    if start >= 0:
        return reply[start + len(_OPEN) : end].strip(), "tag"
    start = reply.rfind(_BOXED)
    if start >= 0:
        inside = _until_matching_brace(reply, start + len(_BOXED))
        if inside is not None:
            return inside.strip(), "boxed"
    line = reply.rstrip().rpartition("\n")[2].strip()
    return (line, "line") if line else ("", "none")


def _until_matching_brace(text: str, start: int) -> str | None:
    depth = 1
    for index in range(start, min(len(text), start + MAX_ANSWER_LENGTH + 1)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return text[start:index]
    return None


def equal(
    given: str,
    expected: str,
    *,
    tolerance: Fraction | float = 0,
    units: Sequence[str] = (),
    ordered: bool = True,
) -> bool:
    r"""Whether a mathematical answer means the expected one; the rules are above.

    It is about values: `2 + 3` equals `5`, so a task that asks to calculate reads the answer with
    `parse_number` instead. What cannot be read or decided is not equal, unless the same text.

    Args:
        given: The answer to be judged.
        expected: The right answer.
        tolerance: Constants may differ by at most this; a float means its shortest decimal.
        units: Units that either side may carry at its end, or in front (`\$5`).
        ordered: False if lists may have any order.

    Example:
        >>> equal(r"\frac{1}{\sqrt{2}}", "sqrt(2)/2"), equal("(x-1)(x+1)", "x^2 - 1")
        (True, True)
        >>> equal("3.14 km", r"\pi", tolerance=0.01, units=("km",)), equal("{2, 1, 1}", "{1, 2}")
        (True, True)
    """
    if max(len(given), len(expected)) > MAX_ANSWER_LENGTH:
        return False
    allowed = Fraction(str(tolerance)) if isinstance(tolerance, float) else Fraction(tolerance)
    if not units:
        number, right = parse_numeral(given), parse_numeral(expected)
        if number is not None and right is not None:
            return number == right or abs(number - right) <= allowed
    try:
        tokens = [without_units(tokenize(_trimmed(text)), units) for text in (given, expected)]
        if tokens[0] == tokens[1]:
            return len(tokens[0]) > 1
        answer, wanted = map(parse_tokens, tokens)
    except AnswerSyntaxError:
        return bool(given.strip()) and given.split() == expected.split()
    return Comparison(allowed, ordered).same(answer, wanted)


def _trimmed(text: str) -> str:
    """Without blanks and one full stop at the end."""
    text = text.strip()
    return text[:-1] if text.endswith(".") else text
