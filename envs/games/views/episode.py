"""An episode of one seat: chance and the others move until it is this seat's turn."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, deal, forfeit
from zerogym.envs.games.core.move_requests import request_move
from zerogym.envs.games.core.players import is_player
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.opponents.mixture import Mixture


@dataclass
class Episode:
    """The variable part of an episode.

    Attributes:
        state: Of the rules.
        seat: The learner's seat.
        turn: Moves of the learner so far.
        void: Replies without a legal move since its last move.
        memories: For each other seat that has moved, the state of its policy.
        loser: The seat that forfeited.
        returned: Sum of the rewards that the learner has received.
        member: The one of a mixture of opponents that was drawn for this episode.
        over: The learner has received the end. Later than the end of the game only where that
            comes before the learner's first move: `reset` cannot end an episode.
    """

    state: Any
    seat: int
    turn: int = 0
    void: int = 0
    memories: dict[int, Any] = field(default_factory=dict)
    loser: int | None = None
    returned: float = 0.0
    member: int = 0
    over: bool = False


def begin(game: Game[Any], seat: int, opponent: Any, rng: np.random.Generator) -> Episode:
    """A new episode, before anybody has moved; of a mixture, one is drawn."""
    member = opponent.draw(rng) if isinstance(opponent, Mixture) else 0
    return Episode(game.initial(), seat, member=member)


def ended(game: Game[Any], episode: Episode) -> bool:
    """Return True if the game has ended, by its rules or by a forfeit."""
    return episode.loser is not None or game.to_move(episode.state) == TERMINAL


def returns(game: Game[Any], episode: Episode) -> tuple[float, ...]:
    """The sum of each seat's rewards so far; after a forfeit, its payoffs."""
    if episode.loser is not None:
        return forfeit(game, episode.loser)
    return game.returns(episode.state)


def met(opponent: Any, episode: Episode) -> Any:
    """The opponent of this episode."""
    return opponent.members[episode.member] if isinstance(opponent, Mixture) else opponent


def others_move(
    game: Game[Any],
    episode: Episode,
    opponent: Any,
    view: View,
    max_retries: int,
    rng: np.random.Generator,
) -> None:
    """Let chance and the others move until it is the learner's turn, or the game is over.

    Args:
        game: The rules.
        episode: Is changed.
        opponent: Of this episode, in all other seats.
        view: What it reads, if it is a policy.
        max_retries: Its further replies after one without a legal move, for each move.
        rng: Of chance and of players.
    """
    while not ended(game, episode):
        seat = game.to_move(episode.state)
        if seat == CHANCE:
            episode.state = deal(game, episode.state, rng)
            continue
        if seat == episode.seat:
            return
        memories, opening = episode.memories, seat not in episode.memories
        move, memory = request_move(
            opponent, game, episode.state, view, memories.get(seat), opening, max_retries, rng
        )
        if not is_player(opponent):  # those have no memory
            memories[seat] = memory
        if move is None:
            episode.loser = seat
            return
        episode.state = game.apply(episode.state, move)
