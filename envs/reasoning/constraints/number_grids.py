"""What puzzles that fill a square with numbers share: blanks, text, answers and mistakes."""

from collections.abc import Sequence

import numpy as np

from zerogym.envs.reasoning.constraints.boards import (
    Board,
    Prune,
    Step,
    candidates,
    solve_board,
    worked_steps,
)
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, shuffled
from zerogym.envs.reasoning.listings import parse_grid

BLANK = "_"


def with_blanks(
    board: Board,
    solution: list[int],
    blanks: int,
    rng: np.random.Generator,
    prune: Prune | None = None,
) -> list[int]:
    """The solution with up to `blanks` numbers taken away (0), such that no other one fits.

    First numbers go that the remaining clues show at once: that costs nothing to check. Only where
    this is not enough, the solver has to show that no other number is possible.
    """
    clues = list(solution)
    order = shuffled(rng, range(board.cells))
    for is_needed in (_is_not_shown, _has_alternative):
        bits = {cell: board.cells * (solution[cell] - 1) + cell for cell in order}
        later = [(board.full, 0)]  # what the clues after each one in the order leave
        for cell in reversed(order):
            state, placed = later[-1]
            later.append((state & board.keep[bits[cell]], placed | 1 << bits[cell]))
        state, placed, kept = board.full, 0, []
        for place, cell in enumerate(order):
            rest, rest_placed = later[len(order) - place - 1]
            without = state & rest, placed | rest_placed
            if blanks > 0 and not is_needed(board, bits[cell], *without, prune):
                clues[cell], blanks = 0, blanks - 1
            else:
                state, placed = state & board.keep[bits[cell]], placed | 1 << bits[cell]
                kept.append(cell)
        order = kept
        if blanks == 0:
            break
    return clues


def _is_not_shown(board: Board, bit: int, state: int, placed: int, prune: Prune | None) -> bool:
    """Whether the candidate is alone in none of its constraints."""
    alone = 1 << bit
    return all(state & group != alone for group in board.groups[bit])


def _has_alternative(board: Board, bit: int, state: int, placed: int, prune: Prune | None) -> bool:
    """Whether there is a solution without the candidate."""
    return bool(solve_board(board, state & ~(1 << bit), placed, prune))


def draw_grid(size: int, cells: Sequence[int]) -> str:
    """Rows as lines, cells separated by blanks, 0 as `_`."""
    words = [str(n) if n else BLANK for n in cells]
    return "\n".join([" ".join(words[i : i + size]) for i in range(0, len(words), size)])


def read_grid(text: str) -> list[str] | None:
    """The cells of a grid in reading order; bars between them are ignored."""
    rows = parse_grid(text.replace("|", " "))
    return None if rows is None else [cell for row in rows for cell in row]


def work_out(board: Board, clues: list[int], answer: str, prune: Prune | None = None) -> str:
    """The solution in sentences, then the full grid."""
    steps = worked_steps(board, *candidates(board, clues), prune)
    return "\n".join([*(_sentence(board, step) for step in steps), "The full grid:", answer])


def _sentence(board: Board, step: Step) -> str:
    row, column = divmod(step.cell, board.size)
    where, number = f"Row {row + 1}, column {column + 1}", step.number
    if step.kind == "cell":
        return f"{where}: no other number is left for this cell, so it is {number}."
    if step.kind == "trial":
        return f"{where}: every other number leads to a contradiction, so it is {number}."
    return f"{where}: no other cell of this {step.kind} can be {number}, so it is {number}."


def flawed_steps(problem: Problem, size: int, rng: np.random.Generator) -> str:
    """The solution up to a step that ends with another number."""
    lines = problem.solution.split("\n")[: -size - 1]
    last = draw_int(rng, 0, len(lines) - 1)
    stem, _, number = lines[last].removesuffix(".").rpartition(" ")
    wrong = pick(rng, [n for n in range(1, size + 1) if str(n) != number])
    return "\n".join([*lines[:last], f"{stem} {wrong}."])


def wrong_grids(size: int, clues: list[int], solution: list[int]) -> tuple[str, ...]:
    """Two numbers exchanged, one repeated, the last row missing, and the blanks still blank."""
    blanks = [cell for cell, n in enumerate(clues) if n == 0]
    first = blanks[0]
    second = next(c for c in range(size * size) if c != first and solution[c] != solution[first])
    exchanged, repeated = list(solution), list(solution)
    exchanged[first], exchanged[second] = solution[second], solution[first]
    repeated[first] = solution[second]
    grids = (exchanged, repeated, solution[:-size], clues)
    return tuple(draw_grid(size, grid) for grid in grids)


def fault_of(board: Board, clues: list[int], answer: str) -> str:
    """What rule of the board an answer breaks; empty if none."""
    size, cells = board.size, read_grid(answer)
    if cells is None or len(cells) != board.cells:
        return f"The answer is not a grid of {size} rows with {size} numbers each."
    allowed = {str(n): n for n in range(1, size + 1)}
    for index, cell in enumerate(cells):
        where = f"row {index // size + 1}, column {index % size + 1}"
        if cell not in allowed:
            return f"In {where} there is no number from 1 to {size}."
        if clues[index] not in (0, allowed[cell]):
            return f"The number in {where} was given as {clues[index]}."
    for name, places in _lines(board):
        found = [cells[place] for place in places]
        repeated = [n for n in allowed if found.count(n) > 1]
        if repeated:
            return f"The number {repeated[0]} is more than once in {name}."
    return ""


def _lines(board: Board) -> list[tuple[str, list[int]]]:
    """Rows, columns and boxes with their cells."""
    size = board.size
    lines = [(f"row {r + 1}", [r * size + c for c in range(size)]) for r in range(size)]
    lines += [(f"column {c + 1}", [r * size + c for r in range(size)]) for c in range(size)]
    if board.box is not None:
        rows, columns = board.box
        for top in range(0, size, rows):
            for left in range(0, size, columns):
                inside = [(top + r, left + c) for r in range(rows) for c in range(columns)]
                name = f"the box of row {top + 1}, column {left + 1}"
                lines.append((name, [r * size + c for r, c in inside]))
    return lines
