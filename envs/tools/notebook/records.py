"""Records: totals over nested JSON, in which some things are missing."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of
from zerogym.envs.tools.notebook.puzzle import (
    INTEGER,
    NAME_AND_NUMBER,
    FilePuzzle,
    largest,
    sample_names,
    scaled,
)

MAX_ITEMS = 6000
LEVELS = ("country", "city", "shop", "shelf", "item")
_PLURALS = {"country": "countries", "city": "cities", "shelf": "shelves"}
_MOODS = ("open", "closed", "new", "old")
_KEYS = ("{}", "{}_list", "all_{}", "{}-data")
Kind = Literal["total", "best", "spread"]


@dataclass(frozen=True)
class Record:
    """A thing and the things inside it.

    Attributes:
        name: Its name.
        status: One of a few words.
        value: A number, None if it is missing.
        inside: Its inner records.
    """

    name: str
    status: str
    value: int | None
    inside: tuple["Record", ...] = ()


@dataclass(frozen=True)
class RecordPuzzle(FilePuzzle):
    """Records in records, and a question about the innermost.

    Attributes:
        levels: What the records are, from outside to inside.
        records: The outermost.
        kind: `total` of the values, `best` outermost record by total, `spread` of the totals.
        keep: Statuses that count, by level.
        key: Format of the keys of lists.
        style: Format of values: 0 plain, 1 in a text, 2 in an object with its unit.
    """

    category: ClassVar[str] = "records"
    ending: ClassVar[str] = "json"
    levels: tuple[str, ...]
    records: tuple[Record, ...]
    kind: Kind
    keep: tuple[tuple[int, str], ...]
    key: str
    style: int

    @property
    def question(self) -> str:
        outer, inner = self.levels[0], self.levels[-1]
        nested, inner = " with ".join(map(_plural, self.levels)), _plural(inner)
        chosen = f"Take the {inner}"
        for level, status in sorted(self.keep, reverse=True):
            of = "" if level == len(self.levels) - 1 else f" of {_plural(self.levels[level])}"
            chosen += f"{of} whose status is {status},"
        question = {
            "total": f"What is the total price of these {inner}? {INTEGER}",
            "best": f"Which {outer} has the largest total price of these {inner}, and how "
            f"large is it? Of equal ones, the alphabetically first. {NAME_AND_NUMBER}",
            "spread": f"Add up their prices for each {outer} (0 if it has none). By how much is "
            f"the largest of these sums above the smallest? {INTEGER}",
        }[self.kind]
        return (
            f"{self.file} describes {nested}. {chosen.rstrip(',')}; a price that is missing or "
            f"null counts as 0. {question}"
        )

    def text(self) -> str:
        content: Any = [self._json(record, 0) for record in self.records]
        if self.style:
            content = {"version": 3, self._list_key(0): content}
        return json.dumps(content, indent=1) + "\n"

    def _list_key(self, level: int) -> str:
        return self.key.format(_plural(self.levels[level]))

    def _json(self, record: Record, level: int) -> dict[str, Any]:
        found: dict[str, Any] = {"name": record.name, "status": record.status}
        if level + 1 < len(self.levels):
            inside = [self._json(one, level + 1) for one in record.inside]
            return found | {self._list_key(level + 1): inside}
        if record.value is None:
            return found if len(record.name) % 2 else found | {"price": None}
        value: Any = (record.value, f"{record.value} EUR", {"amount": record.value, "unit": "EUR"})
        return found | {"price": value[self.style]}

    def solve(self) -> str:
        totals = {r.name: sum(_values(r, 0, dict(self.keep))) for r in self.records}
        if self.kind == "total":
            return str(sum(totals.values()))
        if self.kind == "spread":
            return str(max(totals.values()) - min(totals.values()))
        return largest(totals)

    def is_sound(self) -> bool:
        def count(keep: dict[int, str]) -> int:
            return sum(1 for record in self.records for _ in _values(record, 0, keep))

        keep = dict(self.keep)
        fewer = ({k: v for k, v in keep.items() if k != level} for level in keep)
        return count(keep) > 2 and all(count(some) > count(keep) for some in fewer)

    def program(self) -> str:
        keys = [self._list_key(level) for level in range(len(self.levels))]
        top = f"[{keys[0]!r}]" if self.style else ""
        program = _PROGRAM.format(file=self.file, keys=keys, keep=dict(self.keep), top=top)
        return program + _FINISH[self.kind]


def _values(record: Record, level: int, keep: dict[int, str]) -> Iterator[int]:
    """The value of each innermost record that counts; of a missing one 0."""
    if keep.get(level, record.status) != record.status:
        return
    if not record.inside:
        yield record.value or 0
    for one in record.inside:
        yield from _values(one, level + 1, keep)


def _plural(noun: str) -> str:
    return _PLURALS.get(noun, f"{noun}s")


_PROGRAM = """\
import json, re
keys, keep = {keys!r}, {keep!r}
def price(value):
    if isinstance(value, dict):
        value = value["amount"]
    return int(re.match("-?[0-9]+", str(value))[0]) if value is not None else 0
def total(thing, level):
    if level in keep and thing["status"] != keep[level]:
        return 0
    if level == len(keys) - 1:
        return price(thing.get("price"))
    return sum(total(one, level + 1) for one in thing[keys[level + 1]])
totals = {{thing["name"]: total(thing, 0) for thing in json.load(open({file!r})){top}}}
"""
_FINISH = {
    "total": "print(sum(totals.values()))",
    "best": """\
best = sorted(totals, key=lambda name: (-totals[name], name))[0]
print(f"{best}, {totals[best]}")""",
    "spread": "print(max(totals.values()) - min(totals.values()))",
}


def sample_records(rng: np.random.Generator, difficulty: float, hidden: bool) -> RecordPuzzle:
    """Two levels at difficulty 0, at most five; a condition more for two points of difficulty."""
    depth = min(5, 2 + int(difficulty))
    levels = LEVELS[-depth:]
    count = scaled(rng, difficulty, 40, MAX_ITEMS)
    (name,) = sample_names(rng, 1)
    outer = draw_int(rng, 4, 7)
    # As many things in each thing, on every level, as give `count` in all.
    each = max(2, round((count / outer) ** (1 / (depth - 1))))
    conditions = sample_of(rng, range(depth), min(3, 1 + int(difficulty) // 2))
    names = sample_names(rng, outer)
    return RecordPuzzle(
        hidden=hidden,
        name=name,
        levels=levels,
        records=tuple(_sample_record(rng, outermost, each, depth - 1) for outermost in names),
        kind=pick(rng, get_args(Kind)),
        keep=tuple((level, pick(rng, _MOODS)) for level in sorted(conditions)),
        key=pick(rng, _KEYS) if hidden else _KEYS[0],
        style=draw_int(rng, 0, 2) if hidden else 0,
    )


def _sample_record(rng: np.random.Generator, name: str, each: int, below: int) -> Record:
    status = pick(rng, _MOODS)
    if below == 0:
        value = None if rng.random() < 0.1 else draw_int(rng, 1, 999)
        return Record(name, status, value)
    held = draw_int(rng, max(1, each - 2), each + 2)
    made = (_sample_record(rng, f"{name[:2]}{n}", each, below - 1) for n in range(held))
    return Record(name, status, None, tuple(made))
