"""Hidden databases: tables of named records with numbers, labels and links to other records.

The names of tables, attributes and records are public, since questions use them; the values are
not, and only the functions of a tool set read them. Equal draws give equal databases.

Left out: missing values, records of the same name, and attributes that several records share as a
list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.words import LABELS, LINKS, NUMBERS, THINGS, sample_names

Value = int | str
Record = dict[str, Value]
Records = dict[str, dict[str, Record]]  # by table and name

LOW, HIGH = 101, 9999  # of the numbers in records
_RATES = (7, 97)


@dataclass(frozen=True)
class Attribute:
    """A column.

    Attributes:
        name: A word.
        kind: `number` (an integer), `label` (one of `labels`) or `link` (a record's name).
        labels: The possible values of a label.
        target: The table that a link leads to.
    """

    name: str
    kind: Literal["number", "label", "link"]
    labels: tuple[str, ...] = ()
    target: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A kind of thing: its names in singular and plural, its columns, the names of its records.

    Two tables are equal if they are the same object: that makes them cheap keys.
    """

    noun: str
    plural: str
    attributes: tuple[Attribute, ...]
    names: tuple[str, ...]

    def of_kind(self, kind: str) -> list[Attribute]:
        """Return the columns of a kind."""
        return [attribute for attribute in self.attributes if attribute.kind == kind]


@dataclass(frozen=True)
class Database:
    """Tables, the values of their records, and rates of exchange between units; immutable.

    Attributes:
        tables: By noun.
        records: The values, by noun, name and attribute.
        rates: The rate of each unit.
    """

    tables: Mapping[str, Table]
    records: Records
    rates: Mapping[str, int]

    def __deepcopy__(self, memo: dict[int, Any]) -> "Database":
        return self  # whatever an episode changes stands in the episode's state


def sample_database(draws: Draws, tables: int, records: int) -> Database:
    """Draw a database.

    Args:
        draws: Its source of randomness.
        tables: How many kinds of things, at least 1.
        records: How many of each, at least 4.
    """
    things = draws.some(THINGS, tables)
    names = sample_names(draws, tables * records + 4)
    made = {}
    for index, (noun, plural) in enumerate(things):
        numbers = [Attribute(word, "number") for word in draws.some(NUMBERS, draws.between(2, 3))]
        labels = [Attribute(word, "label", LABELS[word]) for word in draws.some(tuple(LABELS), 2)]
        links = [
            Attribute(word, "link", target=draws.pick(things)[0]) for word in draws.some(LINKS, 2)
        ]
        own = tuple(sorted(names[index * records : (index + 1) * records]))
        made[noun] = Table(noun, plural, (*numbers, *labels, *links), own)
    units = [name.lower() + ("es" if name.endswith("s") else "s") for name in names[-4:]]
    empty = Database(made, {}, dict.fromkeys(units, 1))
    return redrawn(empty, draws)


def redrawn(database: Database, draws: Draws) -> Database:
    """Return a database with the same tables and names, and other values."""
    tables = database.tables
    records = {}
    for noun, table in tables.items():
        words = [attribute.name for attribute in table.attributes]
        columns = [
            draws.column(_values_of(attribute, tables), len(table.names))
            for attribute in table.attributes
        ]
        rows = zip(*columns, strict=True)
        records[noun] = {
            name: dict(zip(words, row, strict=True))
            for name, row in zip(table.names, rows, strict=True)
        }
    rates = dict(zip(database.rates, draws.some(range(*_RATES), len(database.rates)), strict=True))
    return replace(database, records=records, rates=rates)


def _values_of(attribute: Attribute, tables: Mapping[str, Table]) -> Sequence[Value]:
    """Return the values that an attribute can have."""
    if attribute.kind == "number":
        return range(LOW, HIGH + 1)
    return attribute.labels or tables[attribute.target].names
