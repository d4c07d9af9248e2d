"""Cellular automata: the next states on a ring or a torus, and the rule behind them.

Left out: neighbourhoods wider than one cell, more than two states, and predecessors of a row.
"""

import numpy as np

from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.listings import parse_grid
from zerogym.envs.reasoning.programs.life import board_after, step_board
from zerogym.envs.reasoning.programs.rings import PATTERNS, row_after, rules_between, text_row

MAX_WIDTH = 40
MAX_STEPS = 12
MAX_SIDE = 12
MAX_LIFE_STEPS = 6
MAX_SKIP = 4
FEWEST_ALIVE = 3  # on the last board; a dying board would make one answer common
RULE_WIDTH = 12
MAX_PAIRS = 6


class CellularAutomatonEnv(ReasoningEnv):
    """Run a cellular automaton, or find the rule that it follows.

    Description:
        Cells are 0 or 1 and change all at once. Categories: `elementary` (a row of cells on a ring
        and a rule for each cell and its two neighbours: the row after some steps), `life` (Conway's
        Game of Life on a torus: the board after some steps) and `rule` (rows, and what becomes of
        them: the number of the elementary rule; no other of the 256 explains the rows). The row or
        board in the answer is never all zeros or all ones.

    Action:
        The reply as text; the answer is a row such as `0110`, the rows of a board, or a number,
        read from `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line. Rows end
        at semicolons, line breaks or brackets; blanks and commas between cells do not matter.

    Reward:
        1 if all cells, or the number, are right, else 0.

    Difficulty:
        `elementary`: rows of `8 + 4 * difficulty` cells (at most 40) and `1 + difficulty` steps (at
        most 12). `life`: boards with sides of `4 + difficulty` (at most 12) and
        `1 + difficulty / 2` steps (at most 6). `rule`: `1 + difficulty / 2` steps between the two
        rows of a pair (at most 4), so that rows in between are hidden. A fractional part is the
        chance of one more.

    Example:
        >>> env = CellularAutomatonEnv(difficulty=0, category="elementary")
        >>> print(env.reset(seed=2)[0])
        The new state of a cell depends on its left neighbour, itself and its right neighbour:
        111 -> 0, 110 -> 0, 101 -> 0, 100 -> 1, 011 -> 1, 010 -> 0, 001 -> 0, 000 -> 0.
        The cells lie on a ring: the first and the last are neighbours. All change at the same time.
        The row is 10011001. What is it after 1 step? Answer with the 8 digits of the row.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>01010101</answer>")[1]
        1.0

    Source:
        Rule numbers: "Statistical mechanics of cellular automata" (Wolfram, 1983). Game of Life:
        Conway, in Gardner's column (1970). The questions are our choice.
    """

    categories = ("elementary", "life", "rule")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a category, then starts until the end is neither dull nor, for rules, ambiguous."""
        category = pick(rng, CellularAutomatonEnv.categories)
        draws = {"elementary": _draw_row, "life": _draw_board, "rule": _draw_rule}
        return draws[category](rng, min(difficulty, 20.0))

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong form, or count the wrong cells."""
        if problem.category == "rule":
            name, _, number = answer.strip().rpartition(" ")
            fine = name.casefold() in ("", "rule") and parse_number(number) == problem.data["rule"]
            return "" if fine else "This is not the number of a rule that explains every line."
        right = problem.answer.split(";")
        found = ["".join(row) for row in parse_grid(answer) or ()]
        if not found or not set("".join(found)) <= set("01"):
            return "The answer is not made of cells 0 and 1."
        if [len(row) for row in found] != [len(row) for row in right]:
            return f"It should have rows {len(right)} x {len(right[0])} cells."
        wrong = sum(a != b for a, b in zip("".join(found), "".join(right), strict=True))
        return f"Wrong cells: {wrong}." if wrong else ""

    @staticmethod
    def solve(problem: Problem) -> str:
        """Step by counting neighbours of live cells; a rule by trying all 256."""
        data = problem.data
        if problem.category == "elementary":
            width = len(data["row"])
            row = row_after(int(data["row"], 2), width, data["rule"], data["steps"])
            return text_row(row, width)
        if problem.category == "life":
            return board_after(data["board"], data["steps"])
        pairs = [(int(start, 2), int(end, 2)) for start, end in data["pairs"]]
        (rule,) = rules_between(pairs, RULE_WIDTH, data["steps"])
        return str(rule)


def _draw_row(rng: np.random.Generator, level: float) -> Problem:
    width = min(MAX_WIDTH, 8 + round_randomly(rng, 4 * level))
    steps = min(MAX_STEPS, 1 + round_randomly(rng, level))
    while True:
        rule, start = draw_int(rng, 1, 254), draw_int(rng, 1, 2**width - 2)
        rows = [[int(cell) for cell in text_row(start, width)]]
        for _ in range(steps):
            rows.append(_step_cells(rows[-1], rule))
        if rows[-1] != rows[-2] and 0 < sum(rows[-1]) < width:
            break
    texts = ["".join(map(str, row)) for row in rows]
    table = ", ".join(f"{p} -> {rule >> int(p, 2) & 1}" for p in PATTERNS)
    last = texts[-1]
    inverted = last.translate(str.maketrans("01", "10"))
    again = "" if steps == 1 else "s"
    return Problem(
        prompt=f"The new state of a cell depends on its left neighbour, itself and its right "
        f"neighbour:\n{table}.\nThe cells lie on a ring: the first and the last are neighbours. "
        f"All change at the same time.\nThe row is {texts[0]}. What is it after "
        f"{steps} step{again}? Answer with the {width} digits of the row.",
        answer=last,
        solution="\n".join(f"step {n}: {text}" for n, text in enumerate(texts)),
        distractors=(texts[-2], inverted, last[1:] + last[0], last[:-1]),
        category="elementary",
        data={"rule": rule, "row": texts[0], "steps": steps},
        canonical=f"elementary {rule} {texts[0]} {steps}",
    )


def _step_cells(cells: list[int], rule: int) -> list[int]:
    left, right = [cells[-1], *cells[:-1]], [*cells[1:], cells[0]]
    triples = zip(left, cells, right, strict=True)
    return [rule >> (4 * a + 2 * b + c) & 1 for a, b, c in triples]


def _draw_board(rng: np.random.Generator, level: float) -> Problem:
    height = min(MAX_SIDE, 4 + round_randomly(rng, level))
    width = min(MAX_SIDE, 4 + round_randomly(rng, level))
    steps = min(MAX_LIFE_STEPS, 1 + round_randomly(rng, level / 2))
    while True:
        share = 0.25 + 0.25 * rng.random()
        draws = iter(rng.random(height * width).tolist())
        boards = [[[int(next(draws) < share) for _ in range(width)] for _ in range(height)]]
        while len(boards) <= steps and (len(boards) < 2 or boards[-1] != boards[-2]):
            boards.append(step_board(boards[-1]))
        if boards[-1] != boards[-2] and sum(map(sum, boards[-1])) >= FEWEST_ALIVE:
            break
    texts = [";".join("".join(map(str, row)) for row in board) for board in boards]
    rows = texts[-1].split(";")
    wrong = [[rows[-1], *rows[:-1]], rows[::-1], rows[1:]]
    lines, again = texts[0].replace(";", "\n"), "" if steps == 1 else "s"
    return Problem(
        prompt=f"Game of Life on a torus: the left and right edges are joined, and so are top and "
        f"bottom; each cell has 8 neighbours. A live cell (1) stays alive with 2 or 3 live "
        f"neighbours, a dead cell (0) comes alive with exactly 3, and all others are dead.\n{lines}"
        f"\nWhat is this board after {steps} step{again}? Answer with its rows from top to bottom, "
        f"separated by semicolons.",
        answer=texts[-1],
        solution="\n".join(f"step {n}: {text}" for n, text in enumerate(texts)),
        distractors=(texts[-2], *map(";".join, wrong)),
        category="life",
        data={"board": texts[0].split(";"), "steps": steps},
        canonical=f"life {texts[0]} {steps}",
    )


def _draw_rule(rng: np.random.Generator, level: float) -> Problem:
    skip = min(MAX_SKIP, 1 + round_randomly(rng, level / 2))
    while True:
        rule = draw_int(rng, 0, 255)
        pairs: list[tuple[int, int]] = []
        rules = list(range(256))
        while len(rules) > 1 and len(pairs) < MAX_PAIRS:
            start = draw_int(rng, 1, 2**RULE_WIDTH - 2)
            pairs.append((start, row_after(start, RULE_WIDTH, rule, skip)))
            rules = rules_between(pairs[-1:], RULE_WIDTH, skip, rules)
        if len(rules) == 1:
            break
    texts = [[text_row(row, RULE_WIDTH) for row in pair] for pair in pairs]
    table = [f"{p} -> {rule >> int(p, 2) & 1}" for p in PATTERNS]
    mirrored = sum((rule >> int(p, 2) & 1) << int(p[::-1], 2) for p in PATTERNS)
    backwards = int(f"{rule:08b}"[::-1], 2)
    listed, again = "\n".join(map(" -> ".join, texts)), "" if skip == 1 else "s"
    return Problem(
        prompt=f"An elementary cellular automaton works on a ring of cells (the first and the last "
        f"are neighbours). Each line shows a row and what it is after {skip} step{again}:\n"
        f"{listed}\nWhich rule does it follow? Answer with its number from 0 to 255: read the new "
        f"cells for 111, 110, 101, 100, 011, 010, 001, 000 (left, cell, right) as a binary number.",
        answer=str(rule),
        solution="\n".join([*table, f"{rule:08b} in binary is {rule}"]),
        distractors=tuple(map(str, (mirrored, backwards, 255 - rule, rule ^ 1))),
        category="rule",
        data={"pairs": texts, "steps": skip, "rule": rule},
        canonical=f"rule {skip} {sorted(texts)}",
    )
