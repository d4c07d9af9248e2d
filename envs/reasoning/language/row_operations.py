"""Operations on rows of coloured cells: 0 is empty, 1 to 9 are colours.

A block is a run of cells of one colour that cannot be made longer. Every operation keeps the length
of the row.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import combinations, groupby, permutations

from zerogym.envs.reasoning.language.programs import Operation, Values

Run = tuple[int, int]  # colour (or 0) and length


def row_operations(palette: Sequence[int]) -> dict[str, Operation]:
    """All operations by what they do in words; those that paint use colours of the palette."""
    found: dict[str, Operation] = dict(_PLAIN)
    for count in (1, 2, 3):
        found[f"move all cells {count} to the right, round the end"] = partial(_turn, -count)
        found[f"move all cells {count} to the left, round the end"] = partial(_turn, count)
    for colour in palette:
        found[f"paint every block {colour}"] = partial(_paint_all, colour)
        found[f"paint the longest blocks {colour}"] = partial(_paint_longest, colour)
        found[f"paint blocks of one cell {colour}"] = partial(_paint_single, colour)
    for a, b in permutations(palette, 2):
        found[f"paint {a} as {b}"] = partial(_swap, {a: b})
    for a, b in combinations(palette, 2):
        found[f"exchange {a} and {b}"] = partial(_swap, {a: b, b: a})
    return found


@lru_cache(maxsize=64)  # a search applies many operations to one row
def runs(row: Values) -> tuple[Run, ...]:
    """Blocks and gaps.

    Example:
        >>> runs((0, 0, 3, 3, 1))
        ((0, 2), (3, 2), (1, 1))
    """
    return tuple((colour, len(list(cells))) for colour, cells in groupby(row))


def _rebuilt(row: Values, change: Callable[[int, int, int], Sequence[int]]) -> Values:
    """Each block replaced by cells made from its colour, its length and the longest length."""
    found: list[int] = []
    parts = runs(row)
    longest = max((length for colour, length in parts if colour), default=0)
    for colour, length in parts:
        found.extend(change(colour, length, longest) if colour else [0] * length)
    return tuple(found)


def _turn(count: int, row: Values) -> Values:
    return row[count:] + row[:count]


def _paint_all(new: int, row: Values) -> Values:
    return tuple(new if cell else 0 for cell in row)


def _paint_longest(new: int, row: Values) -> Values:
    return _rebuilt(row, lambda colour, n, longest: [new if n == longest else colour] * n)


def _paint_single(new: int, row: Values) -> Values:
    return _rebuilt(row, lambda colour, n, _: [new if n == 1 else colour] * n)


def _swap(colours: dict[int, int], row: Values) -> Values:
    return tuple(colours.get(cell, cell) for cell in row)


def _mirror(row: Values) -> Values:
    return row[::-1]


def _mirror_inside(row: Values) -> Values:
    """The part from the first to the last coloured cell, reversed in its place."""
    places = [place for place, cell in enumerate(row) if cell]
    if not places:
        return row
    start, end = places[0], places[-1] + 1
    return row[:start] + row[start:end][::-1] + row[end:]


def _fall_left(row: Values) -> Values:
    cells = tuple(cell for cell in row if cell)
    return cells + (0,) * (len(row) - len(cells))


def _fall_right(row: Values) -> Values:
    return (0,) * row.count(0) + tuple(cell for cell in row if cell)


def _fill(row: Values) -> Values:
    """Gaps between two blocks of one colour take that colour."""
    parts = runs(row)
    found: list[int] = []
    for place, (colour, length) in enumerate(parts):
        inside = not colour and 0 < place < len(parts) - 1
        if inside and parts[place - 1][0] == parts[place + 1][0]:
            colour = parts[place - 1][0]
        found.extend([colour] * length)
    return tuple(found)


def _hollow(row: Values) -> Values:
    return _rebuilt(
        row, lambda colour, n, _: [colour, *[0] * (n - 2), colour] if n > 1 else [colour]
    )


def _without_single(row: Values) -> Values:
    return _rebuilt(row, lambda colour, n, _: [colour if n > 1 else 0] * n)


def _longest_only(row: Values) -> Values:
    return _rebuilt(row, lambda colour, n, longest: [colour if n == longest else 0] * n)


def _without_longest(row: Values) -> Values:
    return _rebuilt(row, lambda colour, n, longest: [0 if n == longest else colour] * n)


def _without_first_cells(row: Values) -> Values:
    return _rebuilt(row, lambda colour, n, _: [0, *[colour] * (n - 1)])


def _without_last_cells(row: Values) -> Values:
    return _rebuilt(row, lambda colour, n, _: [*[colour] * (n - 1), 0])


def _grow_right(row: Values) -> Values:
    before = (0, *row)[:-1]
    return tuple(cell or left for cell, left in zip(row, before, strict=True))


def _grow_left(row: Values) -> Values:
    return _grow_right(row[::-1])[::-1]


_PLAIN: dict[str, Operation] = {
    "mirror the row": _mirror,
    "mirror the part between the first and the last coloured cell": _mirror_inside,
    "push all coloured cells to the left end": _fall_left,
    "push all coloured cells to the right end": _fall_right,
    "fill the gap between blocks of the same colour": _fill,
    "empty the inside of every block": _hollow,
    "remove blocks of one cell": _without_single,
    "keep only the longest blocks": _longest_only,
    "remove the longest blocks": _without_longest,
    "remove the first cell of every block": _without_first_cells,
    "remove the last cell of every block": _without_last_cells,
    "make every block longer by one cell to the right, if that is empty": _grow_right,
    "make every block longer by one cell to the left, if that is empty": _grow_left,
}
