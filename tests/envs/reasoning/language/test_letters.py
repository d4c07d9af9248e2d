"""Letter tasks, ciphers and the word list, against other ways to compute and known texts."""

import codecs
import re
from itertools import pairwise, permutations

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.language import cipher, letter_questions
from zerogym.envs.reasoning.language.cipher import CipherEnv, encode, readable_shifts
from zerogym.envs.reasoning.language.letter_tasks import LetterTasksEnv
from zerogym.envs.reasoning.language.words import (
    LONGEST,
    SHORTEST,
    draw_word,
    known_words,
    words_by_initial,
    words_of,
    words_up_to,
)
from zerogym.envs.reasoning.mistakes import swap_letters

LEVELS = (0.0, 1.0, 2.5, 4.0, 20.0)


def drawn(env: type[ReasoningEnv], category: str) -> list[Problem]:
    return draw_problems(env, *LEVELS, count=30, category=category)


# --- the word list


def test_the_list_is_sorted_and_plain() -> None:
    words = words_up_to(LONGEST)
    assert len(words) == len(known_words()) > 4000
    assert all(re.fullmatch("[a-z]{3,12}", word) for word in words)
    assert list(words) == sorted(words, key=lambda word: (len(word), word))
    assert [word for n in range(SHORTEST, LONGEST + 1) for word in words_of(n)] == list(words)
    groups = words_by_initial()
    assert sorted(words) == sorted(word for group in groups.values() for word in group)
    assert all(word[0] == initial for initial, group in groups.items() for word in group)


def test_a_drawn_word_has_the_required_length() -> None:
    rng = np.random.default_rng(0)
    lengths = {len(draw_word(rng, 4, 6)) for _ in range(200)}
    assert lengths == {4, 5, 6}
    assert {len(draw_word(rng, 12, 12)) for _ in range(5)} == {12}


# --- letter tasks, read from their prompts


def test_counts_are_right() -> None:
    for problem in drawn(LetterTasksEnv, "count"):
        question = re.search(r"letters ([a-z, ]+) occur in \"([a-z ]+)\"", problem.prompt)
        assert question
        expected = {c: len(re.findall(c, question[2])) for c in question[1].split(", ")}
        assert problem.answer == ", ".join(f"{c} = {n}" for c, n in expected.items())


def test_backwards_texts_are_right() -> None:
    for problem in drawn(LetterTasksEnv, "reverse"):
        text = problem.prompt.split('"')[1]
        assert all(problem.answer[-1 - n] == letter for n, letter in enumerate(text))
        assert len(problem.answer) == len(text) and problem.answer != text


def test_sorted_words_are_right() -> None:
    orders = set()
    for problem in drawn(LetterTasksEnv, "sort"):
        how, listed = problem.prompt.split("\n")[0].removeprefix("Sort these words ").split(": ")
        final = problem.answer.split(", ")
        assert sorted(final) == sorted(listed.removesuffix(".").split(", "))
        assert final != listed
        pairs = list(pairwise(final))
        if how.startswith("by length"):
            assert all(len(a) < len(b) or (len(a) == len(b) and a < b) for a, b in pairs)
        else:
            assert all((a < b) != ("reverse" in how) for a, b in pairs)
        orders.add(how)
    assert len(orders) == len(letter_questions.ORDERS)


def test_exactly_one_candidate_is_an_anagram() -> None:
    for problem in drawn(LetterTasksEnv, "anagram"):
        letters = problem.prompt.split('"')[1]
        candidates = problem.prompt.split("\n")[1].split(", ")
        assert len(candidates) > 1
        assert letters not in candidates
        right = [word for word in candidates if sorted(word) == sorted(letters)]
        assert right == [problem.answer]
        if len(letters) <= 6:
            assert problem.answer in {"".join(order) for order in permutations(letters)}


def test_the_solver_counts_letters_that_occur_twice() -> None:
    data = {"letters": "aab", "candidates": ["abb", "baa"]}
    assert LetterTasksEnv.solve(letter_problem("anagram", "", **data)) == "baa"


def test_groups_are_right_in_any_order() -> None:
    rng = np.random.default_rng(0)
    for problem in drawn(LetterTasksEnv, "group"):
        strings = problem.prompt.split(": ")[1].split(".\n")[0].split(", ")
        by_letters: dict[str, list[str]] = {}
        for string in strings:
            by_letters.setdefault("".join(sorted(string)), []).append(string)
        groups = list(by_letters.values())
        rng.shuffle(groups)
        assert LetterTasksEnv.score(problem, "\n".join(" ".join(g[::-1]) for g in groups)) == 1
        assert LetterTasksEnv.score(problem, str(groups)) == 1, "as a Python list"
        assert LetterTasksEnv.score(problem, "; ".join(", ".join(g) for g in groups[1:])) == 0
        twice = [*groups, groups[0]]
        assert LetterTasksEnv.score(problem, "; ".join(", ".join(g) for g in twice)) == 0


def letter_problem(category: str, answer: str, **data: object) -> Problem:
    return Problem("", answer, category=category, data=data)


COUNT = letter_problem("count", "a = 2, b = 0", counts={"a": 2, "b": 0})


@pytest.mark.parametrize(
    ("problem", "answer", "fault"),
    [
        (COUNT, "a = 2, b = 0", ""), (COUNT, "B: 0; A: 2", ""), (COUNT, "a = 2", "each of a, b"),
        (COUNT, "2, 0", "each of a, b"), (COUNT, "a = 2, b = 0, c = 0", "each of a, b"),
        (COUNT, "a = 2, b = 1", "1 of 2"), (COUNT, "a = two, b = 0", "1 of 2"),
        (letter_problem("reverse", "aet", text="tea"), "eat", "order"),
        (letter_problem("reverse", "aet", text="tea"), "ea", "not the letters"),
        (letter_problem("sort", "a, b", words=["b", "a"]), "b, a", "order"),
        (letter_problem("sort", "a, b", words=["b", "a"]), "a", "given words"),
        (letter_problem("anagram", ""), "tea", "'tea'"),
        (letter_problem("group", "ab, ba", strings=["ab", "ba"]), "ab; ba", "groups are wrong"),
        (letter_problem("group", "ab, ba", strings=["ab", "ba"]), "ab", "given strings"),
    ],
)  # fmt: skip
def test_faults_of_letter_answers_are_named(problem: Problem, answer: str, fault: str) -> None:
    check_fault(LetterTasksEnv, problem, answer, fault)


# --- ciphers


@pytest.mark.parametrize(
    ("category", "key", "message", "secret"),
    [
        ("caesar", "3", "the quick fox", "wkh txlfn ira"),
        ("caesar", "25", "ibm", "hal"),
        ("atbash", "", "abc xyz", "zyx cba"),
        ("atbash", "", "wizard", "draziw"),
        ("vigenere", "lemon", "attackatdawn", "lxfopvefrnhr"),  # the textbook example
        ("vigenere", "lemon", "attack at dawn", "lxfopv ef rnhr"),
        ("substitution", "qwertyuiopasdfghjklzxcvbnm", "hello", "itssg"),
    ],
)
def test_known_messages(category: str, key: str, message: str, secret: str) -> None:
    assert encode(category, key, message) == secret
    for decode, text, answer in ((False, message, secret), (True, secret, message)):
        data = {"key": key, "decode": decode, "text": text}
        problem = Problem("", answer, category=category, data=data)
        assert CipherEnv.solve(problem) == answer
        assert CipherEnv.score(problem, f" '{answer.upper()}' ") == 1


def test_shift_13_is_rot13() -> None:
    text = " ".join(words_up_to(LONGEST)[::40])
    assert encode("caesar", "13", text) == codecs.encode(text, "rot13")


@pytest.mark.parametrize("category", CipherEnv.categories[:-1])
def test_messages_are_listed_words_and_go_there_and_back(category: str) -> None:
    directions = set()
    for problem in drawn(CipherEnv, category):
        key = problem.data["key"]
        given = problem.prompt.rpartition(" this message: ")[2]
        decode = "\nDecode this" in problem.prompt
        message, secret = (problem.answer, given) if decode else (given, problem.answer)
        assert set(message.split()) <= known_words()
        assert encode(category, key, message) == secret
        assert key in problem.prompt
        directions.add(decode)
    assert directions == {True, False}


def test_exactly_one_shift_breaks_a_message() -> None:
    for problem in drawn(CipherEnv, "break"):
        secret = problem.prompt.rpartition(" this message: ")[2]
        assert problem.data["key"] == "", "the solver must find it"
        readable = []
        for shift in range(26):
            text = encode("caesar", str(shift), secret)
            readable += [text] if set(text.split()) <= known_words() else []
        assert readable == [problem.answer]


def test_a_message_that_two_shifts_make_readable_is_noticed() -> None:
    assert {"cheer", "jolly"} <= set(readable_shifts("jolly"))
    assert encode("caesar", "7", "cheer") == "jolly"
    assert readable_shifts("jolly garden") == ["jolly garden"], "all words must be listed"


def test_such_a_message_is_not_posed(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(rng: np.random.Generator, shortest: int, longest: int, count: int) -> list[str]:
        return ["cheer" if rng.random() < 0.8 else "garden" for _ in range(count)]

    monkeypatch.setattr(cipher, "draw_words", draw)
    assert all("garden" in problem.answer for problem in drawn(CipherEnv, "break"))


def test_wrong_messages_are_explained() -> None:
    problem = Problem("", "old tea", category="caesar", data={})
    assert CipherEnv.explain(problem, "old ten") == "Wrong letters: 1 of 6."
    assert "not as long" in CipherEnv.explain(problem, "oldtea")


def test_a_slip_exchanges_two_neighbours() -> None:
    rng = np.random.default_rng(0)
    slips = {swap_letters("tea: aet\nto: oot\nTogether 12", rng) for _ in range(100)}
    assert slips == {"tea: eat", "tea: ate", "tea: aet\nto: oto"}
    assert swap_letters("a\naa\n12", rng) is None


def test_guesses_at_letters_and_anagrams_fail() -> None:
    problems = draw_problems(LetterTasksEnv, 1.0, count=1500)
    counts = [p.data["counts"] for p in problems if p.category == "count"]
    assert np.mean([set(count.values()) == {1} for count in counts]) < 0.12
    sizes = [len(p.data["candidates"]) for p in problems if p.category == "anagram"]
    assert np.mean([1 / size for size in sizes]) < 0.15
