"""Ships and shots of battleship in words: `b2` is the second column of the second row."""

from zerogym.envs.games.board.battleship_fleets import HIT, SUNK, WATER, Places, Sea, ship_cells

WORDS = {WATER: "water", HIT: "hit", SUNK: "sunk"}


def cell_name(sea: Sea, cell: int) -> str:
    """The letter of the column and the number of the row."""
    row, column = divmod(cell, sea.width)
    return f"{chr(ord('a') + column)}{row + 1}"


def ships_in_words(sea: Sea, places: Places) -> str:
    """Each ship by its ends, such as `a1-c1`."""
    ships = []
    for size, place in zip(sea.sizes, places, strict=False):
        bits = ship_cells(sea, size, place)
        first, last = (bits & -bits).bit_length() - 1, bits.bit_length() - 1
        ends = [cell_name(sea, cell) for cell in (first, last)]
        ships.append("-".join(ends if size > 1 else ends[:1]))
    return ", ".join(ships) or "none yet"


def shots_in_words(sea: Sea, shots: tuple[int, ...], outcomes: tuple[int, ...]) -> str:
    """Each shot and what it was, such as `b2 hit`."""
    pairs = zip(shots, outcomes, strict=True)
    return (
        ", ".join(f"{cell_name(sea, cell)} {WORDS[outcome]}" for cell, outcome in pairs) or "none"
    )


def sea_in_words(sea: Sea, shots: tuple[int, ...], outcomes: tuple[int, ...]) -> str:
    """The sea as its attacker knows it: ~ water, X hit, else the name of the cell."""
    names = [cell_name(sea, cell) for cell in range(sea.cells)]
    for cell, outcome in zip(shots, outcomes, strict=True):
        names[cell] = "~" if outcome == WATER else "X"
    rows = range(0, sea.cells, sea.width)
    return "\n".join(
        "".join(f"{name:<3}" for name in names[row : row + sea.width]).rstrip() for row in rows
    )
