"""Text of the turns as a seat reads them: a line for each, and lines written once are kept.

A conversation grows by a turn at a time, so that a text is the last one and what is new. What is
kept is bounded: of each seat the last text, and the parts in brackets, which are finitely many.
"""

from typing import TYPE_CHECKING

from zerogym.envs.games.talk.core.messages import EVERYONE, NOBODY, SEALED, Turn

if TYPE_CHECKING:
    from zerogym.envs.games.talk.core.rules import TalkGame, TalkState

_NOTHING: tuple[tuple[Turn, ...], str] = ((), "")


class Transcripts:
    """The transcripts of a game, as its seats read them.

    Args:
        game: The rules.
        steady: A turn that is not sealed is read at once or never, and a sealed one with the last
            of its round. Else old turns may be read later, and all is written again each time.
    """

    def __init__(self, game: "TalkGame", steady: bool) -> None:
        self._game, self._steady, self._seats = game, steady, game.num_seats
        self._texts: dict[int, tuple[tuple[Turn, ...], str]] = {}  # by seat: what does not change
        self._heads: dict[tuple[int | None, ...], str] = {}  # by reader, writer, channel and act

    def read(self, state: "TalkState", seat: int) -> str:
        """Return the turns that a seat reads, a line each."""
        turns, settled = state.turns, self._texts.get(seat, _NOTHING)
        before, text = settled
        if turns[: len(before)] != before:
            before, text = _NOTHING
        reads, steady = self._game.reads, self._steady
        lines, sealed = [text] if text else [], 0
        for number in range(len(before), len(turns)):
            turn = turns[number]
            if turn.channel == SEALED:
                if sealed == 0:
                    settled = turns[:number], "\n".join(lines)
                sealed = (sealed + 1) % self._seats
            # By these rules a turn to everyone needs no look.
            if (steady and turn.channel == EVERYONE) or reads(state, number, seat):
                lines.append(self._line(state, turn, seat))
        text = "\n".join(lines)
        if steady:
            self._texts[seat] = settled if sealed else (turns, text)
        return text

    def _line(self, state: "TalkState", turn: Turn, seat: int) -> str:
        """Return a turn as a seat reads it. What stands in brackets is never a seat's own words."""
        key = (seat, *turn[:3])
        head = self._heads.get(key)
        if head is None:
            act = "" if turn.act is None else f": {self._game.action_name(state, turn.act)}"
            head = self._heads[key] = f"[{_writer(turn, seat)}{act}]"
        return f"{head} {turn.words}".rstrip() if turn.words else head


def _writer(turn: Turn, seat: int) -> str:
    """Return who wrote a turn, and to whom if not to all, as a seat is shown it."""
    if turn.channel == NOBODY:
        return "your note"
    who = "you" if turn.seat == seat else f"player {turn.seat + 1}"
    if turn.channel in (EVERYONE, SEALED):
        return who
    return f"{who} to you" if turn.channel == seat else f"{who} to player {turn.channel + 1}"
