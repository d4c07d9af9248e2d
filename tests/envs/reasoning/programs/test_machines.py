"""Register machine, stack machine and string rewriting, against Python itself and by hand."""

import re

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.programs import register_machine, stack_machine, string_rewrite
from zerogym.envs.reasoning.programs.register_machine import RegisterMachineEnv
from zerogym.envs.reasoning.programs.stack_machine import StackMachineEnv
from zerogym.envs.reasoning.programs.string_rewrite import StringRewriteEnv

LEVELS = (0.0, 1.0, 2.5, 4.0, 20.0)
SYMBOLS = {"add": "+", "sub": "-", "mul": "*"}


def drawn(env: type[ReasoningEnv], count: int = 60) -> list[Problem]:
    return draw_problems(env, *LEVELS, count=count)


# --- register machine: the program as Python source


def as_python(program: list[str]) -> str:
    """The same program in Python: `skip` becomes an `if not`, `loop` a `for`."""
    lines, depth, skipped = [], 0, False
    for line in program:
        operation, *words = line.split()
        if operation == "end":
            depth -= 1
            continue
        pad = "    " * depth
        if operation == "skip":
            lines.append(f"{pad}if not ({' '.join(words)}):")
            depth, skipped = depth + 1, True
            continue
        if operation == "loop":
            lines.append(f"{pad}for _ in range({words[0]}):")
            depth += 1
            continue
        a, b = words
        sign = SYMBOLS.get(operation, "")
        lines.append(pad + (f"{a}, {b} = {b}, {a}" if operation == "swap" else f"{a} {sign}= {b}"))
        depth, skipped = depth - skipped, False
    return "\n".join(lines)


def program_in(prompt: str) -> list[str]:
    """The lines between the two sentences of a prompt: what a reader sees."""
    return prompt.split("program", 1)[1].split(":\n", 1)[1].split("\nWhat ", 1)[0].split("\n")


def test_python_agrees_with_the_register_machine() -> None:
    operations = set()
    for problem in drawn(RegisterMachineEnv):
        held = dict(problem.data["start"])
        program = program_in(problem.prompt)
        exec(as_python(program), {}, held)
        held.pop("_", None)
        assert problem.answer == ", ".join(f"{name} = {value}" for name, value in held.items())
        assert max(map(abs, held.values())) <= register_machine.LARGEST
        operations |= {line.split()[0] for line in program}
        legend = problem.prompt.split("runs this program")[0]
        assert all(f"- `{line.split()[0]}" in legend for line in program if line != "end")
    assert operations == {*register_machine.OPERATIONS, "end"}


def test_no_register_ever_holds_a_large_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(register_machine, "LARGEST", 15)
    for problem in drawn(RegisterMachineEnv, 20):
        assert all(abs(int(n)) <= 15 for n in re.findall(r"= (-?\d+)", problem.solution))


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (["skip a < b", "set a 9", "add a 1"], {"a": 3, "b": 5}),
        (["skip a > b", "set a 9", "add a 1"], {"a": 10, "b": 5}),
        (["skip a < 2", "set a 9"], {"a": 9, "b": 5}),
        (["loop 3", "add a b", "end", "sub b 1"], {"a": 17, "b": 4}),
        (["loop 2", "swap a b", "mul a 2", "end"], {"a": 4, "b": 10}),
        (["move a b", "add b 1"], {"a": 5, "b": 6}),
        (["sub a b"], {"a": -3, "b": 5}),
        (["loop 3", "skip a > 3", "add a 1", "end"], {"a": 4, "b": 5}),
    ],
)
def test_programs_worked_by_hand(program: list[str], expected: dict[str, int]) -> None:
    held = {"a": 2, "b": 5}
    register_machine.run(program, held, [])
    assert held == expected


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("a = 1, b = -2", ""), ("b: -2; a: 1", ""), ("A=1 B=\u22122", ""), ("{a = 1, b = -2}.", ""),
        ("a = 1", "each of a, b"), ("a = 1, b = 2", "1 of 2"), ("1, -2", "each of a, b"),
        ("a = 1, b = -2, c = 0", "each of a, b"), ("a = 1, b = two", "each"), ("", "each"),
    ],
)  # fmt: skip
def test_register_answers_need_every_register_and_no_other(answer: str, fault: str) -> None:
    problem = Problem("", "a = 1, b = -2", data={"final": {"a": 1, "b": -2}})
    check_fault(RegisterMachineEnv, problem, answer, fault)


# --- stack machine: each entry as a Python expression


def python_stack(program: list[str]) -> list[int]:
    """Run with expressions instead of numbers, and let Python work them out at the end."""
    stack: list[str] = []
    for line in program:
        words = line.split()
        if words[0] == "push":
            stack.append(words[1])
        elif words[0] == "pop":
            stack.pop()
        elif words[0] in ("dup", "over"):
            stack.append(stack[-1 if words[0] == "dup" else -2])
        elif words[0] == "swap":
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif words[0] == "rot":
            stack.append(stack.pop(-3))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(f"({left} {SYMBOLS[words[0]]} {right})")
    return [eval(entry) for entry in stack]


def test_python_agrees_with_the_stack_machine() -> None:
    operations = set()
    for problem in drawn(StackMachineEnv):
        program = program_in(problem.prompt)
        final = python_stack(program)
        assert problem.answer == ", ".join(map(str, final))
        assert stack_machine.FINAL <= len(final) <= stack_machine.DEEPEST
        assert max(map(abs, final)) <= stack_machine.LARGEST
        operations |= {line.split()[0] for line in program}
    assert operations == set(stack_machine.OPERATIONS)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("push 7", [1, 2, 5, 7]), ("pop", [1, 2]), ("dup", [1, 2, 5, 5]), ("swap", [1, 5, 2]),
        ("over", [1, 2, 5, 2]), ("rot", [2, 5, 1]), ("add", [1, 7]), ("sub", [1, -3]),
        ("mul", [1, 10]),
    ],
)  # fmt: skip
def test_stack_operations_by_hand(operation: str, expected: list[int]) -> None:
    stack = [1, 2, 5]
    assert stack_machine.run_one(stack, operation) == expected
    assert stack == [1, 2, 5]


def test_stack_answers() -> None:
    problem = Problem("", "3, -1", data={"final": [3, -1]})
    assert all(StackMachineEnv.score(problem, right) == 1 for right in ("3 -1", "[3, -1]", "3,-1."))
    assert not any(StackMachineEnv.score(problem, w) for w in ("-1, 3", "3", "3, -1, 0", "3, x"))
    assert "list of integers" in StackMachineEnv.explain(problem, "three")
    assert "not 3 numbers" in StackMachineEnv.explain(problem, "1 2 3")


# --- string rewriting: regular expressions


def regex_rewrite(rules: list[tuple[str, str]], string: str, steps: int | None) -> str:
    """The same strategy with `re.subn`, which replaces the leftmost match first."""
    while steps is None or steps > 0:
        for left, right in rules:
            string, count = re.subn(left, right, string, count=1)
            if count:
                break
        else:
            return string
        steps = None if steps is None else steps - 1
    return string


def test_regular_expressions_agree_with_the_rewriting() -> None:
    for problem in drawn(StringRewriteEnv):
        rules = re.findall(r"^\d+\. (\w+) -> (\w+)$", problem.prompt, re.MULTILINE)
        start = re.search(r"^Start with (\w+) and", problem.prompt, re.MULTILINE)
        times = re.search(r"make such steps (\d+) time", problem.prompt)
        assert rules and start
        assert (times is None) == (problem.category == "normal_form")
        final = regex_rewrite(rules, start[1], int(times[1]) if times else None)
        assert problem.answer == final != start[1]
        assert StringRewriteEnv.solve(problem) == final
        assert len(final) >= string_rewrite.SHORTEST


def test_rules_of_normal_forms_always_end() -> None:
    """Each right side is earlier by length, then alphabet: a well-order kept by any context."""
    for problem in drawn(StringRewriteEnv):
        lefts = [left for left, _ in problem.data["rules"]]
        assert len(set(lefts)) == len(lefts)
        if problem.category == "normal_form":
            for left, right in problem.data["rules"]:
                assert right and (len(right), right) < (len(left), left)


def test_rewriting_by_hand() -> None:
    assert string_rewrite.rewrite([["ba", "ab"]], "bba", 9) == ["bba", "bab", "abb"]
    assert string_rewrite.rewrite([["b", "a"], ["a", "b"]], "ab", 3) == ["ab", "aa", "ba", "aa"]
    assert string_rewrite.rewrite([["aa", "c"], ["a", "b"]], "aaa", 9) == ["aaa", "ca", "cb"]
    assert string_rewrite.rewrite([["aa", "a"]], "bab", 9) == ["bab"]


def test_harder_rewriting_takes_more_steps() -> None:
    drawn = [draw_problems(StringRewriteEnv, level, count=100) for level in LEVELS[:4]]
    means = [np.mean([p.solution.count("\n") for p in problems]) for problems in drawn]
    assert means == sorted(means)
    assert means[-1] > 2 * means[0]


def test_faults_of_rewriting_are_named() -> None:
    data = {"rules": [["ba", "ab"]], "string": "bba", "steps": -1}
    problem = Problem("", "abb", category="normal_form", data=data)
    assert StringRewriteEnv.score(problem, " 'ABB' ") == 1
    assert "still applies" in StringRewriteEnv.explain(problem, "bab")
    assert "neither" in StringRewriteEnv.explain(problem, "xyz")
    assert "not the string" in StringRewriteEnv.explain(problem, "aab")
