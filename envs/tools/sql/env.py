"""SQL: answer questions by exploring a database that nobody has seen before.

Left out: dialects other than SQLite's, questions that need the database to be changed, and the
hints that some of InterCode's agents are given.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.problems import Difficulty, ProblemEnv
from zerogym.envs.splits import Split
from zerogym.envs.tools.sql.generation import World, flaw, sample_world
from zerogym.envs.tools.sql.guard import GuardedDatabase
from zerogym.envs.tools.sql.query import COSTS
from zerogym.envs.tools.sql.result import Result
from zerogym.envs.tools.sql.reward import intercode_score
from zerogym.envs.tools.sql.statements import SUBMIT, is_submit, read_statement

EXPLORE = "SELECT sql FROM sqlite_master"
_PROMPT = """\
Answer the question with a SQLite database. A reply is one query, <sql>...</sql>, and its rows
come back; when the last rows are the answer, reply <sql>submit</sql>. You have {turns} replies.
See the tables: {explore}
Question: {question}"""


@dataclass
class Episode:
    """What changes during an episode.

    Attributes:
        world: The database and the question.
        difficulty: As drawn.
        turn: Replies so far.
        calls: Queries so far.
        over: Whether the episode has ended.
        result: Of the last query; None before the first.
        statement: The last query.
        explored: Whether the schema has been read as the expert reads it.
        transcript: Replies (cut) and what came back.
    """

    world: World
    difficulty: float
    turn: int = 0
    calls: int = 0
    over: bool = False
    result: Result | None = None
    statement: str = ""
    explored: bool = False
    transcript: list[str] = field(default_factory=list)


class SQLEnv(ProblemEnv[World]):
    """Explore a generated SQLite database, find the rows that a question asks for, submit.

    Description:
        Tables, rows and question are drawn from the seed. Queries run behind a guard: they can read
        the database and do nothing else (`GuardedDatabase`). From difficulty 1 on the question uses
        plain words and the schema other names, so that the tables must be looked at first.

    Observation:
        First the question; then what the last query gave: names and rows as text, at most 20 rows,
        or what was wrong with it.

    Action:
        The reply as text. The query stands in the last `<sql>...</sql>`, else in the last fenced
        block, else it is the whole reply. `submit` in its place ends the episode.

    Reward:
        At `submit`, how close the last query's rows are to the wanted ones: intersection over union
        of the records, times `(tau + 1) / 2` for their order (`intercode_score`); the questions say
        which order is wanted. 0 if the last query failed, and 0 in every other turn.

    Episode end:
        At `submit`; truncated without reward after `max_turns` replies (our choice).

    Difficulty:
        A question has `difficulty` clauses (joins, conditions, aggregates, groups; a fractional
        part is the chance of one more, at most 6) on `1 + difficulty` tables (at most 4) of at most
        `8 + 12 * difficulty` rows (from 20 to 200). At 0: how many rows a table has, or one value
        of the row with a given id.

    Arguments:
        `difficulty` (default 1), `split`, `category` (a kind of question: rows, lookup, count,
        total, list, top, group, having), `max_turns` (default 6, at least 2), `render_mode`.

    Example:
        >>> env = SQLEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0].splitlines()[-1])
        Question: How many rows are in table players?
        >>> print(env.step("<sql>SELECT COUNT(*) FROM players</sql>")[0])
        COUNT(*)
        11
        >>> env.step("<sql>submit</sql>")[1]
        1.0

    Source:
        "InterCode: Standardizing and Benchmarking Interactive Coding with Execution Feedback"
        (2023, arXiv 2306.14898): its actions, its submit, its reward (`sql_reward` names the
        differences). Its databases are Spider's; ours are generated.
    """

    problem_class = World
    categories: ClassVar[tuple[str, ...]] = tuple(COSTS)

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_turns: int = 6,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, render_mode)
        if isinstance(max_turns, bool) or not isinstance(max_turns, int) or max_turns < 2:
            raise ValueError(f"{self.name}: max_turns must be an int >= 2, got {max_turns!r}")
        self.max_turns = max_turns
        self._open: tuple[World, GuardedDatabase] | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw a world; `options` may pin `difficulty`, `split`, `category` or `problem`."""
        super().reset(seed=seed)
        self._episode = Episode(*self._pick(options))
        return self._prompt(), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Run the query of the reply, or judge the last one at `submit`."""
        reply = self._check_text(action)
        episode: Episode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        statement = read_statement(reply)
        submitted = is_submit(statement)
        episode.turn += 1
        if submitted:
            score, feedback = self._judge()
            observation = feedback
        else:
            score, (observation, feedback) = 0.0, self._run(statement)
        truncated = not submitted and episode.turn >= self.max_turns
        episode.over = submitted or truncated
        episode.transcript += [statement[:2000] or "(no query)", observation]
        info = self._info() | {
            "success": score == 1.0,
            "feedback": feedback,
            "void_turn": not statement,
        }
        if episode.over:
            info |= {"score": score, "correct": score == 1.0, "answer": episode.world.gold}
        return observation, score, submitted, truncated, info

    def oracle_action(self) -> str:
        """The expert: read the schema where names must be found, run the query, submit."""
        episode: Episode = self._running()
        if episode.statement == episode.world.gold or episode.turn >= self.max_turns - 1:
            return f"<sql>{SUBMIT}</sql>"
        explore = not (episode.world.plain or episode.explored)
        if explore and episode.turn < self.max_turns - 2:
            return f"<sql>{EXPLORE}</sql>"
        return f"<sql>{episode.world.gold}</sql>"

    def random_action(self, rng: np.random.Generator) -> str:
        """A random column, row or count of a random table first; then `submit`."""
        episode: Episode = self._running()
        if episode.calls:
            return f"<sql>{SUBMIT}</sql>"
        index = int(rng.integers(len(episode.world.tables)))
        table, rows = episode.world.tables[index], episode.world.rows[index]
        column = table.columns[int(rng.integers(len(table.columns)))].name
        what = (
            f"COUNT(*) FROM {table.name}",
            f"{column} FROM {table.name}",
            f"{column} FROM {table.name} WHERE id = {int(rng.integers(1, len(rows) + 1))}",
        )
        return f"<sql>SELECT {what[int(rng.integers(len(what)))]}</sql>"

    def render(self) -> str | None:
        """The question, the queries and what came back."""
        if self.render_mode is None or self._episode is None:
            return None
        return "\n\n".join([self._prompt(), *self._episode.transcript])

    def close(self) -> None:
        """Free the database."""
        if self._open is not None:
            self._open[1].close()
        self._open = None

    def _run(self, statement: str) -> tuple[str, str]:
        """Run a query for the model: what comes back, and what was wrong with it (or nothing)."""
        episode: Episode = self._episode
        if not statement:
            return (problem := "There is no query in the reply. Write <sql>...</sql>."), problem
        episode.calls += 1
        episode.statement = statement
        episode.explored |= statement == EXPLORE
        episode.result = self._database().query(statement)
        return str(episode.result), episode.result.error or ""

    def _judge(self) -> tuple[float, str]:
        """Score of the last query's rows, and what it means."""
        result = self._episode.result
        if result is None:
            return 0.0, "No query was run before submit."
        if result.error is not None:
            return 0.0, "The last query failed, so there are no rows to submit."
        gold = self._database().query(self._episode.world.gold)
        score = intercode_score(result.rows, gold.rows)
        return score, "Correct." if score == 1.0 else "The last rows are not the answer."

    def _database(self) -> GuardedDatabase:
        """The database of the present world, which a restored snapshot may have changed."""
        world = self._episode.world
        if self._open is None or self._open[0] is not world:
            self.close()
            self._open = (world, world.open())
        return self._open[1]

    def _prompt(self) -> str:
        question = self._episode.world.question
        return _PROMPT.format(turns=self.max_turns, explore=EXPLORE, question=question)

    def _info(self) -> dict[str, Any]:
        episode: Episode = self._episode
        return {
            "difficulty": episode.difficulty,
            "category": episode.world.query.kind,
            "split": self._side(episode.world),
            "turn": episode.turn,
            "tool_calls": episode.calls,
        }

    def _sample(self, difficulty: float) -> World:
        return sample_world(self.np_random, difficulty)

    def _category_of(self, world: World) -> str:
        return world.query.kind

    def _canonical(self, world: World) -> str:
        return world.question  # so that no question is on both sides

    def _is_sound(self, world: World) -> bool:
        self.close()
        self._open = (world, world.open())
        return not flaw(world, self._open[1])
