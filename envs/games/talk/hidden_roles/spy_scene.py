"""Scenes of the spy game: a few things at places, each with a colour and a shape.

A thing is a number, `colour * shapes + shape`; a scene is one for each place. Statements about a
scene are numbered place by place: its colours, then its shapes, where there are several of them.
Left out: sizes, and relations between things.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

PLACES = ("left", "middle", "right", "top")
COLOURS = ("red", "green", "blue", "yellow")
SHAPES = ("cube", "ball", "cone", "ring")

_WORD = re.compile(r"[a-z]+")
_TONES = ((214, 60, 40), (40, 150, 70), (32, 96, 176), (225, 190, 30))
_GROUND, _SIZE = (240, 236, 224), 48  # of a picture; pixels of a place
_REACH = np.arange(_SIZE) - (_SIZE - 1) / 2
_X, _Y = np.meshgrid(_REACH, _REACH)
_MASKS = (
    np.maximum(np.abs(_X), np.abs(_Y)) <= 15,
    np.hypot(_X, _Y) <= 17,
    (np.abs(_X) * 2 <= _Y + 17) & (_Y <= 15),
    np.abs(np.hypot(_X, _Y) - 13) <= 4,
)

Scene = tuple[int, ...]


@dataclass(frozen=True)
class Kinds:
    """The scenes that there can be.

    Attributes:
        places: Number of things.
        colours: Number of colours.
        shapes: Number of shapes.
    """

    places: int
    colours: int
    shapes: int

    @property
    def things(self) -> int:
        """Number of different things."""
        return self.colours * self.shapes

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """All that can be said of one place, in words: a colour or a shape."""
        colours = COLOURS[: self.colours] if self.colours > 1 else ()
        shapes = [f"a {shape}" for shape in SHAPES[: self.shapes]] if self.shapes > 1 else []
        return (*colours, *shapes)

    @property
    def sides(self) -> int:
        """Number of right statements of one place."""
        return (self.colours > 1) + (self.shapes > 1)

    def holds(self, statement: int, scene: Scene) -> bool:
        """Return True if a statement is right of a scene."""
        place, said = divmod(statement, len(self.statements))
        colour, shape = divmod(scene[place], self.shapes)
        colours = self.colours if self.colours > 1 else 0
        return said == colour if said < colours else said - colours == shape

    def statement(self, number: int) -> str:
        """Return a statement in words: `left is red`, `left is a cube`."""
        place, said = divmod(number, len(self.statements))
        return f"{PLACES[place]} is {self.statements[said]}"

    def forms(self) -> str:
        """Return how statements are written."""
        places, said = " or ".join(PLACES[: self.places]), " or ".join(self.statements)
        return f"<answer>PLACE is WORD</answer>, PLACE {places}, WORD {said}"

    def named(self, words: str) -> int | None:
        """Return the statement of which words name place and attribute, and no other one.

        Example:
            >>> Kinds(3, 3, 3).named("I think the BALL is on the left, no?")
            4
        """
        found = set(_WORD.findall(words.lower()))
        places = [number for number in range(self.places) if PLACES[number] in found]
        said = [
            number
            for number, statement in enumerate(self.statements)
            if statement.removeprefix("a ") in found
        ]
        if len(places) != 1 or len(said) != 1:
            return None
        return places[0] * len(self.statements) + said[0]

    def text(self, scene: Scene) -> str:
        """Return a scene in words."""
        return ", ".join(
            f"{PLACES[place]} a {COLOURS[thing // self.shapes]} {SHAPES[thing % self.shapes]}"
            for place, thing in enumerate(scene)
        )

    def next_thing(
        self, scene: Scene, begun: Sequence[int], changes: int
    ) -> tuple[tuple[int, Fraction], ...]:
        """Return the law of the next thing of a scene that differs in so many places.

        Args:
            scene: The other scene.
            begun: The things before it.
            changes: The number of places in which both scenes differ; all choices of the places
                and of the things there are equally likely.
        """
        place = len(begun)
        left = changes - sum(a != b for a, b in zip(scene, begun, strict=False))
        change = Fraction(left, self.places - place)
        law = dict.fromkeys(range(self.things), change / (self.things - 1))
        law[scene[place]] = 1 - change
        return tuple((thing, p) for thing, p in law.items() if p)


@lru_cache(maxsize=64)
def others_of(scene: Scene, things: int, changes: int) -> tuple[Scene, ...]:
    """Return all scenes that differ in so many places from one, of so many different things.

    Example:
        >>> others_of((0, 1), 2, 1)
        ((0, 0), (1, 1))
    """
    return tuple(
        other
        for other in product(range(things), repeat=len(scene))
        if sum(a != b for a, b in zip(scene, other, strict=True)) == changes
    )


def drawing(scene: Scene, shapes: int) -> NDArray[np.uint8]:
    """Return a scene as pixels, uint8 (48, 48 * places, 3); of an empty one, an empty place.

    Example:
        >>> drawing((0, 4, 8), 3).shape
        (48, 144, 3)
    """
    parts = [np.full((_SIZE, _SIZE, 3), _GROUND, np.uint8) for _ in scene or (0,)]
    for part, thing in zip(parts, scene, strict=False):
        part[_MASKS[thing % shapes]] = _TONES[thing // shapes]
    return np.concatenate(parts, axis=1)
