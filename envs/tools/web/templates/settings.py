"""Settings: groups of them on pages of their own, roles of members in tabs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zerogym.envs.tools.web.dom import (
    Page,
    box,
    button,
    checkbox,
    form,
    hidden,
    link,
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
    SUBJECTS,
    TOPICS,
    listed,
    number,
    people,
    pick,
    sample,
    scaled,
)


@dataclass(frozen=True)
class Settings(Site):
    """Change some settings that stand in several groups, each with its own button to save."""

    category: ClassVar[str] = "settings"
    parts: ClassVar[str] = "changes"
    groups: ClassVar[tuple[str, ...]] = (
        "Account", "Display", "Mail", "Sound", "Security", "Language", "Network", "Backup",
    )  # fmt: skip
    levels: ClassVar[tuple[str, ...]] = ("off", "low", "medium", "high")
    names: tuple[tuple[str, ...], ...]  # of the settings of each group; the last is a list
    before: tuple[tuple[str, ...], ...]
    changes: tuple[tuple[int, int, str], ...]  # group, place in the group, new value

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        groups = scaled(difficulty, 3, 1, 8)
        words = sample(rng, [f"{a} {b.lower()}" for a in SUBJECTS for b in TOPICS], groups * 5)
        names = tuple(words[5 * g : 5 * g + 5] for g in range(groups))
        before = tuple(
            (*(pick(rng, ("", "on")) for _ in range(4)), pick(rng, cls.levels))
            for _ in range(groups)
        )
        changes = []
        for group in sample(rng, range(groups), min(groups, scaled(difficulty, 2, 0.5, 4))):
            place = number(rng, 0, 4)
            old = before[group][place]
            others = [v for v in (cls.levels if place == 4 else ("", "on")) if v != old]
            changes.append((group, place, pick(rng, others)))
        return cls(0, names, before, tuple(changes))

    @property
    def question(self) -> str:
        said = []
        for group, place, value in self.changes:
            what = self.names[group][place]
            how = f'set "{what}" to {value}' if place == 4 else f'turn {value or "off"} "{what}"'
            said.append(f"{how} ({self.groups[group]})")
        return f"In the settings {listed(said)}. Each group is saved on its own page."

    def first_data(self) -> Data:
        return {"settings": [list(values) for values in self.before]}

    def goal(self) -> Data:
        data = self.first_data()
        for group, place, value in self.changes:
            data["settings"][group][place] = value
        return data

    def acts(self) -> Sequence[Act]:
        acts: list[Act] = []
        for group, place, value in self.changes:
            what = self.names[group][place]
            change = choose(what, value) if place == 4 else click(what)
            acts += [click(self.groups[group]), change, click("Save")]
        return acts

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        tabs = box("nav", *(
            link(self.groups[g], f"/group?g={g}") for g in range(len(self.names))
        ))  # fmt: skip
        group = index_of(fields, "g", len(self.names))
        if path == "/":
            return self.page("Settings", tabs)
        if path != "/group" or group is None:
            return None
        values = data["settings"][group]
        fields_here = [
            select(name, str(i), self.levels, values[i])
            if i == 4
            else checkbox(name, str(i), "on", values[i] == "on")
            for i, name in enumerate(self.names[group])
        ]
        save = form("/save", hidden("g", str(group)), *fields_here, button("Save"))
        return self.page(self.groups[group], tabs, save)

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        group = index_of(fields, "g", len(self.names))
        if path != "/save" or group is None:
            return None
        data["settings"][group] = [one(fields, str(i)) for i in range(5)]
        return f"/group?g={group}"


@dataclass(frozen=True)
class Tabs(Site):
    """Give members of teams, each team in a tab, another role."""

    category: ClassVar[str] = "tabs"
    parts: ClassVar[str] = "changes"
    roles: ClassVar[tuple[str, ...]] = ("guest", "member", "editor", "owner")
    teams: tuple[tuple[str, ...], ...]
    before: tuple[tuple[str, ...], ...]
    changes: tuple[tuple[int, int, str], ...]  # team, place in the team, new role

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        teams, size = scaled(difficulty, 3, 1, 8), 5
        names = people(rng, teams * size)
        before = tuple(tuple(pick(rng, cls.roles) for _ in range(size)) for _ in range(teams))
        changes = []
        for team in sample(rng, range(1, teams), min(teams - 1, scaled(difficulty, 1, 0.5, 4))):
            place = number(rng, 0, size - 1)
            others = [role for role in cls.roles if role != before[team][place]]
            changes.append((team, place, pick(rng, others)))
        rows = tuple(names[size * t : size * t + size] for t in range(teams))
        return cls(0, rows, before, tuple(changes))

    @property
    def question(self) -> str:
        said = [
            f"{self.teams[t][i]} of team {t + 1} the role {role}" for t, i, role in self.changes
        ]
        return f"Give {listed(said)}."

    def first_data(self) -> Data:
        return {"roles": [list(roles) for roles in self.before]}

    def goal(self) -> Data:
        data = self.first_data()
        for team, place, role in self.changes:
            data["roles"][team][place] = role
        return data

    def acts(self) -> Sequence[Act]:
        acts: list[Act] = []
        for team, place, role in self.changes:
            name = self.teams[team][place]
            acts += [
                click(f"Team {team + 1}"), choose("Role", role, name), click("Change", name),
            ]  # fmt: skip
        return acts

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        team = index_of(fields, "team", len(self.teams)) if "team" in fields else 0
        if path != "/" or team is None:
            return None
        tabs = [link(f"Team {t + 1}", f"/?team={t}") for t in range(len(self.teams))]
        rows = []
        for i, name in enumerate(self.teams[team]):
            change = form(
                "/change",
                hidden("team", str(team)),
                hidden("n", str(i)),
                select("Role", "role", self.roles, data["roles"][team][i]),
                button("Change"),
            )
            rows.append(box("tr", text(name), change))
        return self.page(f"Team {team + 1}", box("nav", *tabs), box("table", *rows))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        team, place = index_of(fields, "team", len(self.teams)), index_of(fields, "n", 5)
        role = one(fields, "role")
        if path != "/change" or team is None or place is None or role not in self.roles:
            return None
        data["roles"][team][place] = role
        return f"/?team={team}"
