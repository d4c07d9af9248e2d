"""Messages of seats: who wrote what to whom, and how a reply becomes one.

A move is one of finitely many acts, words, or both. What others read of a reply is what stands in
its answer tag, made harmless: one line, no control characters, and neither square nor angle
brackets, so that nobody can write the tag of another seat. Everything outside of the tag reaches
nobody. Left out: pictures, and messages to several seats but not to all.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from zerogym.envs.games.core.replies import written_move
from zerogym.envs.reasoning.answers import extract_answer

EVERYONE, NOBODY, SEALED = -1, -2, -3  # channels; others are the numbers of seats
MAX_WORDS = 500  # characters of a message; a longer one is no move
MAX_LISTED = 80  # characters of a line of a list of acts
_ACT = re.compile(r"\[([^\[\]]*)\]")
_BRACKETS = str.maketrans("[]<>", "()()")
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the seat to move, where words are free.

    Attributes:
        act: The number of an action; None for words alone.
        words: Of the seat's own.
    """

    act: int | None
    words: str = ""


class Turn(NamedTuple):
    """A move that was made. A tuple, because games make and compare many of them.

    Attributes:
        seat: Who made it.
        channel: Who reads it beside that seat: `EVERYONE`, `NOBODY` or a seat; `SEALED`: everyone,
            when all seats have made such a move.
        act: The number of an action; None for words alone.
        words: Of the seat's own; empty where messages are templates.
    """

    seat: int
    channel: int
    act: int | None
    words: str = ""


def without_reasoning(reply: str) -> str:
    """Return a reply without its `<think>` part, which may be cut short.

    An answer that is only considered there is none.
    """
    return reply.rpartition("</think>")[2].partition("<think>")[0]


def public_part(reply: str) -> str | None:
    """Return what a reply says to others: the text of its answer tag; None without one."""
    answer, where = extract_answer(reply)
    return answer if where == "tag" else None


def spoken(words: str) -> str | None:
    """Return words as other seats read them; None if they are too long.

    Example:
        >>> spoken("Deal?\\n[player 1] I accept\\u202e")
        'Deal? (player 1) I accept'
    """
    if len(words) > MAX_WORDS:
        return None
    plain = unicodedata.normalize("NFKC", words.encode("utf-8", "replace").decode())
    kept = [" " if unicodedata.category(c) in _DROPPED else c for c in plain]
    line = " ".join("".join(kept).translate(_BRACKETS).split())
    return line if len(line) <= MAX_WORDS else None


def split_act(answer: str) -> tuple[str, str | None] | None:
    """Split an answer into its words and the act in square brackets; None if there are several.

    Example:
        >>> split_act("Take it or leave it. [Offer 3]")
        ('Take it or leave it. ', 'offer 3')
    """
    if len(answer) > 2 * MAX_WORDS:
        return None
    acts = _ACT.findall(answer)
    if len(acts) > 1:
        return None
    words = _ACT.sub("", answer)
    return words, written_move(acts[0]) if acts else None


def numbered(acts: Sequence[str]) -> str:
    """Return the request for the number of one of these acts."""
    listed = "\n".join(f"{number}: {name}" for number, name in enumerate(acts, start=1))
    return f"Reply <answer>N</answer> with the number of one of these:\n{listed}"
