"""One seat of a cooperative game: a strong partner stands in for what nobody has solved."""

from typing import cast

from zerogym.envs.games.core.players import Player
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.views.single_seat import SingleSeatEnv
from zerogym.errors import NoOracle


class PartnersEnv(SingleSeatEnv):
    """Base of the single-seat views of the cooperative games.

    Reward:
        What the seat gains by the rules, at once where they give it before the end.
        `info["score"]` is the sum as a number in [0, 1]; `info["welfare"]` is the sum over seats at
        the end.
    """

    def oracle_policy(self) -> Player:
        """The best player known with these partners; where none is, the scripted one."""
        try:
            return super().oracle_policy()
        except NoOracle:
            return cast(Player, make_opponent(self.game, "scripted"))
