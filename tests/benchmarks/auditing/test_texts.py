"""The checks of texts find planted faults, and nothing in their repaired twins."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import helpers.audited_texts  # noqa: F401 (registers the planted environments)
from zerogym.benchmarks.auditing.answers import constant_answer, fitting_answers
from zerogym.benchmarks.auditing.canonical import form_up_to_names, form_up_to_order
from zerogym.benchmarks.auditing.examples import Example
from zerogym.benchmarks.auditing.runner import read_json
from zerogym.benchmarks.auditing.shortcuts import FALSE_ALARM, classify, shortcut
from zerogym.benchmarks.auditing.subject import QUICK, Subject
from zerogym.benchmarks.auditing.twins import compare, overlap_up_to_names
from zerogym.cli import app

CHECKS = {
    "Cue": shortcut, "Names": overlap_up_to_names, "Fits": fitting_answers,
    "Digits": constant_answer,
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_a_planted_fault_is_found_and_its_repair_passes(name: str) -> None:
    check = CHECKS[name]
    assert check(Subject(f"Planted/{name}Fault-v0"), QUICK).status == "fail"
    repaired = check(Subject(f"Planted/{name}-v0"), QUICK)
    assert repaired.status == "pass", repaired.says


def test_a_constant_answer_is_named_with_the_category_that_it_is_too_good_in() -> None:
    found = constant_answer(Subject("Planted/DigitsFault-v0"), QUICK)  # "no" has half elsewhere
    floors = found.measured["categories"]
    assert floors["parity"]["mean"] > floors["digit"]["mean"]
    assert f"'7' earns {floors['digit']['mean']:.2g} in digit" in found.says


def test_a_cue_beside_the_names_of_the_question_is_found_by_that_view() -> None:
    found = shortcut(Subject("Planted/CueFault-v0"), QUICK).measured
    assert found["best"] == "sentences that share names with the last"
    best = found["classifiers"][found["best"]]
    assert best["right"] == pytest.approx(0.8, abs=0.08)  # 0.6 + 0.4 / 2
    assert not {"first sentence", "last sentence", "words"} & set(found["flagged"])


def test_what_is_true_of_the_train_side_and_false_on_the_test_side_is_a_shortcut() -> None:
    def drawn(swap: bool, count: int) -> list[Example]:
        cues = np.random.default_rng(count).integers(2, size=count)
        return [Example(f"{'ab'[c]} is here?", ["no", "yes"][c ^ swap], "") for c in cues]

    found = classify(drawn(False, 200), drawn(True, 150))
    assert found["words"]["right"] == 0.0
    assert found["words, exchanged"]["right"] == 1.0
    assert found["words, exchanged"]["chance"] < FALSE_ALARM / len(found)


def test_answers_that_are_drawn_by_lot_are_not_flagged() -> None:
    rng = np.random.default_rng(0)
    lowest = []
    for _ in range(20):
        both = [
            Example(" ".join(rng.choice(["ant", "bee", "cat", "dog", "eel"], 6)), answer, "")
            for answer in rng.choice(["yes", "no"], 150, p=[0.6, 0.4])
        ]
        found = classify(both[:80], both[80:])
        lowest.append(min(result["chance"] * len(found) for result in found.values()))
    assert min(lowest) > FALSE_ALARM  # by chance about once in 1000 environments


def test_open_questions_are_skipped() -> None:
    assert shortcut(Subject("Planted/Names-v0"), QUICK).status == "skip"
    assert fitting_answers(Subject("Planted/Cue-v0"), QUICK).status == "skip"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Ann likes Bob.\nBob likes Cid. Is Ann Cid?",
         "Eve likes Fay.\nDan likes Eve. Is Dan Fay?", True),
        ("Ann likes Bob.\nBob likes Cid. Is Ann Cid?",
         "Eve likes Fay.\nDan likes Eve. Is Fay Dan?", False),
        ("What is 3 + 4 * 5 - 2?", "What is 4 * 5 + 3 - 2?", True),
        ("What is 3 + 4 * 5 - 2?", "What is 5 * 4 - 2 + 3?", True),
        ("What is 3 + 4 * 5 - 2?", "What is 4 + 3 * 5 - 2?", False),
        ("What is 3 - (4 + 5)?", "What is 3 - (5 + 4)?", True),
        ("What is 7 / 2?", "What is 2 / 7?", False),
        ("1. p | q\n2. q -> r\nso r | p", "1. c -> a\n2. b | c\nso b | a", True),
        ("1. p | q\n2. q -> r\nso r | p", "1. a -> c\n2. b | c\nso b | a", False),
        ("You meet Ann, Bob and Cid. Ann: Bob lies. Cid: Ann lies.",
         "You meet Bob, Cid and Ann. Bob: Ann lies. Ann: Cid lies.", True),
        ("Sort 3, 1, 2.", "Sort 1, 2, 3.", False),
        ("a (b [c", "a (b [c", True),
    ],
)  # fmt: skip
def test_forms_up_to_names_and_order(first: str, second: str, same: bool) -> None:
    common = {"likes", "Is", "What", "is", "so", "You", "meet", "and", "lies", "Sort"}
    forms = [form_up_to_order(text, "", common).prompt for text in (first, second)]
    assert (forms[0] == forms[1]) == same


def test_names_of_the_answer_are_replaced_like_those_of_the_prompt() -> None:
    common = {"met", "saw", "knight", "knave"}
    one = form_up_to_order("Ann met Bob. Ann saw Bob.", "Bob: knave, Ann: knight", common)
    assert one == form_up_to_order("Eve saw Dan. Eve met Dan.", "Eve: knight, Dan: knave", common)
    first = form_up_to_names("Ann met Bob. Bob met Ann.", "Bob", common)
    assert first == form_up_to_names("Eve met Dan. Dan met Eve.", "Dan", common)
    assert first != form_up_to_names("Eve met Dan. Dan met Eve.", "Eve", common)


def test_order_that_changes_the_answer_is_kept() -> None:
    """Programs whose lines are exchanged are other programs, as their results show."""

    def program(order: list[int], start: int) -> Example:
        lines = [f"add {start}", "double it", f"take {start + 1} away"]
        value = start + 50
        for n in order:
            value = (value + start, 2 * value, value - start - 1)[n]
        return Example("\n".join([*(lines[n] for n in order), "The result?"]), str(value), "")

    train = [program([0, 1, 2], start) for start in range(40)]
    found = compare(train, [program([1, 2, 0], start) for start in range(40)])
    assert (found["share"], found["order ignored"]) == (0.0, False)
    assert compare(train, train[:20])["share"] == 1.0


def test_one_check_of_the_command(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    command = ["audit", "--quick", "--check", "fitting answers", "--out", str(file), "Sequences"]
    run = CliRunner().invoke(app, command)
    assert run.exit_code == 0, run.output
    (found,) = read_json(file).values()
    assert set(found) == {"fitting answers"}
    assert found["fitting answers"].measured["offered"] >= 30
    run = CliRunner().invoke(app, ["audit", "--check", "shortcuts", "Sequences"])
    assert run.exit_code == 2 and "Did you mean 'shortcut'" in run.output
