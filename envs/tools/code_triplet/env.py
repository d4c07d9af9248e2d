"""CodeTriplet: a program, its input, its output; two are given, find the third.

Left out: the seat that proposes triplets (`validation` checks proposals), and programs that raise.
"""

from typing import Any, ClassVar

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.answers import MAX_ANSWER_LENGTH, AnswerFormat, extract_answer
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.splits import Split
from zerogym.envs.tools.code_triplet.induction import (
    find_program,
    judge,
    judge_input,
    read_pairs,
)
from zerogym.envs.tools.code_triplet.inputs import read_arguments, written_arguments
from zerogym.envs.tools.code_triplet.language.interpreter import compiled, run
from zerogym.envs.tools.code_triplet.language.rendering import rendered
from zerogym.envs.tools.code_triplet.literals import NoLiteral, read, same
from zerogym.envs.tools.code_triplet.problems import MODES, draw_problem
from zerogym.envs.tools.code_triplet.triplets import find_preimage, output_of
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.envs.tools.sandbox.execution.arguments import check_level
from zerogym.envs.tools.sandbox.result import Level
from zerogym.errors import SandboxUnavailable


class CodeTripletEnv(ReasoningEnv):
    """Predict the output of a program, find an input for an output, or find the program.

    Description:
        Programs are drawn from a small language in which every program ends, and written as plain
        Python. They take a list of integers, a text or an integer, and sometimes a second integer.
        Three categories: in `deduction` program and input are given, the answer is the output; in
        `abduction` program and output are given, any input with that output is right; in
        `induction` five pairs of inputs and outputs and a hint are given, the answer is a program
        that must fit these and five hidden pairs, as every program does that fits the shown ones
        and differs from the drawn one in one constant, comparison or condition. No program returns
        much the same for all inputs, and outputs to be found again are rare among them.

    Observation:
        The question as text.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line. It is a Python literal for deduction; for abduction the
        arguments, with commas between them; types count (`True` is not 1, a tuple is no list). For
        induction it is the source of a function `f`, in a fenced block or not; a fenced block
        outside of `<answer>` is found too.

    Reward:
        1 if right, else 0. A program runs in the sandbox, for at most 2 CPU seconds; only inputs go
        in, and outputs are compared outside. If the sandbox fails, the episode is truncated with
        `info["unavailable"]` and no score.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        `1 + difficulty` steps of the program (at most 8; a fractional part is the chance of one
        more). From 1 on expressions have more forms, from 2 on there are more branches, and
        conditions with `and` or `or`.

    Arguments:
        `difficulty` (default 1), `split` (decided by the program alone, so that no program is on
        both sides), `category` (`deduction`, `abduction`, `induction`), `max_attempts` (default 1),
        `level` of the sandbox (default `strong`; `monty` knows less Python and is faster),
        `render_mode`. The sandbox is needed for induction only: with another category the
        environment works without one, else making it raises `SandboxUnavailable`.

    Example:
        >>> env = CodeTripletEnv(difficulty=0, category="deduction")
        >>> print(env.reset(seed=2)[0])
        Here is a Python function.
        ```python
        def f(xs):
            return [v * 4 for v in xs if v % 3 == 2]
        ```
        What does f([14, 8, 3, 7, 10, 18, 16, 6, 19]) return?
        Answer with a Python literal, such as 12, [1, 2] or 'ab'.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>[56, 32]</answer>")[1]
        1.0

    Source:
        The three modes of "Absolute Zero: Reinforced Self-play Reasoning with Zero Data" (2025,
        arXiv 2505.03335), whose programs are proposed by the model; ten inputs for induction, half
        of them shown, as in its code. Strict types and the small language are our choice.
    """

    waits = True  # induction runs a program: rollouts step several side by side
    categories: ClassVar[tuple[str, ...]] = tuple(MODES)

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_attempts: int = 1,
        level: Level = "strong",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_attempts, render_mode)
        self.level = check_level(level)
        self._opened: Sandbox | None = None
        if category in (None, "induction"):
            self._sandbox()

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a problem of any category."""
        return draw_problem(rng, difficulty)

    def score(self, problem: Problem, answer: str) -> float:  # type: ignore[override]
        """1 if the answer is right; a program runs in the sandbox.

        Raises:
            SandboxUnavailable: If it is needed and fails.
        """
        return float(not self._fault(problem, answer))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Run the program, search the inputs it was tried on, or render the program."""
        if "source" in problem.data:  # a proposal, which was run when it was accepted
            key = {"deduction": "output", "abduction": "arguments"}.get(problem.category, "source")
            return str(problem.data[key])
        program = problem.data["program"]
        if problem.category == "deduction":
            return repr(run(program, problem.data["arguments"]))
        if problem.category == "abduction":
            found = find_preimage(problem.data["seed"], program, problem.data["output"])
            return written_arguments(found)
        return rendered(program)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Score the reply; without a score if the sandbox fails."""
        try:
            return super().step(action)
        except SandboxUnavailable as error:
            self._episode.over = True
            message = f"The sandbox failed: {error}"
            info = self._info() | {"unavailable": True, "success": False, "feedback": message}
            return message, 0.0, False, True, info

    def _info(self) -> dict[str, Any]:
        runs = self._episode.problem.category == "induction"
        return super()._info() | ({"sandbox": self.level} if runs else {})

    def _sample_of(self, difficulty: float, category: str | None) -> Problem:
        return draw_problem(self.np_random, difficulty, category)

    def _read(self, reply: str) -> tuple[str, AnswerFormat]:
        if self._episode.problem.category == "induction":
            return find_program(reply)
        return extract_answer(reply)

    def _judge(self, problem: Problem, answer: str) -> tuple[float, str]:
        if not answer or len(answer) > MAX_ANSWER_LENGTH:
            return super()._judge(problem, answer)
        fault = self._fault(problem, answer)
        return float(not fault), fault or "Correct."

    def _fault(self, problem: Problem, answer: str) -> str:
        """Return the error in an answer; empty if it is right."""
        data = problem.data
        if problem.category == "induction":
            shown, hidden = data["shown"], data["hidden"]
            if "source" in data:
                shown, hidden = read_pairs(shown), read_pairs(hidden)
            return judge(self._sandbox(), answer, shown, hidden)
        output = read(data["output"]) if "source" in data else data["output"]
        try:
            if problem.category == "deduction":
                right = answer.strip() == repr(output) or same(read(answer), output)
                return "" if right else "It returns something else."
            if "program" not in data:
                return judge_input(self._sandbox(), data["source"], answer, output)
            arguments = read_arguments(answer, data["program"])
        except NoLiteral as error:
            return f"The answer cannot be used: {error}."
        found = output_of(compiled(data["program"]), arguments)
        return "" if same(found, output) else f"For this input it returns {repr(found)[:200]}."

    def _sandbox(self) -> Sandbox:
        """The sandbox, created at the first use."""
        if self._opened is None:
            self._opened = Sandbox(level=self.level)
        return self._opened
