"""Random legal play of our games in each of their forms, as loops whose speed can be measured."""

import random
from typing import Any

import gymnasium as gym
import numpy as np

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.speed.loops import Loop
from zerogym.envs.games.batched.games import make_batched
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, deal, load_game
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.views.aec import GameAEC
from zerogym.envs.registry import single_seat_id

VECTOR_STEPS = 50  # of all games at once, for one call of a loop
VECTOR_ENVS = 8


def forms(name: str, batch: int) -> dict[str, Loop | None]:
    """All forms of a game; None if it is too large for one."""
    game = load_game(name)
    return {
        "rules": plain(game),
        "text": multi_agent(game, "text"),
        "numeric": multi_agent(game, "numeric"),
        "batched": batched(game, batch),
        "gym text": single_seat(name, "text"),
        "gym numeric": single_seat(name, "numeric"),
        "gym.make_vec": vectorised(name),
    }


def plain(game: Game[Any]) -> Loop:
    """The rules alone."""
    rng = np.random.default_rng(0)

    def loop() -> int:
        state, moves = deal(game, game.initial(), rng), 0
        while game.to_move(state) != TERMINAL:
            state = game.apply(state, random.choice(game.legal(state)))
            if game.to_move(state) == CHANCE:
                state = deal(game, state, rng)
            moves += 1
        return moves

    return loop


def multi_agent(game: Game[Any], view: View) -> Loop:
    """The AEC environment: observe, draw a legal action, step."""
    env = GameAEC(game, view=view)
    env.reset(seed=0)

    def loop() -> int:
        env.reset()
        moves = 0
        while not env.terminations[env.agent_selection]:
            observation = env.observe(env.agent_selection)
            if view == "text":
                env.step(random_reply(env))
            else:
                env.step(random.choice(observation["action_mask"].nonzero()[0].tolist()))
            moves += 1
        return moves

    return loop


def random_reply(env: GameAEC) -> str:
    """A legal move in words."""
    assert env._match is not None
    state = env._match.state
    action = random.choice(env.game.legal(state))
    return f"<answer>{env.game.action_name(state, action)}</answer>"


def single_seat(name: str, view: View) -> Loop:
    """One seat against random play, as `gym.make` makes it."""
    env: Any = gym.make(single_seat_id(name), view=view)
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def loop() -> int:
        _, info = env.reset()
        moves, terminated = 0, False
        while not terminated:
            if view == "text":
                action = env.unwrapped.random_action(rng)
            else:
                action = random.choice(info["action_mask"].nonzero()[0].tolist())
            _, _, terminated, _, info = env.step(action)
            moves += 1
        return moves

    return loop


def vectorised(name: str) -> Loop:
    """`VECTOR_ENVS` of these environments in one process, in the numeric view."""
    envs = gym.make_vec(
        single_seat_id(name), VECTOR_ENVS, vectorization_mode="sync", view="numeric"
    )
    rng = np.random.default_rng(0)
    infos, over = envs.reset(seed=0)[1], np.zeros(VECTOR_ENVS, dtype=bool)

    def loop() -> int:
        nonlocal infos, over
        moves = 0
        for _ in range(VECTOR_STEPS):
            masks = infos["action_mask"]
            actions = (rng.random(masks.shape) * masks).argmax(axis=1)
            moves += VECTOR_ENVS - int(over.sum())  # the step after an end only begins anew
            _, _, over, _, infos = envs.step(actions)
        return moves

    return loop


def batched(game: Game[Any], n: int) -> Loop | None:
    """Many games at once, if the game is not too large for it."""
    try:
        games = make_batched(game, n, seed=0)
    except ValueError:
        return None

    def loop() -> int:
        for _ in range(VECTOR_STEPS):
            games.observe()
            games.step(games.random_actions())
        return VECTOR_STEPS * n

    return loop
