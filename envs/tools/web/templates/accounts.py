"""Accounts: log in, go through a form of several pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zerogym.envs.tools.web.dom import (
    Page,
    button,
    entry,
    form,
    hidden,
    radio,
    text,
)
from zerogym.envs.tools.web.site import (
    Act,
    Data,
    Fields,
    Site,
    click,
    index_of,
    one,
    type_in,
)
from zerogym.envs.tools.web.words import (
    CITIES,
    TOPICS,
    listed,
    number,
    people,
    pick,
    sample,
    scaled,
)

_SERVICES = tuple(
    f"{verb} {what}"
    for verb in ("Renew", "Cancel", "Block", "Replace", "Extend")
    for what in ("card", "ticket", "parking permit", "membership", "locker")
)


@dataclass(frozen=True)
class Login(Site):
    """Log in with a name and a password and order one of the services."""

    category: ClassVar[str] = "login"
    user: str
    password: str
    services: tuple[str, ...]
    service: str

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        user = people(rng, 1)[0].replace(" ", ".").lower()
        password = f"{pick(rng, CITIES).lower()}-{number(rng, 100, 999)}"
        services = sample(rng, _SERVICES, scaled(difficulty, 4, 3, 25))
        return cls(0, user, password, services, pick(rng, services))

    @property
    def question(self) -> str:
        return (
            f'Log in as "{self.user}" with password "{self.password}" and press '
            f"{self.service!r} there."
        )

    def first_data(self) -> Data:
        return {"user": "", "ordered": []}

    def goal(self) -> Data:
        return {"user": self.user, "ordered": [self.service]}

    def acts(self) -> Sequence[Act]:
        return [
            type_in("User", self.user),
            type_in("Password", self.password),
            click("Log in"),
            click(self.service),
        ]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path != "/":
            return None
        if not data["user"]:
            failed = [text("User or password is wrong.")] if "failed" in fields else []
            login = form(
                "/login",
                entry("User", "user"),
                entry("Password", "password", kind="password"),
                button("Log in"),
            )
            return self.page("Log in", *failed, login)
        done = [text(f"Ordered: {listed(data['ordered'])}")] if data["ordered"] else []
        forms = [
            form("/order", hidden("n", str(i)), button(service))
            for i, service in enumerate(self.services)
        ]
        return self.page("Your account", text(f"Logged in as {data['user']}."), *done, *forms)

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        if path == "/login":
            if (one(fields, "user"), one(fields, "password")) != (self.user, self.password):
                return "/?failed=1"
            data["user"] = self.user
            return "/"
        index = index_of(fields, "n", len(self.services))
        if path != "/order" or index is None or not data["user"]:
            return None
        data["ordered"].append(self.services[index])
        return "/"


@dataclass(frozen=True)
class Wizard(Site):
    """Order a subscription on several pages, each with one choice, and confirm."""

    category: ClassVar[str] = "wizard"
    steps: tuple[tuple[str, tuple[str, ...]], ...]  # title and choices; none: a text is typed in
    values: tuple[str, ...]

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        pool = {
            "Plan": ("Basic", "Family", "Student", "Premium"),
            "Duration": ("1 month", "6 months", "12 months", "24 months"),
            "Edition": ("Morning", "Evening", "Weekend", "Digital"),
            "Gift": ("Mug", "Umbrella", "Notebook", "Poster", "Bag"),
            "Region": CITIES[:6],
            "Section": TOPICS[:6],
        }
        chosen = sample(rng, list(pool), scaled(difficulty, 2, 1, 6))
        steps = (("Name", ()), *((title, pool[title]) for title in chosen))
        values = (people(rng, 1)[0], *(pick(rng, pool[title]) for title in chosen))
        return cls(0, steps, values)

    @property
    def question(self) -> str:
        said = [
            f'{title} "{value}"' for (title, _), value in zip(self.steps, self.values, strict=True)
        ]
        return f"Order a subscription with {listed(said)}, and confirm it on the last page."

    def first_data(self) -> Data:
        return {"orders": []}

    def goal(self) -> Data:
        return {"orders": [list(self.values)]}

    def acts(self) -> Sequence[Act]:
        acts: list[Act] = []
        for (title, choices), value in zip(self.steps, self.values, strict=True):
            acts += [click(value) if choices else type_in(title, value), click("Continue")]
        return [*acts, click("Confirm")]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/done":
            return self.page("Ordered", text("Your subscription has been ordered."))
        if path != "/":
            return None
        given = [one(fields, str(i)) for i in range(len(self.steps))]
        kept = [hidden(str(i), value) for i, value in enumerate(given) if value]
        step = next((i for i, value in enumerate(given) if not value), None)
        if step is None:
            lines = [text(f"{t}: {v}") for (t, _), v in zip(self.steps, given, strict=True)]
            return self.page("Check", *lines, form("/confirm", *kept, button("Confirm")))
        title, choices = self.steps[step]
        name = str(step)
        fields_here = [radio(c, name, c) for c in choices] or [entry(title, name)]
        where = f"Step {step + 1} of {len(self.steps)}: {title}"
        return self.page(where, form("/", *kept, *fields_here, button("Continue"), method="get"))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        if path != "/confirm":
            return None
        data["orders"].append([one(fields, str(i)) for i in range(len(self.steps))])
        return "/done"
