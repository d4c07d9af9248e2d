"""Equality by math-verify and SymPy, in a process that can be killed.

For answers beyond the grammar of `answers.equal` (integrals, inequalities, determinants). It costs
milliseconds, judges more loosely (`[0, 1]` passes for `(0, 1)`, `5 km` for `5`) and its results
depend on the installed versions, so no task uses it.
"""

from functools import lru_cache

from zerogym.envs.reasoning.answers import MAX_ANSWER_LENGTH
from zerogym.envs.workers import Worker, WorkerCrashed, WorkerError, WorkerTimeout
from zerogym.errors import MissingExtra, require

START_SECONDS = 60.0  # for importing SymPy
MEMORY_MIB = 2048
_HERE = "zerogym.envs.reasoning.symbolic"


def equal_symbolically(given: str, expected: str, seconds: float = 5.0) -> bool | None:
    """Compare two answers with math-verify; None if it did not end in time or crashed.

    Args:
        given: The answer to be judged.
        expected: The right answer.
        seconds: Limit; at the first call SymPy's import does not count.

    Raises:
        MissingExtra: If math-verify is not installed.
    """
    if max(len(given), len(expected)) > MAX_ANSWER_LENGTH:
        return False
    worker = _worker()
    try:
        worker.call(f"{_HERE}:load", seconds=START_SECONDS)
        return bool(worker.call(f"{_HERE}:verify", given, expected, seconds=seconds))
    except (WorkerTimeout, WorkerCrashed):
        return None
    except WorkerError as error:
        if error.kind == MissingExtra.__name__:
            raise MissingExtra(error.message) from None
        return None


def load() -> None:
    """Import what `verify` needs (in the worker)."""
    require("math_verify", "math", "equal_symbolically")


def verify(given: str, expected: str) -> bool:
    """Compare two answers with math-verify, without a limit (in the worker)."""
    checker = require("math_verify", "math", "equal_symbolically")
    answer, right = (checker.parse(f"${text}$", parsing_timeout=None) for text in (given, expected))
    return bool(checker.verify(right, answer, timeout_seconds=None))


@lru_cache(maxsize=1)
def _worker() -> Worker:
    return Worker(MEMORY_MIB)
