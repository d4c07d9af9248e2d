"""Pattern machines: operations worked out by hand, and uniqueness by trying every program."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.programs.list_operations import LIST_OPERATIONS, list_hint
from zerogym.envs.reasoning.programs.pattern_machine import MAX_STEPS, PatternMachineEnv
from zerogym.envs.reasoning.programs.programs import Operation, programs_for, run_program
from zerogym.envs.reasoning.programs.row_operations import row_hint, row_operations

ROW = "022011110302"
ROWS = {  # by hand, for palette 1 and 3 where colours are painted
    "mirror the row": "203011110220",
    "mirror the part between the first and the last coloured cell": "020301111022",
    "push all coloured cells to the left end": "221111320000",
    "push all coloured cells to the right end": "000022111132",
    "fill the gap between blocks of the same colour": "022011110302",
    "empty the inside of every block": "022010010302",
    "remove blocks of one cell": "022011110000",
    "keep only the longest blocks": "000011110000",
    "remove the longest blocks": "022000000302",
    "remove the first cell of every block": "002001110000",
    "remove the last cell of every block": "020011100000",
    "make every block longer by one cell to the right, if that is empty": "022211111332",
    "make every block longer by one cell to the left, if that is empty": "222111113322",
    "move all cells 1 to the right, round the end": "202201111030",
    "move all cells 2 to the right, round the end": "020220111103",
    "move all cells 3 to the right, round the end": "302022011110",
    "move all cells 1 to the left, round the end": "220111103020",
    "move all cells 2 to the left, round the end": "201111030202",
    "move all cells 3 to the left, round the end": "011110302022",
    "paint every block 1": "011011110101",
    "paint every block 3": "033033330303",
    "paint the longest blocks 1": "022011110302",
    "paint the longest blocks 3": "022033330302",
    "paint blocks of one cell 1": "022011110101",
    "paint blocks of one cell 3": "022011110303",
    "paint 1 as 3": "022033330302",
    "paint 3 as 1": "022011110102",
    "exchange 1 and 3": "022033330102",
}
LIST = (9, 4, 15, 4, 12, 7)
LISTS: dict[str, tuple[int, ...]] = {
    "reverse the list": (7, 12, 4, 15, 4, 9),
    "sort from small to large": (4, 4, 7, 9, 12, 15),
    "sort from large to small": (15, 12, 9, 7, 4, 4),
    "remove the first element": (4, 15, 4, 12, 7),
    "remove the last element": (9, 4, 15, 4, 12),
    "keep the first 3 elements": (9, 4, 15),
    "keep the last 3 elements": (4, 12, 7),
    "keep every second element, from the first": (9, 15, 12),
    "keep every second element, from the second": (4, 4, 7),
    "keep the even numbers": (4, 4, 12),
    "keep the odd numbers": (9, 15, 7),
    "keep the multiples of 3": (9, 15, 12),
    "keep the numbers above 10": (15, 12),
    "keep the numbers below 10": (9, 4, 4, 7),
    "keep the first of equal numbers": (9, 4, 15, 12, 7),
    "keep the numbers larger than all before them": (9, 15),
    "remove the first largest number": (9, 4, 4, 12, 7),
    "remove the first smallest number": (9, 15, 4, 12, 7),
    "move the first element to the end": (4, 15, 4, 12, 7, 9),
    "move the last element to the front": (7, 9, 4, 15, 4, 12),
    "exchange the first and the last element": (7, 4, 15, 4, 12, 9),
    "exchange neighbours in pairs": (4, 9, 4, 15, 7, 12),
    "add 1 to each": (10, 5, 16, 5, 13, 8),
    "add 2 to each": (11, 6, 17, 6, 14, 9),
    "add 5 to each": (14, 9, 20, 9, 17, 12),
    "subtract 1 from each": (8, 3, 14, 3, 11, 6),
    "double each": (18, 8, 30, 8, 24, 14),
    "triple each": (27, 12, 45, 12, 36, 21),
    "replace each by its remainder by 10": (9, 4, 5, 4, 2, 7),
    "add its place, counted from 1, to each": (10, 6, 18, 8, 17, 13),
    "replace each by the sum up to there": (9, 13, 28, 32, 44, 51),
    "replace each by the largest up to there": (9, 9, 15, 15, 15, 15),
    "take the differences, next minus this": (-5, 11, -11, 8, -5),
    "append the sum": (9, 4, 15, 4, 12, 7, 51),
    "append the number of elements": (9, 4, 15, 4, 12, 7, 6),
    "put the largest in front": (15, 9, 4, 15, 4, 12, 7),
    "append the reversed list": (9, 4, 15, 4, 12, 7, 7, 12, 4, 15, 4, 9),
    "write each element twice": (9, 9, 4, 4, 15, 15, 4, 4, 12, 12, 7, 7),
}


def cells(text: str) -> bytes:
    return bytes(map(int, text))


def test_row_operations_by_hand() -> None:
    operations = row_operations([1, 3])
    assert {name: operations[name](cells(ROW)) for name in operations} == {
        name: cells(after) for name, after in ROWS.items()
    }
    fill = operations["fill the gap between blocks of the same colour"]
    assert fill(cells("0300303001")) == cells("0333333001")


def test_list_operations_by_hand() -> None:
    operations = LIST_OPERATIONS
    assert {name: operations[name](LIST) for name in operations} == LISTS


@pytest.mark.parametrize("values", [(), (5,), (0, 0)])
def test_operations_are_defined_for_the_shortest_inputs(values: tuple[int, ...]) -> None:
    for operation in LIST_OPERATIONS.values():
        assert operation(values) is not None
    for operation in row_operations([1, 2, 5]).values():
        row = operation(bytes(values))
        assert row is not None
        assert len(row) == len(values)


def test_hints_name_every_operation_that_leads_there() -> None:
    rng = np.random.default_rng(5)
    named = tried = 0
    for _ in range(150):
        row = bytes((rng.integers(0, 4, 10) * rng.integers(0, 2, 10)).tolist())
        hint = row_hint((1, 2, 3))
        for operation in row_operations([1, 2, 3]).values():
            found = operation(row)
            assert found is not None
            assert operation in hint(row, found)
            named, tried = named + len(hint(row, found[::-1])), tried + 1
        numbers = tuple(rng.integers(0, 20, int(rng.integers(0, 8))).tolist())
        for change in LIST_OPERATIONS.values():
            after = change(numbers)
            assert after is None or change in list_hint(numbers, after)
    assert named < 0.9 * len(row_operations([1, 2, 3])) * tried, "a hint must spare something"


def test_results_are_bounded() -> None:
    operations = LIST_OPERATIONS
    assert operations["triple each"]((500,)) is None
    assert operations["append the reversed list"]((1,) * 20) is None


@pytest.mark.parametrize("difficulty", [0.0, 2.0])
@pytest.mark.parametrize("category", PatternMachineEnv.categories)
def test_every_program_that_fits_gives_the_answer(category: str, difficulty: float) -> None:
    for problem in draw_problems(PatternMachineEnv, difficulty, count=8, category=category):
        lengths, outputs = set(), set()
        for names, output in fitting(problem, all_operations(problem)):
            lengths.add(len(names))
            outputs.add(output)
        text = problem.answer.strip("[]").replace(",", "")
        assert outputs == {tuple(map(int, text.split()))}
        assert min(lengths) == len(problem.data["program"])


def all_operations(problem: Problem) -> dict[str, Operation[Any]]:
    if problem.category == "list_function":
        return LIST_OPERATIONS
    rows = [row for example in problem.data["examples"] for row in example]
    return row_operations(sorted({cell for row in rows for cell in row} - {0}))


def fitting(
    problem: Problem, operations: dict[str, Operation[Any]]
) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Every program, tried one by one on every example."""
    found = []
    kind = bytes if problem.category == "arc_1d" else tuple
    for steps in range(1, MAX_STEPS + 1):
        for names in product(operations, repeat=steps):
            program = [operations[name] for name in names]
            for before, after in problem.data["examples"]:
                run = run_program(program, kind(before))
                if run is None or run[-1] != kind(after):
                    break
            else:
                last = run_program(program, kind(problem.data["input"]))
                found += [(names, tuple(last[-1]))] if last else []
    return found


def test_the_search_finds_all_programs() -> None:
    operations = LIST_OPERATIONS
    example = ((3, 1, 2), (6, 4, 2))
    slow = [
        names
        for steps in (1, 2)
        for names in product(operations, repeat=steps)
        if (run := run_program([operations[n] for n in names], example[0]))
        and run[-1] == example[1]
    ]
    assert slow
    assert len(programs_for(operations, example, 2)) == len(slow)


@pytest.mark.parametrize(
    ("category", "answer", "fault"),
    [
        ("arc_1d", "0 3 0", ""), ("arc_1d", "030", ""), ("arc_1d", "[0, 3, 0]", ""),
        ("arc_1d", "0 3", "2 elements"), ("arc_1d", "0 3 0 0", "4 elements"),
        ("arc_1d", "031", "Wrong places: 1 of 3."), ("arc_1d", "", "not a list"),
        ("arc_1d", "x", "not a list"), ("list_function", "[0, 3, 0]", ""),
        ("list_function", "0 3 0.", ""), ("list_function", "030", "1 elements"),
        ("list_function", "[0, 3]", "2 elements"), ("list_function", "", "not a list"),
    ],
)  # fmt: skip
def test_forms_of_an_answer(category: str, answer: str, fault: str) -> None:
    written = "0 3 0" if category == "arc_1d" else "[0, 3, 0]"
    check_fault(PatternMachineEnv, Problem("", written, category=category), answer, fault)
