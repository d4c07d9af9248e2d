"""Forms on one page: fields to fill in, lists to choose from, radio buttons, boxes to tick."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zerogym.envs.tools.web.dom import (
    Node,
    Page,
    button,
    checkbox,
    entry,
    form,
    radio,
    select,
    text,
)
from zerogym.envs.tools.web.site import Act, Data, Fields, Site, choose, click, one, type_in
from zerogym.envs.tools.web.words import (
    CITIES,
    COLOURS,
    FIRST_NAMES,
    PHRASES,
    SURNAMES,
    THINGS,
    TOPICS,
    listed,
    number,
    pick,
    sample,
    scaled,
)

NOTHING = "-"  # the option that is chosen before anything is
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "Colour": COLOURS,
    "City": CITIES[:8],
    "Article": THINGS[:8],
    "Size": ("small", "medium", "large", "extra large"),
    "Weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    "Language": ("Dutch", "Greek", "Hindi", "Polish", "Swahili"),
    "Wrapping": ("paper", "box", "bag", "none"),
    "Department": ("Sales", "Research", "Support", "Finance", "Legal"),
    "Topic": TOPICS[:8],
    "Transport": ("train", "bus", "tram", "ferry", "bicycle"),
}


@dataclass(frozen=True)
class _OnePage(Site):
    """A form that is sent once; the server keeps what was sent."""

    parts: ClassVar[str] = "values"
    untouched: ClassVar[str] = ""  # what is sent for a field that is left as it is
    values: tuple[tuple[str, str], ...]  # label and required value
    order: tuple[str, ...]  # labels as the page has them

    def first_data(self) -> Data:
        return {"sent": []}

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/done":
            return self.page("Received", text("The form has been received."))
        if path != "/":
            return None
        return self.page("Form", form("/send", *self._fields(), button("Send")))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        if path != "/send":
            return None
        data["sent"].append({name: one(fields, name) for name in self.order})
        return "/done"

    def goal(self) -> Data:
        return {"sent": [dict.fromkeys(self.order, self.untouched) | dict(self.values)]}

    def _fields(self) -> Sequence[Node]:
        return [entry(label, label) for label in self.order]

    def _said(self) -> str:
        return listed([f'{label} "{value}"' for label, value in self.values])


class FillForm(_OnePage):
    """Fill in some text fields of a form and send it; the other fields stay empty."""

    category = "form"

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        surname = pick(rng, SURNAMES)
        values = {
            "First name": pick(rng, FIRST_NAMES),
            "Surname": surname,
            "City": pick(rng, CITIES),
            "E-mail": f"{surname.lower()}{number(rng, 10, 99)}@mail.example",
            "Phone": f"0{number(rng, 10_000_000, 99_999_999)}",
            "Postcode": str(number(rng, 10_000, 99_999)),
            "Company": f"{pick(rng, SURNAMES)} Ltd",
            "Message": pick(rng, PHRASES),
        }
        chosen = sample(rng, list(values), scaled(difficulty, 2, 1, 8))
        required = tuple((label, values[label]) for label in values if label in chosen)
        return cls(0, required, sample(rng, list(values), len(values)))

    @property
    def question(self) -> str:
        return f"Fill in {self._said()}, leave the other fields empty, and send the form."

    def acts(self) -> Sequence[Act]:
        return [*(type_in(label, value) for label, value in self.values), click("Send")]


class Dropdowns(_OnePage):
    """Choose an option in each of several lists and send the form."""

    category = "dropdowns"
    untouched = NOTHING

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        return cls(0, *_choices(rng, scaled(difficulty, 3, 1, 10)))

    @property
    def question(self) -> str:
        return f"Choose {self._said()}, and send the form."

    def acts(self) -> Sequence[Act]:
        return [*(choose(label, value) for label, value in self.values), click("Send")]

    def _fields(self) -> Sequence[Node]:
        return [select(label, label, (NOTHING, *_QUESTIONS[label])) for label in self.order]


class Survey(_OnePage):
    """Answer each question of a survey by a radio button."""

    category = "survey"

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        return cls(0, *_choices(rng, scaled(difficulty, 3, 1, 10)))

    @property
    def question(self) -> str:
        return f"Fill in the survey: {self._said()}. Then send it."

    def acts(self) -> Sequence[Act]:
        return [*(click(value, f"{label}:") for label, value in self.values), click("Send")]

    def _fields(self) -> Sequence[Node]:
        return [
            Node("li", "", (text(f"{label}:"), *(radio(v, label, v) for v in _QUESTIONS[label])))
            for label in self.order
        ]


def _choices(
    rng: np.random.Generator, count: int
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Draw questions, the required options, and the order on the page."""
    labels = sample(rng, list(_QUESTIONS), count)
    return tuple((k, pick(rng, _QUESTIONS[k])) for k in labels), sample(rng, labels, count)


@dataclass(frozen=True)
class Checkboxes(Site):
    """Tick exactly the named boxes of a list and send it."""

    category: ClassVar[str] = "checkboxes"
    parts: ClassVar[str] = "chosen"
    items: tuple[str, ...]
    chosen: tuple[str, ...]

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        pool = [f"{a} and {b.lower()}" for a in TOPICS[:10] for b in TOPICS[10:]]
        items = sample(rng, pool, scaled(difficulty, 6, 4, 60))
        return cls(0, items, sample(rng, items, scaled(difficulty, 3, 0.5, 12)))

    @property
    def question(self) -> str:
        return f"Tick {listed(self.chosen)}, nothing else, and press Subscribe."

    def first_data(self) -> Data:
        return {"subscribed": []}

    def goal(self) -> Data:
        return {"subscribed": sorted(self.chosen)}

    def acts(self) -> Sequence[Act]:
        return [*(click(item) for item in self.chosen), click("Subscribe")]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/done":
            return self.page("Subscribed", text("Your subscriptions have been changed."))
        if path != "/":
            return None
        boxes = [checkbox(item, "topic", str(i)) for i, item in enumerate(self.items)]
        return self.page("Topics", form("/send", *boxes, button("Subscribe")))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        if path != "/send":
            return None
        chosen = set(fields.get("topic", ()))
        data["subscribed"] = sorted(v for i, v in enumerate(self.items) if str(i) in chosen)
        return "/done"
