"""Who sits in the other seats: strategies by name, and any policy.

A strategy by name, or any other `TabularPolicy`, is known: its moves are drawn with the
environment's generator, and the exact best response to it is the truth. A policy object is unknown
and brings its own randomness; the truth against it is an equilibrium.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from zerogym.envs.games.cfr import cfr_equilibrium
from zerogym.envs.games.core import Game
from zerogym.envs.games.minimax import minimax_policy
from zerogym.envs.games.tabular import TabularPolicy
from zerogym.envs.games.views import View, first_message, read_action, retry_message
from zerogym.errors import UnknownName


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


Opponent = str | TabularPolicy | PolicyLike


@lru_cache(maxsize=8)
def uniform_policy(game: Game[Any]) -> TabularPolicy:
    """All legal actions, equally likely; one object a game, so that answers to it are kept."""
    return TabularPolicy(game, {})


_STRATEGIES: Mapping[str, Callable[[Game[Any]], TabularPolicy]] = {
    "random": uniform_policy,
    "minimax": minimax_policy,
    "cfr": cfr_equilibrium,
}


def opponent_names(game: Game[Any]) -> tuple[str, ...]:
    """Names that `opponent=` takes for this game: those that can be computed for it."""
    if game.enumerable and game.perfect_information:
        return ("random", "minimax")
    if game.enumerable and game.num_seats == 2 and game.zero_sum:
        return ("random", "cfr")
    return ("random",)


def make_opponent(game: Game[Any], opponent: Opponent) -> TabularPolicy | PolicyLike:
    """The strategy of a name; a policy object is returned as it is.

    Raises:
        UnknownName: If the game has no opponent of this name.
        TypeError: If the object is no policy.
    """
    if isinstance(opponent, str):
        if opponent not in opponent_names(game):
            raise UnknownName(f"opponent for {game.name}", opponent, list(opponent_names(game)))
        return _STRATEGIES[opponent](game)
    if callable(getattr(opponent, "predict", None)):
        return opponent
    raise TypeError(
        f"opponent must be one of {opponent_names(game)} or a policy with predict(), "
        f"got {type(opponent).__name__}"
    )


def equilibrium(game: Game[Any]) -> TabularPolicy:
    """Minimax, or the average strategy of CFR+; with two seats and zero sums no adversary beats it.

    Raises:
        ValueError: If the game is too large for either, or hides moves and is not of two seats
            and zero-sum.
    """
    return minimax_policy(game) if game.perfect_information else cfr_equilibrium(game)


def ask_policy(
    policy: PolicyLike,
    game: Game[Any],
    state: Any,
    view: View,
    memory: Any,
    opening: bool,
    max_retries: int,
) -> tuple[int | None, Any]:
    """One move of a policy object, in the seat that is to move.

    Args:
        policy: The player.
        game: The rules.
        state: The state of the game.
        view: Which view the policy reads.
        memory: What `predict` returned as state the last time, None at the start of an episode.
        opening: Whether this is its first move of the episode.
        max_retries: Texts without a legal move that are asked again; illegal numbers never are.

    Returns:
        A legal action, or None if it found none; and the policy's state for its next move.
    """
    seat, name = game.to_move(state), f"the opponent in {game.name}"
    if view == "numeric":
        batch = game.observe(state, seat)[None]  # (1, observation_size)
        replies, memory = policy.predict(batch, memory, np.array([opening]))
        return read_action(game, state, view, np.asarray(replies)[0], name), memory
    message = first_message(game, state, seat) if opening else game.describe(state, seat)
    for attempt in range(max_retries + 1):
        start = np.array([opening and attempt == 0])
        replies, memory = policy.predict([message], memory, start)
        move = read_action(game, state, view, replies[0], name)
        if move is not None:
            return move, memory
        message = retry_message(game, state, seat)
    return None, memory
