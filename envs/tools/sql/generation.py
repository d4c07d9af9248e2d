"""Generated databases and questions about them.

A world is drawn from a seed: tables linked in a chain by foreign keys, rows, and a question of
the grammar in `query.py`. A trusted run of the query then checks that the question is sound: the
answer is not empty, and no condition and no limit can be left out without changing it.

Left out: whatever `query.py` leaves out; tables that point to each other in a circle; columns
whose meaning shows in their values only.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from zerogym.envs.tools.sql.guard import GuardedDatabase
from zerogym.envs.tools.sql.query import (
    AGGREGATES,
    COSTS,
    MAX_CONDITIONS,
    Column,
    Condition,
    Kind,
    Operator,
    Query,
    Table,
    to_english,
    to_sql,
)
from zerogym.envs.tools.sql.result import Row

MAX_CLAUSES = 6
MAX_TABLES = 4
MAX_JOINS = 2
MIN_ROWS, MAX_ROWS = 20, 200  # of the longest table
_MOST = 100  # numbers in tables are below this
_MOST_SHARE = 0.2  # of the rows may have the answer to a question about one of them
_NOUNS = (
    "actor artist baker book boat bridge cafe camera car castle chair city clock club coat dancer "
    "doctor farm film flower forest game garden guitar hotel house island judge lake lamp letter "
    "library map market mill museum nurse orchard painter park phone piano pilot planet player "
    "poet road robot school ship shop singer song star student teacher team tower train tree "
    "truck writer"
)
_TEXT = {
    "color": ("red", "blue", "green", "black", "white", "gold"),
    "city": ("Oslo", "Lima", "Cairo", "Delhi", "Kyoto", "Turin"),
    "status": ("open", "closed", "new", "old", "sold", "lost"),
    "grade": ("A", "B", "C", "D", "E", "F"),
    "brand": ("Acme", "Nova", "Orion", "Zeta", "Kiwi", "Lumo"),
    "season": ("spring", "summer", "autumn", "winter"),
    "material": ("wood", "steel", "stone", "glass", "paper"),
    "shape": ("round", "flat", "long", "square", "thin"),
    "owner": ("Ann", "Bob", "Eva", "Ian", "Mia", "Tom"),
    "mood": ("happy", "sad", "calm", "angry", "proud"),
}
_NUMBERS = (
    "price age weight height score stock speed length rating size cost power depth width level "
    "profit"
)
NOUNS, NUMBERS, TEXTS = tuple(_NOUNS.split()), tuple(_NUMBERS.split()), tuple(_TEXT)
_TABLE_STYLES = ("{plural}", "t_{singular}", "{singular}_list", "all_{plural}", "{singular}_data")
_COLUMN_STYLES = ("{word}", "{singular}_{word}", "{word}_value", "c_{word}", "{word}_now")


@dataclass(frozen=True)
class World:
    """A database and a question about it; immutable.

    Attributes:
        tables: Tables in the order of their creation.
        rows: The rows of each table.
        query: The question.
    """

    tables: tuple[Table, ...]
    rows: tuple[tuple[Row, ...], ...]
    query: Query

    def __deepcopy__(self, memo: dict[int, Any]) -> "World":
        return self  # nothing in it can change

    @property
    def plain(self) -> bool:
        """True if the question calls every table and column by its name in the schema."""
        return all(
            table.name == table.plural and all(c.name == c.word for c in table.columns)
            for table in self.tables
        )

    @property
    def category(self) -> str:
        return self.query.kind

    @cached_property
    def question(self) -> str:
        return to_english(self.query)

    @cached_property
    def gold(self) -> str:
        """The query that answers the question."""
        return to_sql(self.query)

    def open(self) -> GuardedDatabase:
        """The database, behind the guard."""
        statements: list[tuple[str, tuple[Row, ...]]] = []
        for table, rows in zip(self.tables, self.rows, strict=True):
            marks = ", ".join("?" * len(rows[0]))
            statements.append((table.schema, ()))
            statements.append((f"INSERT INTO {table.name} VALUES ({marks})", rows))
        return GuardedDatabase(statements)


def sample_world(rng: np.random.Generator, difficulty: float) -> World:
    """Draw a world; it is sound only if `flaw` finds nothing."""
    clauses = min(MAX_CLAUSES, int(difficulty) + int(rng.random() < difficulty % 1))
    plain = difficulty < 1
    count = min(MAX_TABLES, 1 + int(difficulty))
    kind, joins, conditions = _pick(rng, _shapes(clauses, count - 1))
    chain = _sample_chain(rng, count, plain, narrow=clauses == 0)
    most = min(MAX_ROWS, max(MIN_ROWS, 8 + int(12 * difficulty)))
    sizes = [int(n) for n in rng.integers(most // 2, most + 1, size=count)]
    parents = [*sizes[1:], 0]
    rows = [_sample_rows(rng, *sizing) for sizing in zip(chain, sizes, parents, strict=True)]
    query = _sample_query(rng, kind, chain[: joins + 1], rows, conditions)
    query = replace(query, conditions=_sample_conditions(rng, query, conditions, rows))
    order = [int(i) for i in rng.permutation(count)]
    return World(tuple(chain[i] for i in order), tuple(rows[i] for i in order), query)


def flaw(world: World, database: GuardedDatabase) -> str:
    """Return the reason why the question is unsound, by a trusted run; empty if it is sound."""
    query, gold = world.query, database.query(world.gold)
    if gold.error is not None:
        return gold.error
    if not gold.rows or gold.rows[0][-1] in (None, 0):
        return "the answer is empty"
    if query.kind in ("group", "having") and len(gold.rows) < 2:
        return "there is one group only"
    if query.kind == "count" and gold.rows == ((1,),):
        return "the answer is easily guessed"
    if query.kind == "lookup":
        index = world.tables.index(query.tables[0])
        place = 1 + world.tables[index].columns.index(query.column)
        values = [row[place] for row in world.rows[index]]
        if values.count(gold.rows[0][0]) > _MOST_SHARE * len(values):
            return "many rows have the answer"
    for easier in _easier(query):
        if database.query(to_sql(easier)).rows == gold.rows:
            return "a part of the question does not matter"
    return ""


def _easier(query: Query) -> Iterable[Query]:
    """The question without one of its parts."""
    for index in range(len(query.conditions)):
        rest = query.conditions[:index] + query.conditions[index + 1 :]
        yield replace(query, conditions=rest)
    if query.kind == "having":
        yield replace(query, kind="group")
    if query.kind == "top":
        yield replace(query, number=query.number + 1)


def _shapes(clauses: int, most_joins: int) -> list[tuple[Kind, int, int]]:
    """Kinds, joins and conditions of the questions with so many clauses."""
    if clauses == 0:
        return [("rows", 0, 0), ("lookup", 0, 0), ("lookup", 0, 0), ("lookup", 0, 0)]
    found: list[tuple[Kind, int, int]] = []
    for kind, cost in COSTS.items():
        for joins in range(min(most_joins, MAX_JOINS) + 1):
            conditions = clauses - cost - joins
            grouped = kind in ("group", "having")
            # A joined table must matter, and a list of everything is no question.
            needed = int(kind in ("list", "count") or (joins > 0 and not grouped))
            if kind not in ("rows", "lookup") and needed <= conditions <= MAX_CONDITIONS:
                found.append((kind, joins, conditions))
    return found or [("having", MAX_JOINS, MAX_CONDITIONS)]


def _pick(rng: np.random.Generator, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def _sample_chain(rng: np.random.Generator, count: int, plain: bool, narrow: bool) -> list[Table]:
    """Draw tables of which each has a foreign key to the next."""
    nouns = [NOUNS[int(i)] for i in rng.permutation(len(NOUNS))[:count]]
    chain = []
    for noun, parent in zip(nouns, [*nouns[1:], ""], strict=True):
        if noun.endswith("y") and noun[-2] not in "aeiou":
            plural = f"{noun[:-1]}ies"
        else:
            plural = f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
        style = "{plural}" if plain else _pick(rng, _TABLE_STYLES)
        name = style.format(singular=noun, plural=plural)
        columns = _sample_columns(rng, noun, plain, narrow)
        chain.append(Table(noun, plural, name, columns, parent))
    return chain


def _sample_columns(
    rng: np.random.Generator, noun: str, plain: bool, narrow: bool
) -> tuple[Column, ...]:
    each = 1 if plain else 2
    texts = [TEXTS[int(i)] for i in rng.permutation(len(TEXTS))[:each]]
    numbers = [NUMBERS[int(i)] for i in rng.permutation(len(NUMBERS))[:each]]
    style = "{word}" if plain else _pick(rng, _COLUMN_STYLES)
    columns = [
        Column(word, style.format(word=word, singular=noun), "text" if word in _TEXT else "number")
        for word in texts + numbers
    ]
    kept = 1 if narrow and rng.random() < 0.5 else len(columns)
    return tuple(columns[int(i)] for i in rng.permutation(len(columns))[:kept])


def _sample_rows(
    rng: np.random.Generator, table: Table, size: int, parents: int
) -> tuple[Row, ...]:
    columns: list[list[Any]] = [list(range(1, size + 1))]
    for column in table.columns:
        pool = _TEXT.get(column.word, range(1, _MOST))
        columns.append([pool[int(i)] for i in rng.integers(len(pool), size=size)])
    if table.parent:
        columns.append([int(i) for i in rng.integers(1, parents + 1, size=size)])
    return tuple(zip(*columns, strict=True))


def _sample_query(
    rng: np.random.Generator,
    kind: Kind,
    tables: list[Table],
    rows: list[tuple[Row, ...]],
    conditions: int,
) -> Query:
    first = tables[0]
    texts = [c for c in first.columns if c.kind == "text"]
    numbers = [c for c in first.columns if c.kind == "number"]
    query = Query(kind, tuple(tables))
    if kind == "lookup":
        row = int(rng.integers(1, len(rows[0]) + 1))
        return replace(query, column=_pick(rng, first.columns), number=row)
    if kind == "total":
        aggregate = _pick(rng, tuple(AGGREGATES))
        return replace(query, column=_pick(rng, numbers), aggregate=aggregate)
    if kind == "list":
        return replace(query, column=_pick(rng, first.columns))
    if kind == "top":
        number = int(rng.integers(1, 6))
        return replace(query, column=_pick(rng, texts), order=_pick(rng, numbers), number=number)
    if kind in ("group", "having"):
        column = _pick(rng, [c for c in tables[-1].columns if c.kind == "text"])
        # About the rows of a group, if each condition leaves half: some groups are left out.
        size = len(rows[0]) / len(_TEXT[column.word]) / 2**conditions
        return replace(query, column=column, number=max(2, round(size)))
    return query


def _sample_conditions(
    rng: np.random.Generator, query: Query, count: int, rows: list[tuple[Row, ...]]
) -> tuple[Condition, ...]:
    """Conditions on different columns, the first on the table farthest away."""
    places = [
        (hops, index)
        for hops, table in enumerate(query.tables)
        for index, column in enumerate(table.columns)
        if query.kind not in ("group", "having") or column != query.column
    ]
    far = [place for place in places if place[0] == len(query.tables) - 1]
    places = [places[int(i)] for i in rng.permutation(len(places))]
    if not count:
        return ()
    first = _pick(rng, far)
    conditions = []
    for hops, index in [first, *(place for place in places if place != first)][:count]:
        column = query.tables[hops].columns[index]
        value: Any = _pick(rng, rows[hops])[index + 1]
        operator: Operator = "=" if column.kind == "text" else _pick(rng, (">", "<"))
        conditions.append(Condition(hops, column, operator, value))
    return tuple(conditions)
