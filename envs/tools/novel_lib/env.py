"""NovelLib: write small programs with a library that no model has read about.

Left out: libraries that grow during training, and programs that define functions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.novel_lib.library import LIST, Library
from zerogym.envs.tools.novel_lib.program import INPUT, NoProgram, read_program
from zerogym.envs.tools.novel_lib.tasks import LibraryTask, sample_task
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.tool import Tool, ToolResult, one_text
from zerogym.envs.tools.world import CallFormat, Judgement, ToolWorld, WorldEpisode

Documents = Literal["tool", "prompt", "hidden"]
_TASK = """\
Write a program with the library {name}. A program is lines `name = expression` and a last line \
that is an expression; expressions are integers, lists of integers, names and calls like \
{name}.function({input}, 3). The input is the list of integers {input}. Give the program as \
<answer>...</answer>; it is tried on inputs that you do not see.
Task: take {input}; {question} Return the result."""


class SearchDocuments(Tool):
    """Finds the document of a function by the words in it."""

    name, body = "search_documents", "query"
    description = "Finds the document of the library that fits a query best."
    parameters = one_text(
        "query", "words of what the function does", "smallest number", minLength=1
    )

    def __init__(self, library: Library) -> None:
        self._library = library

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """The document, or a line that none fits."""
        found = self._library.search(arguments["query"][:2000])
        return ToolResult(found or "No document has any of these words.", bool(found))


class RunProgram(Tool):
    """Runs a program on an input."""

    name, body = "run_program", "program"
    description = "Runs a program on a list of integers and returns the result."
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "program": {"type": "string", "description": "as in the answer"},
            "values": {
                "type": "array",
                "items": {"type": "integer", "minimum": -(10**6), "maximum": 10**6},
                "maxItems": 100,
                "description": f"the list {INPUT}",
            },
        },
        "required": ["program", "values"],
        "additionalProperties": False,
    }

    def __init__(self, library: Library) -> None:
        self._library = library

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """The result, or the reason why there is none."""
        try:
            values = [int(value) for value in arguments["values"]]
            result = read_program(arguments["program"], self._library).run(values)
        except NoProgram as error:
            return ToolResult(f"Error: {error}.", False)
        return ToolResult(str(result))


class NovelLibEnv(ToolWorld[LibraryTask]):
    """Write a small program with a library of invented names, whose documents may be hidden.

    Description:
        A library has 30 functions on lists of integers. Their names and the names and the order of
        their arguments are invented: another seed gives another library. Tasks are easy for a
        reader of the documents, and a matter of luck for anybody else. With one `library` in all
        episodes an agent can learn it by heart: train with `documents="prompt"` or `"tool"` and
        evaluate with `"hidden"`, or train with `"hidden"` on traces.

    Observation:
        The task, with all documents if `documents="prompt"`; then the results of calls.

    Action:
        The reply as text: calls, or the program in `<answer>...</answer>`.

    Reward:
        1 if the program has the right result for all of 12 hidden inputs, else 0; `info["passed"]`
        is the share of them. `call_cost` is taken off for each call beyond the expert's.

    Episode end:
        At the answer, at a call when none of `max_calls` is left, and after `max_turns` replies.

    Difficulty:
        A task has `1 + difficulty` steps, at most 5, one function each.

    Arguments:
        `difficulty` (default 1), `split`, `category` (the number of steps: `one` to `five`),
        `library` (the number of the library; None, the default, draws one of 10^6 for each
        episode), `documents` (`tool`: found by `search_documents`, beside `run_program`; `prompt`:
        all in the prompt; `hidden`: nowhere; the two last have no tool but `submit`), `max_turns`
        (default 18), `max_calls` (default 16), `call_cost` (default 0), `format`, `render_mode`.

    Example:
        >>> env = NovelLibEnv(difficulty=0)
        >>> print(env.reset(seed=22)[0].splitlines()[1])
        Task: take xs; keep the numbers that are greater than -5. Return the result.
        >>> print(env.oracle_action())
        <search_documents>The numbers of values that are greater than bound.</search_documents>
        >>> print(env.step(env.oracle_action())[0])
        <result>
        lulusk(brat: int, seil: list): The numbers of `seil` that are greater than `brat`.
        </result>
        >>> print(env.oracle_action())
        <answer>putim.lulusk(-5, xs)</answer>
        >>> env.step(env.oracle_action())[1]
        1.0

    Source:
        "SE-Bench: Benchmarking Self-Evolution with Knowledge Internalization" (2026, arXiv
        2602.04811): a package with random identifiers, tasks that are trivial with its documents
        and impossible without, training with them and tests without. Its package is NumPy; ours is
        generated, and its programs are run by an interpreter of our own.
    """

    problem_class = LibraryTask
    categories: ClassVar[tuple[str, ...]] = ("one", "two", "three", "four", "five")

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        library: int | None = None,
        documents: Documents = "tool",
        max_turns: int | None = None,
        max_calls: int | None = None,
        call_cost: float = 0.0,
        format: CallFormat = "tag",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            difficulty, split, category, max_turns, max_calls, call_cost, format, render_mode
        )
        if documents not in get_args(Documents):
            raise ValueError(
                f"{self.name}: documents must be one of {get_args(Documents)}, got {documents!r}"
            )
        whole = isinstance(library, int) and not isinstance(library, bool)
        if library is not None and not (whole and 0 <= library < 10**6):
            raise ValueError(
                f"{self.name}: library must be None or from 0 to 999999, got {library!r}"
            )
        self.library, self.documents = library, documents

    def random_action(self, rng: np.random.Generator) -> str:
        """A program that calls one function, with the numbers of the task."""
        episode: WorldEpisode = self._running()
        task: LibraryTask = episode.problem
        entries = list(task.library.entries.values())
        entry = entries[int(rng.integers(len(entries)))]
        numbers = [str(number) for step in task.steps for number in step.numbers] or ["1"]
        given = [
            INPUT if key == LIST else numbers[int(rng.integers(len(numbers)))]
            for key in entry.order
        ]
        return f"<answer>{task.library.name}.{entry.name}({', '.join(given)})</answer>"

    def _toolbox(self, problem: LibraryTask) -> Sequence[Tool]:
        if self.documents == "tool":
            return [SearchDocuments(problem.library), RunProgram(problem.library), Submit()]
        return [Submit()]

    def _new_state(self, problem: LibraryTask) -> None:
        return None  # no tool changes anything

    def _task(self, problem: LibraryTask) -> str:
        library = problem.library
        text = _TASK.format(name=library.name, input=INPUT, question=problem.question)
        if self.documents != "prompt":
            return text
        documents = "\n".join(entry.document for entry in library.entries.values())
        return f"{text}\n\nThe functions of {library.name}:\n{documents}"

    def _plan(self, problem: LibraryTask) -> Sequence[Call]:
        if self.documents != "tool":
            return []
        queries = (step.operation.document for step in problem.steps)
        return [
            Call("search_documents", {"query": query.replace("{", "").replace("}", "")})
            for query in queries
        ]

    def _answer(self, problem: LibraryTask) -> str:
        return problem.answer

    def _judge(self, problem: LibraryTask, state: None, answer: str) -> Judgement:
        try:
            program = read_program(answer, problem.library)
        except NoProgram as error:
            return Judgement(0.0, f"That is no program: {error}.", {"passed": 0.0})
        passed, failure = 0, "It has a wrong result for some input."
        for values, result in zip(problem.inputs, problem.results, strict=True):
            try:
                passed += program.run(values) == result
            except NoProgram as error:
                failure = f"It has no result for some input: {error}."
        share = passed / len(problem.inputs)
        return Judgement(float(share == 1.0), "" if share == 1.0 else failure, {"passed": share})

    def _sample(self, difficulty: float) -> LibraryTask:
        return self._sample_of(difficulty, None)

    def _sample_of(self, difficulty: float, category: str | None) -> LibraryTask:
        draws = Draws(self.np_random)
        library = draws.between(0, 10**6 - 1) if self.library is None else self.library
        steps = difficulty if category is None else float(self.categories.index(category))
        return sample_task(draws, library, steps)
