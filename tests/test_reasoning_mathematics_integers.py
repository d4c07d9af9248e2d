"""ChainSum against Python's own arithmetic."""

import numpy as np
import pytest

from zerogym.envs.reasoning.mathematics.chain_sum import MAX_TERMS, ChainSumEnv


@pytest.mark.parametrize("difficulty", [0, 1, 2.5, 20, 1e9])
def test_chain_sums_agree_with_pythons_own_arithmetic(difficulty: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        problem = ChainSumEnv.sample(rng, difficulty)
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
    for answer in (
        f"{value}",
        f"{value}.0",
        f"{value:,}",
        f"{problem.data['expression']} = {value}",
    ):
        assert ChainSumEnv.score(problem, answer) == 1, answer
    for answer in (f"{value}.5", f"{value} {value}", problem.data["expression"], ""):
        assert ChainSumEnv.score(problem, answer) == 0, answer
