"""Tables: totals and groups over the rows that fulfil conditions on linked files."""

import csv
import io
import operator
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick, picks, sample_of
from zerogym.envs.tools.notebook.puzzle import (
    INTEGER,
    NAME_AND_NUMBER,
    Puzzle,
    largest,
    sample_names,
    scaled,
)

MAX_ROWS = 5000
MAX_CONDITIONS = 5
_NOUNS = (
    ("order", "parcel", "ticket", "repair", "visit", "lesson"),
    ("customer", "driver", "farm", "shop", "club", "ship"),
    ("region", "harbor", "valley", "island", "district", "market"),
)
_NUMBERS = ("weight", "height", "score", "length", "cost", "power", "depth", "speed")
_TEXTS = {
    "color": ("red", "blue", "green", "black", "white"),
    "status": ("open", "closed", "new", "old", "lost"),
    "season": ("spring", "summer", "autumn", "winter"),
    "material": ("wood", "steel", "stone", "glass", "paper"),
    "shape": ("round", "flat", "long", "square"),
    "mood": ("happy", "sad", "calm", "angry", "proud"),
}
_STYLES = ("{noun}_{word}", "c_{word}", "{word}_value", "{noun}.{word}", "the {word}")
_SEPARATORS = (",", ";", "\t", "|")

Kind = Literal["total", "range", "product", "top"]
Value = int | str


@dataclass(frozen=True)
class Table:
    """A file of rows.

    Attributes:
        noun: What a row is.
        words: The meaning of the columns: `id`, `name`, the noun of the next table, further words.
        names: Their names in the file.
        rows: The values, in that order.
        separator: Between two values.
        preamble: Lines before the header.
    """

    noun: str
    words: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    separator: str = ","
    preamble: int = 0

    @property
    def file(self) -> str:
        return f"{self.noun}s.csv"

    def text(self) -> str:
        """The file."""
        out = io.StringIO()
        for number in range(self.preamble):
            out.write(f"# {self.noun}s, part {number + 1}\n")
        csv.writer(out, delimiter=self.separator, lineterminator="\n").writerows(
            [self.names, *self.rows]
        )
        return out.getvalue()


@dataclass(frozen=True)
class Condition:
    """A condition on the rows of one of the tables."""

    table: int
    word: str
    operator: Literal["==", ">", "<"]
    value: Value

    def holds(self, value: Value) -> bool:
        compare = {"==": operator.eq, ">": operator.gt, "<": operator.lt}[self.operator]
        return bool(compare(value, self.value))

    def __str__(self) -> str:
        verb = {"==": "is", ">": "is above", "<": "is below"}[self.operator]
        return f"whose {self.word} {verb} {self.value}"


@dataclass(frozen=True)
class TablePuzzle(Puzzle):
    """A chain of tables, each linked to the next, and an aggregate of the first.

    Attributes:
        tables: The question is about the first one.
        kind: `total` and `range` (largest less smallest) of the first measure, `product` (the total
            of the product of both measures), `top` (the group with the largest total).
        measures: Two number columns of the first table.
        group: Table and column of the group of `top`.
        conditions: All must hold.
    """

    category: ClassVar[str] = "table"
    tables: tuple[Table, ...]
    kind: Kind
    measures: tuple[str, str]
    group: tuple[int, str]
    conditions: tuple[Condition, ...]

    @property
    def question(self) -> str:
        noun = self.tables[0].noun
        first, second = self.measures
        links = [f"Each {a.noun} belongs to one {b.noun}." for a, b in pairwise(self.tables)]
        chosen = f"Take the {noun}s"
        for index, table in enumerate(self.tables):
            parts = " and ".join(str(c) for c in self.conditions if c.table == index)
            if parts:
                chosen += f" {parts}" if index == 0 else f", of {table.noun}s {parts}"
        of, word = self.tables[self.group[0]].noun, self.group[1]
        group = f"{word} of the {of}" if self.group[0] else word
        question = {
            "total": f"What is the total {first} of these {noun}s? {INTEGER}",
            "range": f"By how much is their largest {first} above their smallest? {INTEGER}",
            "product": f"What is the total of {first} times {second} of them? {INTEGER}",
            "top": f"Group them by the {group}: which group has the largest total {first}, and how "
            f"large is it? Of equal ones, the alphabetically first. {NAME_AND_NUMBER}",
        }[self.kind]
        return " ".join([*links, f"{chosen}.", question])

    def files(self) -> Mapping[str, str]:
        return {table.file: table.text() for table in self.tables}

    def solve(self) -> str:
        rows = self._chosen(self.conditions)
        first, second = (self.tables[0].words.index(word) for word in self.measures)
        values = [int(chain[0][first]) for chain in rows]
        if self.kind == "total":
            return str(sum(values))
        if self.kind == "range":
            return str(max(values) - min(values))
        if self.kind == "product":
            return str(sum(int(c[0][first]) * int(c[0][second]) for c in rows))
        place = self.tables[self.group[0]].words.index(self.group[1])
        totals: dict[str, int] = defaultdict(int)
        for chain, value in zip(rows, values, strict=True):
            totals[str(chain[self.group[0]][place])] += value
        return largest(totals)

    def is_sound(self) -> bool:
        count = len(self._chosen(self.conditions))
        return count > 2 and all(
            len(self._chosen([c for c in self.conditions if c is not one])) > count
            for one in self.conditions
        )

    def _chosen(self, conditions: Sequence[Condition]) -> list[list[tuple[Value, ...]]]:
        """The chosen rows of the first table, each with the rows that it is linked to."""
        keyed = [{row[0]: row for row in table.rows} for table in self.tables[1:]]
        links = [a.words.index(b.noun) for a, b in pairwise(self.tables)]
        places = [(c, self.tables[c.table].words.index(c.word)) for c in conditions]
        chosen = []
        for row in self.tables[0].rows:
            chain = [row]
            for link, rows in zip(links, keyed, strict=True):
                chain.append(rows[chain[-1][link]])
            if all(c.holds(chain[c.table][place]) for c, place in places):
                chosen.append(chain)
        return chosen

    def program(self) -> str:
        name = [dict(zip(t.words, t.names, strict=True)) for t in self.tables]
        lines = [_READER]
        for n, table in enumerate(self.tables):
            arguments = f"{table.file!r}, {table.separator!r}, {table.preamble}"
            lines.append(f"t{n} = read({arguments})")
            lines.append(f"by{n} = {{row[{name[n]['id']!r}]: row for row in t{n}}}")
        lines.append("groups = {}\nfor r0 in t0:")
        for n, (_, after) in enumerate(pairwise(self.tables)):
            lines.append(f"    r{n + 1} = by{n + 1}[r{n}[{name[n][after.noun]!r}]]")
        for c in self.conditions:
            cell = f"r{c.table}[{name[c.table][c.word]!r}]"
            cell = cell if isinstance(c.value, str) else f"int({cell})"
            lines.append(f"    if not {cell} {c.operator} {c.value!r}: continue")
        first, second = (f"int(r0[{name[0][word]!r}])" for word in self.measures)
        value = f"{first} * {second}" if self.kind == "product" else first
        group = f"r{self.group[0]}[{name[self.group[0]][self.group[1]]!r}]"
        key = group if self.kind == "top" else "0"
        lines.append(f"    groups.setdefault({key}, []).append({value})")
        return "\n".join([*lines, _FINISH[self.kind]])


_READER = """\
import csv
def read(name, separator, skip):
    with open(name, newline="") as file:
        lines = file.read().splitlines()[skip:]
    return list(csv.DictReader(lines, delimiter=separator))"""
_FINISH = {
    "total": "print(sum(groups[0]))",
    "product": "print(sum(groups[0]))",
    "range": "print(max(groups[0]) - min(groups[0]))",
    "top": """\
top = sorted(groups, key=lambda name: (-sum(groups[name]), name))[0]
print(f"{top}, {sum(groups[top])}")""",
}


def sample_tables(rng: np.random.Generator, difficulty: float, hidden: bool) -> TablePuzzle:
    """One table at difficulty 0, up to three; a condition more for each point of difficulty."""
    count = min(3, 1 + int(difficulty))
    nouns = [pick(rng, _NOUNS[n]) for n in range(count)]
    rows = scaled(rng, difficulty, 40, MAX_ROWS)
    sizes = [rows, *(max(5, rows // (4 * 2**n)) for n in range(count - 1))]
    tables = tuple(
        _sample_table(rng, nouns[n : n + 2], sizes[n : n + 2], hidden) for n in range(count)
    )
    numbers = [word for word in tables[0].words if word in _NUMBERS]
    return TablePuzzle(
        hidden=hidden,
        tables=tables,
        kind=pick(rng, get_args(Kind)),
        measures=(numbers[0], numbers[1]),
        group=(count - 1, "name"),
        conditions=tuple(_sample_conditions(rng, tables, min(MAX_CONDITIONS, 1 + int(difficulty)))),
    )


def _sample_table(
    rng: np.random.Generator, nouns: list[str], sizes: list[int], hidden: bool
) -> Table:
    """A table of the first noun, linked to one of the second, if there is one."""
    size = sizes[0]
    many = 3 if nouns[0] in _NOUNS[0] else 2
    numbers, texts = sample_of(rng, _NUMBERS, many), sample_of(rng, list(_TEXTS), 2)
    columns: dict[str, list[Value]] = {
        "id": [1001 + n for n in range(size)],
        "name": list(picks(rng, sample_names(rng, max(6, size // 4)), size)),
    }
    if nouns[0] not in _NOUNS[0]:
        columns["name"] = list(sample_names(rng, size))
    for word in numbers:
        columns[word] = list(draw_ints(rng, 10, draw_int(rng, 80, 900), size))
    for word in texts:
        columns[word] = list(picks(rng, _TEXTS[word], size))
    if len(nouns) > 1:
        columns[nouns[1]] = list(draw_ints(rng, 1001, 1000 + sizes[1], size))
    words = ["id", *sample_of(rng, list(columns)[1:], len(columns) - 1)]
    rows = sample_of(rng, list(zip(*(columns[word] for word in words), strict=True)), size)
    if not hidden:
        return Table(nouns[0], tuple(words), tuple(words), tuple(rows))
    style = pick(rng, _STYLES)
    names = ("id", *(style.format(noun=nouns[0], word=word) for word in words[1:]))
    separator, preamble = pick(rng, _SEPARATORS), draw_int(rng, 0, 2)
    return Table(nouns[0], tuple(words), names, tuple(rows), separator, preamble)


def _sample_conditions(
    rng: np.random.Generator, tables: tuple[Table, ...], count: int
) -> Iterator[Condition]:
    """Conditions on different columns, on the last table at least one."""
    last = len(tables) - 1
    places = [(n, word) for n, t in enumerate(tables) for word in t.words]
    places = [p for p in places if p[1] in _NUMBERS or p[1] in _TEXTS]
    chosen = sample_of(rng, [place for place in places if place[0] == last], 1)
    chosen += sample_of(rng, [place for place in places if place not in chosen], count - 1)
    for n, word in chosen:
        column = tables[n].words.index(word)
        value = pick(rng, tables[n].rows)[column]
        if isinstance(value, str):
            yield Condition(n, word, "==", value)
        else:
            # Near a quarter of the values, so that several conditions leave rows over.
            ordered = sorted(int(row[column]) for row in tables[n].rows)
            more = rng.random() < 0.5
            bound = ordered[(1 if more else -1) * len(ordered) // 4]
            yield Condition(n, word, ">" if more else "<", bound)
