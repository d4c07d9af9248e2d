"""ChainSum, NumberTheory and BaseConversion against Python's own arithmetic and brute force."""

import math
import re

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.arithmetic.base_conversion import BaseConversionEnv, parse_digits
from zerogym.envs.reasoning.arithmetic.chain_sum import MAX_TERMS, ChainSumEnv
from zerogym.envs.reasoning.arithmetic.integers import PRIMES, parse_factors, prime_factors
from zerogym.envs.reasoning.arithmetic.number_theory import NumberTheoryEnv
from zerogym.envs.reasoning.core import Problem, ReasoningEnv


@pytest.mark.parametrize("difficulty", [0, 1, 2.5, 20, 1e9])
def test_chain_sums_agree_with_pythons_own_arithmetic(difficulty: float) -> None:
    for problem in draw(ChainSumEnv, difficulty, 100):
        text = problem.prompt.removeprefix("Calculate ").removesuffix(".")
        assert int(problem.answer) == eval(text)


def test_chain_sums_grow_by_a_term_and_a_digit() -> None:
    rng = np.random.default_rng(0)
    for level in (0, 1, 2):
        chains = [ChainSumEnv.sample(rng, level).data["expression"].split() for _ in range(200)]
        assert {len(chain) for chain in chains} == {2 * (2 + level) - 1}
        assert max(len(word) for chain in chains for word in chain) == 1 + level
    assert len(ChainSumEnv.sample(rng, 1e9).data["expression"].split()) == 2 * MAX_TERMS - 1


def test_chain_sum_accepts_equal_forms() -> None:
    problem = ChainSumEnv.sample(np.random.default_rng(3), 3)
    value = int(problem.answer)
    expression = problem.data["expression"]
    right = (f"{value}", f"{value}.0", f"{value:,}", f"{expression} = {value}")
    check_scores(ChainSumEnv, problem, right, (f"{value}.5", f"{value} {value}", expression, ""))


def by_trial(problem: Problem) -> str:
    """The answer by trying every number; the definitions and nothing else."""
    data = problem.data
    match problem.category:
        case "gcd":
            low = min(data["numbers"])
            return str(max(n for n in range(1, low + 1) if not any(m % n for m in data["numbers"])))
        case "lcm":
            first, second = data["numbers"]
            return str(next(n for n in range(first, first * second + 1, first) if not n % second))
        case "modular_inverse":
            modulus = data["modulus"]
            return str(next(x for x in range(1, modulus) if data["base"] * x % modulus == 1))
        case "modular_power":
            value = 1
            for _ in range(data["exponent"]):
                value = value * data["base"] % data["modulus"]
            return str(value)
        case "crt":
            pairs = list(zip(data["rests"], data["moduli"], strict=True))
            return str(next(x for x in range(10**7) if all(x % m == r for r, m in pairs)))
    rest, factors = data["number"], []
    while rest > 1:
        factors.append(next(n for n in range(2, rest + 1) if rest % n == 0))
        rest //= factors[-1]
    return " * ".join(map(str, factors))


@pytest.mark.parametrize("difficulty", [0, 1])
def test_number_theory_agrees_with_trial_of_all_numbers(difficulty: float) -> None:
    for problem in draw(NumberTheoryEnv, difficulty, 300):
        expected = by_trial(problem)
        assert NumberTheoryEnv.score(problem, expected) == 1, problem.prompt
        if problem.category != "factorisation":
            assert expected == problem.answer
            assert NumberTheoryEnv.score(problem, str(int(expected) + 1)) == 0
            assert NumberTheoryEnv.score(problem, f"-{expected}") == float(expected == "0")


@pytest.mark.parametrize("difficulty", [4, 10, 1e9])
def test_hard_number_theory_keeps_its_promises(difficulty: float) -> None:
    for problem in draw(NumberTheoryEnv, difficulty, 300, seed=1):
        assert NumberTheoryEnv.solve(problem) == problem.answer
        if problem.category == "crt":
            low, high = 0, math.prod(problem.data["moduli"])
            assert low <= int(problem.answer) < high
            assert math.lcm(*problem.data["moduli"]) == high, "one answer below the product"


@pytest.mark.parametrize("env", [ChainSumEnv, NumberTheoryEnv, BaseConversionEnv])
def test_every_line_of_a_solution_is_true(env: type[ReasoningEnv]) -> None:
    checked = 0
    for problem in draw(env, 1.5, 300):
        for line in problem.solution.split("\n"):
            match = re.fullmatch(r"([-+*/^ 0-9]+)=([-+*^ 0-9]+)(?:mod (\d+))?", line)
            if match is not None:
                left, right = (eval(side.replace("^", "**")) for side in match.groups()[:2])
                assert left == right if match[3] is None else (left - right) % int(match[3]) == 0
                checked += 1
    assert checked >= 600


def test_two_different_numbers_are_given() -> None:
    drawn = list(draw(NumberTheoryEnv, 0, 2000))
    assert all(len({*p.data["numbers"]}) == 2 for p in drawn if p.category in ("gcd", "lcm"))


def test_the_greatest_common_divisor_is_spread() -> None:
    env = NumberTheoryEnv(category="gcd", difficulty=0)
    env.reset(seed=0)
    divisors = [env.reset() and env.get_state()["episode"].problem.answer for _ in range(1000)]
    assert max(divisors.count(d) for d in set(divisors)) < 100


def test_factorisations_are_right_in_any_form() -> None:
    problem = Problem("", "2^2 * 3", category="factorisation", data={"number": 12})
    right = (
        "2^2 * 3", "3 * 2^2", "2*2*3", "2 x 3 x 2", "2**2 * 3", "2² · 3", "$2^{2} \\times 3$",
        "2^2 \\cdot 3", "[2, 2, 3]", "2 2 3", "12 = 2^2 * 3", "2*2*3 = 12", "2 ^ 2 * 3.",
        "2^2 * 3^1", "12 = 2 * 6 = 2 * 2 * 3",
    )  # fmt: skip
    wrong = (
        "12", "4 * 3", "2 * 6", "2 * 3", "2^2 * 3 * 1", "2^2 * 3^0", "2^3 * 3", "2^2 + 3",
        "-4 * -3", "2 * * 3 * 2", "* 2 * 2 * 3", "2^2 * 3 = 13", "12 = 12", "", "2^99 * 3",
        "2 * 6 = 12", "2^^2 * 3", "٢ * 2 * 3",
    )  # fmt: skip
    check_scores(NumberTheoryEnv, problem, right, wrong)
    prime = Problem("", "13", category="factorisation", data={"number": 13})
    check_scores(NumberTheoryEnv, prime, ["13", NumberTheoryEnv.solve(prime)])


def test_explanations_name_the_broken_condition() -> None:
    explain = NumberTheoryEnv.explain
    divisor = Problem("", "6", category="gcd", data={"numbers": [12, 18]})
    assert explain(divisor, "3") == "There is a greater common divisor."
    assert explain(divisor, "4") == "It does not divide both numbers."
    assert explain(divisor, "six") == "The answer is not an integer."
    rests = Problem("", "8", category="crt", data={"rests": [2, 3], "moduli": [3, 5]})
    assert explain(rests, "23") == "It is not the smallest."
    assert explain(rests, "11") == "The remainder is wrong for 5."
    factors = Problem("", "2^2 * 3", category="factorisation", data={"number": 12})
    assert explain(factors, "4 * 3") == "A factor is not a prime."
    assert explain(factors, "2 * 3") == "The product is not 12."


def test_the_table_of_primes() -> None:
    assert len(PRIMES) == 168 and PRIMES[:5] == (2, 3, 5, 7, 11) and PRIMES[-1] == 997
    assert prime_factors(997 * 997) == [997, 997]
    assert prime_factors(1009) is None and prime_factors(1) == []
    assert parse_factors("9" * 5000) is None
    assert parse_factors("2^60 * 3^4") == {2: 60, 3: 4} and parse_factors("2^60 * 3^5") is None


@pytest.mark.parametrize("difficulty", [0, 1, 2.5, 4, 1e9])
def test_conversions_agree_with_pythons_own(difficulty: float) -> None:
    for problem in draw(BaseConversionEnv, difficulty, 300):
        given, source, target = (problem.data[key] for key in ("number", "source", "target"))
        value = int(given, source)
        assert np.base_repr(value, target) == problem.answer == BaseConversionEnv.solve(problem)
        assert min(len(given), len(problem.answer)) >= 2, "the same digits would be right"
        assert (source == 10, target == 10) == {
            "to_decimal": (False, True), "from_decimal": (True, False), "between": (False, False),
        }[problem.category]  # fmt: skip
        for other in (value + 1, value - 1, value * target):
            assert BaseConversionEnv.score(problem, np.base_repr(other, target)) == 0


@pytest.mark.parametrize(
    ("text", "base", "value"),
    [
        ("ff", 16, 255), ("FF", 16, 255), ("0xFF", 16, 255), ("00ff", 16, 255), ("FF_16", 16, 255),
        ("(FF)_{16}", 16, 255), ("FF (base 16)", 16, 255), ("1111 1111", 2, 255), ("0b101", 2, 5),
        ("0b101", 36, 11 * 36**3 + 36**2 + 1), ("101 = 5", 10, 5), ("1,234", 10, 1234),
        ("1234_10", 10, 1234), ("0o17.", 8, 15), ("$ff$", 16, 255), ("Z", 36, 35),
    ],
)  # fmt: skip
def test_numbers_in_bases_are_read(text: str, base: int, value: int) -> None:
    assert parse_digits(text, base) == value


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("12", 2), ("FG", 16), ("", 10), ("-5", 10), ("-101", 2), ("1.5", 10), ("1_0", 16),
        ("0x12", 8), ("\u017f", 36), ("\u00df", 36), ("\u0661", 10), ("1" * 201, 2),
        ("1" * 4096, 36),
        ("101_3", 2), ("A or B", 16),
    ],
)  # fmt: skip
def test_what_is_no_number_of_a_base_is_refused(text: str, base: int) -> None:
    assert parse_digits(text, base) is None


@pytest.mark.parametrize("difficulty", [0, 1, 2.5])
def test_no_number_of_the_question_is_the_answer(difficulty: float) -> None:
    for problem in draw(NumberTheoryEnv, difficulty, 600, seed=5):
        data, kind = problem.data, problem.category
        if kind in ("gcd", "lcm"):
            first, second = data["numbers"]
            assert int(problem.answer) not in (first, second, abs(first - second)), problem.prompt
        elif kind in ("modular_inverse", "modular_power"):
            assert int(problem.answer) != data["base"], problem.prompt


def test_the_steps_to_an_inverse_end_with_it() -> None:
    negative = 0
    for problem in draw(NumberTheoryEnv, 1.0, 600, seed=6):
        if problem.category == "modular_inverse":
            *_, step, last = problem.solution.split("\n")
            factor = int(step.split(" * ")[1].split(" = ")[0])
            modulus = problem.data["modulus"]
            negative += factor < 0
            shown = f"{factor} + {modulus} = {problem.answer}" if factor < 0 else problem.answer
            assert last == f"x = {shown}"
    assert negative > 20
