"""Opponents of a run of training that have weights of the run itself: the learner and its past."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.agents.self_play.opponents.table import OnlyInTraining, Opponent, opponent
from zerogym.agents.settings import check_at_least
from zerogym.envs.games.core.game import Game


class OfRun(Opponent):
    """Base of opponents with weights of the run; there is no such player elsewhere."""

    of_run = True

    def __call__(self, game: Game[Any]) -> Any:
        """Raise `OnlyInTraining`."""
        raise OnlyInTraining(
            f"the opponent {self.title()!r} has the weights of a run: take llm (--opponent "
            "llm:RUN), or past (past:RUN) for its checkpoints"
        )

    def check(self, game: Game[Any]) -> None:
        """Raise nothing: a run has its weights."""


@opponent("learner")
@dataclass(frozen=True)
class Learner(OfRun):
    """Let the learner play all seats of the episode, and train on all of them: plain self-play."""

    def meet(self, step: int, rng: np.random.Generator) -> None:
        """Return None: nobody else is met."""


@opponent("start")
@dataclass(frozen=True)
class Start(OfRun):
    """Play with the weights that the run began with."""

    def meet(self, step: int, rng: np.random.Generator) -> int:
        """Return 0."""
        return 0


@opponent("past_selves")
@dataclass(frozen=True)
class PastSelves(OfRun):
    """Draw one of the run's own earlier weights for each group of episodes.

    The weights after 0, `every`, 2 `every`, ... updates are kept in `out/past`; those of the latest
    `newest` of these numbers up to the present step are equally likely. Who is met follows from the
    run's seed and the step alone, so a resumed run meets the same.
    """

    source = (
        '"Emergent Complexity via Multi-Agent Competition" (Bansal et al., 2018, arXiv 1710.03748)'
    )
    every: int = 20  # updates between weights that are kept
    newest: int = 5  # how many of them may be met

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, every=1, newest=1)

    def meet(self, step: int, rng: np.random.Generator) -> int:
        """Return after how many updates the run had the weights that are met."""
        kept = range(0, step + 1, self.every)[-self.newest :]
        return int(rng.choice(kept))

    def needs_weights(self, updates: int) -> bool:
        """Return True for the multiples of `every`."""
        return updates % self.every == 0
