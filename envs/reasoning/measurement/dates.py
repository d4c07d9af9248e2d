"""Calendar: dates and weekdays in the Gregorian calendar.

Posed with Python's `datetime`, solved by hand. Left out: time zones, times of day, other calendars,
holidays and ISO week numbers.
"""

import re
from fractions import Fraction

import numpy as np

from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick
from zerogym.envs.reasoning.listings import without_unit
from zerogym.envs.reasoning.measurement.date_arithmetic import (
    Day,
    add_days,
    add_months,
    count_weekdays,
    days_between,
    nth_weekday,
    weekday_of,
)
from zerogym.envs.reasoning.measurement.date_questions import QUESTIONS, WEEKDAYS, Span

_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)
_BLANKS = str.maketrans(",()", "   ")
_SHORT = {name[:3].casefold(): name for name in WEEKDAYS}


class CalendarEnv(ReasoningEnv):
    """Calculate with dates and weekdays.

    Description:
        Five kinds of question: weekday and date some days and weeks before or after a date
        (`days`) or some months and years (`months`, with a stated rule for the ends of months),
        the days between two dates (`between`), the n-th or last weekday of a month (`nth`), and
        how often a weekday comes between two dates (`count`). Years like 1900 and 2000, of which
        only the second has a 29th of February, come more often than by chance.

    Answer:
        A number, a date as YYYY-MM-DD, or a weekday and a date in any order; weekdays may be cut to
        three letters.

    Reward:
        1 if all required parts are right, else 0.

    Difficulty:
        Spans are at most `20 + 380 * difficulty + 150 * difficulty ** 2` days (at most 4000). Years
        are 2001 to 2030 below 1, 1890 to 2110 below 2, else 1000 to 2999. `1 + difficulty`
        shifts follow one another in `days` and `months` (a fractional part is the chance of one
        more, at most 4). Below 1, `nth` says on which weekday the month begins.

    Example:
        >>> env = CalendarEnv(difficulty=0, category="between")
        >>> print(env.reset(seed=0)[0])
        How many days after 2021-08-25 is 2021-09-07?
        Answer with a number.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>13</answer>")[1]
        1.0

    Source:
        The Gregorian calendar (1582), applied to all years; kinds and ranges are our choice.
    """

    categories = ("days", "months", "between", "nth", "count")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a kind of question and its dates."""
        kind = pick(rng, CalendarEnv.categories)
        return QUESTIONS[kind](rng, Span.at(rng, difficulty))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Walk through the calendar month by month."""
        data = problem.data
        if data["kind"] == "nth":
            return _write(nth_weekday(data["year"], data["month"], data["weekday"], data["number"]))
        first: Day = tuple(data["first"])
        if "second" in data:
            second: Day = tuple(data["second"])
            if data["kind"] == "between":
                return str(days_between(first, second))
            return str(count_weekdays(first, second, data["weekday"]))
        for count, unit in data["shifts"]:
            if unit in ("day", "week"):
                first = add_days(first, count * (7 if unit == "week" else 1))
            else:
                first = add_months(first, count * (12 if unit == "year" else 1))
        return f"{WEEKDAYS[weekday_of(first)]} {_write(first)}"

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Say whether the answer has the required form, and which part of it is wrong."""
        if problem.category in ("between", "count"):
            number = _number(problem, answer)
            if number is None:
                return "The answer is not a number."
            return "" if number == int(problem.answer) else "The number is wrong."
        found = _read(answer)
        if found is None:
            return "The answer is not of the asked form."
        day, weekday = found
        *named, date = problem.answer.split()
        if day == date and weekday in (named or (None, WEEKDAYS[weekday_of(_day(date))])):
            return ""
        return "The date is wrong." if day not in problem.answer else "The weekday is wrong."


def _number(problem: Problem, answer: str) -> Fraction | None:
    """The number of an answer, with or without what is counted behind it."""
    units = ["day", "days"]
    if problem.category == "count":
        weekday = WEEKDAYS[problem.data["weekday"]].casefold()
        units = [weekday, f"{weekday}s", "times"]
    return parse_number(without_unit(answer, units))


def _read(text: str) -> tuple[str, str | None] | None:
    """The date (as YYYY-MM-DD) and the weekday of an answer; None if it has another form."""
    date = weekday = None
    words = text.strip(" .").translate(_BLANKS).split(None, 3)
    for word in words[:3]:
        match = _DATE.fullmatch(word)
        name = word.casefold()
        full = _SHORT.get(name[:3])
        if match and date is None:
            date = f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}"
        elif full and weekday is None and name in (full.casefold(), name[:3]):
            weekday = full
        else:
            return None
    return (date, weekday) if date else None


def _day(text: str) -> Day:
    year, month, date = map(int, text.split("-"))
    return year, month, date


def _write(day: Day) -> str:
    return f"{day[0]:04d}-{day[1]:02d}-{day[2]:02d}"
