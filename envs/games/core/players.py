"""The three kinds of players: those that see states, those that read texts, and policies."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeGuard

import numpy as np

from zerogym.envs.games.core.game import Game, draw


class Player(Protocol):
    """A player that sees states and draws with the generator of the environment.

    It must not use what is hidden from the seat to move. `TabularPolicy`, `Scripted`, `AlphaBeta`
    and `MCTS` are examples.
    """

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """A legal action of the seat that is to move."""


class TextPlayer(Protocol):
    """A player that reads the text view and writes replies: a language model, or a person.

    It draws with the generator of the environment, too, so that an episode follows from its seed.
    """

    def reply(self, message: str, memory: Any, rng: np.random.Generator) -> tuple[str, Any]:
        """Return the reply to a message.

        Args:
            message: The rules and the position at first, then positions.
            memory: What the last call of this seat's episode returned, None at its start. It is
                copied with the episode, so it must not be changed in place.
            rng: For all randomness.

        Returns:
            The whole reply, which is parsed as that of any agent; and the memory.
        """


class PolicyLike(Protocol):
    """A policy object: it has the `predict` of every zerogym policy."""

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """A batch of actions for a batch of observations, and the policy's state."""


class StrategyPlayer:
    """Base of players that have probabilities of the legal actions of a state."""

    game: Game[Any]

    def probabilities(self, state: Any) -> Sequence[float]:
        """Probabilities of the legal actions, for the seat to move."""
        raise NotImplementedError

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """Draw an action, or take the first of the most likely ones."""
        row = self.probabilities(state)
        index = int(np.argmax(row)) if deterministic else draw(row, rng)
        return self.game.legal(state)[index]


def is_player(opponent: object) -> TypeGuard[Player]:
    """Return True for a player that sees states."""
    return callable(getattr(opponent, "choose", None))


def is_text_player(opponent: object) -> TypeGuard[TextPlayer]:
    """Return True for a player that reads texts and draws with a given generator."""
    return callable(getattr(opponent, "reply", None))


def is_policy(opponent: object) -> TypeGuard[PolicyLike]:
    """Return True for a policy object, which reads a view and brings its own randomness."""
    return callable(getattr(opponent, "predict", None))
