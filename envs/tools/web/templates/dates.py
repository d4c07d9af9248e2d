"""Dates: a calendar with free hours, a search for flights."""

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zerogym.envs.tools.web.dom import (
    Page,
    box,
    button,
    entry,
    form,
    hidden,
    link,
    radio,
    select,
    text,
)
from zerogym.envs.tools.web.site import (
    Act,
    Data,
    Fields,
    Site,
    choose,
    click,
    index_of,
    one,
    type_in,
)
from zerogym.envs.tools.web.words import CITIES, SUBJECTS, number, people, pick, sample, scaled

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
HOURS = ("08:00", "09:30", "11:00", "13:00", "14:30", "16:00")


@dataclass(frozen=True)
class Calendar(Site):
    """Go to a month, choose the day and the hour, and book a room under a title."""

    category: ClassVar[str] = "calendar"
    year: int
    start: int  # the month that the first page shows, from 0 for January of the year
    ahead: int  # months to go forwards
    day: int
    hour: str
    title: str

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        title = f"{pick(rng, SUBJECTS)} with {people(rng, 1)[0]}"
        year, start = number(rng, 2024, 2033), number(rng, 0, 11)
        ahead = number(rng, 1, scaled(difficulty, 2, 2, 12))
        return cls(0, year, start, ahead, number(rng, 1, 28), pick(rng, HOURS), title)

    @property
    def question(self) -> str:
        year, month = self._month(self.ahead)
        date = f"{self.day} {MONTHS[month]} {year}"
        return f'Book the room on {date} at {self.hour} with the title "{self.title}".'

    def first_data(self) -> Data:
        return {"bookings": []}

    def goal(self) -> Data:
        year, month = self._month(self.ahead)
        return {"bookings": [[f"{year}-{month + 1:02}-{self.day:02}", self.hour, self.title]]}

    def acts(self) -> Sequence[Act]:
        return [
            *[click("Next month")] * self.ahead,
            click(str(self.day)),
            click(self.hour),
            type_in("Title", self.title),
            click("Book"),
        ]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/done":
            return self.page("Booked", text("The room is booked."))
        ahead = index_of(fields, "m", 25) if "m" in fields else 0
        if ahead is None:
            return None
        year, month = self._month(ahead)
        name, length = f"{MONTHS[month]} {year}", calendar.monthrange(year, month + 1)[1]
        if path == "/":
            weeks = [
                box("tr", *(link(str(d), f"/day?m={ahead}&d={d}") for d in week if d))
                for week in calendar.monthcalendar(year, month + 1)
            ]
            ways = [link("Previous month", f"/?m={ahead - 1}")] if ahead else []
            ways += [link("Next month", f"/?m={ahead + 1}")] if ahead < 24 else []
            return self.page(name, box("nav", *ways), box("table", *weeks))
        day = index_of(fields, "d", length + 1)
        if path != "/day" or not day:
            return None
        return self.page(
            f"{day} {name}",
            form(
                "/book",
                hidden("m", str(ahead)),
                hidden("d", str(day)),
                *(radio(hour, "hour", hour) for hour in HOURS),
                entry("Title", "title"),
                button("Book"),
            ),
        )

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        ahead, day = index_of(fields, "m", 25), index_of(fields, "d", 32)
        if path != "/book" or ahead is None or not day:
            return None
        year, month = self._month(ahead)
        date = f"{year}-{month + 1:02}-{day:02}"
        data["bookings"].append([date, one(fields, "hour"), one(fields, "title")])
        return "/done"

    def _month(self, ahead: int) -> tuple[int, int]:
        """Return year and month (from 0) so many months after the first page's."""
        years, month = divmod(self.start + ahead, 12)
        return self.year + years, month


@dataclass(frozen=True)
class Flights(Site):
    """Search for flights between two cities on a day and book the cheapest or the earliest."""

    category: ClassVar[str] = "flights"
    days: ClassVar[tuple[str, ...]] = ("Monday", "Wednesday", "Friday", "Sunday")
    cities: tuple[str, ...]
    offers: tuple[tuple[int, int], ...]  # departure in minutes and price; routes one after another
    each: int  # flights of a route and day
    route: tuple[int, int, int]  # from, to, day
    by: str
    passenger: str

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        cities, each = (
            sample(rng, CITIES, scaled(difficulty, 3, 0.5, 6)),
            scaled(difficulty, 3, 0.5, 6),
        )
        searches = len(cities) ** 2 * len(cls.days)
        times = rng.permuted(np.tile(np.arange(288), (searches, 1)), axis=1)[:, :each] * 5
        prices = rng.permuted(np.tile(np.arange(40, 400), (searches, 1)), axis=1)[:, :each]
        offers = tuple(zip(times.ravel().tolist(), prices.ravel().tolist(), strict=True))
        start, end = sample(rng, range(len(cities)), 2)
        route = (start, end, number(rng, 0, len(cls.days) - 1))
        by = pick(rng, ("cheapest", "earliest"))
        return cls(0, cities, offers, each, route, by, people(rng, 1)[0])

    @property
    def question(self) -> str:
        start, end, day = self.route
        return (
            f"Book the {self.by} flight from {self.cities[start]} to {self.cities[end]} on "
            f'{self.days[day]} for "{self.passenger}".'
        )

    def first_data(self) -> Data:
        return {"booked": []}

    def goal(self) -> Data:
        return {"booked": [[self._best(), self.passenger]]}

    def acts(self) -> Sequence[Act]:
        start, end, day = self.route
        return [
            choose("From", self.cities[start]),
            choose("To", self.cities[end]),
            choose("Day", self.days[day]),
            click("Search"),
            click("Choose", self._clock(self._best())),
            type_in("Passenger", self.passenger),
            click("Book"),
        ]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/done":
            return self.page("Booked", text("The flight is booked."))
        if path == "/flight":
            index = index_of(fields, "n", len(self.offers))
            if index is None:
                return None
            said = text(f"Departure {self._clock(index)}, price {self.offers[index][1]}")
            book = form(
                "/book", hidden("n", str(index)), entry("Passenger", "name"), button("Book")
            )
            return self.page("Flight", said, book)
        if path != "/":
            return None
        chosen = [one(fields, name, "-") for name in ("from", "to", "day")]
        search = form(
            "/",
            select("From", "from", ("-", *self.cities), chosen[0]),
            select("To", "to", ("-", *self.cities), chosen[1]),
            select("Day", "day", ("-", *self.days), chosen[2]),
            button("Search"),
            method="get",
        )
        rows = [
            box("tr", text(self._clock(i)), text(f"price {self.offers[i][1]}"),
                link("Choose", f"/flight?n={i}"))
            for i in self._found(*chosen)
        ]  # fmt: skip
        return self.page("Flights", search, box("table", *rows) if rows else text("No flights."))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        index = index_of(fields, "n", len(self.offers))
        if path != "/book" or index is None:
            return None
        data["booked"].append([index, one(fields, "name")])
        return "/done"

    def _found(self, start: str, end: str, day: str) -> range:
        """Return the flights of a route and day."""
        known = start in self.cities and end in self.cities and day in self.days
        if not known or start == end:
            return range(0)
        return self._search(self.cities.index(start), self.cities.index(end), self.days.index(day))

    def _search(self, start: int, end: int, day: int) -> range:
        first = ((start * len(self.cities) + end) * len(self.days) + day) * self.each
        return range(first, first + self.each)

    def _best(self) -> int:
        key = 1 if self.by == "cheapest" else 0
        return min(self._search(*self.route), key=lambda i: self.offers[i][key])

    def _clock(self, index: int) -> str:
        hours, minutes = divmod(self.offers[index][0], 60)
        return f"{hours:02}:{minutes:02}"
