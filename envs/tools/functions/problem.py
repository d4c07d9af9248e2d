"""Draws the problems of `Functions`: a database, a tool set, a task, the expert's calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.functions.compiler import Spec, compile_functions
from zerogym.envs.tools.functions.database import Database, sample_database
from zerogym.envs.tools.functions.desk.case import sample_case
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.kinds import Function, State
from zerogym.envs.tools.functions.questions import (
    Solution,
    Term,
    Unsound,
    question_of,
    sample_terms,
    solve,
    specs_of,
)

Category = Literal["single", "parallel", "multi_hop", "stateful"]
CATEGORIES: tuple[Category, ...] = ("single", "parallel", "multi_hop", "stateful")
MAX_TOOLS, MAX_TABLES, MAX_RECORDS = 24, 6, 40
_TRIES = 8  # questions about a database until another one is drawn
_READ = """\
Answer a question about data that only functions can read; call them, then give the answer as \
<answer>...</answer>.
Question: {question}"""


@dataclass(frozen=True)
class Problem:
    """A task and the world that it is about; immutable.

    Attributes:
        category: The kind of task.
        question: The task in words.
        functions: The tool set.
        database: What the functions read.
        plan: The expert's calls.
        answer: The right answer.
        results: Of the calls; none at a desk.
        terms: What a question is made of; none at a desk.
        specs: The functions by what they do; none at a desk.
    """

    category: str
    question: str
    functions: tuple[Function, ...]
    database: Database
    plan: tuple[Call, ...]
    answer: str
    results: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    specs: Mapping[Spec, Function] = field(default_factory=dict)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Problem":
        return self  # nothing in it can change

    @cached_property
    def end(self) -> State:
        """The state after the expert's calls."""
        state = State(self.database)
        if self.results:
            tools = (call.tool for call in self.plan)
            state.made += zip(tools, self.results, strict=True)
            return state
        functions = {function.name: function for function in self.functions}
        for call in self.plan:
            functions[call.tool].call(call.arguments, state)
        return state

    @property
    def needed(self) -> Sequence[tuple[str, str]]:
        """Tool and result of each of the expert's calls."""
        return self.end.made


def sample_problem(draws: Draws, category: Category, difficulty: float) -> Problem:
    """Draw a sound problem.

    Args:
        draws: Source of randomness.
        category: The kind of task.
        difficulty: Number of tools, tables, records, calls and rules grow with it.
    """
    tools = min(MAX_TOOLS, 4 + int(4 * difficulty))
    tables = min(MAX_TABLES, 2 + int(difficulty))
    records = min(MAX_RECORDS, 8 + int(8 * difficulty))
    while True:
        database = sample_database(draws, tables, records)
        if category == "stateful":
            case = sample_case(draws, database, tools, difficulty)
            return Problem(
                category, case.text, case.functions, case.database, case.plan, case.answer
            )
        for _ in range(_TRIES):
            terms = sample_terms(draws, database, category, difficulty)
            needed = [spec for term in terms for spec in specs_of(term)]
            specs = compile_functions(draws, database, needed, tools)
            try:
                solution: Solution = solve(terms, specs, database)
            except Unsound:
                continue
            return Problem(
                category,
                _READ.format(question=question_of(terms)),
                tuple(specs.values()),
                database,
                solution.plan,
                solution.answer,
                solution.results,
                terms,
                specs,
            )
