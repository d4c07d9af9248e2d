"""Items of reasoning-gym as problems of our tasks: words, automata and patterns."""

import json
import re
from collections.abc import Mapping
from typing import Any

from helpers.reasoning_gym.items import Dataset, Item, pose, suite, value
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.language.cipher import CipherEnv
from zerogym.envs.reasoning.language.letter_tasks import LetterTasksEnv
from zerogym.envs.reasoning.programs.cellular_automaton import CellularAutomatonEnv
from zerogym.envs.reasoning.programs.list_operations import LIST_OPERATIONS
from zerogym.envs.reasoning.programs.pattern_machine import MAX_STEPS, PatternMachineEnv
from zerogym.envs.reasoning.programs.programs import explains, output_of, programs_for
from zerogym.envs.reasoning.programs.row_operations import row_operations


def _letter_count(item: Item) -> Problem | None:
    """It counts digits as letters."""
    letter = item["metadata"]["target_letter"]
    if not letter.isalpha():
        return None
    text = " ".join(item["metadata"]["span"]).lower()
    data = {"text": text, "letters": [letter], "counts": {letter: text.count(letter)}}
    return pose(item, data, "count")


def _read_letter_count(answer: str, item: Item) -> str:
    return f"{item['metadata']['target_letter']} = {answer}"


def _word_sorting(item: Item) -> Problem:
    metadata = item["metadata"]
    order = "alphabetical" if metadata["direction"] == "ascending" else "reverse alphabetical"
    return pose(item, {"words": metadata["transformed_words"], "order": order}, "sort")


def _anagrams(item: Item) -> Problem:
    words = item["metadata"]["words"]
    keys = sorted({"".join(sorted(word)) for word in words})
    groups = [sorted(word for word in words if "".join(sorted(word)) == key) for key in keys]
    return pose(item, {"strings": words, "groups": sorted(groups)}, "group")


def _write_groups(answer: str, item: Item) -> str:
    return json.dumps([group.split(", ") for group in answer.split("; ")])


def _caesar(item: Item) -> Problem:
    metadata = item["metadata"]
    text = metadata["cipher_text"].lower()
    return pose(item, {"key": str(metadata["rotation"]), "decode": True, "text": text}, "caesar")


def _life(item: Item) -> Problem:
    rows = re.findall(r"[01](?:,[01])+", item["question"].rpartition("\n\n")[2])
    board = [row.replace(",", "") for row in rows]
    return pose(item, {"board": board, "steps": item["metadata"]["simulation_steps"]}, "life")


def _write_board(answer: str, item: Item) -> str:
    return json.dumps([[int(cell) for cell in row] for row in answer.split(";")])


def _if_decided(problem: Problem, kind: type[Any], operations: Mapping[str, Any]) -> Problem | None:
    """Only where programs of our family explain the examples, and all of them agree."""
    examples = [(kind(before), kind(after)) for before, after in problem.data["examples"]]
    first, *others = examples
    given = kind(problem.data["input"])
    programs = programs_for(operations, first, MAX_STEPS)
    outputs = {output_of(program, given) for program in programs if explains(program, others)}
    return problem if len(outputs) == 1 and None not in outputs else None


def _rows(item: Item) -> Problem | None:
    metadata = item["metadata"]
    examples = [[pair["input"], pair["output"]] for pair in metadata["train_examples"]]
    colours = sorted({cell for pair in examples for row in pair for cell in row if cell})
    data = {"examples": examples, "input": metadata["test_example"]["input"]}
    return _if_decided(pose(item, data, "arc_1d"), bytes, row_operations(colours))


def _lists(item: Item) -> Problem | None:
    lists = [json.loads(text) for text in re.findall(r"put(?: \d)?: (\[.*\])", item["question"])]
    examples = [list(pair) for pair in zip(lists[:-1:2], lists[1:-1:2], strict=True)]
    data = {"examples": examples, "input": lists[-1]}
    return _if_decided(pose(item, data, "list_functions"), tuple, LIST_OPERATIONS)


WORDS: dict[str, Dataset] = {
    "letter_counting": Dataset(LetterTasksEnv, _letter_count, _read_letter_count, value),
    "spell_backward": Dataset(
        LetterTasksEnv,
        lambda item: pose(item, {"text": item["metadata"]["word"].lower()}, "reverse"),
    ),
    "word_sorting": Dataset(
        LetterTasksEnv,
        _word_sorting,
        config={"transformation": suite.algorithmic.word_sorting.TextTransformation.LOWERCASE},
    ),
    "group_anagrams": Dataset(LetterTasksEnv, _anagrams, write=_write_groups),
    "caesar_cipher": Dataset(CipherEnv, _caesar, write=lambda answer, item: answer.upper()),
    "game_of_life": Dataset(
        CellularAutomatonEnv,
        _life,
        write=_write_board,
        config={"filled_cells": 30, "simulation_steps": 2},
    ),
    "arc_1d": Dataset(PatternMachineEnv, _rows),
    "list_functions": Dataset(PatternMachineEnv, _lists),
}
