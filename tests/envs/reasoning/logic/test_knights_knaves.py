"""Knights and knaves, against enumeration and against the English sentences themselves."""

import re
from itertools import product

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.knights_knaves import KnightsKnavesEnv

SIMPLE = re.compile(r"(\w+) is a (knight|knave)")


def means(text: str, me: str, kinds: dict[str, bool]) -> bool:
    """Return True if a sentence of the prompt, read as English, is true."""
    kinds = kinds | {"I": kinds[me], "me": kinds[me]}

    def simple(part: str) -> bool:
        match = re.fullmatch(r"(\w+) (?:is|am) a (knight|knave)", part.strip())
        assert match is not None, part
        return kinds[match[1]] == (match[2] == "knight")

    def people(part: str) -> list[bool]:
        return [kinds[name] for name in re.split(r", | and ", part)]

    count = re.fullmatch(
        r"(At least one|At least two|Exactly one) of (.+?) (?:is|are) an? (.+)", text
    )
    count = count or re.fullmatch(r"(At least two) of (.+?) are ()(knights|knaves)", text)
    if count:
        target = count[count.lastindex or 0].startswith("knight")
        number = sum(kind == target for kind in people(count[2]))
        least = 2 if "two" in count[1] else 1
        return number == 1 if count[1] == "Exactly one" else number >= least
    if parity := re.fullmatch(r"The number of knights among (.+) is (odd|even)", text):
        return sum(people(parity[1])) % 2 == (parity[2] == "odd")
    if condition := re.fullmatch(r"If (.+), then (.+)", text):
        return not simple(condition[1]) or means(condition[2], me, kinds)
    if same := re.fullmatch(r"(\w+) and I are of the same kind", text):
        return kinds[same[1]] == kinds[me]
    if both := re.fullmatch(r"(\w+) and I are both knights", text):
        return kinds[both[1]] and kinds[me]
    if either := re.fullmatch(r"(.+), or (.+), or both", text):
        return simple(either[1]) or simple(either[2])
    if equal := re.fullmatch(r"(.+) if and only if (.+)", text):
        return simple(equal[1]) == simple(equal[2])
    return all(simple(part) for part in text.split(" and "))


@pytest.mark.parametrize("difficulty", [0, 1, 2.5, 6])
def test_exactly_the_answer_fits_the_sentences(difficulty: float) -> None:
    for problem in draw(KnightsKnavesEnv, difficulty, 60):
        said = re.findall(r'(\w+) says: "(.+)\."', problem.prompt)
        names = [name for name, _ in said]
        assert names == problem.data["names"]
        fitting = []
        for row in product((True, False), repeat=len(names)):
            kinds = dict(zip(names, row, strict=True))
            if all(means(text, name, kinds) == kinds[name] for name, text in said):
                fitting.append(kinds)
        assert len(fitting) == 1
        listing = ", ".join(f"{n}: {'knight' if k else 'knave'}" for n, k in fitting[0].items())
        assert problem.answer == listing


def test_every_assignment_is_as_likely_as_another() -> None:
    patterns = [
        tuple(word.endswith("knight") for word in p.answer.split(", "))
        for p in draw(KnightsKnavesEnv, 1, 4000)
    ]
    counts = np.array([patterns.count(pattern) for pattern in set(patterns)])
    assert len(counts) == 8
    assert np.all(np.abs(counts - 500) < 100)


def test_answers_in_other_words_score_and_wrong_ones_do_not() -> None:
    data = {"names": ["Ada", "Ben"], "claims": ["~Ben", "Ada & Ben"]}
    problem = Problem("", "Ada: knight, Ben: knave", data=data)
    right = (
        "Ben: knave, Ada: knight", "Ada is a knight and Ben is a knave.",
        "ada = KNIGHT\nben = KNAVE", "(Ada: knight, Ben: knave)",
        "- Ada: **knight**\n- Ben: **knave**", "1. **Ada** is a knight.\n2. **Ben** is a knave.",
    )  # fmt: skip
    wrong = (
        "Ada: knight", "Ada: knave, Ben: knight", "Ada: knight, Ben: knave, Ben: knight",
        "Ada: knight, Ben: knave, Carl: knave", "knight, knave", "Ada and Ben", "",
    )  # fmt: skip
    check_scores(KnightsKnavesEnv, problem, right, wrong)
    assert KnightsKnavesEnv.solve(problem) == problem.answer
    assert "what Ada says" in KnightsKnavesEnv.explain(problem, "Ada: knight, Ben: knight")
    assert "everybody" in KnightsKnavesEnv.explain(problem, "Ada: knight")
