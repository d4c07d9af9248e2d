"""CodeTriplet as an environment: its oracle, its distractors, its guesses, its sandbox."""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.tools.code_triplet import env as env_file
from zerogym.envs.tools.code_triplet.env import CodeTripletEnv
from zerogym.envs.tools.code_triplet.inputs import draw_arguments
from zerogym.envs.tools.code_triplet.language.interpreter import compiled
from zerogym.envs.tools.code_triplet.literals import same
from zerogym.envs.tools.code_triplet.mistakes import near_programs
from zerogym.envs.tools.code_triplet.problems import MODES, draw_problem
from zerogym.envs.tools.code_triplet.triplets import MANY, output_of
from zerogym.envs.tools.sandbox import Result, SandboxUnavailable
from zerogym.errors import UnknownName

LEVELS = (0.0, 0.5, 1.0, 2.5, 4.0)
WITHOUT = ("deduction", "abduction")


@cache
def problems(difficulty: float, count: int = 300) -> dict[str, list[Problem]]:
    rng = np.random.default_rng(11)
    found: dict[str, list[Problem]] = {mode: [] for mode in MODES}
    for _ in range(count):
        problem = draw_problem(rng, difficulty)
        found[problem.category].append(problem)
    return found


@cache
def judge_of(category: str) -> CodeTripletEnv:
    return CodeTripletEnv(category=category)


@needs_sandbox
def test_the_expert_scores_one() -> None:
    env = CodeTripletEnv()
    for seed in range(60):
        env.reset(seed=seed, options={"difficulty": LEVELS[seed % len(LEVELS)]})
        _, reward, terminated, _, info = env.step(env.oracle_action())
        assert (reward, terminated, info["correct"]) == (1.0, True, True), info


@pytest.mark.filterwarnings("ignore::zerogym.errors.UnsafeSandboxWarning")
def test_info_says_at_which_level_programs_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports mark what ran at level unsafe-local by it; nothing runs but in induction."""
    monkeypatch.setattr(CodeTripletEnv, "_sandbox", lambda self: None)
    env = CodeTripletEnv(level="unsafe-local")
    for category in MODES:
        _, info = env.reset(seed=0, options={"category": category})
        assert info.get("sandbox") == ("unsafe-local" if category == "induction" else None)
    with pytest.raises(UnknownName, match="'monty'"):
        CodeTripletEnv(category="deduction", level="montee")  # type: ignore[arg-type]


@pytest.mark.parametrize("category", WITHOUT)
@pytest.mark.parametrize("level", LEVELS)
def test_right_answers_and_distractors(category: str, level: float) -> None:
    env = judge_of(category)
    for problem in problems(level)[category]:
        assert env.score(problem, env.solve(problem)) == 1.0
        assert env.score(problem, f" {problem.answer}\n") == 1.0
        assert env.solve(problem) == problem.answer
        assert problem.answer in problem.solution
        assert problem.distractors
        for wrong in problem.distractors:
            assert env.score(problem, wrong) == 0.0, (problem.prompt, wrong)


@needs_sandbox
def test_programs_with_a_mistake_and_tables_do_not_fit() -> None:
    env = judge_of("induction")
    for level in (0.0, 2.5):
        for problem in problems(level)["induction"][:15]:
            assert env.solve(problem) == problem.answer != problem.distractors[-1]
            for wrong in problem.distractors:
                assert env.score(problem, wrong) == 0.0, (problem.prompt, wrong)


def test_the_solver_does_not_read_the_answer() -> None:
    for mode, drawn in problems(1.0).items():
        for problem in drawn[:20]:
            blank = Problem(problem.prompt, "", category=mode, data=problem.data)
            assert CodeTripletEnv.solve(blank) == problem.answer


def test_any_input_with_the_output_is_right() -> None:
    env = judge_of("abduction")
    by_hand = {
        "parameters": [["v0", "list"]],
        "body": [],
        "result": ["add_up", ["var", "v0"]],
        "names": {"v0": "xs"},
    }
    problem = Problem("", "[5]", category="abduction", data={"program": by_hand, "output": 5})
    for right in ("[5]", "[2, 3]", "[10, -5]", "[5, 0, 0]"):
        assert env.score(problem, right) == 1.0
    for wrong in ("[4]", "5", "(2, 3)", "[2.0, 3]", "[True, 4]", "", "xs", "[5], 1", "sum([5])"):
        assert env.score(problem, wrong) == 0.0


def test_types_of_outputs_are_strict() -> None:
    env = judge_of("deduction")
    for output, wrong in ((1, "True"), ([1, 2], "(1, 2)"), ([1, 2], "1, 2"), ("ab", "ab")):
        problem = Problem("", repr(output), category="deduction", data={"output": output})
        assert env.score(problem, repr(output)) == 1.0
        assert env.score(problem, wrong) == 0.0
    assert env.score(Problem("", "", category="deduction", data={"output": "ab"}), '"ab"') == 1.0


def test_what_can_be_made_of_an_output_alone_is_no_input_for_it() -> None:
    """A list with that sum, a number with these digits: right often, if they were not left out."""
    env = judge_of("abduction")
    for problem in problems(0.0)["abduction"]:
        output = problem.data["output"]
        guesses = [output]
        if isinstance(output, int):
            guesses += [[output], [0, output], [output, 0]]
        elif isinstance(output, list):
            guesses.append("".join(map(str, output)))
        for guess in guesses:
            assert env.score(problem, guess if isinstance(guess, str) else repr(guess)) == 0.0


def test_the_digits_of_the_input_are_no_output() -> None:
    env = judge_of("deduction")
    numbers = [p for p in problems(0.0)["deduction"] if type(p.data["arguments"][0]) is int]
    assert len(numbers) > 5
    for problem in numbers:
        digits = [int(digit) for digit in str(problem.data["arguments"][0])]
        assert env.score(problem, repr(digits)) == 0.0


def test_few_inputs_have_the_output_that_is_to_be_found_again() -> None:
    def hits(rng: np.random.Generator, problem: Problem) -> int:
        run, program = compiled(problem.data["program"]), problem.data["program"]
        outputs = [output_of(run, draw_arguments(rng, program)) for _ in range(MANY)]
        return sum(same(output, problem.data["output"]) for output in outputs)

    drawn = problems(1.0)["abduction"]
    assert {hits(np.random.default_rng(p.data["seed"]), p) for p in drawn} == {1}
    rng = np.random.default_rng(4)
    assert np.mean([hits(rng, problem) for problem in drawn]) < 0.02 * MANY


def test_no_simple_function_fits_the_hidden_pairs_of_many() -> None:
    simple: dict[str, Any] = {
        "identity": lambda v: v, "sort": sorted, "downwards": lambda v: sorted(v, reverse=True),
        "reverse": lambda v: v[::-1], "length": len, "sum": sum, "max": max,
        "tail": lambda v: v[1:], "first": lambda v: v[0], "none": lambda v: None,
    }  # fmt: skip
    for level in (0.0, 1.0, 4.0):
        drawn = problems(level)["induction"]
        for function in simple.values():
            assert np.mean([fits(function, problem.data["hidden"]) for problem in drawn]) < 0.05
        for problem in drawn:
            shown, hidden = problem.data["shown"], problem.data["hidden"]
            assert len(shown) == len(hidden) == 5
            assert not any(arguments in [a for a, _ in shown] for arguments, _ in hidden)
            most = Counter(repr(output) for _, output in hidden).most_common(1)[0][1]
            assert most <= 2, "no constant fits more"


def fits(function: Any, pairs: list[Any]) -> bool:
    """Return True if a Python function computes all outputs from the first argument."""
    try:
        return all(same(function(arguments[0]), output) for arguments, output in pairs)
    except (TypeError, IndexError, ValueError):
        return False


def test_no_step_is_idle_and_outputs_depend_on_inputs() -> None:
    rng, copies = np.random.default_rng(5), []
    for problem in problems(1.0)["deduction"]:
        program = problem.data["program"]
        run = compiled(program)
        scopes = [run(draw_arguments(rng, program)) for _ in range(20)]
        assert len({repr(scope["return"]) for scope in scopes}) >= 5
        first = program["values"][0]
        copies.append(np.mean([same(scope[first], scope["return"]) for scope in scopes]))
    assert max(copies) <= 0.5 and np.mean(copies) < 0.02


def test_prompts_stay_bounded() -> None:
    hardest = draw_problem(np.random.default_rng(0), 1e9)
    assert len(hardest.prompt) < CodeTripletEnv.max_observation // 2


@pytest.mark.parametrize("category", WITHOUT)
def test_replies_are_explained(category: str) -> None:
    env = CodeTripletEnv(category=category, max_attempts=3)
    env.reset(seed=1)
    feedback = env.step("<answer>f(x)</answer>")[0]
    assert "cannot be used" in feedback and "Try again" in feedback
    wrong = env.distractor_actions()[0]
    feedback, reward, terminated, _, _ = env.step(wrong)
    assert "returns" in feedback and (reward, terminated) == (0.0, False)
    assert env.step(env.oracle_action())[1:3] == (1.0, True)


def test_without_a_sandbox_only_induction_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**arguments: Any) -> None:
        raise SandboxUnavailable("no namespaces here")

    monkeypatch.setattr(env_file, "Sandbox", refuse)
    for category in (None, "induction"):
        with pytest.raises(SandboxUnavailable, match="no namespaces"):
            CodeTripletEnv(category=category)
    for category in WITHOUT:
        env = CodeTripletEnv(category=category)
        env.reset(seed=0)
        assert env.step(env.oracle_action())[1] == 1.0


class Broken:
    """A sandbox that fails some times, then runs nothing."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def run(self, **arguments: Any) -> Result:
        self.failures -= 1
        return Result("unavailable" if self.failures >= 0 else "error", reason="out of order")


def test_a_sandbox_that_fails_is_no_failure_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_file, "Sandbox", lambda level: Broken(2))
    env = CodeTripletEnv(category="induction")
    env.reset(seed=0)
    says, reward, terminated, truncated, info = env.step(env.oracle_action())
    assert (reward, terminated, truncated, info["unavailable"]) == (0.0, False, True, True)
    assert "score" not in info and "out of order" in says
    with pytest.raises(RuntimeError, match="reset"):
        env.step("x")
    monkeypatch.setattr(env_file, "Sandbox", lambda level: Broken(1))
    env = CodeTripletEnv(category="induction")
    env.reset(seed=0)
    assert env.step(env.oracle_action())[4]["score"] == 0.0, "it is tried once more"


@pytest.mark.parametrize("difficulty", [0.0, 3.0])
def test_a_near_program_that_fits_what_is_shown_fits_hidden_pairs(difficulty: float) -> None:
    rng, fitting = np.random.default_rng(0), 0
    for problem in [draw_problem(rng, difficulty, "induction") for _ in range(60)]:
        for near in near_programs(problem.data["program"]):
            returned = compiled(near)
            wrong = [
                [not same(output_of(returned, inputs), out) for inputs, out in problem.data[half]]
                for half in ("shown", "hidden")
            ]
            fitting += not any(wrong[0])
            assert any(wrong[0]) or not any(wrong[1]), problem.prompt
    assert fitting
