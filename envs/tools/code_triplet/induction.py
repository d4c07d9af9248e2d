"""Scoring of programs: parsed from a reply, run in the sandbox, compared outside of it."""

import re
from collections.abc import Sequence

from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer
from zerogym.envs.tools.code_triplet.calls import call
from zerogym.envs.tools.code_triplet.inputs import written_arguments
from zerogym.envs.tools.code_triplet.literals import NoLiteral, read, same
from zerogym.envs.tools.code_triplet.triplets import Pair
from zerogym.envs.tools.sandbox import Sandbox

MAX_SHOWN = 200  # characters of an output in feedback
_FENCE = re.compile(r"```(?:python|py)?[ \t]*\r?\n(.*?)```", re.DOTALL)
_DEFINES = re.compile(r"^(?:async )?def f\b|^f\s*=", re.MULTILINE)


def find_program(reply: str) -> tuple[str, AnswerFormat]:
    """The program in a reply, and where it was found.

    It is the content of `<answer>` or of a box, without text around a fenced block in it; else the
    last fenced block of the reply (format `line`); else the result of `extract_answer`.
    """
    answer, found = extract_answer(reply)
    blocks = _FENCE.findall(answer if found in ("tag", "boxed") else reply)
    return (blocks[-1].strip("\r\n") if blocks else answer), found


def judge(sandbox: Sandbox, source: str, shown: Sequence[Pair], hidden: Sequence[Pair]) -> str:
    """Return the error in a program; empty if it fits all pairs.

    Of hidden pairs the message reveals no more than that some are wrong.

    Raises:
        SandboxUnavailable: If the sandbox fails.
    """
    if not _DEFINES.search(source):
        return "There is no function f in the answer."
    pairs = (*shown, *hidden)
    calls = call(sandbox, source, [arguments for arguments, _ in pairs])
    both = zip(calls.outputs, pairs, strict=True)
    fits = [_matches(returned, output) for returned, (_, output) in both]
    if all(fits):
        return ""
    for fit, returned, (arguments, output) in zip(fits, calls.outputs, shown, strict=False):
        if returned is not None and not fit:
            call_text = f"f({written_arguments(arguments)})"
            return f"{call_text} returns {returned[:MAX_SHOWN]}, not {output!r}."
    if calls.reason:
        return f"The program is wrong: {calls.reason}."
    return "It fits all that is shown, but not all hidden inputs."


def judge_input(sandbox: Sandbox, source: str, answer: str, output: object) -> str:
    """Return the error in an input for which a Python program is to return an output.

    Raises:
        NoLiteral: If it cannot be read.
        SandboxUnavailable: If the sandbox fails.
    """
    value = read(answer)
    calls = call(sandbox, source, [list(value) if isinstance(value, tuple) else [value]])
    [returned] = calls.outputs
    if _matches(returned, output):
        return ""
    if returned is None:
        return f"For this input there is no output: {calls.reason}."
    return f"For this input it returns {returned[:MAX_SHOWN]}."


def read_pairs(pairs: Sequence[Sequence[str]]) -> list[Pair]:
    """Return the pairs of a proposal, whose arguments and outputs are texts, as values."""
    values = [(read(arguments), read(output)) for arguments, output in pairs]
    return [
        [list(value) if isinstance(value, tuple) else [value], output] for value, output in values
    ]


def _matches(returned: str | None, output: object) -> bool:
    """Return True if the `repr` of a returned value is the expected output, of the same types."""
    if returned is None:
        return False
    try:
        return returned == repr(output) or same(read(returned), output)
    except NoLiteral:
        return False
