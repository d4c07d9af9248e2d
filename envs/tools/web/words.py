"""Names and words that the pages of generated sites are made of."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")

FIRST_NAMES = (
    "Ada", "Bela", "Carla", "Dario", "Edda", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kira",
    "Leon", "Mara", "Nils", "Olga", "Pablo", "Quentin", "Rosa", "Sven", "Tessa", "Umar", "Vera",
)  # fmt: skip
SURNAMES = (
    "Abel", "Berg", "Costa", "Duarte", "Engel", "Falk", "Gruber", "Hahn", "Ivers", "Jansen",
    "Keller", "Lund", "Moreau", "Novak", "Orlov", "Petit", "Quast", "Rossi", "Silva", "Toth",
)  # fmt: skip
CITIES = (
    "Oslo", "Lima", "Kyoto", "Porto", "Quito", "Riga", "Turin", "Basel", "Cairo", "Delhi", "Ghent",
    "Izmir", "Leeds", "Minsk", "Nantes", "Perth",
)  # fmt: skip
COLOURS = ("red", "blue", "green", "white", "black", "grey", "yellow", "brown")
THINGS = (
    "lamp", "chair", "desk", "kettle", "clock", "rug", "vase", "shelf", "mirror", "towel", "basket",
    "stool", "candle", "curtain", "pillow", "tray",
)  # fmt: skip
SUBJECTS = (
    "Invoice", "Meeting", "Holiday", "Contract", "Budget", "Party", "Schedule", "Order", "Parking",
    "Training", "Survey", "Lunch", "Report", "Offer", "Visit", "Printer",
)  # fmt: skip
TOPICS = (
    "Rivers", "Glass", "Bees", "Bridges", "Salt", "Comets", "Paper", "Maps", "Clouds", "Silk",
    "Islands", "Copper", "Forests", "Sails", "Bread", "Volcanoes", "Ink", "Tides", "Owls", "Amber",
)  # fmt: skip
PHRASES = (
    "See you on Monday", "Thank you", "I agree", "Please call me", "Not this week", "Count me in",
    "I will be late", "Well done", "Send it again", "No objections",
)  # fmt: skip


def sample(rng: np.random.Generator, items: Sequence[T], count: int) -> tuple[T, ...]:
    """Draw different items in random order."""
    return tuple(items[i] for i in rng.permutation(len(items))[:count].tolist())


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """Draw one item."""
    return items[int(rng.integers(len(items)))]


def number(rng: np.random.Generator, low: int, high: int) -> int:
    """Draw an integer from `low` to `high`."""
    return int(rng.integers(low, high + 1))


def people(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Draw different names of people, at most 440."""
    drawn = rng.permutation(len(FIRST_NAMES) * len(SURNAMES))[:count].tolist()
    return tuple(
        f"{FIRST_NAMES[i % len(FIRST_NAMES)]} {SURNAMES[i // len(FIRST_NAMES)]}" for i in drawn
    )


def products(rng: np.random.Generator, count: int) -> tuple[str, ...]:
    """Draw different names of products, at most 128."""
    drawn = rng.permutation(len(COLOURS) * len(THINGS))[:count].tolist()
    return tuple(f"{COLOURS[i % 8].capitalize()} {THINGS[i // 8]}" for i in drawn)


def scaled(difficulty: float, base: int, step: float, most: int) -> int:
    """Return `base` at difficulty 0 and `step` more for each point, at most `most`."""
    return min(most, base + int(step * min(difficulty, 1000.0)))


def listed(items: Sequence[str]) -> str:
    """Join words as a sentence does."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
