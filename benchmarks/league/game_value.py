"""The exact payoff of a deterministic policy in a small game, by walking the whole tree.

A hand of poker is mostly luck: thousands are needed for one digit. But a deterministic policy of
a small game is a table, read by one request at each of its information sets; chance and the
opponent are then averaged exactly. Works for text and array policies. Left out: policies that
draw their moves (their table would be an estimate).
"""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.agents.core import Policy
from zerogym.envs.games.core.game import TERMINAL, Game, forfeit
from zerogym.envs.games.core.move_requests import request_move
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    branches,
    check_enumerable,
    expected_payoffs,
)
from zerogym.envs.games.opponents.registry import uniform_policy


def exact_payoff(env: gym.Env[Any, Any], policy: Policy) -> float:
    """Mean payoff over both seats against the environment's opponent.

    Args:
        env: A single-seat game with a known opponent.
        policy: Bound to `env`, if it is bound to environments at all. Its most likely moves
            count; a random policy and the oracle are taken as the strategies they are.

    Raises:
        TypeError: If the opponent is not a known strategy: a policy object, a search, a mixture.
        ValueError: If the game has too many states.
    """
    view: Any = env.unwrapped
    game: Game[Any] = view.game
    check_enumerable(game)
    if not callable(getattr(view.opponent, "probabilities", None)):
        raise TypeError(
            f"{env}: an exact payoff needs a known opponent, one with probabilities, "
            f"not {type(view.opponent).__name__}"
        )
    payoffs = []
    for seat in range(game.num_seats):
        strategy = _as_table(env, policy, seat)
        if strategy is not None:
            profile = [strategy if s == seat else view.opponent for s in range(game.num_seats)]
            payoffs.append(float(expected_payoffs(game, profile)[seat]))
        else:
            payoffs.append(_Walk(env, policy, seat).value(game.initial()))
    return float(np.mean(payoffs))


def _as_table(env: gym.Env[Any, Any], policy: Policy, seat: int) -> TabularPolicy | None:
    if isinstance(policy, TabularPolicy):
        return policy
    view: Any = env.unwrapped
    if isinstance(policy, RandomPolicy):
        return uniform_policy(view.game)
    if isinstance(policy, OraclePolicy):
        env.reset(options={"seat": seat})
        table: TabularPolicy = view.oracle_policy()
        return table
    return None


class _Walk:
    """One seat's walk through the tree."""

    def __init__(self, env: gym.Env[Any, Any], policy: Policy, seat: int) -> None:
        view: Any = env.unwrapped
        self._view = view
        self._game: Game[Any] = view.game
        greedy: Any = SimpleNamespace(predict=partial(policy.predict, deterministic=True))
        self._policy, self._seat = greedy, seat
        env.reset(options={"seat": seat})
        self._snapshot = view.get_state()
        # Perfect recall: an information set fixes the seat's own past, and so its memory.
        self._moves: dict[str, tuple[int | None, Any]] = {}

    def value(self, state: Any, memory: Any = None, opening: bool = True) -> float:
        """Expected payoff of the seat from a state on."""
        game, seat = self._game, self._seat
        if game.to_move(state) == TERMINAL:
            return float(game.payoff(state)[seat])
        if game.to_move(state) == seat:
            move, memory = self._move(state, memory, opening)
            if move is None:
                return float(forfeit(game, seat)[seat])
            return self.value(game.apply(state, move), memory, False)
        others = [self._view.opponent] * game.num_seats
        reached = branches(game, state, others)
        return sum(p * self.value(child, memory, opening) for child, p in reached if p > 0)

    def _move(self, state: Any, memory: Any, opening: bool) -> tuple[int | None, Any]:
        key = self._game.info_key(state, self._seat)
        if key not in self._moves:
            episode = replace(self._snapshot["episode"], state=state, seat=self._seat)
            self._view.set_state({**self._snapshot, "episode": episode})
            self._moves[key] = request_move(
                self._policy,
                self._game,
                state,
                self._view.view,
                memory,
                opening,
                self._view.max_retries,
            )
        return self._moves[key]
