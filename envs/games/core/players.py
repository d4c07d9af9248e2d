"""What can sit in a seat: a player that is shown states, one that reads texts, or a policy."""

from typing import Any, Protocol, TypeGuard

import numpy as np


class Player(Protocol):
    """A player that is shown states and draws with the generator of the environment.

    It must not use what the seat to move does not know. `TabularPolicy`, `Scripted`, `AlphaBeta`
    and `MCTS` are such.
    """

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """A legal action of the seat that is to move."""
        ...


class TextPlayer(Protocol):
    """A player that reads the text view and writes replies: a language model, or a person.

    It draws with the generator of the environment, too, so that an episode follows from its seed.
    """

    def reply(self, message: str, memory: Any, rng: np.random.Generator) -> tuple[str, Any]:
        """Answer what is new to this seat.

        Args:
            message: The rules and the position at first, then positions.
            memory: What the last call of this seat's episode returned, None at its start. It is
                copied with the episode, so it must not be changed in place.
            rng: For all randomness.

        Returns:
            The whole reply, in which the move is looked for as in that of any agent; the memory.
        """
        ...


class PolicyLike(Protocol):
    """What is needed of a policy object: the `predict` of every zerogym policy."""

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """A batch of actions for a batch of observations, and the policy's state."""
        ...


def is_player(opponent: object) -> TypeGuard[Player]:
    """Whether it is shown states."""
    return callable(getattr(opponent, "choose", None))


def is_text_player(opponent: object) -> TypeGuard[TextPlayer]:
    """Whether it reads texts and draws with the generator that it is given."""
    return callable(getattr(opponent, "reply", None))


def is_policy(opponent: object) -> TypeGuard[PolicyLike]:
    """Whether it reads a view and brings its own randomness."""
    return callable(getattr(opponent, "predict", None))
