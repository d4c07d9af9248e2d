"""Units: physics word problems in which quantities come in all kinds of units.

Left out: vectors, laws that need a root, temperatures, and units outside the metric system.
"""

import re
from fractions import Fraction

import numpy as np

from zerogym.envs.reasoning.answers import format_number, parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, shuffled
from zerogym.envs.reasoning.measurement.physics import CHAINS, LAWS, UNITS, Law, Unit
from zerogym.envs.reasoning.measurement.unit_symbols import read_unit

Given = list[list[str]]  # quantity, number, unit
_SPELLINGS = {"^2": "²", "^3": "³", "ohm": "Ω"}
# LaTeX around a unit
_UPRIGHT = re.compile(r"\\(?:text|mathrm)\{([^{}\d][^{}]*)\}")


class UnitsEnv(ReasoningEnv):
    """Find a physical quantity, in a given unit.

    Description:
        A short story says which laws hold: motion, density, force, pressure, work, energy,
        power, electricity, waves. All quantities but one are given, in various metric units; the
        answer is an exact rational number in the required unit.

    Answer:
        A number, with or without the required unit after it, also as `\\text{ m}`.

    Reward:
        1 if the value is exactly right and no other unit is named, else 0.

    Difficulty:
        `1 + difficulty / 2` laws follow one another (a fractional part is the chance of one more,
        at most 4). Below 1 there is one law, all units are SI units and the answer is an integer.

    Example:
        >>> env = UnitsEnv(difficulty=0)
        >>> print(env.reset(seed=0)[0])
        A wave runs through a medium.
        Given: speed 180 m/s; frequency 12 Hz.
        What is the wavelength in m?
        Answer with the exact number, as an integer, fraction or decimal.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>15</answer>")[1]
        1.0

    Source:
        Textbook mechanics and electricity; laws, ranges and stories are our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a chain of laws, the target quantity and unit, and the given numbers."""
        length = round_randomly(rng, min(difficulty / 2, len(CHAINS) - 1.0))
        root, chain = pick(rng, CHAINS[length if difficulty >= 1 else 0])
        law = LAWS[root]
        fed = [quantity for _, quantity in chain]
        open_ones = [q for q in law.quantities if q not in fed and law.factors.get(q, 1) == 1]
        target = pick(rng, open_ones)
        laws = [(LAWS[name], quantity) for name, quantity in reversed(chain)] + [(law, target)]
        if difficulty < 1:
            given, unit = _draw_whole(rng, law, target), UNITS[target][0]
        else:
            given, unit = _draw_given(rng, laws), pick(rng, UNITS[target])
        steps, value = _work_out(laws, given, unit)
        # a conversion left out or made twice, a factor of 10, the inverse, and another unit
        numbers = (value * unit.size, value / unit.size, value * 10, value / 1000, 1 / value)
        wrong = [format_number(number) for number in numbers if number != value]
        wrong += [f"{value} {other.symbol}" for other in UNITS[target] if other != unit]
        answer = format_number(value)
        listed = "; ".join(f"{name} {number} {symbol}" for name, number, symbol in given)
        stories = " ".join(law.story for law, _ in reversed(laws))
        return Problem(
            prompt=(
                f"{stories}\nGiven: {listed}.\nWhat is the {target} in {unit.symbol}?\n"
                "Answer with the exact number, as an integer, fraction or decimal."
            ),
            answer=answer,
            solution="\n".join(steps),
            distractors=tuple(dict.fromkeys(wrong))[-5:],
            data={"laws": [one.name for one, _ in laws], "given": given,
                  "asked": [target, unit.symbol]},
            canonical=f"{sorted(given)} {target} {unit.symbol}",
        )  # fmt: skip

    @staticmethod
    def solve(problem: Problem) -> str:
        """Read the units from their symbols, and apply any law that gives something new."""
        known = {
            quantity: Fraction(number) * read_unit(symbol)[0]
            for quantity, number, symbol in problem.data["given"]
        }
        target, symbol = problem.data["asked"]
        laws = [LAWS[name] for name in problem.data["laws"]]
        while target not in known:
            for law in laws:
                unknown = [quantity for quantity in law.quantities if quantity not in known]
                if len(unknown) == 1:
                    known[unknown[0]] = law.solve(unknown[0], known)
        return format_number(known[target] / read_unit(symbol)[0])

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Accept the exact number, alone or with the required unit."""
        symbol = problem.data["asked"][1]
        value = parse_number(_without_unit(answer, symbol))
        if value is None:
            return f"The answer is not a number of {symbol}."
        return "" if value == Fraction(problem.answer) else "The value is wrong."


def _without_unit(answer: str, symbol: str) -> str:
    """The answer without the required unit at its end."""
    text = answer.strip().removesuffix(".").rstrip()
    for plain, nice in _SPELLINGS.items():
        text = text.replace(nice, plain)
    if "\\" in text:
        text = _UPRIGHT.sub(lambda match: match[1].strip(), text)
    return text.removesuffix(symbol)


def _draw_whole(rng: np.random.Generator, law: Law, target: str) -> Given:
    """Whole SI numbers such that the target is whole, too."""
    values = {quantity: Fraction(draw_int(rng, 2, 20)) for quantity in law.factors}
    values[next(iter(values))] *= 2 if law.constant.denominator == 2 else 1
    values[law.product] = law.solve(law.product, values)
    names = shuffled(rng, [quantity for quantity in law.quantities if quantity != target])
    return [[name, str(values[name]), UNITS[name][0].symbol] for name in names]


def _draw_given(rng: np.random.Generator, laws: list[tuple[Law, str]]) -> Given:
    """Numbers in random units for all quantities that no law is solved for."""
    found = {solved for _, solved in laws}
    names = [q for law, _ in laws for q in law.quantities if q not in found]
    given = []
    for name in shuffled(rng, names):
        unit = pick(rng, UNITS[name])
        number = draw_int(rng, unit.low, unit.high)
        half = ".5" if number < 20 and rng.random() < 0.3 else ""
        given.append([name, f"{number}{half}", unit.symbol])
    return given


def _work_out(laws: list[tuple[Law, str]], given: Given, unit: Unit) -> tuple[list[str], Fraction]:
    """Steps of the solution, and the value in the required unit."""
    known: dict[str, Fraction] = {}
    steps = []
    for name, number, symbol in given:
        base = UNITS[name][0]
        size = next(one.size for one in UNITS[name] if one.symbol == symbol)
        known[name] = Fraction(number) * size
        steps.append(f"{name} = {number} {symbol}")
        if symbol != base.symbol:
            steps[-1] += f" = {format_number(known[name])} {base.symbol}"
    for law, unknown in laws:
        known[unknown] = law.solve(unknown, known)
        base = UNITS[unknown][0]
        steps.append(
            f"{unknown} = {law.formula(unknown)} = {format_number(known[unknown])} {base.symbol}"
        )
    value = known[unknown] / unit.size
    steps.append(f"The {unknown} is {format_number(value)} {unit.symbol}.")
    return steps, value
