"""Base of puzzles that fill a square with numbers: blanks, text, answers and mistakes."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.reasoning.constraints.boards import (
    Board,
    Prune,
    Step,
    board_of,
    candidates,
    numbers_of,
    solve_board,
    worked_steps,
)
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import shuffled
from zerogym.envs.reasoning.listings import parse_grid
from zerogym.envs.reasoning.mistakes import wrong_ending

BLANK = "_"


class NumberGridEnv(ReasoningEnv):
    """Base of puzzles with one solution on a square board of numbers.

    Observation:
        The question as text, the grid with `_` for a blank.

    Action:
        The reply as text; the answer is the full grid, read from `<answer>...</answer>`, else the
        last `\\boxed{...}`, else the last line. Rows end with a line break, `;` or `]`.

    Reward:
        1 if the grid is the solution, else 0.
    """

    answer_note: ClassVar[str] = ""  # after `Answer with the full grid`

    @staticmethod
    def pruning(board: Board, data: Mapping[str, Any]) -> Prune | None:
        """Return the rules of a problem beyond those of its board."""
        return None

    @staticmethod
    def picture(board: Board, clues: list[int], data: Mapping[str, Any]) -> str:
        """Return the grid of the question."""
        return draw_grid(board.size, clues)

    @classmethod
    def pose(
        cls,
        rng: np.random.Generator,
        solution: list[int],
        blanks: int,
        question: str,
        data: dict[str, Any],
    ) -> Problem:
        """Take away numbers of a solution, which is the answer."""
        board, size = _board(data), data["size"]
        prune = cls.pruning(board, data)
        data = data | {"clues": with_blanks(board, solution, blanks, rng, prune)}
        clues = data["clues"]
        answer, picture = draw_grid(size, solution), cls.picture(board, clues, data)
        steps = worked_steps(board, *candidates(board, clues), prune)
        sentences = [_sentence(board, step) for step in steps]
        return Problem(
            prompt=f"{question}\n{picture}\nAnswer with the full grid{cls.answer_note}: {size} "
            f"lines of {size} numbers separated by blanks.",
            answer=answer,
            solution="\n".join([*sentences, "The full grid:", answer]),
            distractors=wrong_grids(size, clues, solution),
            data=data,
            canonical=picture,
        )

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """Return 1 if the cells are those of the only solution."""
        return float(read_grid(answer) == problem.answer.split())

    @classmethod
    def solve(cls, problem: Problem) -> str:
        """Propagate on bit masks, and search from the cell with the fewest candidates."""
        board = _board(problem.data)
        state, placed = candidates(board, problem.data["clues"])
        solved = solve_board(board, state, placed, cls.pruning(board, problem.data))
        return draw_grid(board.size, numbers_of(board, solved))

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Return a broken rule: shape, a changed clue, or a number that is there twice."""
        board, clues = _board(problem.data), problem.data["clues"]
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

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the worked solution up to a step with a wrong number."""
        size = problem.data["size"]
        numbers = [str(n) for n in range(1, size + 1)]
        return wrong_ending(problem.solution.split("\n")[: -size - 1], numbers, rng)


def _board(data: Mapping[str, Any]) -> Board:
    return board_of(data["size"], (data["box"][0], data["box"][1]) if "box" in data else None)


def with_blanks(
    board: Board,
    solution: list[int],
    blanks: int,
    rng: np.random.Generator,
    prune: Prune | None = None,
) -> list[int]:
    """Take up to `blanks` numbers away (0) from a solution, such that no other one fits.

    First numbers go that the remaining clues show at once, which is cheap to check. Only where this
    is not enough, the solver has to show that no other number is possible.
    """

    def is_not_shown(bit: int, state: int, placed: int) -> bool:
        return all(state & group != 1 << bit for group in board.groups[bit])

    def has_alternative(bit: int, state: int, placed: int) -> bool:
        return bool(solve_board(board, state & ~(1 << bit), placed, prune))

    clues = list(solution)
    order = shuffled(rng, range(board.cells))
    for is_needed in (is_not_shown, has_alternative):
        bits = {cell: board.cells * (solution[cell] - 1) + cell for cell in order}
        later = [(board.full, 0)]  # what the clues after each one in the order leave
        for cell in reversed(order):
            state, placed = later[-1]
            later.append((state & board.keep[bits[cell]], placed | 1 << bits[cell]))
        state, placed, kept = board.full, 0, []
        for place, cell in enumerate(order):
            rest, rest_placed = later[len(order) - place - 1]
            if blanks > 0 and not is_needed(bits[cell], state & rest, placed | rest_placed):
                clues[cell], blanks = 0, blanks - 1
            else:
                state, placed = state & board.keep[bits[cell]], placed | 1 << bits[cell]
                kept.append(cell)
        order = kept
        if blanks == 0:
            break
    return clues


def draw_grid(size: int, cells: Sequence[int]) -> str:
    """Return rows as lines, cells separated by blanks, 0 as `_`."""
    words = [str(n) if n else BLANK for n in cells]
    return "\n".join([" ".join(words[i : i + size]) for i in range(0, len(words), size)])


def read_grid(text: str) -> list[str] | None:
    """Return the cells of a grid in reading order; bars between them are ignored."""
    rows = parse_grid(text.replace("|", " "))
    return None if rows is None else [cell for row in rows for cell in row]


def _sentence(board: Board, step: Step) -> str:
    reasons = {
        "cell": "no other number is left for this cell",
        "trial": "every other number leads to a contradiction",
    }
    reason = reasons.get(step.kind, f"no other cell of this {step.kind} can be {step.number}")
    row, column = divmod(step.cell, board.size)
    return f"Row {row + 1}, column {column + 1}: {reason}, so it is {step.number}."


def wrong_grids(size: int, clues: list[int], solution: list[int]) -> tuple[str, ...]:
    """Exchange two numbers, repeat one, leave out the last row, or leave the blanks blank."""
    first = clues.index(0)
    second = next(c for c in range(size * size) if c != first and solution[c] != solution[first])
    exchanged, repeated = list(solution), list(solution)
    exchanged[first], exchanged[second] = solution[second], solution[first]
    repeated[first] = solution[second]
    grids = (exchanged, repeated, solution[:-size], clues)
    return tuple(draw_grid(size, grid) for grid in grids)


def _lines(board: Board) -> list[tuple[str, list[int]]]:
    """Return rows, columns and boxes with their cells."""
    size, cells = board.size, list(range(board.cells))
    lines = [(f"row {r + 1}", cells[r * size : (r + 1) * size]) for r in range(size)]
    lines += [(f"column {c + 1}", cells[c::size]) for c in range(size)]
    if board.box is not None:
        rows, columns = board.box
        for top, left in product(range(0, size, rows), range(0, size, columns)):
            inside = [(top + r) * size + left + c for r in range(rows) for c in range(columns)]
            lines.append((f"the box of row {top + 1}, column {left + 1}", inside))
    return lines
