"""Items of reasoning-gym as problems of our tasks: logic, puzzles and plans."""

import json
import re
from functools import reduce
from typing import Any

from helpers.reasoning_gym.items import Dataset, Item, pose, suite
from zerogym.envs.reasoning.constraints.cryptarithm import CryptarithmEnv
from zerogym.envs.reasoning.constraints.futoshiki import FutoshikiEnv
from zerogym.envs.reasoning.constraints.n_queens import NQueensEnv
from zerogym.envs.reasoning.constraints.sudoku import SudokuEnv
from zerogym.envs.reasoning.constraints.zebra import ZebraEnv
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.formulas import Formula, write
from zerogym.envs.reasoning.logic.knights_knaves import KnightsKnavesEnv
from zerogym.envs.reasoning.logic.syllogism import SyllogismEnv
from zerogym.envs.reasoning.puzzles.hanoi import HanoiEnv
from zerogym.envs.reasoning.puzzles.sokoban import SokobanEnv
from zerogym.envs.reasoning.puzzles.water_jugs import WaterJugsEnv

_OPERATORS = {"and": "and", "or": "or", "->": "implies", "<=>": "iff"}


def _claim(statement: Any, names: list[str]) -> Formula:
    kind, *parts = statement
    if kind == "telling-truth":
        return names[parts[0]]
    if kind == "lying":
        return ("not", names[parts[0]])
    formulas = [_claim(part, names) for part in parts]
    if kind == "not":
        return ("not", formulas[0])
    return reduce(lambda left, right: (_OPERATORS[kind], left, right), formulas)


def _knights(item: Item) -> Problem:
    names = [str(name) for name in item["metadata"]["names"]]
    claims = [write(_claim(said, names)) for said in item["metadata"]["statements"]]
    return pose(item, {"names": names, "claims": claims})


def _read_knights(answer: str, item: Item) -> str:
    terms = item["metadata"]["knight_knave_terms"]
    text = answer.replace(str(terms["a_knight"]), "a knight")
    return text.replace(str(terms["a_knave"]), "a knave")


def _write_knights(answer: str, item: Item) -> str:
    terms = item["metadata"]["knight_knave_terms"]
    pairs = [pair.split(": ") for pair in answer.split(", ")]
    return ", and ".join(f"{name} is {terms[f'a_{role}']}" for name, role in pairs)


_STATEMENT = re.compile(r"(All|No|Some) (\w+) are (not )?(\w+)")


def syllogism_statements(item: Item) -> list[list[Any]]:
    """Both premises and the conclusion as [mood, subject, predicate], kinds in order."""
    kinds: list[str] = []
    statements: list[list[Any]] = []
    for key in ("premise1", "premise2", "conclusion"):
        match = _STATEMENT.fullmatch(item["metadata"][key])
        assert match is not None
        mood = "O" if match[3] else {"All": "A", "No": "E", "Some": "I"}[match[1]]
        for kind in (match[2], match[4]):
            if kind not in kinds:
                kinds.append(kind)
        statements.append([mood, kinds.index(match[2]), kinds.index(match[4])])
    return statements


def _syllogism(item: Item) -> Problem:
    """It does not say how to read "all"; its rules are the classical ones."""
    *premises, conclusion = syllogism_statements(item)
    return pose(item, {"premises": premises, "conclusion": conclusion}, "existential")


def _sudoku(item: Item) -> Problem:
    puzzle = item["metadata"]["puzzle"]
    side = 3 if len(puzzle) == 9 else 2
    clues = [number for row in puzzle for number in row]
    return pose(item, {"size": side * side, "box": [side, side], "clues": clues})


def _queens(item: Item) -> Problem:
    rows = item["metadata"]["puzzle"]
    return pose(item, {"given": [row.index("Q") + 1 if "Q" in row else 0 for row in rows]})


def _read_queens(answer: str, item: Item) -> str:
    rows = [row.split() for row in answer.split("\n")]
    return ", ".join(str(row.index("Q") + 1 if "Q" in row else 0) for row in rows)


def _write_queens(answer: str, item: Item) -> str:
    columns = [int(column) - 1 for column in answer.split(", ")]
    size = range(len(columns))
    return "\n".join(" ".join("Q" if at == place else "_" for at in size) for place in columns)


def _cryptarithm(item: Item) -> Problem:
    metadata = item["metadata"]
    words = {"addends": metadata["words_letters"], "total": metadata["result_letters"]}
    return pose(item, words | {"known": {}})


def _futoshiki(item: Item) -> Problem:
    metadata = item["metadata"]
    size = metadata["board_size"]
    signs = []
    for row, column, other_row, other_column, sign in metadata["constraints"]:
        pair = [row * size + column, other_row * size + other_column]
        signs.append(pair if sign == "<" else pair[::-1])
    clues = [number for line in metadata["puzzle"] for number in line]
    return pose(item, {"size": size, "clues": clues, "smaller": signs})


def _read_futoshiki(answer: str, item: Item) -> str:
    """Without the signs."""
    lines = [re.sub(r"[^0-9 ]", " ", line) for line in answer.split("\n")]
    return "\n".join(line for line in lines if line.strip())


def _write_futoshiki(answer: str, item: Item) -> str:
    """Into the blanks of the drawn puzzle."""
    picture = item["answer"]
    numbers = iter(answer.split())
    return re.sub(r"\d", lambda _: next(numbers), picture)


_DESCRIBED = re.compile(r" - (.*): (.*)")
_CLUE = re.compile(r"\d+\. (.*)\.")
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_RELATIONS = (
    ("left", re.compile(r"(.*) is directly left of (.*)")),
    ("beside", re.compile(r"(.*) and (.*) are next to each other")),
    ("at", re.compile(r"(.*) is in the (\w+) house")),
)


def _phrases(item: Item) -> dict[str, str]:
    """Map the phrases of clues to names in the lists, in the order of the lists."""
    literals = suite.logic.contrib.logic_puzzle.literals
    kinds = [kind for kind in vars(literals).values() if hasattr(kind, "description")]
    described = {kind.description().partition(":")[0]: kind for kind in kinds}
    found = {}
    for description, names in _DESCRIBED.findall(item["question"]):
        for name in names.split(", "):
            thing = described[description][name.replace(" ", "_")]
            found[thing.value.lower()] = thing.name
    return found


def _clue(text: str, phrases: list[str]) -> list[Any]:
    for relation, pattern in _RELATIONS:
        match = pattern.fullmatch(text)
        if match and relation == "at":
            return [relation, phrases.index(match[1]), _PLACES.index(match[2])]
        if match:
            return [relation, phrases.index(match[1]), phrases.index(match[2])]
    for number, phrase in enumerate(phrases):
        if text.startswith(f"{phrase} is "):
            return ["same", number, phrases.index(text[len(phrase) + 4 :])]
    raise ValueError(text)


def _zebra(item: Item) -> Problem:
    phrases = _phrases(item)
    houses = item["metadata"]["difficulty"]["num_people"]
    clues = [_clue(said.lower(), list(phrases)) for said in _CLUE.findall(item["question"])]
    return pose(item, {"houses": houses, "things": list(phrases.values()), "clues": clues})


def _read_zebra(answer: str, item: Item) -> str:
    """Its answer is one name: return the table with this name in the first house."""
    table = ZebraEnv.solve(_zebra(item))
    first = table.split()[0]
    swapped = {first: answer, answer: first}
    return re.sub(r"\w+", lambda word: swapped.get(word[0], word[0]), table)


def _hanoi(item: Item) -> Problem:
    metadata = item["metadata"]
    disks = range(metadata["num_disks"])
    start, goal = metadata["start_peg"] - 1, metadata["target_peg"] - 1
    return pose(item, {"start": [start for _ in disks], "goal": [goal for _ in disks]})


_MOVE = re.compile(r"Move disk (\d+) from Peg (\d+) to Peg (\d+)")


def _read_hanoi(answer: str, item: Item) -> str:
    moves = [(disk, *map(int, pegs)) for disk, *pegs in _MOVE.findall(answer)]
    return ", ".join(f"disk {disk}: {chr(64 + a)}->{chr(64 + b)}" for disk, a, b in moves)


def _write_hanoi(answer: str, item: Item) -> str:
    metadata = item["metadata"]
    pegs: dict[int, list[int]] = {1: [], 2: [], 3: []}
    pegs[metadata["start_peg"]] = list(range(metadata["num_disks"], 0, -1))
    lines = []
    for move in answer.split(", "):
        here, there = (ord(peg) - 64 for peg in move.split("->"))
        pegs[there].append(pegs[here].pop())
        lines.append(f"Move disk {pegs[there][-1]} from Peg {here} to Peg {there}")
    return "\n".join(lines)


def _jugs(item: Item) -> Problem:
    """Ours name the jug: the one in which its own answer ends with the amount."""
    puzzle = item["metadata"]["puzzle"]
    sizes, target = puzzle["jug_capacities"], puzzle["target"]
    data = {"sizes": sizes, "start": [0] * len(sizes), "target": target}
    for jug in range(len(sizes)):
        problem = pose(item, data | {"jug": jug})
        if WaterJugsEnv.score(problem, _read_jugs(item["answer"], item)) == 1:
            break
    return problem


def _read_jugs(answer: str, item: Item) -> str:
    return ", ".join(json.loads(answer))


def _write_jugs(answer: str, item: Item) -> str:
    return json.dumps(answer.split(", "))


_SQUARES = str.maketrans("*%@X$+-", "@+$.*#-")


def _sokoban(item: Item) -> Problem:
    rows = item["metadata"]["gamestr"].replace(" ", "").split()
    return pose(item, {"map": [row.translate(_SQUARES) for row in rows]})


PUZZLES: dict[str, Dataset] = {
    "knights_knaves": Dataset(
        KnightsKnavesEnv, _knights, _read_knights, _write_knights, {"n_people": 4}
    ),
    "zebra_puzzles": Dataset(ZebraEnv, _zebra, _read_zebra, lambda answer, item: answer.split()[0]),
    "syllogism": Dataset(SyllogismEnv, _syllogism, write=lambda answer, item: answer.capitalize()),
    "sudoku": Dataset(SudokuEnv, _sudoku),
    "mini_sudoku": Dataset(SudokuEnv, _sudoku),
    "n_queens": Dataset(NQueensEnv, _queens, _read_queens, _write_queens),
    "cryptarithm": Dataset(CryptarithmEnv, _cryptarithm),
    "futoshiki": Dataset(
        FutoshikiEnv, _futoshiki, _read_futoshiki, _write_futoshiki, {"max_board_size": 6}
    ),
    "tower_of_hanoi": Dataset(
        HanoiEnv, _hanoi, _read_hanoi, _write_hanoi, {"min_pegs": 3, "max_pegs": 3}
    ),
    "jugs": Dataset(WaterJugsEnv, _jugs, _read_jugs, _write_jugs),
    "sokoban": Dataset(
        SokobanEnv, _sokoban, config={"min_boxes": 2, "max_boxes": 3, "max_w": 7, "max_h": 7}
    ),
}
