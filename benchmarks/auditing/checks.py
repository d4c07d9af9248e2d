"""All checks in their order, and the child process that runs them on one environment."""

import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

from zerogym.benchmarks.auditing.answers import (
    constant_answer,
    fitting_answers,
    own_answer,
    wrong_answers,
)
from zerogym.benchmarks.auditing.children import Result, run_items
from zerogym.benchmarks.auditing.determinism import determinism
from zerogym.benchmarks.auditing.draws import difficulty, rates, seeds_overlap, splits_overlap
from zerogym.benchmarks.auditing.hostile import hostile_replies
from zerogym.benchmarks.auditing.plans import answer_in_sight, one_call_enough
from zerogym.benchmarks.auditing.shortcuts import shortcut
from zerogym.benchmarks.auditing.subject import Finding, NotAuditable, Size, Subject, has_answers
from zerogym.benchmarks.auditing.twins import overlap_up_to_names
from zerogym.envs.parent_death import end_with_parent

Check = Callable[[Subject, Size], Finding]

ABOUT_ANSWERS = (
    "own answer", "fitting answers", "wrong answers", "constant answer", "shortcut",
    "answer in sight", "one call enough", "splits overlap", "overlap up to names", "difficulty",
)  # fmt: skip
CHECKS: dict[str, Check] = {
    "own answer": own_answer,
    "fitting answers": fitting_answers,
    "wrong answers": wrong_answers,
    "constant answer": constant_answer,
    "shortcut": shortcut,
    "answer in sight": answer_in_sight,
    "one call enough": one_call_enough,
    "hostile replies": hostile_replies,
    "determinism": determinism,
    "seeds overlap": seeds_overlap,
    "splits overlap": splits_overlap,
    "overlap up to names": overlap_up_to_names,
    "difficulty": difficulty,
    "rates": rates,
}


def findings(
    subject: Subject, size: Size, seconds: float, names: Sequence[str] = tuple(CHECKS)
) -> Iterator[Finding]:
    """One finding for each check; each check runs in a forked child of its own.

    Args:
        subject: What is audited.
        size: How much is drawn.
        seconds: Wall time for one check.
        names: Of the checks; by default all.
    """
    # In a child, because a trial of the sandbox starts a thread, and children are forks.
    (tried,) = run_items(Subject.sandbox_missing, [subject], seconds)
    if tried.verdict != "ok" or tried.value:
        yield Finding("make", "skip", f"no sandbox here: {tried.value or tried.verdict}")
        return
    try:
        answers = has_answers(subject.make())
    except (NotAuditable, TypeError, ValueError) as error:
        yield Finding("make", "fail", str(error))
        return
    for name in names:
        check = CHECKS[name]
        if name in ABOUT_ANSWERS and not answers:
            yield Finding(name, "skip", "a world without right answers")
        elif name == "hostile replies":  # has children of its own
            yield check(subject, size)
        else:
            (result,) = run_items(lambda check: asdict(check(subject, size)), [check], seconds)
            yield _finding(name, result, seconds)


def _finding(name: str, result: Result, seconds: float) -> Finding:
    if result.verdict == "ok":
        return Finding(**result.value)
    if result.verdict == "raised":
        message = "raises {type}: {message} ({where})".format(**result.value)
        return Finding(name, "fail", message, {"error": result.value})
    message = f"killed after {seconds:g} s" if result.verdict == "hung" else "the process died"
    return Finding(name, "fail", message)


def main() -> None:
    """Run the checks in a child of `zerogym audit`; write a JSON line for each finding."""
    # Leaving by an exception, so that the check that is running is killed on the way out.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))
    end_with_parent(int(sys.argv[4]), signal.SIGTERM)
    subject = Subject.from_json(sys.argv[1])
    size = Size(**json.loads(sys.argv[2]))
    for finding in findings(subject, size, float(sys.argv[3]), json.loads(sys.argv[5])):
        sys.stdout.write(json.dumps(asdict(finding)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
