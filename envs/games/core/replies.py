"""Moves in replies of language models and persons."""

import re

from zerogym.envs.reasoning.answers import extract_answer

MAX_MOVE_LENGTH = 64  # characters; no move of any game is longer
_WRAPS = " \t`*'\"[]()"


def written_move(reply: str) -> str:
    """The answer of a reply, in lower case; empty if there is none, or one too long for a move.

    The answer is in the last `<answer>...</answer>`, so that a question may be quoted before it,
    else in the last `\\\\boxed{...}`, else the last line. Only case, outer blanks, brackets and a
    full stop are forgiven: a sentence about moves is not searched for one, because a model that
    writes "I will not bet" does not bet.
    """
    answer, _ = extract_answer(reply)
    if len(answer) > MAX_MOVE_LENGTH:
        return ""
    return answer.lstrip(_WRAPS).rstrip(_WRAPS + ".").lower()  # `.4` is no 4


def joined(move: str, apart: re.Pattern[str]) -> str:
    """A move without what is between the groups of a pattern; as it is where that does not fit."""
    parts = apart.fullmatch(move)
    return "".join(parts.groups()) if parts else move
