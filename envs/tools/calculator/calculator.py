"""The calculator: exact arithmetic on whole numbers, fractions and decimals; never `eval`.

Left out: variables, trigonometry and logarithms (a program can do those), numbers in other bases.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from zerogym.envs.tools.calculator.grammar import evaluate
from zerogym.envs.tools.calculator.operations import CalculatorError, Value
from zerogym.envs.tools.tool import Tool, ToolResult, one_text

MAX_LINES = 20
MAX_DIGITS = 1000  # of a result's numerator and denominator
_SHOWN_DIGITS = 20  # significant digits of a decimal


class Calculator(Tool):
    """Evaluates expressions, one a line; results that are not exact are marked.

    Numbers such as `12`, `0.25`, `1.5e3`; `+ - * / // % ** ^ !` and brackets; the functions `abs`,
    `ceil`, `comb`, `factorial`, `floor`, `gcd`, `lcm`, `max`, `min`, `round` and `sqrt`. Results
    have at most `MAX_DIGITS` digits.

    Example:
        >>> calculate = lambda text: Calculator().call({"expression": text}, None).text
        >>> calculate("(1/3 + 0.5) * 6"), calculate("22 / 8"), calculate("1 / 7")
        ('5', '11/4 = 2.75', '1/7 = 0.14285714285714285714...')
        >>> calculate("sqrt(2)"), calculate("10! // 2 ** 5 % 1000")
        ('≈ 1.4142135623730950488', '400')
        >>> calculate("2 +")
        'Error: the expression ends too soon.'
    """

    name = "calculator"
    description = (
        "Calculates exactly, one expression a line: + - * / // % ** ! and brackets, sqrt, abs, "
        "min, max, floor, ceil, round, gcd, lcm, factorial, comb."
    )
    parameters = one_text("expression", "what to calculate", "(17 * 24 - 8) / 3", minLength=1)
    body = "expression"

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """Calculate the lines, one by one."""
        lines = [line for line in arguments["expression"].split("\n", 10_000) if line.strip()]
        answers = [_answer(line) for line in lines[:MAX_LINES]]
        answers = answers or ["Error: there is no expression."]
        if len(lines) > MAX_LINES:
            answers.append(f"Error: only the first {MAX_LINES} lines were calculated.")
        return ToolResult("\n".join(answers), not any(one.startswith("Error") for one in answers))


def _answer(line: str) -> str:
    try:
        return _written(evaluate(line))
    except CalculatorError as error:
        return f"Error: {error}."


def _written(value: Value) -> str:
    number = value.number
    if max(abs(number.numerator), number.denominator) >= 10**MAX_DIGITS:
        raise CalculatorError(f"the result has more than {MAX_DIGITS} digits")
    if number.denominator == 1 and value.exact:
        return str(number.numerator)
    sign, size = ("-" if number < 0 else ""), abs(number)
    if 0 < size < 1:  # digits after the point, so that _SHOWN_DIGITS are significant
        places = _SHOWN_DIGITS + len(str(size.denominator // size.numerator)) - 1
    else:
        places = max(1, _SHOWN_DIGITS - len(str(int(size))))
    if not value.exact:
        return f"≈ {sign}{_decimal(round(size, places), places)}"
    dots = "" if (size * 10**places).denominator == 1 else "..."
    return f"{number} = {sign}{_decimal(size, places)}{dots}"


def _decimal(size: Fraction, places: int) -> str:
    """Write the digits up to so many places, without zeros at the end."""
    whole, part = divmod(size, 1)
    digits = str(int(part * 10**places)).zfill(places).rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)
