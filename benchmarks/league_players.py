"""Who plays in a league: the opponents of a game by name, learners, and language models.

`ppo` and `ppo:STEPS` are Stable-Baselines3's MaskablePPO, trained when it is first asked for, in
the numeric view, against random and scripted play (where the game has a rule of thumb). Left out:
training by self-play, and saving what was trained: the format of that library holds pickles.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.agents.baselines.sb3 import SB3Config, train_sb3
from zerogym.benchmarks.league import Entrant
from zerogym.envs.games.core import Game, action_mask, draw
from zerogym.envs.games.opponents import make_opponent
from zerogym.envs.games.scripted import find_script
from zerogym.envs.games.seat import SingleSeatEnv

PPO_STEPS = 16_384
PPO_SETTINGS = {"n_steps": 128, "batch_size": 256, "n_epochs": 6, "learning_rate": 2e-3}
REPLY_TOKENS = 48

_PPO = re.compile(r"ppo(?::([1-9][0-9]{0,8}))?")


class NetworkPlayer:
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
        row = network.get_distribution(observation, action_masks=mask).distribution.probs.tolist()[
            0
        ]
        weights = [row[action] for action in self.game.legal(state)]
        return tuple(weight / sum(weights) for weight in weights)

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """Draw an action, or take the first of the most likely ones."""
        row = self.probabilities(state)
        return self.game.legal(state)[int(np.argmax(row)) if deterministic else draw(row, rng)]


def named(game: Game[Any], names: Sequence[str], seed: int = 0) -> list[Entrant]:
    """Players by name: those of `make_opponent`, `ppo` and `ppo:STEPS`.

    Raises:
        UnknownName: If there is no such player.
    """
    return [_named(game, name, seed) for name in names]


def _named(game: Game[Any], name: str, seed: int) -> Entrant:
    learner = _PPO.fullmatch(name)
    if learner:
        trained = cache(lambda: train_ppo(game, int(learner[1] or PPO_STEPS), seed))
        return Entrant(name, lambda _: trained())
    player = make_opponent(game, name)
    return Entrant(name, lambda _: player)


def language_model(name: str) -> Entrant:
    """A language model that draws its replies; a name or directory of `load_model`."""
    from zerogym.agents.llm.generation import Sampling
    from zerogym.agents.llm.models import load_generator
    from zerogym.agents.llm.policy import LLMPolicy

    generator = load_generator(name)

    def make(seed: int) -> LLMPolicy:
        return LLMPolicy(generator, Sampling(REPLY_TOKENS, stop=("</answer>",), seed=seed))

    return Entrant(name, make)


def train_ppo(
    game: Game[Any],
    steps: int = PPO_STEPS,
    seed: int = 0,
    on_progress: Callable[[int, float], object] | None = None,
) -> NetworkPlayer:
    """MaskablePPO after these steps against random and scripted play, in all seats alike.

    Args:
        game: The rules.
        steps: Moves of the learner.
        seed: Of networks, batches and opponents.
        on_progress: Called with the steps so far and the mean payoff of the last 100 games.

    Raises:
        MissingExtra: If Stable-Baselines3 is not installed.
    """
    opponent = "random+scripted" if find_script(game) is not None else "random"

    def seat() -> gym.Env[Any, Any]:
        return _AnyGame(game, opponent)

    config = SB3Config("maskable_ppo", steps, seed=seed, settings=PPO_SETTINGS)
    return NetworkPlayer(game, train_sb3(config, seat, on_progress))


class _AnyGame(SingleSeatEnv):
    """The numeric view of given rules."""

    def __init__(self, game: Game[Any], opponent: str) -> None:
        self.rules_class = lambda: game  # type: ignore[misc, assignment]
        super().__init__(opponent, view="numeric")
