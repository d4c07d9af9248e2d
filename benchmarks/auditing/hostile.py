"""The check with hostile replies: each must be refused or scored as wrong, soon.

A `str` must never raise; anything else must raise a `TypeError`, because it is not in the action
space. No reply may score 0.5 or more, and none may take longer than a second of CPU time. A few
faults of time are tried again: a machine may stall once, an environment that is slow is slow twice.
"""

import time
from collections import Counter
from contextlib import closing
from typing import Any

from zerogym.benchmarks.auditing.children import Result, run_items
from zerogym.benchmarks.auditing.subject import Finding, Size, Subject, always, finish

TOO_HIGH = 0.5  # a score that no hostile reply may reach
SLOW = 1.0  # CPU seconds for one reply
KILLED_AFTER = 6.0  # wall seconds
TRIED_AGAIN = 3  # faults of time; if there are more, it is not the machine
_REFUSAL_WORDS = ("action", "reply", "must be", "takes a str", "expected a str")

_BARE: dict[str, str] = {
    "empty": "",
    "blank": " \n\t ",
    "NUL": "\x00",
    "1 MB of letters": "a" * 1_000_000,
    "1 MB of digits": "9" * 1_000_000,
    "10 MB of digits": "9" * 10_000_000,
    "lone surrogate": "\ud800 4 \udfff",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u202e\ufeff",
    "100,000 brackets": "(" * 100_000,
    "100,000 matched brackets": "(" * 50_000 + "1" + ")" * 50_000,
    "4,000 matched brackets": "[" * 2_000 + "1" + "]" * 2_000,
    "power tower": "9**9**9**9",
    "power tower in LaTeX": "9^{9^{9^{9}}}",
    "factorials": "999999!!!!!!",
    "huge exponent": "1e999999999",
    "4,000 digits": "7" * 4_000,
    "not a number": "nan",
    "infinity": "-inf",
    "unicode digits": "\u0661\u0662\u0663 \u00b2 \u2460 \U0001d7d8",
    "full-width": "\uff11\uff0b\uff11",
    "code": "__import__('os').abort()",
    "endless loop": "[x for x in iter(int, 1)]",
    "format string": "%s%n{0.__class__}{}",
    "regex bomb": "(a+)+$" * 300,
    "JSON bomb": "[" * 100_000,
    "commas": "," * 4_000,
    "newlines": "\n" * 4_000,
    "markup": "<script>alert(1)</script>&amp;",
    "a very long line of words": "no " * 1_300,
}
_NOT_TEXTS: dict[str, Any] = {
    "None": None, "an int": 4, "a float": 4.0, "not a number (float)": float("nan"),
    "bytes": b"4", "a list": ["4"], "a dict": {"answer": "4"}, "a bool": True,
}  # fmt: skip


def replies() -> dict[str, Any]:
    """Every hostile reply by name: bare, in answer tags, in a box, and values of other types."""
    tagged = {f"{name} as answer": f"<answer>{text}</answer>" for name, text in _BARE.items()}
    boxed = {f"{name} in a box": f"\\boxed{{{text}}}" for name, text in _BARE.items()}
    tags = {"1 MB of tags": "<answer>" * 125_000, "boxes": "\\boxed{" * 100_000}
    return _BARE | tagged | boxed | tags | _NOT_TEXTS


def hostile_replies(subject: Subject, size: Size) -> Finding:
    """Play an episode with each reply; `size` does not matter."""
    texts = replies()

    def play(name: str) -> tuple[float, float]:
        with closing(subject.make()) as env:
            env.reset(seed=0)
            start = time.process_time()
            return finish(env, always(texts[name])).score, time.process_time() - start

    def faults_of(names: list[str]) -> dict[str, str]:
        results = zip(names, run_items(play, names, KILLED_AFTER), strict=True)
        found = {name: _fault(isinstance(texts[name], str), result) for name, result in results}
        return {name: fault for name, fault in found.items() if fault}

    faults = faults_of(list(texts))
    late = [name for name, fault in faults.items() if fault.startswith(("hangs", "slow"))]
    if 0 < len(late) <= TRIED_AGAIN:
        again = faults_of(late)
        faults = {
            name: fault for name, fault in faults.items() if name not in late or name in again
        }
    kinds = Counter(fault.partition(" ")[0] for fault in faults.values())
    listed = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    first = next((f"{name}: {fault}" for name, fault in faults.items()), "")
    message = f"{len(texts)} replies: " + (f"{listed} ({first})" if faults else "no fault")
    return Finding("hostile replies", "fail" if faults else "pass", message, {"faults": faults})


def _fault(is_text: bool, result: Result) -> str:
    """Return the fault in a result; empty if there is none."""
    if result.verdict == "hung":
        return f"hangs: killed after {KILLED_AFTER:g} s"
    if result.verdict == "crashed":
        return "crashes: the process died"
    if result.verdict == "raised":
        error = result.value
        # A deliberate refusal names the type or the action.
        refused = any(word in error["message"].lower() for word in _REFUSAL_WORDS)
        if not is_text and error["type"] == "TypeError" and refused:
            return ""
        return f"raises {error['type']}: {error['message'][:80]}"
    if not is_text:
        return "accepts a value that is no text"
    score, spent = result.value
    if score >= TOO_HIGH:
        return f"pays {score:g}"
    return f"slow: {spent:.1f} CPU s" if spent > SLOW else ""
