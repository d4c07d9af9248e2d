"""Operations on rows of coloured cells: 0 is empty, 1 to 9 are colours.

A row is `bytes`, one for each cell. A block is a run of cells of one colour that cannot be made
longer. Every operation keeps the length of the row.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import combinations, groupby, permutations

from zerogym.envs.reasoning.programs.programs import Hint, Operation

Row = bytes
_EMPTY = b"\0"
_COLOURS = bytes(range(1, 10))
_INK = bytes.maketrans(_COLOURS, b"\1" * 9)  # whether a cell is coloured


def row_operations(palette: Sequence[int]) -> dict[str, Operation[Row]]:
    """Return all operations by their descriptions; those that paint use colours of a palette."""
    return _operations_with(tuple(palette))


@lru_cache(maxsize=128)
def _operations_with(palette: tuple[int, ...]) -> dict[str, Operation[Row]]:
    found: dict[str, Operation[Row]] = dict(_PLAIN)
    for count in (1, 2, 3):
        found[f"move all cells {count} to the right, round the end"] = partial(_turn, -count)
        found[f"move all cells {count} to the left, round the end"] = partial(_turn, count)
    for colour in palette:
        paint = bytes.maketrans(_COLOURS, bytes([colour] * 9))
        found[f"paint every block {colour}"] = partial(_repaint, paint)
        found[f"paint the longest blocks {colour}"] = partial(_paint_longest, paint)
        found[f"paint blocks of one cell {colour}"] = partial(_paint_single, paint)
    for a, b in permutations(palette, 2):
        found[f"paint {a} as {b}"] = partial(_repaint, bytes.maketrans(bytes([a]), bytes([b])))
    for a, b in combinations(palette, 2):
        exchange = bytes.maketrans(bytes([a, b]), bytes([b, a]))
        found[f"exchange {a} and {b}"] = partial(_repaint, exchange)
    return found


@lru_cache(maxsize=128)
def row_hint(palette: tuple[int, ...]) -> Hint[Row]:
    """Return a hint on operations, from the cells that are empty before and after."""
    operations = _operations_with(palette)
    emptying, filling = list(_EMPTYING.values()), list(_FILLING.values())
    painting = [o for o in operations.values() if getattr(o, "func", o) in _PAINTING]
    others = [o for o in operations.values() if o not in [*emptying, *filling, *painting]]

    def hint(before: Row, after: Row) -> list[Operation[Row]]:
        old, new = int.from_bytes(before, "big"), int.from_bytes(after, "big")
        found = others + emptying * (new & ~old == 0) + filling * (old & ~new == 0)
        return found + painting * (before.translate(_INK) == after.translate(_INK))

    return hint


@lru_cache(maxsize=64)  # a search applies many operations to one row
def parts(row: Row) -> tuple[Row, ...]:
    """Return blocks and gaps.

    Example:
        >>> [list(part) for part in parts(bytes([0, 0, 3, 3, 1]))]
        [[0, 0], [3, 3], [1]]
    """
    return tuple([bytes(cells) for _, cells in groupby(row)])


@lru_cache(maxsize=64)
def _longest(row: Row) -> int:
    """Return the length of the longest blocks."""
    return max([len(part) for part in parts(row) if part[0]], default=0)


def _turn(count: int, row: Row) -> Row:
    return row[count:] + row[:count]


def _repaint(colours: bytes, row: Row) -> Row:
    return row.translate(colours)


def _paint_longest(paint: bytes, row: Row) -> Row:
    size = _longest(row)
    return b"".join([p.translate(paint) if len(p) == size else p for p in parts(row)])


def _paint_single(paint: bytes, row: Row) -> Row:
    return b"".join([p.translate(paint) if len(p) == 1 else p for p in parts(row)])


def _mirror_inside(row: Row) -> Row:
    """Reverse the part from the first to the last coloured cell in its place."""
    start, end = len(row) - len(row.lstrip(_EMPTY)), len(row.rstrip(_EMPTY))
    return row[:start] + row[start:end][::-1] + row[end:] if start < end else row


def _fill(row: Row) -> Row:
    """Paint gaps between two blocks of one colour in that colour."""
    found = list(parts(row))
    for place, part in enumerate(found[1:-1], 1):
        colour = found[place - 1][0]
        if not part[0] and colour == found[place + 1][0]:
            found[place] = bytes([colour] * len(part))
    return b"".join(found)


def _without_longest(row: Row) -> Row:
    size = _longest(row)
    return b"".join([bytes(size) if len(p) == size else p for p in parts(row)])


def _longest_only(row: Row) -> Row:
    size = _longest(row)
    return b"".join([p if len(p) == size else bytes(len(p)) for p in parts(row)])


def _grow_right(row: Row) -> Row:
    before = (_EMPTY + row)[:-1]
    return bytes([cell or left for cell, left in zip(row, before, strict=True)])


_PAINTING = (_paint_longest, _paint_single)
_EMPTYING: dict[str, Operation[Row]] = {
    "empty the inside of every block": lambda row: b"".join(
        [p[:1] + bytes(len(p) - 2) + p[:1] if len(p) > 2 else p for p in parts(row)]
    ),
    "remove blocks of one cell": lambda row: b"".join(
        [p if len(p) > 1 else _EMPTY for p in parts(row)]
    ),
    "keep only the longest blocks": _longest_only,
    "remove the longest blocks": _without_longest,
    "remove the first cell of every block": lambda row: b"".join(
        [_EMPTY + p[1:] for p in parts(row)]
    ),
    "remove the last cell of every block": lambda row: b"".join(
        [p[:-1] + _EMPTY for p in parts(row)]
    ),
}
_FILLING: dict[str, Operation[Row]] = {
    "fill the gap between blocks of the same colour": _fill,
    "make every block longer by one cell to the right, if that is empty": _grow_right,
    "make every block longer by one cell to the left, if that is empty": lambda row: _grow_right(
        row[::-1]
    )[::-1],
}
_FILL, *_GROW = _FILLING.items()
_PLAIN: dict[str, Operation[Row]] = {
    "mirror the row": lambda row: row[::-1],
    "mirror the part between the first and the last coloured cell": _mirror_inside,
    "push all coloured cells to the left end": lambda row: row.replace(_EMPTY, b"").ljust(
        len(row), _EMPTY
    ),
    "push all coloured cells to the right end": lambda row: row.replace(_EMPTY, b"").rjust(
        len(row), _EMPTY
    ),
    **dict([_FILL]),
    **_EMPTYING,
    **dict(_GROW),
}
