"""Tables: sort and filter one, compare what stands in its rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zerogym.envs.tools.web.dom import (
    Node,
    Page,
    box,
    button,
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
)
from zerogym.envs.tools.web.words import (
    COLOURS,
    number,
    people,
    pick,
    sample,
    scaled,
)


@dataclass(frozen=True)
class Table(Site):
    """Filter and sort a table of which few rows are shown, and mark a row by its rank."""

    category: ClassVar[str] = "table"
    shown: ClassVar[int] = 5
    departments: ClassVar[tuple[str, ...]] = ("Sales", "Research", "Support", "Finance")
    ranks: ClassVar[tuple[str, ...]] = ("", "second ", "third ", "fourth ", "fifth ")
    staff: tuple[tuple[str, str, int], ...]  # name, department, salary
    department: str
    rank: int

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        count = scaled(difficulty, 40, 12, 200)
        names = people(rng, count)
        salaries = sample(rng, range(2000, 6000, 10), count)
        departments = [cls.departments[i % 4] for i in range(count)]
        staff = tuple(zip(names, departments, salaries, strict=True))
        return cls(0, sample(rng, staff, count), pick(rng, cls.departments), number(rng, 0, 4))

    @property
    def question(self) -> str:
        rank = self.ranks[self.rank]
        return f"Mark the person with the {rank}highest salary in {self.department}."

    def is_sound(self) -> bool:
        """Return whether neither the filter nor the order alone leads to the row."""
        target = self._target()
        rows = self._rows(self.department, "")[: self.shown], self._rows("", "salary")[: self.shown]
        return target not in rows[0] and target not in rows[1]

    def first_data(self) -> Data:
        return {"marked": []}

    def goal(self) -> Data:
        return {"marked": [self._target()]}

    def acts(self) -> Sequence[Act]:
        name = self.staff[self._target()][0]
        return [
            choose("Department", self.department),
            click("Filter"),
            click("Sort by salary"),
            click("Mark", name),
        ]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path != "/":
            return None
        department, by = one(fields, "department"), one(fields, "by")
        chosen = department if department in self.departments else "all"
        rows = self._rows(department, by)
        header = box(
            "tr",
            link("Sort by name", f"/?department={chosen}&by=name"),
            text("Department"),
            link("Sort by salary", f"/?department={chosen}&by=salary"),
        )
        lines = [header]
        for i in rows[: self.shown]:
            name, where, salary = self.staff[i]
            mark = form("/mark", hidden("n", str(i)), button("Mark"))
            done = [text("marked")] if i in data["marked"] else []
            lines.append(box("tr", text(name), text(where), text(str(salary)), mark, *done))
        names = ("all", *self.departments)
        choice = select("Department", "department", names, chosen)
        filters = form("/", choice, hidden("by", by), button("Filter"), method="get")
        count = text(f"{min(len(rows), self.shown)} of {len(rows)} rows are shown.")
        return self.page("Staff", filters, count, box("table", *lines))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        index = index_of(fields, "n", len(self.staff))
        if path != "/mark" or index is None:
            return None
        data["marked"] = sorted({*data["marked"], index})
        return "/"

    def _rows(self, department: str, by: str) -> list[int]:
        rows = [
            i
            for i, (_, where, _) in enumerate(self.staff)
            if department not in self.departments or where == department
        ]
        if by == "salary":
            return sorted(rows, key=lambda i: -self.staff[i][2])
        return sorted(rows, key=lambda i: self.staff[i][0]) if by == "name" else rows

    def _target(self) -> int:
        own = [i for i, (_, where, _) in enumerate(self.staff) if where == self.department]
        return sorted(own, key=lambda i: self.staff[i][2])[-1 - self.rank]


@dataclass(frozen=True)
class Compare(Site):
    """Compare products by price, stars and weight, and reserve the best one in a colour."""

    category: ClassVar[str] = "compare"
    offers: tuple[tuple[str, int, int, int], ...]  # name, price, stars, weight in kg
    stars: int
    weight: int
    colour: str

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        count = scaled(difficulty, 8, 3, 60)
        prices = sample(rng, range(20, 500), count)
        offers = tuple(
            (f"Model {chr(65 + i % 26)}{i}", prices[i], number(rng, 1, 5), number(rng, 1, 9))
            for i in sample(rng, range(count), count)
        )
        return cls(0, offers, number(rng, 2, 4), number(rng, 3, 7), pick(rng, COLOURS))

    @property
    def question(self) -> str:
        return (
            f"Reserve the cheapest model with at least {self.stars} stars and at most "
            f"{self.weight} kg, in {self.colour}."
        )

    def is_sound(self) -> bool:
        """Return whether each of the conditions decides."""
        fits = [(p, s >= self.stars, w <= self.weight) for _, p, s, w in self.offers]
        best = min((p for p, s, w in fits if s and w), default=0)
        return all(min((f[0] for f in fits if f[i]), default=0) < best for i in (1, 2))

    def first_data(self) -> Data:
        return {"reserved": []}

    def goal(self) -> Data:
        return {"reserved": [[self._best(), self.colour]]}

    def acts(self) -> Sequence[Act]:
        return [click("Choose", self._best()), click(self.colour), click("Reserve")]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/done":
            return self.page("Reserved", text("Your reservation has been received."))
        if path == "/model":
            index = index_of(fields, "n", len(self.offers))
            if index is None:
                return None
            colours: list[Node] = [radio(colour, "colour", colour) for colour in COLOURS]
            name = self.offers[index][0]
            return self.page(
                name, form("/reserve", hidden("n", str(index)), *colours, button("Reserve"))
            )
        if path != "/":
            return None
        lines = [
            box("tr", text(name), text(f"price {price}"), text(f"{stars} stars"),
                text(f"{weight} kg"), link("Choose", f"/model?n={i}"))
            for i, (name, price, stars, weight) in enumerate(self.offers)
        ]  # fmt: skip
        return self.page("Models", box("table", *lines))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        index = index_of(fields, "n", len(self.offers))
        if path != "/reserve" or index is None:
            return None
        data["reserved"].append([self.offers[index][0], one(fields, "colour")])
        return "/done"

    def _best(self) -> str:
        fitting = [o for o in self.offers if o[2] >= self.stars and o[3] <= self.weight]
        return min(fitting, key=lambda offer: offer[1])[0]
