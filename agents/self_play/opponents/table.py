"""The table of opponents: parts that make the players of the seats in which nobody learns.

Environments take parts beside the names of `make_opponent` (`opponent=Mcts(simulations=50)`), and
records of parts, which import nothing (`opponent={"part": "mcts", "simulations": 50}`). A run of
training takes one as its `opponent`.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from zerogym.agents.parts import Part, Table
from zerogym.envs.games.core.game import Game
from zerogym.errors import ZerogymError


class OnlyInTraining(ZerogymError, ValueError):
    """An opponent has the weights of a run: there is none without the run."""


class Opponent(Part):
    """A player of seats in which nobody learns.

    Attributes:
        of_run: Whether it plays with weights of the run in which it is met.
    """

    of_run: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, game: Game[Any]) -> Any:
        """Return the player, text player, policy or mixture of a game's rules.

        Raises:
            UnknownName: If there is none for this game.
            OnlyInTraining: If it has the weights of a run.
        """

    def check(self, game: Game[Any]) -> None:
        """Raise what a call would raise in a run of training, before the run begins."""
        self(game)

    def meet(self, step: int, rng: np.random.Generator) -> Any:
        """Return who is met in an episode, as JSON values.

        Args:
            step: Updates of the run before the episode.
            rng: Of the draw, where there are several.

        Returns:
            The record of a part, the number of updates after which the run had the weights that are
            met, or None: the learner itself.
        """
        return self.record()

    def needs_weights(self, updates: int) -> bool:
        """Return whether the weights after so many updates may be met later."""
        return False


OPPONENTS: Table[Opponent] = Table("opponent", Opponent, "zerogym.agents.self_play.opponents")
opponent = OPPONENTS.register
