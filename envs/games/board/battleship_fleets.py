"""Positions of ships on a small sea, and the outcomes of shots at them.

A ship's place is a number as in OpenSpiel: `cells + first cell` across, `2 * cells + first cell`
down. Ships of one cell only lie across. Sets of cells are bits, row by row.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

WATER, HIT, SUNK = 0, 1, 2
Places = tuple[int, ...]  # of ships, in the order of their sizes


class Sea(NamedTuple):
    """The shape of a sea and the sizes of the ships, in the order in which they are placed."""

    width: int
    height: int
    sizes: tuple[int, ...]

    @property
    def cells(self) -> int:
        """Their number."""
        return self.width * self.height


@cache
def ship_cells(sea: Sea, size: int, place: int) -> int:
    """The cells of a ship; 0 if it would leave the sea there."""
    down, first = divmod(place - sea.cells, sea.cells)
    row, column = divmod(first, sea.width)
    if (row if down else column) + size > (sea.height if down else sea.width):
        return 0
    step = sea.width if down else 1
    return sum(1 << first + step * index for index in range(size))


@lru_cache(maxsize=100_000)
def fleet_cells(sea: Sea, places: Places) -> int:
    """The cells of all ships that are placed."""
    return sum(ship_cells(sea, size, p) for size, p in zip(sea.sizes, places, strict=False))


@lru_cache(maxsize=100_000)
def open_places(sea: Sea, places: Places) -> Places:
    """Places of the next ship that leave room for the rest, increasing."""
    size, taken = sea.sizes[len(places)], fleet_cells(sea, places)
    found = []
    for place in range(sea.cells, (2 if size == 1 else 3) * sea.cells):
        cells = ship_cells(sea, size, place)
        if cells and not cells & taken:
            more = (*places, place)
            if len(more) == len(sea.sizes) or open_places(sea, more):
                found.append(place)
    return tuple(found)


@lru_cache(maxsize=32)
def layouts(sea: Sea, count: int) -> tuple[tuple[Places, float], ...]:
    """All places of the first ships, and how likely each is if they are placed at random."""
    found: list[tuple[Places, float]] = [((), 1.0)]
    for _ in range(count):
        found = [
            ((*places, place), weight / len(options))
            for places, weight in found
            for options in [open_places(sea, places)]
            for place in options
        ]
    return tuple(found)


def outcomes(sea: Sea, places: Places, shots: tuple[int, ...]) -> tuple[int, ...]:
    """The outcome of each shot: `WATER`, `HIT`, or `SUNK` if no cell of the ship is left."""
    ships = [ship_cells(sea, size, p) for size, p in zip(sea.sizes, places, strict=False)]
    fired, found = 0, []
    for shot in shots:
        fired |= 1 << shot
        outcome = WATER
        for cells in ships:
            if cells >> shot & 1:
                outcome = SUNK if cells & fired == cells else HIT
        found.append(outcome)
    return tuple(found)


def explaining(
    sea: Sea, count: int, shots: tuple[int, ...], observed: tuple[int, ...]
) -> Iterator[tuple[Places, float]]:
    """The layouts of so many ships that agree with the outcomes of shots, with their weights."""
    fired = sum(1 << shot for shot in shots)
    hit = sum(1 << shot for shot, outcome in zip(shots, observed, strict=True) if outcome != WATER)
    for places, weight in layouts(sea, count):
        if fleet_cells(sea, places) & fired == hit and outcomes(sea, places, shots) == observed:
            yield places, weight
