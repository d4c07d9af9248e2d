"""SQL: answer questions by exploring a generated database.

Left out: dialects other than SQLite's, questions that need the database to be changed, and the
hints that some of InterCode's agents are given.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerogym.envs.tools.problem_env import ToolEpisode, ToolProblemEnv, Turn
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
class Episode(ToolEpisode):
    """The state of an episode.

    Attributes:
        result: Of the last query; None before the first.
        statement: The last query.
        explored: Whether the expert's query of the schema was run.
    """

    result: Result | None = None
    statement: str = ""
    explored: bool = False


class SQLEnv(ToolProblemEnv[World]):
    """Explore a generated SQLite database, find the rows that answer a question, submit.

    Description:
        Tables, rows and question are drawn from the seed. Queries run behind a guard: they can read
        the database and do nothing else (`GuardedDatabase`). From difficulty 1 on the question uses
        plain words and the schema other names, so that the tables must be looked at first.

    Observation:
        First the question; then the result of the last query: names and rows as text, at most 20
        rows, or an error message.

    Action:
        The reply as text. The query stands in the last `<sql>...</sql>`, else in the last fenced
        block, else it is the whole reply. `submit` in its place ends the episode.

    Reward:
        At `submit`, how close the last query's rows are to the right ones: intersection over union
        of the records, times `(tau + 1) / 2` for their order (`intercode_score`); the question
        names the required order. 0 if the last query failed, and 0 in every other turn.

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
        (2023, arXiv 2306.14898): its actions, its submit, its reward (`reward.py` lists the
        differences). Its databases are Spider's; ours are generated.
    """

    problem_class = World
    episode_class = Episode
    default_turns = 6
    categories: ClassVar[tuple[str, ...]] = tuple(COSTS)
    _open: tuple[World, GuardedDatabase] | None = None

    def oracle_action(self) -> str:
        """Read the schema where it has other names than the question, run the query, submit."""
        episode: Episode = self._running()
        world: World = episode.problem
        if episode.statement == world.gold or episode.turn >= self.max_turns - 1:
            return f"<sql>{SUBMIT}</sql>"
        explore = not (world.plain or episode.explored)
        if explore and episode.turn < self.max_turns - 2:
            return f"<sql>{EXPLORE}</sql>"
        return f"<sql>{world.gold}</sql>"

    def random_action(self, rng: np.random.Generator) -> str:
        """A random column, row or count of a random table first; then `submit`."""
        episode: Episode = self._running()
        world: World = episode.problem
        if episode.calls:
            return f"<sql>{SUBMIT}</sql>"
        index = int(rng.integers(len(world.tables)))
        table, rows = world.tables[index], world.rows[index]
        column = table.columns[int(rng.integers(len(table.columns)))].name
        what = (
            f"COUNT(*) FROM {table.name}",
            f"{column} FROM {table.name}",
            f"{column} FROM {table.name} WHERE id = {int(rng.integers(1, len(rows) + 1))}",
        )
        return f"<sql>SELECT {what[int(rng.integers(len(what)))]}</sql>"

    def close(self) -> None:
        """Free the database."""
        if self._open is not None:
            self._open[1].close()
        self._open = None

    def _play(self, reply: str) -> Turn:
        episode: Episode = self._episode
        statement = read_statement(reply)
        score = None
        if is_submit(statement):
            score, feedback = self._judge(episode.result)
            observation = feedback
        elif not statement:
            observation = feedback = "There is no query in the reply. Write <sql>...</sql>."
        else:
            episode.calls += 1
            episode.statement = statement
            episode.explored |= statement == EXPLORE
            episode.result = self._database(episode.problem).query(statement)
            episode.failed += episode.result.error is not None
            observation, feedback = str(episode.result), episode.result.error or ""
        info = {"feedback": feedback, "void_turn": not statement}
        return Turn(statement or "(no query)", observation, score, info)

    def _judge(self, result: Result | None) -> tuple[float, str]:
        """Score of the last query's rows, and the feedback."""
        if result is None:
            return 0.0, "No query was run before submit."
        if result.error is not None:
            return 0.0, "The last query failed, so there are no rows to submit."
        world: World = self._episode.problem
        score = intercode_score(result.rows, self._database(world).query(world.gold).rows)
        return score, "Correct." if score == 1.0 else "The last rows are not the answer."

    def _database(self, world: World) -> GuardedDatabase:
        """The open database, replaced if it belongs to another world."""
        if self._open is None or self._open[0] is not world:
            self.close()
            self._open = (world, world.open())
        return self._open[1]

    def _prompt(self) -> str:
        question = self._episode.problem.question
        return _PROMPT.format(turns=self.max_turns, explore=EXPLORE, question=question)

    def _answer(self, world: World) -> str:
        return world.gold

    def _sample(self, difficulty: float) -> World:
        return sample_world(self.np_random, difficulty)

    def _is_sound(self, world: World) -> bool:
        return not flaw(world, self._database(world))
