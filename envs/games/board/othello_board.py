"""Bitboards of othello: where a disc encloses others, and which.

A bit a cell, row by row from the top. Left out: boards of other sizes.
"""

SIZE = 8
CELLS = SIZE * SIZE
ALL = (1 << CELLS) - 1
_INNER = sum(0b01111110 << SIZE * row for row in range(SIZE))  # all but the first and last column
# Right, down, down right, down left, and the opposite ones: an opposing disc in the first or last
# column is never enclosed sideways, so that runs cannot wrap from one row into the next.
_SHIFTS = ((1, _INNER), (SIZE, ALL), (SIZE + 1, _INNER), (SIZE - 1, _INNER))


def _ray(cell: int, down: int, right: int) -> int:
    """The cells from a cell to the edge in a direction, without it."""
    row, column = divmod(cell, SIZE)
    bits = 0
    while 0 <= (row := row + down) < SIZE and 0 <= (column := column + right) < SIZE:
        bits |= 1 << row * SIZE + column
    return bits


# For each cell, the rays that could enclose something, along growing and along falling numbers.
_AHEAD = tuple(
    [
        ray
        for down, right in ((0, 1), (1, -1), (1, 0), (1, 1))
        if (ray := _ray(cell, down, right)).bit_count() > 1
    ]
    for cell in range(CELLS)
)
_BEHIND = tuple(
    [
        ray
        for down, right in ((0, -1), (-1, -1), (-1, 0), (-1, 1))
        if (ray := _ray(cell, down, right)).bit_count() > 1
    ]
    for cell in range(CELLS)
)


def placeable(own: int, other: int) -> int:
    """The empty cells from which `own` would enclose something of `other`.

    In each direction, runs of opposing discs that begin beside an own disc grow at most five
    times: six lie between two edges.
    """
    empty, found = ALL & ~(own | other), 0
    for shift, mask in _SHIFTS:
        inside = other & mask
        run = own << shift & inside
        run |= run << shift & inside
        run |= run << shift & inside
        run |= run << shift & inside
        run |= run << shift & inside
        run |= run << shift & inside
        found |= run << shift
        run = own >> shift & inside
        run |= run >> shift & inside
        run |= run >> shift & inside
        run |= run >> shift & inside
        run |= run >> shift & inside
        run |= run >> shift & inside
        found |= run >> shift
    return found & empty


def enclosed(own: int, other: int, cell: int) -> int:
    """The discs of `other` that turn when `own` takes a cell."""
    turned, stops = 0, ~other
    for ray in _AHEAD[cell]:
        beyond = ray & stops
        end = beyond & -beyond  # the nearest cell without an opposing disc
        if end & own:
            turned |= ray & end - 1
    for ray in _BEHIND[cell]:
        beyond = ray & stops
        end = 1 << beyond.bit_length() >> 1
        if end & own:
            turned |= ray & -(end << 1)
    return turned
