"""The answer checker on a battery of equal pairs, unequal pairs and hostile strings."""

import gc
import sys
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zerogym.envs.reasoning.answers import equal, parse_number

BATTERY = tomllib.loads((Path(__file__).parent / "data/answers_battery.toml").read_text("utf-8"))
LIMIT = 0.2  # CPU seconds an answer


@pytest.mark.parametrize("kind", ["equal", "unequal"])
def test_pairs(kind: str) -> None:
    for given, expected, *options in BATTERY[kind]:
        found = equal(given, expected, **(options[0] if options else {}))
        assert found == (kind == "equal"), (given, expected)


def test_the_battery_is_as_large_as_promised() -> None:
    pairs = [
        (pair[0], pair[1], str(pair[2:])) for kind in ("equal", "unequal") for pair in BATTERY[kind]
    ]
    assert len(pairs) == len(set(pairs))
    assert min(len(BATTERY["equal"]), len(BATTERY["unequal"])) >= 60
    assert len(BATTERY["hostile"]) >= 40


EXPECTED = (
    "5",
    "x^2 - 1",
    r"\sin x + \sqrt{x+1}",
    "x = 5",
    r"\{1, 2\}",
    "(0, 1]",
    r"[0,1] \cup [2,3)",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
    "no solution",
)


def _hostile(entry: dict[str, Any]) -> str:
    middle = entry.get("repeat", "") * entry.get("times", 1)
    return str(entry.get("before", "") + middle + entry.get("after", ""))


def _slowest(text: str) -> float:
    """CPU seconds of the slowest comparison; the garbage of other tests is not collected in it."""
    gc.collect()
    gc.disable()
    try:
        slowest = max(_seconds(text, expected) for expected in (*EXPECTED, text, text + "+0"))
        start = time.thread_time()
        equal(text, "5", tolerance=0.5, ordered=False, units=("km", "%"))
        parse_number(text)
        return max(slowest, time.thread_time() - start)
    finally:
        gc.enable()


def _seconds(text: str, expected: str) -> float:
    start = time.thread_time()
    result = equal(text, expected)
    spent = time.thread_time() - start
    assert result in (True, False)
    assert not (result and expected in EXPECTED)
    return spent


HOSTILE = {entry["name"]: _hostile(entry) for entry in BATTERY["hostile"]} | {
    "a lone surrogate": "\ud800",
    "surrogates in a number": "1\udfff2",
    "a NUL": "5\x00",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if number % 16 == 0 else pytest.mark.proof)
        for number, name in enumerate(HOSTILE)
    ],
)
def test_hostile_strings_end_in_time(name: str) -> None:
    assert _slowest(HOSTILE[name]) < LIMIT


@pytest.mark.proof
def test_hostile_strings_end_in_time_in_a_thread() -> None:
    times: list[float] = []
    thread = threading.Thread(target=lambda: times.extend(map(_slowest, HOSTILE.values())))
    thread.start()
    thread.join()
    assert len(times) == len(HOSTILE) and max(times) < LIMIT


def test_a_deep_caller_is_no_problem() -> None:
    def deeper(levels: int) -> bool:
        return deeper(levels - 1) if levels else equal("(" * 24 + "x" + ")" * 24, "x")

    assert deeper(sys.getrecursionlimit() // 2 - 100)


PIECES = (
    "0 1 2 12 1,234 1.5 2e3 x y e i pi sin ln log sqrt oo U or + - * / ^ ** ( ) [ ] { } | ! % _ = "
    r", & ° ± ∪ √ ² ⁻¹ ∅ ∞ $ . ; \frac \sqrt \sin \log \binom \pi \infty \cdot \left \right \text "
    r"\{ \} \\ \, \pm \% \begin{pmatrix} \end{pmatrix} \frac{1}{2} \sqrt{x} ^\circ \cup \in \boxed{"
)


def _judged_in_time(given: str, expected: str) -> None:
    start = time.thread_time()
    assert equal(given, expected) in (True, False)
    assert parse_number(given) is None or not equal(given, given + "1")  # one digit more
    assert time.thread_time() - start < 2 * LIMIT


def test_any_string_of_pieces_is_judged_in_time() -> None:
    rng, pieces = np.random.default_rng(0), [*PIECES.split(), " "]
    for _ in range(4000):
        picks = rng.integers(0, len(pieces), size=(2, int(rng.integers(1, 14))))
        _judged_in_time(*("".join(pieces[k] for k in row) for row in picks))


def test_right_answers_with_a_piece_lost_or_doubled_are_judged_in_time() -> None:
    rng = np.random.default_rng(1)
    for given, expected, *_ in BATTERY["equal"]:
        for _ in range(20):
            start = int(rng.integers(0, len(given)))
            end = start + int(rng.integers(1, 4))
            for flawed in (given[:start] + given[end:], given[:end] + given[start:], given[:start]):
                _judged_in_time(flawed, expected)
