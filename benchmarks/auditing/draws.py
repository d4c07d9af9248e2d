"""Checks of drawn problems: overlaps between seeds and splits, duplicates, difficulty, rates."""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from zerogym.benchmarks.auditing.subject import Finding, Size, Subject, finish, own_answer
from zerogym.errors import NoSnapshot

SMALL_FALL = 0.05  # relative; a smaller one is the noise of few problems
MAX_LINES = 200_000  # of a solver, counted


def stream(subject: Subject, seed: int, count: int, **extra: Any) -> list[str]:
    """The first problems that `reset(seed)` and further resets give, as texts."""
    env = subject.make(**extra)
    first, _ = env.reset(seed=seed)
    return [_text(first), *(_text(env.reset()[0]) for _ in range(count - 1))]


def _text(observation: Any) -> str:
    return observation.tobytes().hex() if isinstance(observation, np.ndarray) else str(observation)


def seeds_overlap(subject: Subject, size: Size) -> Finding:
    """Problems that two seeds share must be as rare as chance makes them.

    Chance is estimated from the repetitions within one seed: a generator that walks the same list
    from another place repeats nothing within a seed and everything between neighbours.
    """
    first, second, far = (stream(subject, seed, size.stream) for seed in (0, 1, 12345))
    repeated = 1 - len(set(first)) / len(first)
    near = _share(second, first)
    distant = _share(far, first)
    leaks = near > max(2 * distant, 3 * repeated) + 0.05
    message = f"{near:.0%} of seed 1 is in seed 0, {repeated:.0%} repeats within a seed"
    measured = {"next seed": near, "far seed": distant, "repeated": repeated, "drawn": len(first)}
    return Finding("seeds overlap", "fail" if leaks else "pass", message, measured)


def _share(items: list[str], among: list[str]) -> float:
    known = set(among)
    return sum(item in known for item in items) / len(items)


def splits_overlap(subject: Subject, size: Size) -> Finding:
    """No problem of the test split may be drawn in the train split; checked at low difficulty."""
    if not subject.takes("split", "test"):
        return Finding("splits overlap", "fail", "it has no train and test side")
    easy = {"difficulty": 0.0} if subject.takes("difficulty", 0.0) else {}
    train = set(stream(subject, 0, size.side, split="train", **easy))
    test = set(stream(subject, 0, size.side, split="test", **easy))
    shared = len(train & test)
    message = f"{shared} shared of {len(train)} train and {len(test)} test problems"
    measured = {"shared": shared, "train": len(train), "test": len(test)}
    return Finding("splits overlap", "fail" if shared else "pass", message, measured)


def difficulty(subject: Subject, size: Size) -> Finding:
    """With difficulty, the solver's work or the prompt must grow, and never both shrink.

    Work is the number of Python lines that `oracle_action()` runs (`answer_action()` where there is
    one): the same on every machine.
    """
    if not subject.takes("difficulty", 0.0):
        return Finding("difficulty", "fail", "it takes no difficulty")
    work, length = [], []
    for level in size.levels:
        env = subject.make(difficulty=level)
        lines, characters = [], []
        for seed in range(size.per_level):
            observation, _ = env.reset(seed=seed)
            lines.append(count_lines(lambda env=env: own_answer(env)))  # type: ignore[misc]
            characters.append(len(_text(observation)))
        work.append(float(np.mean(lines)))
        length.append(float(np.mean(characters)))
    falls = [
        size.levels[n]
        for n in range(1, len(work))
        if all(values[n] < values[n - 1] * (1 - SMALL_FALL) for values in (work, length))
    ]
    grows = work[-1] > work[0] or length[-1] > length[0]
    message = f"work {_arrow(work)} lines, prompt {_arrow(length)} characters"
    found = {"levels": list(size.levels), "work": work, "prompt": length, "falls": falls}
    return Finding("difficulty", "pass" if grows and not falls else "fail", message, found)


def _arrow(values: list[float]) -> str:
    return f"{values[0]:,.0f} to {values[-1]:,.0f}"


def count_lines(function: Callable[[], Any]) -> int:
    """Python lines that a call runs, at most `MAX_LINES`."""
    lines = 0

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace if lines < MAX_LINES else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines


def rates(subject: Subject, size: Size) -> Finding:
    """Problems drawn and replies scored a CPU second on one core; never a failure."""
    env = subject.make()
    env.reset(seed=0)
    drawn = _rate(env.reset, size.seconds)
    task = env.unwrapped
    if not hasattr(task, "set_state"):
        return Finding("rates", "pass", f"{drawn:,.0f} resets/s", {"resets/s": drawn})
    env.reset(seed=0)
    try:
        state = task.get_state()  # type: ignore[attr-defined]
    except NoSnapshot:
        return Finding("rates", "pass", f"{drawn:,.0f} resets/s", {"resets/s": drawn})
    reply = own_answer(env) or ""

    def score() -> None:
        task.set_state(state)
        finish(task, lambda env, turn: reply)

    both = _rate(score, size.seconds)
    scored = 1 / max(1e-9, 1 / both - 1 / _rate(lambda: task.set_state(state), size.seconds))
    message = f"{drawn:,.0f} resets/s, {scored:,.0f} episodes scored/s"
    return Finding("rates", "pass", message, {"resets/s": drawn, "scored/s": scored})


def _rate(function: Callable[[], Any], seconds: float) -> float:
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        function()
        count += 1
    return count / spent
