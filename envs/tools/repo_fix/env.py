"""RepoFix: repair functions of a generated Python repository, judged by hidden tests.

Left out: new files, patches as text, and repositories with dependencies.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.folder.bash import check_shell_level
from zerogym.envs.tools.repo_fix.catalogue import UNITS
from zerogym.envs.tools.repo_fix.judge import run_calls
from zerogym.envs.tools.repo_fix.repository import Function, Repository, sample_repository
from zerogym.envs.tools.repo_fix.tools import EditFile, ReadFile, RepoState, RunTests
from zerogym.envs.tools.repo_fix.units import BugKind
from zerogym.envs.tools.sandbox.result import Level
from zerogym.envs.tools.tool import Tool
from zerogym.envs.tools.world import CallFormat, Judgement, ToolWorld
from zerogym.errors import UnknownName

Guidance = Literal["none", "place", "plan"]
_ADVICE: dict[str, str] = {
    "boundary": "a boundary is off by one: look at comparisons, ranges and slices",
    "operator": "an operation, or what it is applied to, is another one than the docstring says",
    "constant": "a constant or a first value is wrong",
    "order": "the order of the result, or of its parts, is wrong",
    "missing": "a step that the docstring requires is left out",
}
_PROMPT = """\
Repair a small Python repository. {question}
Files: {files}.
The docstrings are right. Change the functions of the package so that each does what its docstring \
says; hidden tests call all of them. Changes of the tests do not count. When the functions are \
right, answer <answer>done</answer>.{guidance}"""


class RepoFixEnv(ToolWorld[Repository]):
    """Repair a generated Python repository: read, edit, run the tests, submit.

    Description:
        A package of small functions with docstrings, and tests of which some fail. The functions
        come from a catalogue of twelve, with drawn names, constants and places; the bugs are of
        five kinds. A file must be read before it is edited.

    Observation:
        First a wrong call of each wrong function, and the names of the files; then the results of
        the calls.

    Action:
        The reply as text: calls of `read_file`, `edit_file` and `run_tests`, or the answer, whose
        text does not matter.

    Reward:
        At the answer: 1 if every function of the package returns the right value in every hidden
        call, else 0. The hidden calls run in the sandbox in a new process, on the package without
        its tests; right values never enter it, and are compared outside. `info["hidden_passed"]`
        is the share of right ones.

    Episode end:
        At the answer; truncated without reward after `max_turns` replies, and with
        `info["unavailable"]` if the sandbox fails twice in a row. A machine that cannot hold the
        sandbox raises `SandboxUnavailable` at the first tests or at the answer.

    Difficulty:
        `1 + difficulty` modules (at most 4) with `2 + 2 * difficulty` functions (at most 10) in
        all; one bug below 2, two below 4, then three.

    Arguments:
        `difficulty` (default 1), `split`, `category` (kind of one of the bugs: boundary, operator,
        constant, order, missing), `max_turns` (default 18), `max_calls` (default 16), `call_cost`,
        `format`, `render_mode`; `guidance`: `none`, `place` (the prompt names the wrong functions
        and their files) or `plan` (and what to look for); `level` of the sandbox (`strong` or
        `landlock`). All sizes are our choice.

        `info` has `read_files`, the number of files that were read, and `tests_passed`, the share
        of visible tests that passed when they last ran. Rewards for calls are `CallReward`'s; a
        policy can collect them without repairing anything, unless they are inside `GatedReward`.

    Example:
        >>> env = RepoFixEnv(difficulty=0)
        >>> prompt, info = env.reset(seed=0)
        >>> print(prompt.splitlines()[1])
        - ... is ..., not ...
        >>> print(env.oracle_action())
        <read_file>...</read_file>

    Source:
        The setting of SWE-bench in small. Guidance for attempts that failed, as a plan or with the
        place of the fault: "Agent-RLVR: Training Software Engineering Agents via Guidance and
        Environment Rewards" (2025, arXiv 2506.11425), whose guidance a language model writes; ours
        is that of the known bug (`rollouts="agent_rlvr"` of `zerogym train llm` tries again with
        it). Immediate rewards that mislead: "Stabilizing Long-term Multi-turn Reinforcement
        Learning with Gated Rewards" (2025, arXiv 2508.10548).
    """

    problem_class = Repository
    waits = True
    categories: ClassVar[tuple[str, ...]] = get_args(BugKind)

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_turns: int | None = None,
        max_calls: int | None = None,
        call_cost: float = 0.0,
        format: CallFormat = "tag",
        render_mode: str | None = None,
        guidance: Guidance = "none",
        level: Level = "strong",
    ) -> None:
        super().__init__(
            difficulty, split, category, max_turns, max_calls, call_cost, format, render_mode
        )
        if guidance not in get_args(Guidance):
            raise UnknownName("guidance", guidance, list(get_args(Guidance)))
        self.guidance, self.level = guidance, check_shell_level(level)

    def random_action(self, rng: np.random.Generator) -> str:
        """Read a random file, delete a random line of it, answer."""
        episode = self._running()
        files, paths = episode.state.files, sorted(episode.state.read)
        if episode.calls >= 2:
            return self.answer_action()
        if not paths:
            path = list(files)[int(rng.integers(len(files)))]
            return self.format.write(self._tools()["read_file"], {"path": path})
        lines = files[paths[0]].splitlines(keepends=True) or ["pass"]
        arguments = {"path": paths[0], "old": lines[int(rng.integers(len(lines)))], "new": ""}
        return self.format.write(self._tools()["edit_file"], arguments)

    def hint(self, guidance: Guidance) -> str:
        """Return guidance for the present episode, for another attempt at it."""
        repository: Repository = self._running().problem
        lines = [_hint(function, guidance) for function in repository.buggy]
        return "\n".join(line for line in lines if line)

    @classmethod
    def canonical_key(cls, problem: Repository) -> str:
        """Return all files: equal repositories have equal ones."""
        return problem.key()

    def _toolbox(self, problem: Repository) -> Sequence[Tool]:
        return [ReadFile(), EditFile(), RunTests(self.level)]

    def _new_state(self, problem: Repository) -> RepoState:
        return RepoState(dict(problem.files()))

    def _plan(self, problem: Repository) -> Sequence[Call]:
        calls: list[Call] = []
        for function in problem.buggy:
            read = Call("read_file", {"path": function.module})
            old, new = function.fix()
            edit = Call("edit_file", {"path": function.module, "old": old, "new": new})
            calls += [edit] if read in calls else [read, edit]
        return calls

    def _answer(self, problem: Repository) -> str:
        return "done"

    def _judge(self, problem: Repository, state: RepoState, answer: str) -> Judgement:
        inside = f"{problem.package}/"
        files = {path: text for path, text in state.files.items() if path.startswith(inside)}
        before = problem.files()
        cases = [(f, arguments) for f in problem.functions for arguments in f.hidden]
        calls = [
            (f.module.removesuffix(".py").replace("/", "."), f.name, arguments)
            for f, arguments in cases
        ]
        if all(files[path] == before[path] for path in files):  # known without a run
            right = len(cases) - sum(function.failing for function in problem.functions)
        else:
            found = run_calls(files, calls, self.level)
            if found is None:
                return Judgement(0.0, "The hidden tests could not be run.", {"hidden_passed": 0.0})
            pairs = zip(found, cases, strict=True)
            right = sum(value == [f.value(arguments)] for value, (f, arguments) in pairs)
        info = {"hidden_passed": right / len(cases)}
        feedback = "" if right == len(cases) else f"{len(cases) - right} hidden tests fail."
        return Judgement(float(right == len(cases)), feedback, info)

    def _task(self, problem: Repository) -> str:
        hint = self.hint(self.guidance)
        return _PROMPT.format(
            question=problem.question,
            files=", ".join(problem.files()),
            guidance=f"\n{hint}" if hint else "",
        )

    def _info(self) -> dict[str, Any]:
        state: RepoState = self._episode.state
        visible = {"read_files": len(state.read), "tests_passed": state.passed or 0.0}
        return super()._info() | {"sandbox": self.level} | visible

    def _sample(self, difficulty: float) -> Repository:
        return self._sample_of(difficulty, None)

    def _sample_of(self, difficulty: float, category: str | None) -> Repository:
        level = min(difficulty, 10.0)
        modules, functions = min(4, 1 + int(level)), min(10, len(UNITS), 2 + int(2 * level))
        bugs = 1 + (level >= 2) + (level >= 4)
        return sample_repository(self.np_random, modules, functions, bugs, category)


def _hint(function: Function, guidance: Guidance) -> str:
    if guidance == "none" or function.flaw is None:
        return ""
    place = f"Guidance: the function {function.name} in {function.module} is wrong"
    return f"{place}." if guidance == "place" else f"{place}: {_ADVICE[function.flaw.kind]}."
