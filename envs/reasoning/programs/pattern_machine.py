"""Pattern machines: find the program behind examples, and run it on one more input.

The programs are lists of the operations in `row_operations` and `list_operations`. Left out:
two-dimensional grids, operations with a condition, and the hand-made tasks of the benchmarks.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick, round_randomly, sample_of
from zerogym.envs.reasoning.listings import parse_integers, parse_words
from zerogym.envs.reasoning.programs.list_operations import LIST_OPERATIONS, Numbers, list_hint
from zerogym.envs.reasoning.programs.programs import (
    Example,
    Hint,
    Operation,
    explains,
    output_of,
    programs_for,
    run_program,
)
from zerogym.envs.reasoning.programs.row_operations import Row, row_hint, row_operations
from zerogym.envs.reasoning.renaming import key_up_to_names

MAX_STEPS = 2  # operations of a program; all programs of up to so many are tried
FEWEST_EXAMPLES = 3
MAX_EXAMPLES = 6
MAX_CELLS = 30
MAX_LIST = 12
COLOURS = 3
SHORTEST = 3  # elements of the output; short ones could be guessed
Operations = dict[str, Operation[Any]]  # on rows, or on lists


class PatternMachineEnv(ReasoningEnv):
    """Find the rule behind inputs and outputs, and apply it to a new input.

    Description:
        A hidden program of one or two operations made the outputs of the examples. Categories:
        `arc_1d` (rows of coloured cells, as in the Abstraction and Reasoning Corpus but with one
        dimension: blocks move, grow, fall, change colour) and `list_function` (lists of integers:
        sort, keep, add, append). The answer is unique in this sense: all programs of up to two
        operations that explain the examples agree on the new input, and no program of fewer
        operations than the hidden one explains them. Programs use only colours of the examples.

    Observation:
        The examples and the new input, as text.

    Action:
        The reply as text; the answer is the output for the new input, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line. Brackets and
        separators do not matter.

    Reward:
        1 if the output is exactly right, else 0.

    Difficulty:
        `1 + difficulty / 2` operations (at most 2), rows of `8 + 3 * difficulty` cells (at most
        30), lists of about `4 + difficulty` numbers (at most 12) up to `9 + 10 * difficulty` (at
        most 99); a fractional part is the chance of one more. There are 3 examples, or as many as
        make the answer unique, at most 6.

    Example:
        >>> env = PatternMachineEnv(difficulty=0, category="arc_1d")
        >>> print(env.reset(seed=1)[0])
        One rule makes each row of cells (0 is empty) on the left into the one on the right:
        0 0 8 6 0 0 1 0 -> 1 0 0 0 8 6 0 0
        8 8 0 0 1 0 0 1 -> 0 1 8 8 0 0 1 0
        1 0 8 8 8 8 8 0 -> 8 0 1 0 8 8 8 8
        What does it make of this one?
        0 8 0 0 0 1 0 6
        Answer with all of it, written in the same way.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>0 6 0 8 0 0 0 1</answer>")[1]
        1.0

    Source:
        Rows: "LLMs and the Abstraction and Reasoning Corpus: Successes, Failures, and the
        Importance of Object-based Representations" (2023, arXiv 2305.18354). Lists: "The Child as
        Hacker" (Rule, 2020). Operations, and the demand that all short programs agree, are our
        choice.
    """

    categories = ("arc_1d", "list_function")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw programs and inputs until the examples decide the answer."""
        category = pick(rng, PatternMachineEnv.categories)
        level = min(difficulty, 20.0)
        steps = min(MAX_STEPS, 1 + round_randomly(rng, level / 2))
        places = range(MAX_EXAMPLES + 1)
        while True:
            if category == "arc_1d":
                length = min(MAX_CELLS, 8 + round_randomly(rng, 3 * level))
                palette = sorted(sample_of(rng, range(1, 10), COLOURS))
                inputs: list[Any] = [_draw_row(rng, length, palette) for _ in places]
                operations: Operations = row_operations(palette)
                hint: Hint[Any] = row_hint(tuple(palette))
            else:
                length = min(MAX_LIST, 4 + round_randomly(rng, level))
                largest = min(99, int(9 + 10 * level))
                inputs = [_draw_list(rng, length, largest) for _ in places]
                operations, hint = LIST_OPERATIONS, list_hint
            known = list(operations)
            names = [pick(rng, known) for _ in range(steps)]
            count = _examples_needed(operations, names, inputs, hint)
            shown = {cell for row in inputs[:count] for cell in row if cell}
            if category == "arc_1d" and len(shown) < COLOURS:
                continue  # `solve` gets the palette from the examples
            if count:
                return _problem(category, operations, names, [*inputs[:count], inputs[-1]])

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong form or length, or the number of wrong places."""
        right = parse_integers(problem.answer) or ()
        found = parse_integers(answer)
        if problem.category == "arc_1d":  # digits may be written without blanks
            cells = "".join(parse_words(answer) or ())
            found = tuple(map(int, cells)) if cells.isdecimal() and cells.isascii() else None
        if found is None:
            return "The answer is not a list of integers."
        if len(found) != len(right):
            return f"The answer has {len(found)} elements; the output has another number."
        wrong = sum(a != b for a, b in zip(found, right, strict=True))
        return f"Wrong places: {wrong} of {len(right)}." if wrong else ""

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the examples up to order, and those of rows up to colours."""
        data = problem.data
        examples = [(tuple(before), tuple(after)) for before, after in data["examples"]]
        colours = range(1, 10) if problem.category == "arc_1d" else ()
        key = key_up_to_names([*examples, ("input", tuple(data["input"]))], colours)
        return f"{problem.category}: {key}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search for the shortest program that explains the examples, without the hidden one."""
        for output in PatternMachineEnv.fitting(problem):
            return output
        raise ValueError(f"no program explains the examples: {problem.prompt}")

    @staticmethod
    def fitting(problem: Problem) -> Iterator[str]:
        """Yield the output of every program that explains the examples, of the shortest first."""
        kind: type[Row] | type[Numbers] = tuple
        operations: Operations = LIST_OPERATIONS
        if problem.category == "arc_1d":
            rows = [row for example in problem.data["examples"] for row in example]
            palette = sorted({cell for row in rows for cell in row if cell})
            kind, operations = bytes, row_operations(palette)
        examples = [(kind(before), kind(after)) for before, after in problem.data["examples"]]
        given = kind(problem.data["input"])
        for program in programs_for(operations, examples[0], MAX_STEPS):
            output = output_of(program, given)
            if output is not None and explains(program, examples[1:]):
                yield _write(problem.category, output)


def _draw_row(rng: np.random.Generator, length: int, palette: Sequence[int]) -> Row:
    """Draw blocks of one to four cells, with gaps of up to three between them."""
    row = [0] * draw_int(rng, 0, 2)
    while len(row) < length:
        block = [pick(rng, palette)] * (1 + int(4 * rng.random() ** 2))
        row.extend([*block, *[0] * draw_int(rng, 0, 3)])
    return bytes(row[:length])


def _draw_list(rng: np.random.Generator, length: int, largest: int) -> Numbers:
    """Draw numbers of which some come twice; the length varies by one."""
    found = draw_ints(rng, 0, largest, length + draw_int(rng, -1, 1))
    if rng.random() < 0.5:
        found[-1] = found[draw_int(rng, 0, len(found) - 1)]
    return tuple(found)


def _examples_needed(
    operations: Operations, names: list[str], inputs: Sequence[Any], hint: Hint[Any]
) -> int:
    """Count the inputs that make the output of the last one unique; 0 for an unfit problem."""
    program = [operations[name] for name in names]
    pairs: list[Example[Any]] = []
    for values in inputs:
        output = output_of(program, values)
        if not output:
            return 0
        pairs.append((values, output))
    given, final = pairs.pop()
    common = final == given or final in [after for _, after in pairs]
    if common or len(final) < SHORTEST or len(set(final)) < 2 or pairs[0][0] == pairs[0][1]:
        return 0
    shorter = [(function,) for function in operations.values()] if len(names) > 1 else []
    if any(explains(one, pairs) for one in shorter):
        return 0
    rivals = programs_for(operations, pairs[0], MAX_STEPS, hint)
    for count, pair in enumerate(pairs[1:], 2):
        rivals = [rival for rival in rivals if explains(rival, [pair])]
        agreed = count >= FEWEST_EXAMPLES and all(len(rival) >= len(names) for rival in rivals)
        if agreed and all(output_of(rival, given) == final for rival in rivals):
            return count
    return 0


def _problem(
    category: str, operations: Operations, names: list[str], inputs: Sequence[Any]
) -> Problem:
    program = [operations[name] for name in names]
    runs = [run_program(program, values) or [] for values in inputs]
    texts = [[_write(category, values) for values in run] for run in runs]
    examples = [[list(run[0]), list(run[-1])] for run in runs[:-1]]
    lines = "\n".join(f"{text[0]} -> {text[-1]}" for text in texts[:-1])
    answer = texts[-1][-1]
    kind = "row of cells (0 is empty)" if category == "arc_1d" else "list"
    working = [" -> ".join(text) for text in texts]
    return Problem(
        prompt=f"One rule makes each {kind} on the left into the one on the right:\n{lines}\n"
        f"What does it make of this one?\n{texts[-1][0]}\nAnswer with all of it, written in the "
        "same way.",
        answer=answer,
        solution="\n".join([f"The rule: {', then '.join(names)}.", *working]),
        distractors=_distractors(category, runs),
        category=category,
        data={"examples": examples, "input": list(inputs[-1]), "program": names},
        canonical=f"{category} {sorted(lines.splitlines())} {texts[-1][0]}",
    )


def _distractors(category: str, runs: list[list[Any]]) -> tuple[str, ...]:
    """Apply half a rule, reverse the output, change an element, or take another's output."""
    final = runs[-1][-1]
    slip = [*final[:-1], (final[-1] + 1) % 10]
    wrong = [*runs[-1][:-1], final[::-1], slip, runs[-2][-1]]
    return tuple(_write(category, values) for values in wrong)


def _write(category: str, values: Sequence[int]) -> str:
    if category == "arc_1d":
        return " ".join(map(str, values))
    return f"[{', '.join(map(str, values))}]"
