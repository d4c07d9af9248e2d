"""Register machine: follow a small imperative program and report the values of its registers.

Left out: input, jumps to a label, nested loops and multiplication of two registers.
"""

from collections.abc import Mapping

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
from zerogym.envs.reasoning.listings import parse_assignments, parse_integers
from zerogym.envs.reasoning.renaming import key_up_to_names

REGISTERS = "abcdefgh"
MAX_LINES = 40
MAX_REGISTERS = 6
MAX_TIMES = 6  # of a loop
LARGEST = 9999  # no value gets beyond it
OPERATIONS = {
    "set": "`set a 5`: a becomes 5",
    "add": "`add a b`: a becomes a + b (also with a number)",
    "sub": "`sub a b`: a becomes a - b (also with a number)",
    "move": "`move a b`: a becomes what b is, b keeps it",
    "swap": "`swap a b`: a and b exchange what they hold",
    "mul": "`mul a 3`: a becomes 3 times a",
    "skip": "`skip a > b`: if a > b, the next line is not run (also with < and with a number)",
    "loop": "`loop 3`: the lines from here to the next `end` are run 3 times in all",
}


class RegisterMachineEnv(ReasoningEnv):
    """Report the value of every register after a program has run.

    Description:
        A program over named registers is drawn together with their values at the start. It sets,
        adds, subtracts, moves and swaps; harder ones multiply, skip lines and loop. The prompt
        explains each operation that the program uses. The answer names every register, so one
        mistake anywhere is wrong.

    Observation:
        The program, one operation a line, as text.

    Action:
        The reply as text; the answer is like `a = 3, b = -1`, in any order, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if exactly the registers of the program are given, all with the right value, else 0.

    Difficulty:
        `2 + 3 * difficulty` lines (at most 40) over `2 + difficulty / 2` registers (at most 6); a
        fractional part is the chance of one more. From 0.5 also `mul`, from 1 also `skip`, from 2
        also `loop`, at first 2 or 3 times, at most 6. No value is ever beyond 9999.

    Example:
        >>> env = RegisterMachineEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        The registers of a machine hold a = 1, b = 9.
        Its operations are, by example:
        - `add a b`: a becomes a + b (also with a number)
        - `move a b`: a becomes what b is, b keeps it
        It runs this program, line by line from the top:
        add a 5
        move a b
        What does each register hold at the end? Answer in the form a = ..., b = ....
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>a = 9, b = 9</answer>")[1]
        1.0

    Source:
        Our choice of machine. Tracking state through a program is studied in "Show Your Work:
        Scratchpads for Intermediate Computation with Language Models" (2021, arXiv 2112.00114).
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a program line by line, running it along so that values stay small."""
        names = REGISTERS[: min(MAX_REGISTERS, 2 + round_randomly(rng, min(difficulty, 20.0) / 2))]
        length = min(MAX_LINES, 2 + round_randomly(rng, 3 * min(difficulty, 20.0)))
        start = {name: draw_int(rng, 0, 9) for name in names}
        lines: list[str] = []
        held, steps = dict(start), [f"Start: {_write(start)}"]
        while len(lines) < length:
            block = _draw_block(rng, names, difficulty, length - len(lines))
            after, trace = dict(held), list[str]()
            if run(block, after, trace) <= LARGEST:
                lines += block
                held = after
                steps += trace
        return _problem(lines, start, held, steps)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe missing registers, or count the wrong ones."""
        expected, given = problem.data["final"], parse_assignments(answer) or {}
        parsed = {name: parse_integers(value) or () for name, value in given.items()}
        values = {name: value[0] for name, value in parsed.items() if len(value) == 1}
        if values.keys() != expected.keys():
            return f"The answer must give one integer for each of {', '.join(expected)}."
        wrong = sum(values[name] != value for name, value in expected.items())
        return f"Wrong registers: {wrong} of {len(expected)}." if wrong else ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return start and program up to the names of registers."""
        start = problem.data["start"]
        lines = (line.split() for line in problem.data["program"])
        program = [(f"line {number}", *words) for number, words in enumerate(lines)]
        return key_up_to_names([*program, *start.items()], list(start))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Run the program again, as a whole."""
        held = dict(problem.data["start"])
        run(problem.data["program"], held, [])
        return _write(held)


def run(program: list[str], held: dict[str, int], trace: list[str]) -> int:
    """Run a program on registers, in place, and return the largest absolute value that came up.

    Each line that was run is noted in `trace` with its effect.
    """
    line, loop_start, rounds, largest = 0, 0, 0, 0
    while line < len(program):
        operation, *arguments = program[line].split()
        line += 1
        if operation == "loop":
            loop_start, rounds = line, int(arguments[0])
        elif operation == "end":
            rounds -= 1
            line = loop_start if rounds else line
        elif operation == "skip":
            left, right = _value(arguments[0], held), _value(arguments[2], held)
            holds = left > right if arguments[1] == ">" else left < right
            trace.append(f"{program[line - 1]}: {'yes, skip' if holds else 'no'}")
            line += holds
        else:
            _apply(operation, arguments, held)
            largest = max(largest, abs(held[arguments[0]]))
            trace.append(f"{program[line - 1]}: {_write(held)}")
    return largest


def _value(word: str, held: Mapping[str, int]) -> int:
    return held[word] if word in held else int(word)


def _apply(operation: str, arguments: list[str], held: dict[str, int]) -> None:
    target, other = arguments
    value = _value(other, held)
    if operation == "swap":
        held[other] = held[target]
    if operation == "add":
        value = held[target] + value
    elif operation == "sub":
        value = held[target] - value
    elif operation == "mul":
        value = held[target] * value
    held[target] = value


def _draw_block(rng: np.random.Generator, names: str, difficulty: float, room: int) -> list[str]:
    """Draw one operation, one that may be skipped, or a loop of some."""
    kind = rng.random()
    if difficulty >= 2 and room >= 5 and kind < 0.2:
        times = draw_int(rng, 2, min(MAX_TIMES, int(difficulty) + 1))
        inside = _draw_block(rng, names, 1, 2) + _draw_block(rng, names, 0, 1)
        return [f"loop {times}", *inside, "end"]
    if difficulty >= 1 and room >= 2 and kind < 0.45:
        first, second = sample_of(rng, names, 2)
        other = second if rng.random() < 0.5 else str(draw_int(rng, 0, 9))
        return [f"skip {first} {pick(rng, '<>')} {other}", _draw_line(rng, names, difficulty)]
    return [_draw_line(rng, names, difficulty)]


def _draw_line(rng: np.random.Generator, names: str, difficulty: float) -> str:
    known = ("add", "sub", "add", "sub", "swap", "move", "set", "mul")
    operation = pick(rng, known if difficulty >= 0.5 else known[:-1])
    first, second = sample_of(rng, names, 2)
    if operation == "mul":
        return f"mul {first} {draw_int(rng, 2, 3)}"
    if operation == "set" or (operation in ("add", "sub") and rng.random() < 0.5):
        return f"{operation} {first} {draw_int(rng, 1, 9)}"
    return f"{operation} {first} {second}"


def _problem(
    program: list[str], start: dict[str, int], final: dict[str, int], steps: list[str]
) -> Problem:
    listing, answer = "\n".join(program), _write(final)
    used = {line.split()[0] for line in program}
    legend = "\n".join(f"- {text}" for name, text in OPERATIONS.items() if name in used)
    return Problem(
        prompt=f"The registers of a machine hold {_write(start)}.\n"
        f"Its operations are, by example:\n{legend}\n"
        f"It runs this program, line by line from the top:\n{listing}\n"
        f"What does each register hold at the end? "
        f"Answer in the form {', '.join(f'{name} = ...' for name in start)}.",
        answer=answer,
        solution="\n".join([*steps, f"At the end: {answer}"]),
        distractors=_distractors(program, start, final),
        data={"program": program, "start": start, "final": final},
        canonical=f"{_write(start)}; {'; '.join(program)}",
    )


def _distractors(
    program: list[str], start: dict[str, int], final: dict[str, int]
) -> tuple[str, ...]:
    """Change the first or last register by one, run nothing, ignore skips, or run loops once."""
    first, *_, last = final
    wrong = [final | {last: final[last] + 1}, final | {first: final[first] - 1}, start]
    for ignored in (("skip",), ("loop", "end")):
        wrong.append(dict(start))
        run([line for line in program if line.split()[0] not in ignored], wrong[-1], [])
    return tuple(map(_write, wrong))


def _write(held: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in held.items())
