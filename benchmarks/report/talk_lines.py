"""Lines of a conversation, each with who may read it: the page shows that by colour and label.

The kinds: `public` is read by all; `sealed` by all when everybody has moved; `channel` by some
other seats, not all; `note` by its writer alone; `reasoning` is what a language model wrote outside
of its answer, which reaches nobody; `private` is what chance dealt to a seat; `task` is what the
environment wrote to one seat, `answer` a reply that no transcript shows, and `end` the result.

An episode that was played here has one list for all seats (`lines_of`), from the state at its end.
A recorded one has a list for each seat (`lines_of_seat`), from what that seat read and wrote.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from zerogym.agents.trajectory import Trajectory
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.talk.core.messages import SEALED
from zerogym.envs.games.talk.core.rules import TalkGame

LABELS = {
    "public": "public",
    "sealed": "public, once all have moved",
    "channel": "these seats only",
    "note": "private note or act",
    "reasoning": "hidden reasoning",
    "private": "private knowledge",
    "task": "the environment, to this seat",
    "answer": "answer",
    "end": "end",
}

# The part of a line of a transcript that no seat can write: who, perhaps to whom, and the act.
_HEAD = re.compile(
    r"\[(you|your note|player \d+)(?: to (you|player \d+))?(?:: [^\[\]]*)?\](?: .*)?"
)


@dataclass(frozen=True)
class Line:
    """One line.

    Attributes:
        kind: One of `LABELS`.
        who: The seat in words, with its role.
        text: What is read.
    """

    kind: str
    who: str
    text: str

    @property
    def label(self) -> str:
        """The kind in words."""
        return LABELS[self.kind]

    def record(self) -> dict[str, str]:
        """The fields, for JSON."""
        return asdict(self)


def role_of(game: Game[Any], state: Any, seat: int) -> str:
    """Return the part of a seat in the game, which chance may have dealt; empty if it has none."""
    return str(game.facts(state, seat).get("role", "")) or game.role(seat)


def seat_name(game: Game[Any], state: Any, seat: int) -> str:
    """Return `player 2 (responder)`."""
    role = role_of(game, state, seat)
    return f"player {seat + 1}" + (f" ({role})" if role else "")


def lines_of(
    game: Game[Any], first: Any, last: Any, replies: Sequence[str], loser: int | None
) -> list[Line]:
    """Return the lines of an episode of a game of talk; of other games, none.

    Args:
        game: The rules.
        first: The state in which a seat moved first.
        last: The state at the end.
        replies: The whole reply of each move, a void one at the end; empty for other players.
        loser: The seat that forfeited, if any.
    """
    if not isinstance(game, TalkGame):
        return []
    names = [seat_name(game, first, seat) for seat in range(game.num_seats)]
    held = [game.holding(first, seat) for seat in range(game.num_seats)]
    found = [Line("private", *pair) for pair in zip(names, held, strict=True) if pair[1]]
    for number, (turn, reply) in enumerate(zip(last.turns, replies, strict=False)):
        who, (hidden, _) = names[turn.seat], split_reply(reply)
        if hidden:
            found.append(Line("reasoning", who, hidden))
        act = "" if turn.act is None else f"[{game.action_name(last, turn.act)}]"
        others = [seat for seat in range(len(names)) if seat != turn.seat]
        readers = [seat for seat in others if game.reads(last, number, seat)]
        kind = "sealed" if turn.channel == SEALED else "public"
        if readers != others:
            kind = "channel" if readers else "note"
        if kind == "channel":
            who += f" to {', '.join(f'player {seat + 1}' for seat in readers)}"
        found.append(Line(kind, who, f"{turn.words} {act}".strip()))
    if loser is not None:
        found.append(Line("reasoning", names[loser], replies[-1]))
        found.append(Line("end", names[loser], "forfeits: no legal move in any of its replies"))
    return found


def lines_of_seat(trajectory: Trajectory) -> list[Line]:
    """Return the lines of an episode as one seat read and wrote them, each line once.

    What it wrote in its answers is shown as the transcript of its next observation has it, with
    the channel; a reply that the transcript does not have, as after a fault, as an `answer`.
    """
    who = f"player {int(trajectory.seat.rpartition('_')[2]) + 1}"
    found, shown, waiting = list[Line](), list[str](), None
    for turn in trajectory.turns:
        lines = turn.observation.split("\n")
        spoken = [line for line in lines if _HEAD.fullmatch(line)]
        new = spoken[len(shown) :] if spoken[: len(shown)] == shown else spoken
        shown = spoken or shown
        if waiting is not None and not any(line.startswith("[you") for line in new):
            found.append(waiting)
        task = "\n".join(line for line in lines if line not in spoken)
        found += [Line("task", who, task)] if task.strip() else []
        found += [_line_read(line, who) for line in new]
        hidden, answer = split_reply(turn.action)
        name = who if turn.role == "player" else f"{who} ({turn.role})"
        if hidden:
            found.append(Line("reasoning", name, hidden))
        waiting = Line("answer", name, answer)
    if waiting is not None:
        found.append(waiting)
    return [*found, Line("end", who, f"return {trajectory.reward:g}")]


def _line_read(line: str, who: str) -> Line:
    """Return a line of a transcript that a seat read, with its kind."""
    match = _HEAD.fullmatch(line)
    assert match is not None
    writer = who if match[1].startswith("you") else match[1]
    if match[1] == "your note":
        return Line("note", writer, line)
    return Line("channel" if match[2] else "public", writer, line)


def split_reply(reply: str) -> tuple[str, str]:
    """Return what of a reply reaches nobody, and what stands in its last answer tag.

    Without a tag the last line is the answer, as it is for the environment.

    Example:
        >>> split_reply("They bluff. <answer>fold</answer>")
        ('They bluff.', 'fold')
    """
    before, tag, rest = reply.rpartition("<answer>")
    if tag and "</answer>" in rest:
        said, _, after = rest.partition("</answer>")
        return f"{before.strip()} {after.strip()}".strip(), said.strip()
    hidden, _, line = reply.rstrip().rpartition("\n")
    return hidden.strip(), line.strip()
