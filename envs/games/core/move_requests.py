"""One function by which a move is requested of anything that can play."""

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


def request_move(
    player: Player | TextPlayer | PolicyLike,
    game: Game[Any],
    state: Any,
    view: View,
    memory: Any,
    opening: bool,
    max_retries: int,
    rng: np.random.Generator | None = None,
) -> tuple[int | None, Any]:
    """Request one move of the seat that is to move, again where a text contains none.

    Args:
        player: A player, text player or policy object.
        game: The rules.
        state: The state of the game.
        view: The view that a policy object reads; of no importance to other players.
        memory: The second result of the last call, None at the start of an episode.
        opening: True for its first move of the episode.
        max_retries: Further texts after one without a legal move; illegal numbers are final.
        rng: The generator of players and text players; None: `player` is a policy object.

    Returns:
        A legal action, or None if there was none; and the memory for the next move.
    """
    name = f"the opponent in {game.name}"
    policy: Any = player
    seat = game.to_move(state)
    if rng is not None and is_player(player):
        return player.choose(state, rng), memory
    reads_text = rng is not None and is_text_player(player)
    if view == "numeric" and not reads_text:
        batch = game.observe(state, seat)[None]  # (1, observation_size)
        replies, memory = policy.predict(batch, memory, np.array([opening]))
        return read_action(game, state, view, np.asarray(replies)[0], name), memory
    message = first_message(game, state, seat) if opening else game.describe(state, seat)
    for attempt in range(max_retries + 1):
        if reads_text:
            reply, memory = policy.reply(message, memory, rng)
        else:
            start = np.array([opening and attempt == 0])
            (reply, *_), memory = policy.predict([message], memory, start)
        move = read_action(game, state, "text", reply, name)
        if move is not None:
            return move, memory
        message = retry_message(game, state, seat)
    return None, memory
