"""Discussions: games of talk that begin where the first survey would be posed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pettingzoo

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.envs.games.core.seat_views import write_action
from zerogym.envs.games.opponents.registry import make_opponent
from zerogym.envs.games.views.aec import GameAEC
from zerogym.envs.registry import game_of

TRIES = 200  # games for each prompt that are played in search of a discussion


@prompts("discussions")
@dataclass(frozen=True)
class Discussions(Prompts):
    """Pose games in which a named player has made all moves before the first survey.

    So each episode has a discussion, however badly a policy plays until then. The moves are in the
    contexts and not trained on. Other tasks, and games without surveys, are posed from their start.
    The paper trains on whole games, of a policy that can play (our choice for small models).
    """

    source = (
        '"Training Language Models for Social Deduction with Multi-Agent Reinforcement Learning" '
        "(2025, arXiv 2502.06060)"
    )
    player: str = "scripted"  # name of the opponent that plays all seats until then

    def __call__(self, draw: Draw) -> list[Prompt]:
        """Return prompts whose traces lead to a survey.

        Raises:
            ValueError: If 200 games in a row have none.
        """
        if game_of(draw.task.env) is None:
            return [Prompt(draw.task, seed) for seed in draw.seeds()]
        env = pettingzoo.make("aec", draw.task.env, **({"view": "text"} | dict(draw.task.kwargs)))
        own: Any = env.unwrapped
        if not isinstance(own, GameAEC) or not hasattr(own.game, "survey"):
            return [Prompt(draw.task, seed) for seed in draw.seeds()]
        player = make_opponent(own.game, self.player)
        return [self._prompt(draw, own, player) for _ in range(draw.count)]

    def _prompt(self, draw: Draw, env: GameAEC, player: Any) -> Prompt:
        for _ in range(TRIES):
            seed = int(draw.rng.integers(2**31))
            trace = moves_before_survey(env, player, seed)
            if trace is not None:
                return Prompt(draw.task, seed, trace=trace)
        raise ValueError(f"{self.player!r} has no discussion in {TRIES} games of {draw.task.env}")


def moves_before_survey(env: GameAEC, player: Any, seed: int) -> tuple[str, ...] | None:
    """Return the replies of a player in all seats up to the first survey; None if none comes.

    Args:
        env: The game in its text view.
        player: A player of the game.
        seed: Of the reset; the player's random numbers are other ones.
    """
    rng, replies = np.random.default_rng((seed, 1)), list[str]()
    env.reset(seed=seed)
    while not any(env.terminations.values()):
        if any(env.survey(agent) is not None for agent in env.possible_agents):
            return tuple(replies)
        state = env.get_state()["attributes"]["_match"].state
        reply = write_action(env.game, state, "text", player.choose(state, rng))
        env.step(reply)
        replies.append(reply)
    return None
