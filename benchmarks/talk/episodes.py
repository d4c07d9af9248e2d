"""One episode of a game of talk: its payoffs, what was agreed, and who said what to whom.

Chance and each seat draw from generators of their own, which follow from the seed, the number of
the episode and the seat. So episode 7 of every cell of a game has the same deal, and a cell that is
played again is the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from zerogym.benchmarks.report.talk_lines import Line, lines_of, role_of
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, deal, forfeit
from zerogym.envs.games.core.move_requests import request_move
from zerogym.envs.games.core.players import StrategyPlayer, is_player
from zerogym.envs.games.opponents.scripted import scripted_policy

MAX_RETRIES = 2  # further replies after one without a legal move, as in the environments


class Weakened(StrategyPlayer):
    """The scripted player in half of its moves, and a random one in the others.

    Raises:
        ValueError: If the game has no scripted player.
    """

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self._strong = scripted_policy(game)

    def probabilities(self, state: Any) -> tuple[float, ...]:
        """Probabilities of the legal actions: the mean of both."""
        row = self._strong.probabilities(state)
        return tuple(0.5 * each + 0.5 / len(row) for each in row)


class Noted:
    """A policy whose last reply can be looked up, for the transcript.

    Args:
        policy: A language model.
    """

    def __init__(self, policy: Any) -> None:
        self._policy = policy
        self.reply = ""

    def predict(self, messages: Any, state: Any = None, start: Any = None) -> tuple[Any, Any]:
        """Return the policy's replies and state."""
        replies, state = self._policy.predict(messages, state, start)
        self.reply = str(replies[0])
        return replies, state


@dataclass(frozen=True)
class Played:
    """An episode that is over.

    Attributes:
        payoffs: Of each seat.
        roles: Of each seat, as chance dealt it at first; its number where it has none.
        loser: The seat that forfeited; None without a forfeit.
        agreement: What `agreement_of` finds; empty in games that are not about one.
        lines: The transcript.
    """

    payoffs: tuple[float, ...]
    roles: tuple[str, ...]
    loser: int | None
    agreement: Mapping[str, float]
    lines: Sequence[Line]


def play_episode(
    game: Game[Any], players: Sequence[Any], seed: int, episode: int, transcript: bool = False
) -> Played:
    """Play one episode to its end.

    Args:
        game: The rules.
        players: One for each seat: a player that sees states, or a policy that reads texts.
        seed: Of the run.
        episode: Its number.
        transcript: Keep who said what.
    """
    name = crc32(game.name.encode())
    deals = np.random.default_rng((seed, name, episode))
    rngs = [np.random.default_rng((seed, name, episode, seat + 1)) for seat in range(len(players))]
    memories: dict[int, Any] = {}
    state, replies = deal(game, game.initial(), deals), list[str]()
    first, loser = state, None
    while (mover := game.to_move(state)) != TERMINAL and loser is None:
        player, opening = players[mover], mover not in memories
        sees_states = is_player(player)
        move, memories[mover] = request_move(
            player, game, state, "text", memories.get(mover), opening, MAX_RETRIES,
            rngs[mover] if sees_states else None,
        )  # fmt: skip
        replies.append("" if sees_states else player.reply)
        if move is None:
            loser = mover
            continue
        state = game.apply(state, move)
        if game.to_move(state) == CHANCE:
            state = deal(game, state, deals)
    won = game.payoff(state) if loser is None else forfeit(game, loser)
    payoffs = tuple(map(float, won))
    lines = lines_of(game, first, state, replies, loser) if transcript else []
    roles = tuple(role_of(game, first, seat) or f"seat {seat + 1}" for seat in range(len(payoffs)))
    return Played(payoffs, roles, loser, agreement_of(game, state, payoffs), lines)


def agreement_of(game: Game[Any], state: Any, payoffs: Sequence[float]) -> dict[str, float]:
    """Return whether the seats agreed, and how good that was by enumeration.

    Returns:
        Empty if the game is not about an agreement. Else `agreed`, 0 or 1; `pareto`, 1 if no other
        agreement gives a seat more and no seat less; `nash`, the product of payoffs over the
        greatest that was possible. Without an agreement, and with one that is worth nothing to
        anybody, all are 0.
    """
    possible = game.agreements(state) if hasattr(game, "agreements") else ()
    if not possible:
        return {}
    if sum(payoffs) <= 0:
        return {"agreed": 0.0, "pareto": 0.0, "nash": 0.0}
    better = any(
        all(a >= b for a, b in zip(other, payoffs, strict=True)) and sum(other) > sum(payoffs)
        for other in possible
    )
    return {
        "agreed": 1.0,
        "pareto": float(not better),
        "nash": prod(payoffs) / max(map(prod, possible)),
    }
