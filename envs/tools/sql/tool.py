"""The tool that runs SQL on a guarded database.

Left out: several databases at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.tools.sql.generation import sample_world
from zerogym.envs.tools.sql.guard import GuardedDatabase
from zerogym.envs.tools.sql.result import Row
from zerogym.envs.tools.tool import Tool, ToolResult

MAX_TEXT = 8000  # characters that are shown of a result with many or long names of columns
_DIFFICULTY = 2.0  # of the database that is drawn where none is given


@dataclass
class SQLState:
    """The state of an episode.

    Attributes:
        seed: Of the episode; a generated database is drawn from it.
        writes: The statements that have changed the database, in order; no database is kept in
            the state, it is built again by them.
    """

    seed: int
    writes: tuple[str, ...] = ()


class SQLTool(Tool):
    """Runs one statement on a private copy of a database and shows the rows.

    Each episode begins with the database as it was given. See `GuardedDatabase` for what a
    statement may do.

    Args:
        database: The path of a SQLite file, a guarded database (as it was built, without later
            writes), or statements that build one with the rows of their parameters; None for a
            database drawn from the episode's seed, with tables as those of zerogym/SQL-v0.
        writable: Whether statements may change the copy.

    Raises:
        ValueError: If a file cannot be read.

    Example:
        >>> tool = SQLTool([("CREATE TABLE pets(name TEXT)", ())], writable=True)
        >>> state = tool.new_state(seed=0)
        >>> tool.call({"query": "INSERT INTO pets VALUES ('Rex')"}, state).text
        '1 row changed.'
        >>> tool.contents(state)["pets"].rows
        (('Rex',),)
    """

    name = "sql"
    description = (
        "Runs one statement on a SQLite database and shows the rows. "
        "SELECT sql FROM sqlite_master shows the tables."
    )
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "description": "one SQL statement"}
        },
        "required": ["query"],
        "additionalProperties": False,
        "examples": [{"query": "SELECT sql FROM sqlite_master"}],
    }
    body = "query"

    def __init__(
        self,
        database: GuardedDatabase | str | Path | Iterable[tuple[str, Iterable[Row]]] | None = None,
        writable: bool = False,
    ) -> None:
        if isinstance(database, str | Path):
            database = GuardedDatabase.of_file(database)
        elif database is not None and not isinstance(database, GuardedDatabase):
            database = GuardedDatabase(database)
        self._given, self._writable = database, writable
        if writable:
            self.description += " INSERT, UPDATE, DELETE, CREATE TABLE and DROP TABLE run, too."
        self._open: tuple[int, GuardedDatabase] | None = None

    def new_state(self, seed: int) -> SQLState:
        """The state before any statement."""
        return SQLState(seed)

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """Return the rows, the number of changed rows, or an error."""
        database = self._database(state)
        result = database.query(arguments["query"].strip())
        state.writes = database.writes
        text = str(result)
        return ToolResult(
            text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}...", ok=result.error is None
        )

    def contents(self, state: SQLState) -> Any:
        """All rows of all tables at a state, for graders: see `GuardedDatabase.contents`."""
        return self._database(state).contents()

    def close(self) -> None:
        """Free the open copy; the next call builds it again."""
        if self._open is not None:
            self._open[1].close()
        self._open = None

    def _database(self, state: SQLState) -> GuardedDatabase:
        """The open copy if it is at this state, else a new one."""
        if self._open is not None and self._open[0] == state.seed:
            database = self._open[1]
            if database.writes == state.writes:
                return database
        self.close()
        rng = np.random.default_rng(state.seed)
        base = self._given or sample_world(rng, _DIFFICULTY).open()
        self._open = (state.seed, GuardedDatabase(base.statements, self._writable, state.writes))
        return self._open[1]
