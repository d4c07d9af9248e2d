"""MaskablePPO as a player of any game, learned in the numeric view of one seat at a time.

Left out: self-play, several processes, and saving what was learned, because the format of that
library holds pickles.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from zerogym.agents.baselines.sb3 import SB3Config, train_sb3
from zerogym.envs.games.core.game import Game, action_mask
from zerogym.envs.games.core.players import StrategyPlayer
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.views.single_seat import SingleSeatEnv

PPO_STEPS = 16_384
PPO_SETTINGS = {"n_steps": 128, "batch_size": 256, "n_epochs": 6, "learning_rate": 2e-3}


class NetworkPlayer(StrategyPlayer):
    """The network of a MaskablePPO as a strategy: probabilities of the legal moves of a state.

    It draws with the generator of the match, which the library's own `predict` does not, and its
    exploitability can be computed.

    Args:
        game: The rules.
        model: A trained MaskablePPO of the numeric view.
    """

    def __init__(self, game: Game[Any], model: Any) -> None:
        self.game, self.model = game, model

    def probabilities(self, state: Any) -> tuple[float, ...]:
        """Probabilities of the legal actions, for the seat to move."""
        seat = self.game.to_move(state)
        network = self.model.policy
        observation, _ = network.obs_to_tensor(self.game.observe(state, seat)[None])
        mask = action_mask(self.game, state, seat)[None].astype(np.bool_)  # (1, num_actions)
        found = network.get_distribution(observation, action_masks=mask).distribution.probs
        row = found.tolist()[0]
        weights = [row[action] for action in self.game.legal(state)]
        return tuple(weight / sum(weights) for weight in weights)


class OneSeat(SingleSeatEnv):
    """The numeric view of given rules, registered or not.

    Args:
        game: The rules.
        opponent: As everywhere: names, players, policies or several of them.
        seat: The learner's, or `random`.
        opponent_view: What an opponent reads that is a policy.
    """

    def __init__(
        self,
        game: Game[Any],
        opponent: Any,
        seat: int | Literal["random"] = "random",
        opponent_view: View = "numeric",
    ) -> None:
        self.rules_class = lambda: game  # type: ignore[misc, assignment]
        super().__init__(opponent, seat, "numeric", opponent_view=opponent_view)

    def position(self) -> Any:
        """The state in which the learner is to move; None if the game was decided before."""
        return None if self._ended() else self._running().state


def learn_ppo(
    game: Game[Any],
    opponent: Any,
    steps: int = PPO_STEPS,
    seed: int = 0,
    opponent_view: View = "numeric",
    on_progress: Callable[[int, float], object] | None = None,
) -> NetworkPlayer:
    """A player of all seats, learned against opponents that do not learn.

    Args:
        game: The rules.
        opponent: In all other seats: as `OneSeat`.
        steps: Moves of the learner; rounded up to whole rollouts of 1024.
        seed: Of the network, its batches and the episodes.
        opponent_view: What an opponent reads that is a policy.
        on_progress: Called after each rollout with the steps so far and the mean payoff of the last
            100 episodes.

    Raises:
        MissingExtra: If Stable-Baselines3 is not installed.
    """
    config = SB3Config("maskable_ppo", steps, seed=seed, settings=PPO_SETTINGS)

    def seat() -> OneSeat:
        return OneSeat(game, opponent, opponent_view=opponent_view)

    return NetworkPlayer(game, train_sb3(config, seat, on_progress))
