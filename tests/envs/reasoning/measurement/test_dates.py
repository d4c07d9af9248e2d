"""Calendar: the walk by hand against Python's `datetime` and known dates; forms of answers."""

import calendar
from datetime import date, timedelta

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.measurement.date_arithmetic import (
    add_days,
    add_months,
    count_weekdays,
    days_between,
    month_length,
    nth_weekday,
    weekday_of,
)
from zerogym.envs.reasoning.measurement.date_questions import WEEKDAYS
from zerogym.envs.reasoning.measurement.dates import CalendarEnv


def parts(day: date) -> tuple[int, int, int]:
    return day.year, day.month, day.day


def test_the_walk_agrees_with_datetime() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        first = date(1, 1, 1) + timedelta(int(rng.integers(5000, 3_600_000)))
        number = int(rng.integers(0, 4000))
        second = first + timedelta(number)
        assert weekday_of(parts(first)) == first.weekday()
        assert month_length(first.year, first.month) == calendar.monthrange(*parts(first)[:2])[1]
        assert add_days(parts(first), number) == parts(second)
        assert add_days(parts(second), -number) == parts(first)
        assert days_between(parts(first), parts(second)) == number


def test_weekdays_are_counted_one_by_one() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        first = date(1890, 1, 1) + timedelta(int(rng.integers(80_000)))
        days = [first + timedelta(n) for n in range(int(rng.integers(1, 100)))]
        weekday = int(rng.integers(7))
        expected = sum(day.weekday() == weekday for day in days)
        assert count_weekdays(parts(first), parts(days[-1]), weekday) == expected


def test_the_nth_weekday_is_in_the_calendar() -> None:
    for year, month in ((2024, 2), (1900, 2), (2023, 10), (2000, 1)):
        weeks = calendar.monthcalendar(year, month)
        for weekday in range(7):
            dates = [week[weekday] for week in weeks if week[weekday]]
            for number in range(1, len(dates) + 1):
                found = nth_weekday(year, month, weekday, number)
                assert found == (year, month, dates[number - 1])
            assert nth_weekday(year, month, weekday, 0)[2] == dates[-1]


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        ((2024, 1, 31), 1, (2024, 2, 29)),
        ((1900, 1, 31), 1, (1900, 2, 28)),
        ((2000, 2, 29), 12, (2001, 2, 28)),
        ((2024, 3, 31), -1, (2024, 2, 29)),
        ((2023, 12, 31), 2, (2024, 2, 29)),
        ((2024, 1, 15), -1, (2023, 12, 15)),
        ((2024, 2, 29), -48, (2020, 2, 29)),
    ],
)
def test_the_ends_of_months(start: tuple, months: int, end: tuple) -> None:
    assert add_months(start, months) == end


def test_known_weekdays() -> None:
    known = {(1969, 7, 20): "Sunday", (1989, 11, 9): "Thursday", (2000, 2, 29): "Tuesday"}
    assert {day: WEEKDAYS[weekday_of(day)] for day in known} == known


@pytest.mark.parametrize("difficulty", [0.0, 1.0, 3.0, 1e9])
def test_posed_by_datetime_and_solved_by_hand(difficulty: float) -> None:
    for problem in draw(CalendarEnv, difficulty, 500, seed=2):
        assert problem.answer == CalendarEnv.solve(problem), problem.prompt


def problem_of(category: str, answer: str) -> Problem:
    return Problem("?", answer, category=category)


def test_forms_of_a_weekday_and_a_date() -> None:
    problem = problem_of("days", "Thursday 2024-02-29")
    right = (
        "Thursday 2024-02-29", "thu, 2024-2-29", "2024-02-29 (Thursday).", "THURSDAY,2024-02-29",
    )  # fmt: skip
    wrong = (
        "2024-02-29", "Thursday", "Friday 2024-02-29", "Thursday 2024-02-28", "Thurs 2024-02-29",
        "Thursday 2024-02-29 2024-02-28", "Thursday Thursday 2024-02-29", "29.02.2024 Thursday", "",
    )  # fmt: skip
    check_scores(CalendarEnv, problem, right, wrong)
    assert "weekday" in CalendarEnv.explain(problem, "Friday 2024-02-29")
    assert "date" in CalendarEnv.explain(problem, "Friday 2024-02-28")


def test_forms_of_a_date() -> None:
    right = ("2024-2-5", "Monday, 2024-02-05")  # a weekday is not required
    check_scores(CalendarEnv, problem_of("nth", "2024-02-05"), right, ("Friday, 2024-02-05", "5"))


def test_traps_come_more_often_than_by_chance() -> None:
    rng = np.random.default_rng(3)
    years = [str(CalendarEnv.sample(rng, 1.0).data) for _ in range(500)]
    assert sum("1900, 2" in text or "2100, 2" in text for text in years) > 50


def test_a_counted_number_may_have_a_unit() -> None:
    right, wrong = ("13 days", "13 Days.", "13"), ("13 weeks", "12 days", "days")
    check_scores(CalendarEnv, problem_of("between", "13"), right, wrong)
    mondays = Problem("?", "3", category="count", data={"weekday": 0})
    check_scores(CalendarEnv, mondays, ("3 Mondays", "3 times", "3"), ("3 Sundays", "3 days"))


def test_the_days_between_two_dates_are_worked_out_from_the_dates() -> None:
    for problem in draw(CalendarEnv, 3.0, 50, seed=4, category="between"):
        *steps, last = problem.solution.split("\n")
        assert last.endswith(f"= {problem.answer} days.")
        assert all(f"+ {problem.answer} " not in step for step in steps), "not from the answer"


def test_the_calendar_is_named_where_years_are_before_it() -> None:
    rng = np.random.default_rng(5)
    for difficulty, named in ((0.5, False), (1.5, False), (2.0, True)):
        prompts = [CalendarEnv.sample(rng, difficulty).prompt for _ in range(50)]
        assert {"Gregorian" in prompt for prompt in prompts} == {named}
