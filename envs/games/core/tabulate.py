"""From any policy to a table, so that its exploitability can be computed exactly.

A policy is sampled at every information set of the game, many times if it draws its moves. A policy
with a memory (a conversation) is led through its own earlier turns first, and only replies of those
samples count that made the moves which lead here.

Replies that are no legal move are left out of the frequencies and counted apart: the table is what
the policy plays when it is understood, as it would be with unlimited independent retries. Its
losses by forfeit are therefore not part of its exploitability (our choice): report `void` beside.

Left out: games too large to enumerate, and error bars of the estimate (with n samples a probability
p has the standard error sqrt(p (1 - p) / n)).
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.players import PolicyLike
from zerogym.envs.games.core.seat_views import View, first_message, read_action
from zerogym.envs.games.core.tabular_policy import TabularPolicy, information_sets, layers, moves

Decision = tuple[Any, int]  # a state, and what its mover does there


@dataclass(frozen=True)
class Tabulated:
    """The behaviour of a policy at each information set.

    Attributes:
        strategy: Frequencies of its legal moves; uniform where it made none.
        void: Information set to the share of replies that were no legal move, if there were any.
        replies: Information set to the number of replies that count. 0 where its own earlier moves
            never lead.
    """

    strategy: TabularPolicy
    void: Mapping[str, float]
    replies: Mapping[str, int]


def tabulate(
    game: Game[Any],
    policy: PolicyLike,
    view: View = "text",
    samples: int = 200,
    deterministic: bool = False,
) -> Tabulated:
    """Sample a policy at every information set of a small game.

    Args:
        game: The rules.
        policy: Any policy over texts or arrays.
        view: Which of the two it reads.
        samples: Replies at each information set, as one batch.
        deterministic: Take its most likely moves; then `samples=1` is exact.

    Example:
        >>> from zerogym.envs.games.solvers.best_response import exploitability
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> uniform = TabularPolicy(KuhnPoker(), {})
        >>> found = tabulate(KuhnPoker(), uniform, deterministic=True, samples=1)
        >>> found.strategy.table["K:b"], found.replies["K:b"], found.void["K:b"]
        ((1.0, 0.0), 1, 0.0)
        >>> exploitability(KuhnPoker(), found.strategy)  # checks and folds: a bet always wins 1
        1.0
    """
    if samples < 1:
        raise ValueError(f"samples must be at least 1, got {samples!r}")
    table: dict[str, tuple[float, ...]] = {}
    void: dict[str, float] = {}
    counted: dict[str, int] = {}
    for key, (past, state) in _own_paths(game).items():
        replies = _replies(game, policy, view, past, state, samples, deterministic)
        counted[key] = len(replies)
        understood = [move for move in replies if move is not None]
        if replies:
            void[key] = 1 - len(understood) / len(replies)
        if understood:
            counts = [understood.count(action) for action in game.legal(state)]
            table[key] = tuple(count / len(understood) for count in counts)
    return Tabulated(TabularPolicy(game, table), void, counted)


def _replies(
    game: Game[Any],
    policy: PolicyLike,
    view: View,
    past: list[Decision],
    state: Any,
    samples: int,
    deterministic: bool,
) -> list[int | None]:
    """Moves at `state` of the samples that played `past`."""
    name, memory = f"a policy in {game.name}", None
    consistent = [True] * samples
    for turn, (position, required) in enumerate([*past, (state, None)]):
        batch = [_message(game, position, view, opening=turn == 0)] * samples
        observations = batch if view == "text" else np.stack(batch)  # (samples, observation_size)
        start = np.full(samples, turn == 0)
        replies, memory = policy.predict(observations, memory, start, deterministic)
        found = [read_action(game, position, view, reply, name) for reply in replies]
        if required is not None:
            consistent = [ok and m == required for ok, m in zip(consistent, found, strict=True)]
    return [move for move, ok in zip(found, consistent, strict=True) if ok]


def _message(game: Game[Any], state: Any, view: View, opening: bool) -> Any:
    seat = game.to_move(state)
    if view == "numeric":
        return game.observe(state, seat)
    return first_message(game, state, seat) if opening else game.describe(state, seat)


def _own_paths(game: Game[Any]) -> dict[str, tuple[list[Decision], Any]]:
    """Each information set: a state of it, and the mover's own decisions on a way to it."""
    parents: dict[Hashable, Decision] = {}
    for layer in layers(game):
        for state in layer:
            for action in moves(game, state):
                parents.setdefault(game.apply(state, action), (state, action))
    paths = {}
    for key, states in information_sets(game).items():
        seat, past, state = game.to_move(states[0]), [], states[0]
        while state in parents:
            state, action = parents[state]
            if game.to_move(state) == seat:
                past.append((state, action))
        paths[key] = (past[::-1], states[0])
    return paths
