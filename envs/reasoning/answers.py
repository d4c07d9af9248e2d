r"""Answers in replies: where the answer stands, its number, and whether it is the expected one.

Every function takes any string, ends in bounded time and may be called from any thread; nothing is
run as code, and the results do not depend on what else is installed.

`equal` reads numbers (`parse_number`), expressions, equations, lists and tuples, sets, intervals
and their unions, and matrices, in LaTeX, Unicode or plain notation. `checking/algebra.py` lists
what is decided exactly, `checking/values.py` what by high-precision values, and
`checking/expression_grammar.py` what is refused as unclear. Further choices:

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

import re
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

MAX_ANSWER_LENGTH = MAX_LENGTH  # characters; longer answers score 0
_OPEN, _CLOSE, _BOXED = "<answer>", "</answer>", "\\boxed{"
_SAID = re.compile(r"(?:\*\*)?(?:the )?(?:final )?answer(?: is:?|:)(?:\*\*)?:? +", re.IGNORECASE)
_FENCE = re.compile(r"```\w*[ \t]*\n(.*)```", re.DOTALL)
_WRAPS = (("**", "**"), ("`", "`"), ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
MAX_LAYERS = 5  # of wrapping around an answer


def extract_answer(reply: str) -> tuple[str, AnswerFormat]:
    r"""Extract the answer from a model's whole reply, and where it was found.

    Order: the last `<answer>...</answer>`, else the last `\boxed{...}`, else the last line that
    is not blank, without `The answer is` before it. What `unwrapped` takes off is taken off.

    Example:
        >>> extract_answer("2 + 2 is <answer> 4 </answer>, I think.")
        ('4', 'tag')
        >>> extract_answer("So\n4\n")
        ('4', 'line')
    """
    end = reply.rfind(_CLOSE)
    start = reply.rfind(_OPEN, 0, end) if end >= 0 else -1
    if start >= 0:
        return unwrapped(reply[start + len(_OPEN) : end]), "tag"
    start = reply.rfind(_BOXED)
    if start >= 0:
        inside = _until_matching_brace(reply, start + len(_BOXED))
        if inside is not None:
            return unwrapped(inside), "boxed"
    line = reply.rstrip().rpartition("\n")[2].strip()
    said = _SAID.match(line)
    return (unwrapped(line[said.end() :] if said else line), "line") if line else ("", "none")


def unwrapped(answer: str) -> str:
    r"""Remove the markup around an answer, if that encloses all of it.

    A code fence, backticks, `**`, `$`, `\(...\)`, `\[...\]` or `\boxed{...}`, also in one another.

    Example:
        >>> unwrapped("```\n1 2\n3 4\n```"), unwrapped(r"**$\boxed{4}$**."), unwrapped("`a` or `b`")
        ('1 2\n3 4', '4', '`a` or `b`')
    """
    answer = answer.strip()
    for _ in range(MAX_LAYERS):
        inner = _inside(answer)
        if not inner:
            break
        answer = inner
    return answer


def _inside(answer: str) -> str:
    """Remove one layer of wrapping; empty if there is none."""
    if answer[:1] not in ("`", "*", "$", "\\") or len(answer) > MAX_ANSWER_LENGTH:
        return ""
    answer = answer.removesuffix(".")
    fenced = _FENCE.fullmatch(answer)
    if fenced:
        return fenced[1].strip()
    for start, end in _WRAPS:
        if answer.startswith(start) and answer.endswith(end):
            inner = answer[len(start) : -len(end)]
            return "" if start in inner or end in inner else inner.strip()
    if answer.startswith(_BOXED):
        boxed = _until_matching_brace(answer, len(_BOXED))
        if boxed is not None and len(answer) == len(_BOXED) + len(boxed) + 1:
            return boxed.strip()
    return ""


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
    r"""Compare a mathematical answer with the expected one; the rules are above.

    It is about values: `2 + 3` equals `5`, so a calculation task reads the answer with
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
        answer, right_answer = map(parse_tokens, tokens)
    except AnswerSyntaxError:
        return bool(given.strip()) and given.split() == expected.split()
    return Comparison(allowed, ordered).same(answer, right_answer)


def _trimmed(text: str) -> str:
    """Remove blanks, and one full stop at the end."""
    text = text.strip()
    return text[:-1] if text.endswith(".") else text
