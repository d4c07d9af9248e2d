"""Questions about a database, written in SQL and in English.

Left out: NULLs, subqueries, unions, outer joins and fractions in the tables.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Kind = Literal["rows", "lookup", "count", "total", "list", "top", "group", "having"]
Operator = Literal["=", ">", "<"]
AGGREGATES = {"SUM": "total", "AVG": "average", "MIN": "smallest", "MAX": "largest"}
COSTS: dict[Kind, int] = {  # clauses of a kind by itself
    **{"rows": 0, "lookup": 0, "count": 0, "total": 1, "list": 0},
    **{"top": 2, "group": 2, "having": 3},
}
MAX_CONDITIONS = 3
_VERBS: dict[Operator, str] = {"=": "is", ">": "is more than", "<": "is less than"}


@dataclass(frozen=True)
class Column:
    """A column: its plain word, its name in the schema, and whether it holds text or numbers."""

    word: str
    name: str
    kind: Literal["text", "number"]


@dataclass(frozen=True)
class Table:
    """A table; `columns` come after `id` and, if there is a parent, before its foreign key.

    Attributes:
        singular, plural: The plain words.
        name: The name in the schema.
        columns: The columns beside `id` and the foreign key.
        parent: Word of the table that the foreign key points to; empty if there is none.
    """

    singular: str
    plural: str
    name: str
    columns: tuple[Column, ...]
    parent: str = ""

    @property
    def key(self) -> str:
        """Name of the foreign key."""
        return f"{self.parent}_id"

    @property
    def schema(self) -> str:
        """The CREATE TABLE statement."""
        parts = ["id INTEGER PRIMARY KEY"]
        parts += [f"{c.name} {'TEXT' if c.kind == 'text' else 'INTEGER'}" for c in self.columns]
        parts += [f"{self.key} INTEGER"] if self.parent else []
        return f"CREATE TABLE {self.name}({', '.join(parts)})"


@dataclass(frozen=True)
class Condition:
    """`column operator value` on the table `hops` foreign keys away from the first."""

    hops: int
    column: Column
    operator: Operator
    value: int | str


@dataclass(frozen=True)
class Query:
    """A question of the grammar.

    Attributes:
        kind: The form of the answer.
        tables: The first table and the joined ones, each the parent of the one before.
        column: The column that is listed, summed or grouped by (of the last table if grouped).
        conditions: All must hold.
        aggregate: Function of `total`.
        order: Column that `top` ranks by.
        number: Row id of `lookup`, rows of `top`, least group size of `having`.
    """

    kind: Kind
    tables: tuple[Table, ...]
    column: Column | None = None
    conditions: tuple[Condition, ...] = ()
    aggregate: str = "SUM"
    order: Column | None = None
    number: int = 0

    @property
    def clauses(self) -> int:
        """Number of clauses, for difficulty: joins, conditions, and the cost of the kind."""
        return COSTS[self.kind] + len(self.tables) - 1 + len(self.conditions)


def to_sql(query: Query) -> str:
    """The query that answers the question."""
    tables = query.tables
    column = _qualified(query, query.column, _hops(query)) if query.column else ""
    source = tables[0].name
    for child, parent in pairwise(tables):
        source += f" JOIN {parent.name} ON {child.name}.{child.key} = {parent.name}.id"
    if query.kind == "lookup":
        return f"SELECT {column} FROM {source} WHERE id = {query.number}"
    where = " AND ".join(
        f"{_qualified(query, c.column, c.hops)} {c.operator} {c.value!r}" for c in query.conditions
    )
    source += f" WHERE {where}" if where else ""
    key = "id" if len(tables) == 1 else f"{tables[0].name}.id"
    if query.kind in ("rows", "count"):
        return f"SELECT COUNT(*) FROM {source}"
    if query.kind == "total":
        return f"SELECT {query.aggregate}({column}) FROM {source}"
    if query.kind == "list":
        return f"SELECT {column} FROM {source} ORDER BY {key}"
    if query.kind == "top":
        order = _qualified(query, query.order, 0) if query.order else key
        return f"SELECT {column} FROM {source} ORDER BY {order} DESC, {key} LIMIT {query.number}"
    having = f" HAVING COUNT(*) >= {query.number}" if query.kind == "having" else ""
    return f"SELECT {column}, COUNT(*) FROM {source} GROUP BY {column}{having} ORDER BY {column}"


def to_english(query: Query) -> str:
    """The question; it names an order wherever the answer has several rows."""
    first, word = query.tables[0], query.column.word if query.column else ""
    if query.kind == "rows":
        return f"How many rows are in table {first.name}?"
    if query.kind == "lookup":
        return f"What is the {word} of the row with id {query.number} in table {first.name}?"
    things = first.plural
    if query.conditions:
        parts = [
            f"{_path(query, c.hops)}{c.column.word} {_VERBS[c.operator]} {c.value}"
            for c in query.conditions
        ]
        things += f" whose {' and whose '.join(parts)}"
    if query.kind == "count":
        return f"How many {things} are there?"
    if query.kind == "total":
        return f"What is the {AGGREGATES[query.aggregate]} {word} of the {things}?"
    if query.kind == "list":
        return f"List the {word} of the {things}, in the order of their id."
    if query.kind == "top":
        order = query.order.word if query.order else "id"
        return (
            f"List the {word} of the {query.number} with the highest {order} among the {things}: "
            f"highest {order} first, equals in the order of their id."
        )
    path = _path(query, _hops(query)) + word
    only = f" Leave out numbers below {query.number}." if query.kind == "having" else ""
    return f"Count the {things} by {path}: give {path} and number, ordered by {path}.{only}"


def _hops(query: Query) -> int:
    return len(query.tables) - 1 if query.kind in ("group", "having") else 0


def _qualified(query: Query, column: Column, hops: int) -> str:
    if len(query.tables) == 1:
        return column.name
    return f"{query.tables[hops].name}.{column.name}"


def _path(query: Query, hops: int) -> str:
    return "".join(f"{table.singular}'s " for table in query.tables[1 : hops + 1])
