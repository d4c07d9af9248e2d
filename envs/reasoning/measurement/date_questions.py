"""Questions on dates, posed and explained with Python's `datetime`."""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
ORDINALS = ("last", "first", "second", "third", "fourth", "fifth")
MONTH_END = "If a month has no such day, its last day is taken."
WEEKDAY_AND_DATE = "Answer with the weekday and the date, like `Monday 2001-01-31`."
ALL_YEARS = " The Gregorian calendar is used for all years."
FIRST_FULL_YEAR = 1583  # of that calendar
TRAP_CHANCE = 0.25  # of a date near the end of February of a year that 100 divides


@dataclass(frozen=True)
class Span:
    """The ranges of a difficulty: years, days and the number of shifts."""

    years: tuple[int, int]
    days: int
    shifts: int
    hints: bool

    @classmethod
    def at(cls, rng: np.random.Generator, difficulty: float) -> "Span":
        """The span of a difficulty; its number of shifts is rounded at random."""
        level = min(difficulty, 6.0)
        years = (2001, 2030) if level < 1 else (1890, 2110) if level < 2 else (1000, 2999)
        days = min(4000, int(20 + 380 * level + 150 * level * level))
        return cls(years, days, round_randomly(rng, min(1 + level, 4.0)), level < 1)

    @property
    def note(self) -> str:
        """The note of a prompt with years before the calendar."""
        return ALL_YEARS if self.years[0] < FIRST_FULL_YEAR else ""

    def draw_date(self, rng: np.random.Generator) -> date:
        """A date of the allowed years, more often than by chance at a trap."""
        low, high = self.years
        if rng.random() < TRAP_CHANCE and not self.hints:
            year = 100 * draw_int(rng, -(-low // 100), high // 100)
            return date(year, 2, draw_int(rng, 20, 28))
        return date(draw_int(rng, low, high), 1, 1) + timedelta(draw_int(rng, 0, 364))


def days(rng: np.random.Generator, span: Span) -> Problem:
    """Weekday and date after shifts by days and weeks."""
    start = end = span.draw_date(rng)
    shifts: list[tuple[int, str]] = []
    steps = []
    for _ in range(span.shifts):
        unit = pick(rng, ("day", "week"))
        size = 7 if unit == "week" else 1
        count = draw_int(rng, 1, max(2, span.days // size)) * pick(rng, (1, -1))
        steps += _walk(end, count * size)
        end += timedelta(count * size)
        shifts.append((count, unit))
    wrong = [end + timedelta(1), end - timedelta(1), end + timedelta(7)]
    return _shifted("days", start, end, shifts, steps, wrong, span.note)


def months(rng: np.random.Generator, span: Span) -> Problem:
    """Weekday and date after shifts by months and years."""
    start = end = span.draw_date(rng)
    if rng.random() < 0.6:  # the ends of months are where the rule matters
        last = monthrange(start.year, start.month)[1]
        start = end = start.replace(day=last - draw_int(rng, 0, 2))
    shifts: list[tuple[int, str]] = []
    steps, wrong = [], []
    for _ in range(span.shifts):
        unit = pick(rng, ("month", "month", "year"))
        size = 12 if unit == "year" else 1
        count = draw_int(rng, 1, max(3, span.days // 30 // size)) * pick(rng, (1, -1))
        years, place = divmod(end.month - 1 + count * size, 12)
        last = monthrange(end.year + years, place + 1)[1]
        after = date(end.year + years, place + 1, min(end.day, last))
        wrong.append(date(after.year, after.month, 1) + timedelta(end.day - 1))
        steps.append(
            f"{_say_shift(count, unit)} {end}: day {end.day} of {MONTHS[place]} {after.year}, "
            f"which has {last} days: {after}"
        )
        end = after
        shifts.append((count, unit))
    wrong += [end + timedelta(1), end - timedelta(1)]
    return _shifted("months", start, end, shifts, steps, wrong, f" {MONTH_END}{span.note}")


def between(rng: np.random.Generator, span: Span) -> Problem:
    """Number of days from one date to a later one."""
    first = span.draw_date(rng)
    number = draw_int(rng, 1, span.days)
    second = first + timedelta(number)
    return Problem(
        prompt=f"How many days after {first} is {second}?{span.note}\nAnswer with a number.",
        answer=str(number),
        solution="\n".join(_count_up(first, second)),
        distractors=tuple(str(n) for n in (number + 1, number + 2, number - 1)),
        category="between",
        data={"kind": "between", "first": _parts(first), "second": _parts(second)},
        canonical=f"{first} {second}",
    )


def nth(rng: np.random.Generator, span: Span) -> Problem:
    """The date of the first to fifth or last of a weekday in a month."""
    day = span.draw_date(rng)
    begin = day.replace(day=1)
    number = (day.day + 6) // 7
    last = monthrange(day.year, day.month)[1]
    if day.day + 7 > last and rng.random() < 0.5:
        number = 0
    name, month = WEEKDAYS[day.weekday()], f"{MONTHS[day.month - 1]} {day.year}"
    starts = WEEKDAYS[begin.weekday()]
    hint = f"{month} begins on a {starts}. " if span.hints else ""
    first = begin + timedelta((day.weekday() - begin.weekday()) % 7)
    steps = [
        f"{month} begins on a {starts}." if span.hints else _weekday_step(begin),
        f"The first {name} is {first}; add {(day - first).days} days: {day}",
    ]
    wrong = [day + timedelta(7), day - timedelta(7), day + timedelta(1), day - timedelta(1)]
    ordinal = ORDINALS[number]
    return Problem(
        prompt=f"{hint}Which date is the {ordinal} {name} of {month}?{span.note}\n"
        "Answer as YYYY-MM-DD.",
        answer=str(day),
        solution="\n".join(steps),
        distractors=tuple(map(str, wrong)),
        category="nth",
        data={
            "kind": "nth", "year": day.year, "month": day.month, "weekday": day.weekday(),
            "number": number,
        },
        canonical=f"{ordinal} {name} {month}",
    )  # fmt: skip


def count(rng: np.random.Generator, span: Span) -> Problem:
    """Count a weekday between two dates."""
    first = span.draw_date(rng)
    second = first + timedelta(draw_int(rng, 7, max(20, span.days)))
    weekday = draw_int(rng, 0, 6)
    to_the_next = (weekday - first.weekday()) % 7
    left = (second - first).days - to_the_next
    number = left // 7 + 1
    name = WEEKDAYS[weekday]
    steps = [
        _weekday_step(first),
        f"So the first {name} is {first + timedelta(to_the_next)}.",
        f"From there to {second} it is {left} days: {left // 7} full weeks, so {number} times.",
    ]
    prompt = (
        f"How many {name}s are there from {first} to {second}, both days included?"
        f"{span.note}\nAnswer with a number."
    )
    return Problem(
        prompt=prompt,
        answer=str(number),
        solution="\n".join(steps),
        distractors=tuple(str(n) for n in (number + 1, number - 1, number + 2)),
        category="count",
        data={
            "kind": "count", "first": _parts(first), "second": _parts(second), "weekday": weekday,
        },
        canonical=f"{weekday} {first} {second}",
    )  # fmt: skip


def _shifted(
    kind: str,
    start: date,
    end: date,
    shifts: list[tuple[int, str]],
    steps: list[str],
    wrong: list[date],
    rule: str,
) -> Problem:
    """A question that begins at a date and goes to another."""
    total = (end - start).days
    first, last = WEEKDAYS[start.weekday()], WEEKDAYS[end.weekday()]
    moves = ", then ".join(_say_shift(*shift) for shift in shifts).replace("after", "later")
    answer = f"{last} {end}"
    steps.append(f"In all {total} days, {total % 7} modulo 7, from {first}: {answer}")
    right_day = [f"{WEEKDAYS[(end.weekday() + 1) % 7]} {end}"]
    shown = [f"{WEEKDAYS[day.weekday()]} {day}" for day in wrong if day != end]
    return Problem(
        prompt=(
            f"It is {first} {start}. Which day is it {moves.replace('before', 'earlier')}?{rule}\n"
            f"{WEEKDAY_AND_DATE}"
        ),
        answer=answer,
        solution="\n".join(steps),
        distractors=tuple(dict.fromkeys(shown + right_day))[-5:],
        category=kind,
        data={"kind": kind, "first": _parts(start), "shifts": [list(shift) for shift in shifts]},
        canonical=f"{start} {shifts}",
    )


def _say_shift(number: int, unit: str) -> str:
    plural = "" if abs(number) == 1 else "s"
    return f"{abs(number)} {unit}{plural} {'after' if number > 0 else 'before'}"


def _walk(start: date, number: int) -> list[str]:
    """Steps from a date by days: place in the year, then year by year."""
    place, sign = start.timetuple().tm_yday, "-" if number < 0 else "+"
    lines = [
        f"{start} is day {place} of {start.year}; {place} {sign} {abs(number)} = {place + number}"
    ]
    place, year = place + number, start.year
    while place < 1:
        year -= 1
        place += _length(year)
        lines.append(f"{year} has {_length(year)} days: day {place} of {year}")
    while place > _length(year):
        place -= _length(year)
        year += 1
        lines.append(f"{year - 1} has {_length(year - 1)} days: day {place} of {year}")
    lines.append(f"Day {place} of {year} is {date(year, 1, 1) + timedelta(place - 1)}")
    return lines


def _count_up(first: date, second: date) -> list[str]:
    """Steps that find the days between two dates: their places in their years, then the years."""
    start, place = first.timetuple().tm_yday, second.timetuple().tm_yday
    lines = [
        f"{first} is day {start} of {first.year}, and {second} is day {place} of {second.year}"
    ]
    for year in range(first.year, second.year):
        total = place + _length(year)
        lines.append(f"{year} has {_length(year)} days: {place} + {_length(year)} = {total}")
        place = total
    return [*lines, f"{place} - {start} = {place - start} days."]


def _weekday_step(day: date) -> str:
    """The step that finds the weekday of a date from a known one."""
    number = (day - date(2000, 1, 1)).days
    return (
        f"From Saturday 2000-01-01 to {day} it is {number} days, {number % 7} modulo 7: "
        f"{WEEKDAYS[day.weekday()]}"
    )


def _length(year: int) -> int:
    return (date(year + 1, 1, 1) - date(year, 1, 1)).days


def _parts(day: date) -> list[int]:
    return [day.year, day.month, day.day]


QUESTIONS: dict[str, Callable[[np.random.Generator, Span], Problem]] = {
    "days": days, "months": months, "between": between, "nth": nth, "count": count,
}  # fmt: skip
