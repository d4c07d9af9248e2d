"""CodeCreator: the proposer's seat of CodeTriplet.

Left out: programs made of earlier ones, and the reward for what a solver learns, which needs one
(the rollouts part `absolute_zero`).
"""

import json
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.answers import AnswerFormat
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.splits import Split
from zerogym.envs.tools.code_triplet.creator_problems import (
    MAX_MESSAGE,
    blocks_of,
    draw_creator_problem,
    written,
)
from zerogym.envs.tools.code_triplet.language.parsing import NoProgram
from zerogym.envs.tools.code_triplet.problems import MODES
from zerogym.envs.tools.code_triplet.proposals import (
    ProposalLevel,
    Rejected,
    Triplet,
    accepted,
    plain,
)
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.envs.tools.sandbox.execution.arguments import check_level
from zerogym.errors import SandboxUnavailable


class CodeCreatorEnv(ReasoningEnv):
    """Propose a triplet of program, input and output that another player is to complete.

    Description:
        Three categories, those of `CodeTriplet`. For `deduction` and `abduction` one or two
        programs are shown, and another one is to be written, with an input. For `induction` a
        program is given, and ten inputs for it and a message that hints at it are to be written.
        The program must return a given output, for one of the inputs at least, and a new one must
        contain a given part. What the program returns is computed, so that every accepted proposal
        has a right answer. Whether it is a good one, only a solver shows: see the rollouts part
        `absolute_zero`.

    Observation:
        The question as text.

    Action:
        The reply as text, of which the blocks ```python, ```input and ```message are read; of
        several programs or messages the last one counts.

    Reward:
        1 if the proposal is accepted, else 0. It is accepted if the program defines `f`, ends,
        keeps to the rules, gives the same each time, returns a literal for each input, and is
        another one than those that are shown. At `level="interpreter"` it is one of the language of
        `CodeTriplet`, which is read and never run as Python; at a level of the sandbox it is any
        Python that ends within 2 CPU seconds and imports nothing random.

    Episode end:
        After an accepted reply, or `max_attempts` of them. The last `info` then has the `proposal`
        as JSON text: `program`, `inputs`, `outputs`, `message`. A reply without the blocks has
        `info["answer_format"]` `none`.

    Difficulty:
        As in `CodeTriplet`, of the programs that are shown and of the drawn proposal behind the
        question.

    Arguments:
        `difficulty` (default 1), `split`, `category` (`deduction`, `abduction`, `induction`),
        `max_attempts` (default 1), `level` (`interpreter`, the default, or a level of the sandbox),
        `render_mode`.

    Example:
        >>> env = CodeCreatorEnv(difficulty=0, category="deduction")
        >>> print(env.reset(seed=4)[0].split("function f and ")[1][:59])
        an input: what it returns for the input is to be predicted.
        >>> env.step(env.oracle_action())[1]
        1.0

    Source:
        The proposer of "Absolute Zero: Reinforced Self-play Reasoning with Zero Data" (2025,
        arXiv 2505.03335): three task types, references from earlier triplets, ten inputs and a
        message for induction, checks of safety and determinism. What a proposal must fulfil, and
        that it must be another one than the references, are our choice.
    """

    waits = True  # a program may run in the sandbox
    categories: ClassVar[tuple[str, ...]] = tuple(MODES)
    answer_request = "Nothing else in the answer is read."

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_attempts: int = 1,
        level: ProposalLevel = "interpreter",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_attempts, render_mode)
        self.level = level if level == "interpreter" else check_level(level)
        self._opened: Sandbox | None = None
        self._accepted: Triplet | None = None
        if level != "interpreter":
            self._sandbox()

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a question of any category."""
        return draw_creator_problem(rng, difficulty)

    def score(self, problem: Problem, answer: str) -> float:  # type: ignore[override]
        """1 if the proposal is accepted.

        Raises:
            SandboxUnavailable: If it is needed and fails.
        """
        return self._judge(problem, answer)[0]

    @staticmethod
    def solve(problem: Problem) -> str:
        """Return the drawn proposal; a question of another proposal has none.

        Raises:
            ValueError: If there is none.
        """
        if problem.data["solution"] is None:
            raise ValueError("a question that was made of proposals has no oracle")
        return written(problem.category, Triplet.from_record(problem.data["solution"]))

    def random_action(self, rng: np.random.Generator) -> str:
        """Return a drawn reply to another question, of any category."""
        return f"<answer>{draw_creator_problem(rng, self._running().difficulty).answer}</answer>"

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Judge the proposal; without a score if the sandbox fails."""
        try:
            observation, reward, terminated, truncated, info = super().step(action)
        except SandboxUnavailable as error:
            self._episode.over = True
            message = f"The sandbox failed: {error}"
            info = self._info() | {"unavailable": True, "success": False, "feedback": message}
            return message, 0.0, False, True, info
        if info["success"] and self._accepted is not None:
            info["proposal"] = json.dumps(self._accepted.record())
        return observation, reward, terminated, truncated, info

    def _info(self) -> dict[str, Any]:
        return super()._info() | {"role": "proposer"}

    def _sample_of(self, difficulty: float, category: str | None) -> Problem:
        return draw_creator_problem(self.np_random, difficulty, category)

    def _read(self, reply: str) -> tuple[str, AnswerFormat]:
        blocks = blocks_of(reply)
        required = (
            {"input", "message"}
            if self._episode.problem.category == "induction"
            else {"python", "input"}
        )
        return reply, "tag" if required <= blocks.keys() else "none"

    def _judge(self, problem: Problem, answer: str) -> tuple[float, str]:
        self._accepted = None
        try:
            self._accepted = self._accept(problem, answer)
        except (Rejected, NoProgram) as error:
            return 0.0, f"The proposal is not accepted: {error}."
        return 1.0, "Correct."

    def _accept(self, problem: Problem, answer: str) -> Triplet:
        blocks, data = blocks_of(answer), problem.data
        references = [Triplet.from_record(record) for record in data["references"]]
        inputs = blocks.get("input", [])
        if problem.category == "induction":
            messages = blocks.get("message", [])
            if len(inputs) != data["pairs"] or len({*inputs}) != len(inputs) or not messages:
                raise Rejected(f"it needs {data['pairs']} different inputs and a message")
            if not 0 < len(messages[-1]) <= MAX_MESSAGE or "\n" in messages[-1]:
                raise Rejected(f"the message is not one line of 1 to {MAX_MESSAGE} characters")
            found = accepted(references[0].program, inputs, self.level, self._sandbox)
            found = replace(found, message=messages[-1])
        else:
            programs = blocks.get("python", [])
            if not programs or not inputs:
                raise Rejected("it needs a block ```python and a block ```input")
            found = accepted(programs[-1], inputs[-1:], self.level, self._sandbox)
            if data["part"] not in found.program:
                raise Rejected(f"the function does not contain `{data['part']}`")
            if any(found.program == plain(each.program) for each in references):
                raise Rejected("the function is one of those that are shown")
        if data["returns"] and data["returns"] not in found.outputs:
            raise Rejected(f"it returns {data['returns']} for none of the inputs")
        return found

    def _sandbox(self) -> Sandbox:
        """The sandbox, created at the first use; there is none at `level="interpreter"`."""
        if self._opened is None:
            self._opened = Sandbox(level=self.level)  # type: ignore[arg-type]
        return self._opened
