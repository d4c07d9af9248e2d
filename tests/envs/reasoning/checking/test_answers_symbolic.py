"""math-verify behind the killable worker."""

import importlib.util
import threading
import time

import pytest

from zerogym.envs.reasoning.symbolic import equal_symbolically
from zerogym.errors import MissingExtra

installed = importlib.util.find_spec("math_verify") is not None
needs_it = pytest.mark.skipif(not installed, reason="math-verify is not installed")


@pytest.mark.skipif(installed, reason="math-verify is installed")
def test_a_missing_extra_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"zerogym\[math\]"):
        equal_symbolically("1", "1")


@pytest.mark.proof
@needs_it
def test_it_knows_what_our_grammar_does_not() -> None:
    determinant = r"\begin{vmatrix} 1 & 2 \\ 3 & 4 \end{vmatrix}"
    assert equal_symbolically(determinant, "-2")
    assert equal_symbolically(determinant, "2") is False


@needs_it
@pytest.mark.proof
def test_it_ends_in_time_from_any_thread() -> None:
    results: list[object] = []

    def compare() -> None:
        start = time.monotonic()
        results.append(equal_symbolically("9^{9^{9^{9}}}", "1", seconds=1.0))
        results.append(time.monotonic() - start < 30)
        results.append(equal_symbolically("x+x", "2x"))

    thread = threading.Thread(target=compare)
    thread.start()
    thread.join()
    assert not results[0] and results[1:] == [True, True]


def test_what_is_too_long_is_not_read() -> None:
    assert equal_symbolically("9" * 10_000_000, "1") is False
