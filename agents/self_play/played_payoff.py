"""Payoffs by played games, for policies whose probabilities are not known, such as texts.

`SelfPlay(game, learner, evaluate=PlayedPayoff(games=200))` is then PSRO over any players: those of
`make_opponent`, among them parts such as `LanguageModel(model="runs/mine")` and text players of
one's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.views.aec import GameAEC

_PLAYERS = 0x50  # stream of players' random numbers, beside that of the deals


@dataclass(frozen=True)
class PlayedPayoff:
    """The mean payoff of the first seat over games, each with its own deal.

    Attributes:
        games: Number of games; the same deals for all pairs of players.
        seed: Of deals and players.
        view: What policies with `predict` read.

    Example:
        >>> from zerogym.envs.games.economic.matrix import MatrixGame
        >>> PlayedPayoff(games=5)(MatrixGame(), "random", "random") == 0
        False
    """

    games: int = 200
    seed: int = 0
    view: View = "text"

    def __call__(self, game: Game[Any], first: Any, second: Any) -> float:
        """Return the mean payoff of the first of two players."""
        return float(self.payoffs(game, (first, second))[:, 0].mean())

    def payoffs(self, game: Game[Any], players: Sequence[Any]) -> NDArray[np.float64]:
        """Return the payoffs of all games and seats, float64 (games, seats).

        Args:
            game: The rules.
            players: For each seat a player, or what `make_opponent` makes one of.
        """
        made = [make_opponent(game, player) for player in players]
        env = GameAEC(game, view=self.view)
        return np.array([_play(env, made, (self.seed, number)) for number in range(self.games)])


def _play(env: GameAEC, players: Sequence[Any], key: tuple[int, int]) -> list[float]:
    """Play one game; the sum of the rewards of each seat."""
    env.reset(seed=int(np.random.SeedSequence(key).generate_state(1)[0]))
    streams = [np.random.default_rng((*key, _PLAYERS, seat)) for seat in range(len(players))]
    seated = [
        player.members[player.draw(rng)] if isinstance(player, Mixture) else player
        for player, rng in zip(players, streams, strict=True)
    ]
    memories: dict[int, Any] = {}
    totals = dict.fromkeys(env.possible_agents, 0.0)
    while not all(env.terminations.values()):
        seat = env.possible_agents.index(env.agent_selection)
        memories[seat] = env.let_move(
            seated[seat], memories.get(seat), seat not in memories, streams[seat]
        )
        for agent, reward in env.rewards.items():
            totals[agent] += reward
    return list(totals.values())
