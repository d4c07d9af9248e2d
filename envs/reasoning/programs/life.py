"""Conway's Game of Life on a torus in two ways: by sums of rows and columns, by a set of cells."""

from collections import Counter

Board = list[list[int]]


def step_board(board: Board) -> Board:
    """Make one step by sums of three rows, then of three columns, the cell included.

    Example:
        >>> step_board([[0, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]])
        [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    """
    above, below = [board[-1], *board[:-1]], [*board[1:], board[0]]
    new = []
    for up, row, down in zip(above, board, below, strict=True):
        sums = [a + b + c for a, b, c in zip(up, row, down, strict=True)]
        left, right = [sums[-1], *sums[:-1]], [*sums[1:], sums[0]]
        threes = zip(left, sums, right, row, strict=True)
        new.append([int(a + b + c == 3 or (cell and a + b + c == 4)) for a, b, c, cell in threes])
    return new


def board_after(rows: list[str], steps: int) -> str:
    """Return the rows after some steps, joined by semicolons: live cells count at neighbours."""
    height, width = len(rows), len(rows[0])
    around = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
    alive = {(y, x) for y in range(height) for x in range(width) if rows[y][x] == "1"}
    for _ in range(steps):
        near = Counter(((y + dy) % height, (x + dx) % width) for y, x in alive for dy, dx in around)
        alive = {cell for cell, n in near.items() if n == 3 or (n == 2 and cell in alive)}
    return ";".join("".join(str(int((y, x) in alive)) for x in range(width)) for y in range(height))
