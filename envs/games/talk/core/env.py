"""One seat of a game of talk: the sections that the pages of all of them share."""

from typing import ClassVar, cast

from zerogym.envs.games.core.players import Player
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.views.single_seat import SingleSeatEnv
from zerogym.errors import NoOracle


class TalkEnv(SingleSeatEnv):
    """Base of the single-seat views of the games of talk.

    Observation:
        `view="text"`: the rules (once), then what the seat holds, the transcript as it reads it,
        and the replies that count. What stands in square brackets of a transcript is never a seat's
        own words. `view="numeric"`: float32 vector of the seat, the deals that it knows and the
        acts that it reads, one-hot.

    Action:
        `view="text"`: the whole reply. The act is read from `<answer>...</answer>`, else from the
        last line. With free messages words may stand in the answer tag, too, before the act in
        square brackets; words outside of the tag reach nobody.
        `view="numeric"`: the number of an act.

    Reward:
        What the seat gains by the rules, at once where they give it before the end.
        `info["score"]` is the sum as a number in [0, 1], from the least to the most that a seat
        can have; `info["welfare"]` is the sum over seats at the end.

    Episode end:
        By the rules. A reply that is no move (an act of another phase, silence, more than 500
        characters) may be repeated up to `max_retries` times, then the seat has the worst payoff
        of the game, and so have the others, unless sums are zero; as at once by an illegal number.
    """

    strongest: ClassVar[str] = "scripted"  # the name of a strong player where nothing is solved

    def is_move(self, reply: str) -> bool:
        """Return True if a reply is a move now, also where the game is over: then nothing counts.

        It changes nothing, so that a person's slip of the keyboard need not cost a retry.
        """
        if self._ended():
            return True
        return self.game.parse(self._running().state, reply) is not None

    def request(self) -> str:
        """Return the request for a reply, without the position."""
        return self.game.request(self._running().state)

    def oracle_policy(self) -> Player:
        """The best player known against the opponent; if there is none, a strong one.

        The first is exact where the game can be solved.
        """
        try:
            return super().oracle_policy()
        except NoOracle:
            return cast(Player, make_opponent(self.game, self.strongest))
