"""The Gregorian calendar by hand: without Python's `datetime`.

The rule of leap years is applied to all years (proleptic). Weekdays are 0 (Monday) to 6.
"""

Day = tuple[int, int, int]  # year, month, day

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def month_length(year: int, month: int) -> int:
    """Days of a month.

    Example:
        >>> [month_length(year, 2) for year in (1900, 2000, 2023, 2024)]
        [28, 29, 28, 29]
    """
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _LENGTHS[month - 1] + (month == 2 and is_leap)


def weekday_of(day: Day) -> int:
    """Weekday by Zeller's congruence.

    Example:
        >>> weekday_of((1969, 7, 20))  # a Sunday
        6
    """
    year, month, date = day
    if month < 3:  # January and February count as months 13 and 14 of the year before
        year, month = year - 1, month + 12
    saturday_is_0 = date + 13 * (month + 1) // 5 + year + year // 4 - year // 100 + year // 400
    return (saturday_is_0 + 5) % 7


def add_days(day: Day, count: int) -> Day:
    """The day `count` days later (earlier if negative), month by month."""
    year, month, date = day
    date += count
    while date < 1:
        year, month = _shift(year, month, -1)
        date += month_length(year, month)
    while date > month_length(year, month):
        date -= month_length(year, month)
        year, month = _shift(year, month, 1)
    return year, month, date


def add_months(day: Day, count: int) -> Day:
    """Shift by months to the same day, or to the last day of a month without it."""
    year, month = _shift(day[0], day[1], count)
    return year, month, min(day[2], month_length(year, month))


def days_between(first: Day, second: Day) -> int:
    """Days from the first to the second, which is not earlier."""
    year, month, date = first
    count = -date
    while (year, month) < second[:2]:
        count += month_length(year, month)
        year, month = _shift(year, month, 1)
    return count + second[2]


def nth_weekday(year: int, month: int, weekday: int, number: int) -> Day:
    """The first, second ... of a weekday in a month; number 0 is the last one."""
    days = [
        date
        for date in range(1, month_length(year, month) + 1)
        if weekday_of((year, month, date)) == weekday
    ]
    return year, month, days[number - 1]


def count_weekdays(first: Day, second: Day, weekday: int) -> int:
    """Count a weekday from the first to the second day, both included."""
    to_the_next = (weekday - weekday_of(first)) % 7
    return max(0, (days_between(first, second) - to_the_next) // 7 + 1)


def _shift(year: int, month: int, count: int) -> tuple[int, int]:
    years, month = divmod(month - 1 + count, 12)
    return year + years, month + 1
