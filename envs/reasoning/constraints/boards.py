"""Square boards in which each line, and each box if there are boxes, holds each number once.

The exact solver behind Sudoku, Latin squares and Futoshiki. All candidates of a board are the bits
of one integer: bit `size² * (number - 1) + cell` says that the number may stand in the cell. So a
few dozen operations on long integers look at all constraints of a board at once.

Left out: techniques beyond singles (pairs, fish, chains): where singles do not suffice, it searches
from a cell with the fewest candidates.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import and_, or_
from typing import NamedTuple

import numpy as np

from zerogym.envs.reasoning.draws import shuffled

Prune = Callable[[int], int]  # candidates without those that further rules exclude


class Family(NamedTuple):
    """Constraints of one kind (cell, row, column or box), each of which needs exactly one bit."""

    kind: str
    shifts: tuple[int, ...]  # from a constraint's first bit to its others
    anchors: int  # the first bits
    spread: int  # the product with a first bit gives all bits of its constraint


@dataclass(frozen=True)
class Board:
    """The masks of a kind of board; made once by `board_of`."""

    size: int
    box: tuple[int, int] | None  # rows and columns of a box
    families: tuple[Family, ...]
    groups: tuple[tuple[int, ...], ...]  # for each candidate: the bits of its constraints
    keep: tuple[int, ...]  # for each candidate: what remains if it is placed
    full: int

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return self.size * self.size


class Step(NamedTuple):
    """A cell, its number, and the kind of constraint that leaves no other choice."""

    cell: int
    number: int
    kind: str  # cell, row, column, box, or trial


@cache
def board_of(size: int, box: tuple[int, int] | None = None) -> Board:
    """Return the board with `size` rows, columns and numbers."""
    cells, numbers = size * size, range(size)
    every = range(0, cells * size, cells)  # the first cell, for each number
    groups: dict[str, tuple[Sequence[int], list[int]]] = {
        "cell": (every, list(range(cells))),
        "row": (numbers, [n + r for n in every for r in range(0, cells, size)]),
        "column": (range(0, cells, size), [n + c for n in every for c in numbers]),
    }
    if box is not None:
        rows, columns = box
        corners = [r * size + c for r in range(0, size, rows) for c in range(0, size, columns)]
        inside = [r * size + c for r in range(rows) for c in range(columns)]
        groups["box"] = (inside, [n + corner for n in every for corner in corners])
    full = (1 << cells * size) - 1
    member_of: list[list[int]] = [[] for _ in range(cells * size)]
    for shifts, anchors in groups.values():
        for anchor in anchors:
            together = sum(1 << anchor + shift for shift in shifts)
            for shift in shifts:
                member_of[anchor + shift].append(together)
    keep = [full ^ reduce(or_, together) | 1 << bit for bit, together in enumerate(member_of)]
    families = tuple(
        Family(kind, tuple(shifts), sum(1 << a for a in anchors), sum(1 << s for s in shifts))
        for kind, (shifts, anchors) in groups.items()
    )
    return Board(size, box, families, tuple(map(tuple, member_of)), tuple(keep), full)


def candidates(board: Board, clues: list[int]) -> tuple[int, int]:
    """Return the candidates that the clues (0 for a blank) leave, and those that are clues."""
    cells, keep = board.cells, board.keep
    bits = [cells * (n - 1) + cell for cell, n in enumerate(clues) if n]
    return reduce(and_, [keep[bit] for bit in bits], board.full), sum([1 << bit for bit in bits])


def singles(board: Board, state: int) -> Iterator[tuple[str, int]]:
    """Yield each kind with the candidates that are alone in a constraint; -1 if one has none."""
    for kind, shifts, anchors, spread in board.families:
        once = twice = 0
        for shift in shifts:
            moved = state >> shift
            twice |= once & moved
            once |= moved
        if once & anchors != anchors:
            yield kind, -1
            return
        yield kind, (once & ~twice & anchors) * spread & state


def propagate(
    board: Board,
    state: int,
    placed: int,
    prune: Prune | None = None,
    steps: list[Step] | None = None,
) -> tuple[int, int]:
    """Place singles until there are none.

    Args:
        board: The masks.
        state: The candidates.
        placed: Those that need no placing again.
        prune: Further rules.
        steps: Collects what was placed, unless None.

    Returns:
        What remains and what of it is placed; (0, 0) if a constraint has no candidate left.
    """
    keep, cells = board.keep, board.cells
    while True:
        before = state
        if prune is not None:
            state = prune(state)
        for kind, found in singles(board, state):
            if found < 0:
                return 0, 0
            found &= ~placed
            placed |= found
            while found:
                low = found & -found
                found ^= low
                bit = low.bit_length() - 1
                state &= keep[bit]
                if steps is not None:
                    steps.append(Step(bit % cells, bit // cells + 1, kind))
        if state == before:
            return state, placed


def solve_board(
    board: Board,
    state: int,
    placed: int = 0,
    prune: Prune | None = None,
    rng: np.random.Generator | None = None,
) -> int:
    """Return the candidates of a solution, or 0 if there is none.

    With a generator the choices are random, without it the lowest number is tried first.
    """
    state, placed = propagate(board, state, placed, prune)
    if placed.bit_count() == board.cells or not state:
        return state
    options = _fewest_options(board, state)
    for bit in shuffled(rng, options) if rng is not None else options:
        found = solve_board(board, state & board.keep[bit], placed | 1 << bit, prune, rng)
        if found:
            return found
    return 0


def _fewest_options(board: Board, state: int) -> list[int]:
    """Return the candidates of an open cell that has the fewest."""
    cells, pillar = board.cells, board.families[0].spread
    best, chosen = board.size + 1, 0
    for cell in range(cells):
        count = (state >> cell & pillar).bit_count()
        if 1 < count < best:
            best, chosen = count, cell
            if count == 2:
                break
    return [bit for bit in range(chosen, cells * board.size, cells) if state >> bit & 1]


def numbers_of(board: Board, state: int) -> list[int]:
    """Return the numbers of a solved board, cell by cell."""
    pillar = board.families[0].spread
    places = [(state >> cell & pillar).bit_length() for cell in range(board.cells)]
    return [place // board.cells + 1 for place in places]


def random_board(board: Board, rng: np.random.Generator) -> list[int]:
    """Draw a full board: parts that do not meet are drawn, the rest is searched at random."""
    while True:
        state, placed = candidates(board, _independent_parts(board, rng))
        found = solve_board(board, state, placed, rng=rng)
        if found:
            return numbers_of(board, found)


def _independent_parts(board: Board, rng: np.random.Generator) -> list[int]:
    """Fill boxes along the diagonal with random numbers; without boxes first row and column."""
    numbers, size = range(1, board.size + 1), board.size
    clues = [0] * board.cells
    if board.box is None:
        clues[:size] = shuffled(rng, numbers)
        clues[size::size] = shuffled(rng, [n for n in numbers if n != clues[0]])
        return clues
    rows, columns = board.box
    for k in range(min(rows, columns)):
        corner = k * (rows * size + columns)
        row = shuffled(rng, numbers)
        for r in range(rows):
            start = corner + r * size
            clues[start : start + columns] = row[r * columns : (r + 1) * columns]
    return clues


def worked_steps(board: Board, state: int, placed: int, prune: Prune | None = None) -> list[Step]:
    """Return the solution step by step; `trial` is a step that is left after trying all others.

    Only for boards with one solution.
    """
    steps: list[Step] = []
    state, placed = propagate(board, state, placed, prune, steps)
    while placed.bit_count() < board.cells:
        for bit in _fewest_options(board, state):
            tried = state & board.keep[bit], placed | 1 << bit
            if solve_board(board, *tried, prune):
                steps.append(Step(bit % board.cells, bit // board.cells + 1, "trial"))
                state, placed = propagate(board, *tried, prune, steps)
                break
    return steps
