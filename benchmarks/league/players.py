"""Players of a league: the opponents of a game by name, learners, and language models.

Learners are trained when they are first needed. `ppo` and `ppo:STEPS` are Stable-Baselines3's
MaskablePPO in the numeric view, against random and scripted play (where the game has a rule of
thumb). `self_play` and `self_play:UPDATES` are a table, learned by mirror descent in all seats at
once, in games that can be enumerated. Left out: networks that learn by self-play, and saving what
was trained: the format of that library holds pickles.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from zerogym.agents.baselines.game_ppo import PPO_STEPS, NetworkPlayer, learn_ppo
from zerogym.agents.self_play.mirror_descent import MirrorDescent, MirrorDescentConfig
from zerogym.benchmarks.league.match import Entrant
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names
from zerogym.envs.games.opponents.scripted import find_script
from zerogym.errors import UnknownName

REPLY_TOKENS = 48
SELF_PLAY = "self_play"
UPDATES = 300  # of self-play: 0.2 s in Kuhn poker, 1 s in Leduc poker

_LEARNER = re.compile(rf"(ppo|{SELF_PLAY})(?::([1-9][0-9]{{0,8}}))?")


def named(game: Game[Any], names: Sequence[str], seed: int = 0) -> list[Entrant]:
    """Players by name: those of `make_opponent`, and the learners.

    Raises:
        UnknownName: If there is no such player.
    """
    return [_named(game, name, seed) for name in names]


def _named(game: Game[Any], name: str, seed: int) -> Entrant:
    learner = _LEARNER.fullmatch(name)
    if learner is not None and learner[1] == SELF_PLAY:
        if not game.enumerable:
            raise UnknownName(f"player of {game.name}", name, [*opponent_names(game), "ppo:STEPS"])
        config = MirrorDescentConfig(int(learner[2] or UPDATES), seed=seed)
        table = cache(lambda: MirrorDescent(config).self_play(game))
        return Entrant(name, lambda _: table())
    if learner is not None:
        network = cache(lambda: train_ppo(game, int(learner[2] or PPO_STEPS), seed))
        return Entrant(name, lambda _: network())
    player = make_opponent(game, name)
    return Entrant(name, lambda _: player)


def language_model(name: str) -> Entrant:
    """A language model that draws its replies, as `opponent="llm:NAME"` does."""
    from zerogym.agents.llm.opponent import find_language_model

    return Entrant(name, find_language_model(name).policy)


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
    return learn_ppo(game, opponent, steps, seed, on_progress=on_progress)
