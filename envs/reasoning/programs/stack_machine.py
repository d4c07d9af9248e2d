"""Stack machine: follow push, pop, dup, swap and arithmetic, and report the stack.

Left out: control flow (`RegisterMachine` has it), division, and a second stack.
"""

from functools import reduce

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.listings import parse_integers

MAX_OPERATIONS = 60
LARGEST = 999  # no number on the stack gets beyond it
DEEPEST = 8
FINAL = 2  # numbers on the stack at the end, at least
OPERATIONS = {
    "push": "`push 5` puts 5 on top",
    "pop": "`pop` takes the top number away",
    "dup": "`dup` puts a copy of the top number on top",
    "swap": "`swap` exchanges the two top numbers",
    "add": "`add` takes the two top numbers away and puts their sum on top",
    "sub": "`sub` takes the two top numbers away and puts the lower one minus the top one on top",
    "mul": "`mul` takes the two top numbers away and puts their product on top",
    "over": "`over` puts a copy of the second number from the top on top",
    "rot": "`rot` moves the third number from the top to the top",
}
_NEEDS = {"push": 0, "pop": 1, "dup": 1, "rot": 3}  # numbers on the stack; 2 for all others
_CHANGE = {"push": 1, "dup": 1, "over": 1, "swap": 0, "rot": 0}  # of the depth; -1 for all others


class StackMachineEnv(ReasoningEnv):
    """Report the stack after a program of stack operations.

    Description:
        The stack begins empty. Operations push numbers, copy and move them, and combine the top
        two. The answer is the whole stack at the end; it holds at least two numbers.

    Observation:
        The operations that occur, explained, and the program, as text.

    Action:
        The reply as text; the answer is the stack from bottom to top, like `3, -1, 7`, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if all numbers are right and in order, else 0.

    Difficulty:
        `4 + 4 * difficulty` operations (a fractional part is the chance of one more, at most 60),
        at most 8 numbers deep. Below 1 `push, pop, dup, swap, add, sub`; from 1 also `mul` and
        `over`, from 2 also `rot`. Pushed numbers to `9 + 10 * difficulty` (at most 99); none on the
        stack is ever beyond 999.

    Example:
        >>> env = StackMachineEnv(difficulty=0)
        >>> print(env.reset(seed=2)[0])
        A machine has a stack of numbers, empty at the start. Its operations:
        - `push 5` puts 5 on top
        - `dup` puts a copy of the top number on top
        - `sub` takes the two top numbers away and puts the lower one minus the top one on top
        It runs this program:
        push 1
        push 8
        sub
        dup
        What is on the stack at the end? Give all numbers from bottom to top, separated by commas.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>-7, -7</answer>")[1]
        1.0

    Source:
        Our choice of machine; the operations are those of the language Forth (Moore, 1970). State
        tracking as a task for language models: "Show Your Work: Scratchpads for Intermediate
        Computation with Language Models" (2021, arXiv 2112.00114).
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw operations that can run, one after the other."""
        length = min(MAX_OPERATIONS, 4 + round_randomly(rng, 4 * min(difficulty, 20.0)))
        largest = min(99, int(9 + 10 * min(difficulty, 9.0)))
        known = list(OPERATIONS)[: 6 if difficulty < 1 else 8 if difficulty < 2 else 9]
        program: list[str] = []
        stack: list[int] = []
        steps = []
        while len(program) < length:
            left = length - len(program) - 1
            operation = "push" if rng.random() < 0.25 else pick(rng, known)
            depth = len(stack) + _CHANGE.get(operation, -1)
            if len(stack) < _NEEDS.get(operation, 2) or not FINAL - left <= depth <= DEEPEST:
                continue
            line = f"push {draw_int(rng, 0, largest)}" if operation == "push" else operation
            after = run_one(stack, line)
            if abs(after[-1] if after else 0) <= LARGEST:
                stack = after
                program.append(line)
                steps.append(f"{line}: {_write(stack)}")
        return _problem(program, stack, steps)

    read = staticmethod(parse_integers)
    unreadable = "The answer is not a list of integers."
    wrong = "The numbers are not those on the stack, from bottom to top."

    @staticmethod
    def solve(problem: Problem) -> str:
        """Run the program from the empty stack."""
        return _write(reduce(run_one, problem.data["program"], []))

    @classmethod
    def explain(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong form or length."""
        given = parse_integers(answer)
        if given is not None and len(given) != len(problem.data["final"]):
            return f"There are not {len(given)} numbers on the stack."
        return cls.fault(problem, answer)


def run_one(stack: list[int], line: str) -> list[int]:
    """Return the stack (top last) after one operation; the given one stays as it is."""
    operation, _, number = line.partition(" ")
    if operation == "push":
        return [*stack, int(number)]
    *rest, top = stack
    if operation == "pop":
        return rest
    if operation == "dup":
        return [*stack, top]
    *rest, lower = rest
    if operation == "swap":
        return [*rest, top, lower]
    if operation == "over":
        return [*stack, lower]
    if operation == "rot":
        *rest, third = rest
        return [*rest, lower, top, third]
    values = {"add": lower + top, "sub": lower - top, "mul": lower * top}
    return [*rest, values[operation]]


def _problem(program: list[str], stack: list[int], steps: list[str]) -> Problem:
    used = {line.split()[0] for line in program}
    legend = "\n".join(f"- {text}" for name, text in OPERATIONS.items() if name in used)
    listing, answer = "\n".join(program), _write(stack)
    return Problem(
        prompt=f"A machine has a stack of numbers, empty at the start. Its operations:\n{legend}\n"
        f"It runs this program:\n{listing}\n"
        "What is on the stack at the end? Give all numbers from bottom to top, separated by "
        "commas.",
        answer=answer,
        solution="\n".join(
            ["The stack from bottom to top after each operation:", *steps, f"At the end: {answer}"]
        ),
        distractors=_distractors(program, stack),
        data={"program": program, "final": stack},
        canonical="; ".join(program),
    )


def _distractors(program: list[str], final: list[int]) -> tuple[str, ...]:
    """Change the top by one, turn the stack, give the top, turn each `sub`, or skip the last."""
    turned: list[int] = []
    before: list[int] = []
    for line in program:
        before = turned
        turned = run_one(run_one(turned, "swap") if line == "sub" else turned, line)
    wrong = ([*final[:-1], final[-1] + 1], final[::-1], final[-1:], turned, before)
    return tuple(_write(stack) for stack in wrong if stack)


def _write(stack: list[int]) -> str:
    return ", ".join(map(str, stack)) or "empty"
