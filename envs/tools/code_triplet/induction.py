"""Judges programs: found in a reply, run in the sandbox, compared outside of it."""

import re
from collections.abc import Sequence

from zerogym.envs.reasoning.answers import AnswerFormat, extract_answer
from zerogym.envs.tools.code_triplet.calls import call
from zerogym.envs.tools.code_triplet.inputs import written_arguments
from zerogym.envs.tools.code_triplet.literals import NoLiteral, read, same, written
from zerogym.envs.tools.code_triplet.triplets import Pair
from zerogym.envs.tools.sandbox import Sandbox

MAX_SHOWN = 200  # characters of an output in feedback
_FENCE = re.compile(r"```(?:python|py)?[ \t]*\r?\n(.*?)```", re.DOTALL)
_DEFINES = re.compile(r"^(?:async )?def f\b|^f\s*=", re.MULTILINE)


def find_program(reply: str) -> tuple[str, AnswerFormat]:
    """The program in a reply, and where it was found.

    It is what `extract_answer` finds in `<answer>` or a box, without text around a fenced block in
    it; else the last fenced block of the reply (format `line`); else what `extract_answer` says.
    """
    answer, found = extract_answer(reply)
    blocks = _FENCE.findall(answer if found in ("tag", "boxed") else reply)
    if blocks:
        return blocks[-1].strip("\r\n"), found
    return answer, found


def judge(sandbox: Sandbox, source: str, shown: Sequence[Pair], hidden: Sequence[Pair]) -> str:
    """What is wrong with a program; empty if it fits all pairs.

    About hidden pairs it says no more than that some are wrong.

    Raises:
        SandboxUnavailable: If the sandbox fails.
    """
    if not _DEFINES.search(source):
        return "There is no function f in the answer."
    pairs = (*shown, *hidden)
    calls = call(sandbox, source, [arguments for arguments, _ in pairs])
    both = zip(calls.outputs, pairs, strict=True)
    fits = [_is(said, output) for said, (_, output) in both]
    if all(fits):
        return ""
    for fit, said, (arguments, output) in zip(fits, calls.outputs, shown, strict=False):
        if said is not None and not fit:
            returned = f"f({written_arguments(arguments)}) returns {said[:MAX_SHOWN]}"
            return f"{returned}, not {written(output)}."
    if calls.reason:
        return f"The program is wrong: {calls.reason}."
    return "It fits all that is shown, but not all hidden inputs."


def _is(said: str | None, output: object) -> bool:
    """Whether what a function returned is the wanted output, of the same types."""
    if said is None:
        return False
    try:
        return said == written(output) or same(read(said), output)
    except NoLiteral:
        return False
