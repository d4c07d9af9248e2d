"""Dates: days that periods cover, gaps between them, working days."""

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick, picks
from zerogym.envs.tools.notebook.puzzle import (
    INTEGER,
    NAME_AND_NUMBER,
    FilePuzzle,
    largest,
    sample_names,
    scaled,
)

MAX_PERIODS = 2000
Kind = Literal["covered", "gap", "workdays", "nth", "owner"]
STYLES = (
    ("{who},{start},{end}", "%Y-%m-%d"),
    ("{start} to {end}: {who}", "%d %b %Y"),
    ("{who} | {start} | {end}", "%Y/%m/%d"),
    ("{start}-{end} {who}", "%Y%m%d"),
)


@dataclass(frozen=True)
class DatePuzzle(FilePuzzle):
    """Periods of some people, and a question about their days.

    Attributes:
        periods: Who, first day, last day.
        style: Number of the style of the file.
        kind: `covered` days; the longest `gap`; `workdays` of all periods; the `nth` covered day;
            the `owner` of most different days, and how many.
        person: Only this one's periods count; None for all.
        number: Of the day that is the answer to `nth`.
    """

    category: ClassVar[str] = "dates"
    periods: tuple[tuple[str, date, date], ...]
    style: int
    kind: Kind
    person: str | None
    number: int

    @property
    def question(self) -> str:
        question = {
            "covered": f"How many different days are covered by at least one of them? {INTEGER}",
            "gap": "How many days has the longest stretch of days that none of them covers, "
            f"between the first and the last covered day? {INTEGER}",
            "workdays": "Count the days from Monday to Friday in each of them and add up "
            f"(a day in two periods counts twice). {INTEGER}",
            "nth": "List the different days that are covered, from the earliest on. Which is day "
            f"number {self.number}? Answer as YYYY-MM-DD.",
            "owner": "Who has the largest number of different covered days, and how many? Of equal "
            f"ones, the alphabetically first. {NAME_AND_NUMBER}",
        }[self.kind]
        whose = "all periods" if self.person is None else f"the periods of {self.person}"
        return (
            f"{self.file} lists periods: a person, the first day and the last day, both included. "
            f"Take {whose}. {question}"
        )

    def text(self) -> str:
        line, form = STYLES[self.style]
        return "".join(
            line.format(who=who, start=start.strftime(form), end=end.strftime(form)) + "\n"
            for who, start, end in self.periods
        )

    def solve(self) -> str:
        taken = self._taken()
        if self.kind == "workdays":
            return str(sum(n % 7 not in (6, 0) for period in taken for n in _days([period])))
        if self.kind == "owner":
            people = {who for who, _, _ in taken}
            return largest({who: len(_days([p for p in taken if p[0] == who])) for who in people})
        days = _days(taken)
        if self.kind == "covered":
            return str(len(days))
        if self.kind == "gap":
            return str(max(b - a - 1 for a, b in pairwise(days)))
        return date.fromordinal(days[self.number - 1]).isoformat()

    def is_sound(self) -> bool:
        days = _days(self._taken())
        gaps = sum(b - a > 1 for a, b in pairwise(days))
        return gaps > 1 and len(days) >= self.number

    def _taken(self) -> list[tuple[str, date, date]]:
        return [p for p in self.periods if self.person is None or p[0] == self.person]

    def program(self) -> str:
        line, form = STYLES[self.style]
        return _PROGRAM.format(
            file=self.file, order=sorted(("who", "start", "end"), key=line.find),
            separators=_SEPARATORS[self.style], form=form, person=self.person, number=self.number,
        ) + _FINISH[self.kind]  # fmt: skip


def _days(periods: list[tuple[str, date, date]]) -> list[int]:
    """Ordinals of the different covered days, in order; those of Sundays are multiples of 7."""
    spans = ((start.toordinal(), end.toordinal()) for _, start, end in periods)
    return sorted({day for first, last in spans for day in range(first, last + 1)})


_SEPARATORS = (",", " to |: ", r" \| ", "-| ")
_PROGRAM = """\
import re
number = {number}
from datetime import datetime, timedelta
def day(text):
    return datetime.strptime(text, {form!r}).date()
periods = []
for line in open({file!r}):
    row = dict(zip({order!r}, re.split({separators!r}, line.strip())))
    if {person!r} in (None, row["who"]):
        first, last = day(row["start"]), day(row["end"])
        days = [first + timedelta(n) for n in range((last - first).days + 1)]
        periods.append((row["who"], days))
covered = sorted({{day for who, days in periods for day in days}})
"""
_FINISH = {
    "covered": "print(len(covered))",
    "gap": "print(max((b - a).days for a, b in zip(covered, covered[1:])) - 1)",
    "workdays": "print(sum(day.weekday() < 5 for who, days in periods for day in days))",
    "nth": "print(covered[number - 1])",
    "owner": """\
own = {}
for who, days in periods:
    own.setdefault(who, set()).update(days)
who = sorted(own, key=lambda who: (-len(own[who]), who))[0]
print(f"{who}, {len(own[who])}")""",
}


def sample_dates(rng: np.random.Generator, difficulty: float, hidden: bool) -> DatePuzzle:
    """From about 30 periods on; from difficulty 1 on perhaps of one person only."""
    count = scaled(rng, difficulty, 30, MAX_PERIODS)
    name, *people = sample_names(rng, 7)
    first = date(2020, 1, 1).toordinal() + draw_int(rng, 0, 5000)
    one = difficulty >= 1 and bool(rng.random() < 0.5)
    share = count // 6 if one else count
    starts = draw_ints(rng, first, first + 14 * share, count)
    lengths = draw_ints(rng, 0, 20, count)
    periods = [
        (who, date.fromordinal(start), date.fromordinal(start + length))
        for who, start, length in zip(picks(rng, people, count), starts, lengths, strict=True)
    ]
    kinds = [kind for kind in get_args(Kind) if not (one and kind == "owner")]
    return DatePuzzle(
        hidden=hidden,
        name=name,
        periods=tuple(periods),
        style=draw_int(rng, 1, 3) if hidden else 0,
        kind=pick(rng, kinds),
        person=pick(rng, people) if one else None,
        number=draw_int(rng, 5, 5 + 6 * share),
    )
