"""Simulations: a stated rule, applied for many steps to the content of a file."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick
from zerogym.envs.tools.notebook.puzzle import INTEGER, FilePuzzle, sample_names, scaled

MAX_STEPS = 20_000
_ACTS = ("add", "sub", "mul", "swap", "skip")


@dataclass(frozen=True)
class WalkPuzzle(FilePuzzle):
    """A walk around a ring of numbers, which change as it goes.

    Attributes:
        ring: The numbers.
        steps: How many are taken.
        modulus: Exclusive upper bound of the numbers.
        style: Number of the file's style.
    """

    category: ClassVar[str] = "simulation"
    ring: tuple[int, ...]
    steps: int
    modulus: int
    style: int

    @property
    def question(self) -> str:
        return (
            f"{self.file} holds the numbers of a ring, first position 0; after the last position "
            "comes position 0 again. You stand at position 0 with a sum of 0. One step: read the "
            "number v where you stand and add it to the sum, replace that number by "
            f"(3 * v + 1) mod {self.modulus}, then move v positions forward. What is the sum after "
            f"{self.steps} steps? {INTEGER}"
        )

    def text(self) -> str:
        return _SEPARATORS[self.style].join(map(str, self.ring)) + "\n"

    def solve(self) -> str:
        ring, place, total = list(self.ring), 0, 0
        for _ in range(self.steps):
            value = ring[place]
            total += value
            ring[place] = (3 * value + 1) % self.modulus
            place = (place + value) % len(ring)
        return str(total)

    def program(self) -> str:
        return f"""\
import re
ring = [int(n) for n in re.findall("[0-9]+", open({self.file!r}).read())]
at = total = 0
for step in range({self.steps}):
    v = ring[at]
    total, ring[at], at = total + v, (3 * v + 1) % {self.modulus}, (at + v) % len(ring)
print(total)"""


@dataclass(frozen=True)
class MachinePuzzle(FilePuzzle):
    """A list of instructions for registers, run round and round.

    Attributes:
        lines: An act, a register and its operand: a number, or a register for `swap`.
        registers: Their names.
        steps: Instructions that are carried out.
        target: The register whose value is the answer.
        modulus: Exclusive upper bound of the registers.
        style: Number of the file's style.
    """

    category: ClassVar[str] = "simulation"
    lines: tuple[tuple[str, str, int | str], ...]
    registers: tuple[str, ...]
    steps: int
    target: str
    modulus: int
    style: int

    @property
    def question(self) -> str:
        return (
            f"{self.file} holds instructions, one a line; after the last comes the first again. "
            f"The registers {', '.join(self.registers)} are 0 at first. add, sub and mul change a "
            f"register by a number, and the result is taken mod {self.modulus} (0 to "
            f"{self.modulus - 1}); swap exchanges two registers; skip with a register and a number "
            "n leaves out the next n instructions if the register is odd. What is in register "
            f"{self.target} after {self.steps} instructions (skip is one, those left out are "
            f"none)? {INTEGER}"
        )

    def text(self) -> str:
        form = _FORMS[self.style]
        return "".join(form.format(act=act, a=a, b=b) + "\n" for act, a, b in self.lines)

    def solve(self) -> str:
        values, at = dict.fromkeys(self.registers, 0), 0
        for _ in range(self.steps):
            act, register, other = self.lines[at]
            at += 1
            if isinstance(other, str):
                values[register], values[other] = values[other], values[register]
            elif act == "skip":
                at += other if values[register] % 2 else 0
            else:
                change = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}[act]
                values[register] = change(values[register], other) % self.modulus
            at %= len(self.lines)
        return str(values[self.target])

    def is_sound(self) -> bool:
        return self.solve() != "0"  # as in a register that is never written

    def program(self) -> str:
        form = _FORMS[self.style]
        order = sorted(("act", "a", "b"), key=lambda word: form.find(f"{{{word}}}"))
        return f"""\
import re
lines = []
for line in open({self.file!r}):
    found = dict(zip({order!r}, re.findall(r"\\w+", line)))
    lines.append((found["act"], found["a"], found["b"]))
value, at = {{}}, 0
for step in range({self.steps}):
    act, a, b = lines[at]
    x = value.get(a, 0)
    at = (at + 1) % len(lines)
    if act == "add": value[a] = (x + int(b)) % {self.modulus}
    if act == "sub": value[a] = (x - int(b)) % {self.modulus}
    if act == "mul": value[a] = x * int(b) % {self.modulus}
    if act == "swap": value[a], value[b] = value.get(b, 0), x
    if act == "skip" and x % 2: at = (at + int(b)) % len(lines)
print(value.get({self.target!r}, 0))"""


@dataclass(frozen=True)
class AntPuzzle(FilePuzzle):
    """Langton's ant on a grid that closes around.

    Attributes:
        grid: Rows of marked and empty cells, as in the file.
        marks: The character of a marked and of an empty cell.
        start: Row and column.
        steps: How many are taken.
    """

    category: ClassVar[str] = "simulation"
    grid: tuple[str, ...]
    marks: str
    start: tuple[int, int]
    steps: int

    @property
    def question(self) -> str:
        marked, empty = self.marks[0], self.marks[1]
        row, column = self.start
        return (
            f"{self.file} holds a grid of cells, {marked!r} marked and {empty!r} empty; rows and "
            "columns are counted from 0, and the edges are joined: the row after the last is row "
            f"0, the same for columns. An ant stands at row {row}, column {column} and looks up. "
            "One step: on an empty cell it turns right, on a marked cell left; the cell changes "
            "from one kind to the other; then the ant moves one cell ahead. In which row and "
            f"column is it after {self.steps} steps? Answer with two integers: row, column."
        )

    def text(self) -> str:
        return "\n".join(self.grid) + "\n"

    def solve(self) -> str:
        height, width = len(self.grid), len(self.grid[0])
        marked = {(r, c) for r in range(height) for c in range(width)
                  if self.grid[r][c] == self.marks[0]}  # fmt: skip
        place, heading = self.start, 0
        for _ in range(self.steps):
            heading = (heading + (3 if place in marked else 1)) % 4
            marked ^= {place}
            down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[heading]
            place = ((place[0] + down) % height, (place[1] + right) % width)
        return f"{place[0]}, {place[1]}"

    def program(self) -> str:
        return f"""\
grid = [[cell == {self.marks[0]!r} for cell in line.strip()] for line in open({self.file!r})]
(r, c), dr, dc = {self.start}, -1, 0
for step in range({self.steps}):
    dr, dc = (-dc, dr) if grid[r][c] else (dc, -dr)
    grid[r][c] = not grid[r][c]
    r, c = (r + dr) % len(grid), (c + dc) % len(grid[0])
print(f"{{r}}, {{c}}")"""


_SEPARATORS = ("\n", ", ", " ; ", " | ")
_FORMS = ("{act} {a} {b}", "{a}.{act}({b})", "{act}: {b} / {a}", "{a} <- {act} {b}")


def sample_simulation(
    rng: np.random.Generator, difficulty: float, hidden: bool
) -> WalkPuzzle | MachinePuzzle | AntPuzzle:
    """From about 300 steps on."""
    (name,) = sample_names(rng, 1)
    steps = scaled(rng, difficulty, 300, MAX_STEPS)
    size = scaled(rng, difficulty, 12, 100)
    style = draw_int(rng, 1, 3) if hidden else 0
    kind = draw_int(rng, 0, 2)
    modulus = pick(rng, (97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151))
    if kind == 0:
        ring = tuple(draw_ints(rng, 0, modulus - 1, size))
        return WalkPuzzle(hidden, name, ring, steps, modulus, style)
    if kind == 1:
        registers = tuple(sample_names(rng, min(6, 2 + int(difficulty)), 1))
        lines: list[tuple[str, str, int | str]] = []
        for _ in range(size):
            act, register = pick(rng, _ACTS), pick(rng, registers)
            if act == "swap":
                other = pick(rng, [r for r in registers if r != register])
                lines.append((act, register, other))
            else:
                low, high = {"skip": (1, 3), "mul": (2, 9)}.get(act, (10, 999))
                lines.append((act, register, draw_int(rng, low, high)))
        target = pick(rng, registers)
        return MachinePuzzle(
            hidden, name, tuple(lines), registers, steps, target, modulus**2, style
        )
    marks = pick(rng, ("#.", "@-", "x_", "10", "Oo")) if hidden else "#."
    width = size + draw_int(rng, 1, 6)
    cells = [marks[bit] for bit in draw_ints(rng, 0, 1, size * width)]
    grid = tuple("".join(cells[n * width : (n + 1) * width]) for n in range(size))
    start = (draw_int(rng, 0, size - 1), draw_int(rng, 0, width - 1))
    return AntPuzzle(hidden, name, grid, marks, start, steps)
