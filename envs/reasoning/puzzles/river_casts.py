"""Random casts for river crossings: who is there, what they are called, and what is forbidden."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, sample_of
from zerogym.envs.reasoning.puzzles.river_banks import (
    CONFLICTS,
    OUTNUMBERED,
    River,
    State,
    distances,
)

PEOPLE = (
    "guard", "robber", "knight", "dragon", "sailor", "pirate", "wizard", "troll", "doctor",
    "patient", "teacher", "pupil", "hunter", "bear", "painter", "critic", "baker", "cook", "judge",
    "prince", "giant", "singer", "dancer", "monk", "ghost", "driver",
)  # fmt: skip
THINGS = (
    "wolf", "goat", "cabbage", "fox", "goose", "corn", "cat", "mouse", "cheese", "dog", "hen",
    "snake", "frog", "lamp", "oil", "rabbit",
)  # fmt: skip
MAX_PEOPLE, MAX_THINGS = 7, 7  # of each kind, in all
MAX_CASTS = 8  # drawn until one has a start as far from the goal as required


class Cast(NamedTuple):
    """A river, what its kinds are called, and how far each state is from the goal."""

    river: River
    names: list[str]
    distances: dict[State, int]

    @property
    def reach(self) -> int:
        """Return the crossings from the farthest start."""
        return max(self.distances.values())


def draw_cast(rng: np.random.Generator, rule: str, size: int, crossings: int) -> Cast:
    """Draw a cast with a start `crossings` away, or of some the one with the longest way."""
    draw = _draw_groups if rule == OUTNUMBERED else _draw_things
    casts, best = 0, None
    while best is None or best.reach == 0 or (best.reach < crossings and casts < MAX_CASTS):
        river, names = draw(rng, size)
        cast = Cast(river, names, distances(river))
        casts += 1
        best = cast if best is None else max(best, cast, key=lambda found: found.reach)
    return best


def _draw_groups(rng: np.random.Generator, size: int) -> tuple[River, list[str]]:
    """Draw two groups, the second not larger than the first, and a boat for two to four."""
    names = sample_of(rng, PEOPLE, 2)
    first = draw_int(rng, 2, max(2, min(MAX_PEOPLE, size)))
    second = draw_int(rng, max(1, first - 2), first)
    return River(OUTNUMBERED, (first, second), draw_int(rng, 2, 2 + size // 3)), names


def _draw_things(rng: np.random.Generator, size: int) -> tuple[River, list[str]]:
    """Draw things, pairs of them that conflict, and a boat for one or two."""
    count = min(MAX_THINGS, size + 1)
    names = sample_of(rng, THINGS, count)
    pairs = list(combinations(range(count), 2))
    chosen = sorted(sample_of(rng, pairs, draw_int(rng, 2, count)))
    return River(CONFLICTS, (1,) * count, draw_int(rng, 1, 1 + count // 5), tuple(chosen)), names
