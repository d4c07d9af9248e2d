"""How whoever sits in a seat is asked for a move, and asked again where there is none in a text."""

from collections.abc import Callable
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.players import (
    Player,
    PolicyLike,
    TextPlayer,
    is_player,
    is_text_player,
)
from zerogym.envs.games.core.seat_views import View, first_message, read_action, retry_message

Answer = Callable[[str, Any, bool], tuple[str, Any]]  # to a message, with a memory; is it the first


def request_move(
    player: Player | TextPlayer | PolicyLike,
    game: Game[Any],
    state: Any,
    view: View,
    memory: Any,
    opening: bool,
    max_retries: int,
    rng: np.random.Generator,
) -> tuple[int | None, Any]:
    """One move of anybody, in the seat that is to move; `view` matters to policies only.

    Arguments and result are those of `request_policy_move`; players draw with `rng`.
    """
    if is_player(player):
        return player.choose(state, rng), memory
    if is_text_player(player):
        reader: TextPlayer = player  # the type checker forgets inside the function what was found

        def answer(message: str, memory: Any, _: bool) -> tuple[str, Any]:
            return reader.reply(message, memory, rng)

        return _converse(answer, game, state, memory, opening, max_retries)
    policy: Any = player
    return request_policy_move(policy, game, state, view, memory, opening, max_retries)


def request_policy_move(
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
    if view == "numeric":
        batch = game.observe(state, game.to_move(state))[None]  # (1, observation_size)
        replies, memory = policy.predict(batch, memory, np.array([opening]))
        return read_action(game, state, view, np.asarray(replies)[0], _name(game)), memory

    def answer(message: str, memory: Any, start: bool) -> tuple[str, Any]:
        replies, memory = policy.predict([message], memory, np.array([start]))
        return replies[0], memory

    return _converse(answer, game, state, memory, opening, max_retries)


def _converse(
    answer: Answer, game: Game[Any], state: Any, memory: Any, opening: bool, max_retries: int
) -> tuple[int | None, Any]:
    """Ask for a reply until a move is in it, but not for ever."""
    seat = game.to_move(state)
    message = first_message(game, state, seat) if opening else game.describe(state, seat)
    for attempt in range(max_retries + 1):
        reply, memory = answer(message, memory, opening and attempt == 0)
        move = read_action(game, state, "text", reply, _name(game))
        if move is not None:
            return move, memory
        message = retry_message(game, state, seat)
    return None, memory


def _name(game: Game[Any]) -> str:
    return f"the opponent in {game.name}"
