"""Who sits in the other seats: players by name, mixtures of them, and any policy.

Players are shown states and draw with the environment's generator, so that an episode follows from
its seed. A strategy among them, one with probabilities, is known: the exact best response to it is
the truth. A policy object is unknown and brings its own randomness; the truth against it is an
equilibrium.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeGuard

import numpy as np

from zerogym.envs.games.alpha_beta import AlphaBeta
from zerogym.envs.games.best_response import best_response
from zerogym.envs.games.cfr import cfr_equilibrium
from zerogym.envs.games.core import Game
from zerogym.envs.games.mcts import MCTS
from zerogym.envs.games.minimax import minimax_policy
from zerogym.envs.games.mixture import Mixture
from zerogym.envs.games.past_selves import load_past_selves
from zerogym.envs.games.scripted import find_script, scripted_policy
from zerogym.envs.games.tabular import TabularPolicy
from zerogym.envs.games.views import View, first_message, read_action, retry_message
from zerogym.errors import NoTruth, UnknownName

TRUTH_SIMULATIONS = 400  # of the player that stands in for the truth of large games


class PolicyLike(Protocol):
    """What is needed of a policy object: the `predict` of every zerogym policy."""

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """A batch of actions for a batch of observations, and the policy's state."""
        ...


class Player(Protocol):
    """A player that is shown states and draws with the generator of the environment.

    It must not use what the seat to move does not know. `TabularPolicy`, `Scripted`, `AlphaBeta`
    and `MCTS` are such.
    """

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """A legal action of the seat that is to move."""
        ...


def is_player(opponent: object) -> TypeGuard[Player]:
    """Whether it is shown states; otherwise it is a policy, which reads a view."""
    return callable(getattr(opponent, "choose", None))


# A name, `a+b` for several names, weights of names, a player, a policy, or several of all these.
Opponent = str | Mapping[str, float] | Player | PolicyLike | Sequence[Any]


@lru_cache(maxsize=8)
def uniform_policy(game: Game[Any]) -> TabularPolicy:
    """All legal actions, equally likely; one object a game, so that answers to it are kept."""
    return TabularPolicy(game, {})


def perfect_player(game: Game[Any]) -> TabularPolicy | AlphaBeta:
    """Perfect play: from a table of all states, or for larger games searched move by move."""
    return minimax_policy(game) if game.enumerable else _searched(game)


@lru_cache(maxsize=8)
def _searched(game: Game[Any]) -> AlphaBeta:
    return AlphaBeta(game)


_PLAYERS: Mapping[str, Callable[[Game[Any]], Player]] = {
    "random": uniform_policy,
    "scripted": scripted_policy,
    "minimax": perfect_player,
    "cfr": cfr_equilibrium,
    "mcts": MCTS,
}


def opponent_names(game: Game[Any]) -> tuple[str, ...]:
    """Names that `opponent=` takes for this game: those that can be computed for it.

    Beside them, `mcts:N` is a search of N simulations, `past:FOLDER` are the strategies of a folder
    (`past_selves.py`), and names joined by `+` are drawn from, one for each episode.
    """
    names = ["random"]
    if find_script(game) is not None:
        names.append("scripted")
    if game.perfect_information and (game.enumerable or is_searchable(game)):
        names.append("minimax")
    if not game.perfect_information and has_equilibrium(game):
        names.append("cfr")
    return (*names, "mcts")


def is_searchable(game: Game[Any]) -> bool:
    """Whether it is solved in time, though too large to enumerate: see `core.Game`."""
    return bool(getattr(game, "searchable", False))


def has_equilibrium(game: Game[Any]) -> bool:
    """Whether there is a player here that no adversary can beat: `minimax` or `cfr`."""
    solved = game.enumerable or is_searchable(game)
    return solved and game.num_seats == 2 and game.zero_sum


def has_tree(game: Game[Any]) -> bool:
    """Whether all its states are held in memory, for exact answers to a known strategy."""
    return game.enumerable or (is_searchable(game) and not game.perfect_information)


def make_opponent(game: Game[Any], opponent: Opponent) -> Player | PolicyLike | Mixture:
    """The player of a name; a player or policy object is returned as it is.

    Raises:
        UnknownName: If the game has no opponent of this name.
        NoPastSelves: If a folder holds no strategies of this game.
        ValueError: If weights are no positive numbers.
        TypeError: If the object is no player and no policy.

    Example:
        >>> from zerogym.envs.games.kuhn_poker import KuhnPoker
        >>> make_opponent(KuhnPoker(), {"random": 3, "mcts:50": 1}).weights
        (3, 1)
    """
    if isinstance(opponent, str):
        return _named(game, opponent)
    if isinstance(opponent, Mapping):
        members = [_named(game, name) for name in opponent]
        return Mixture.flat(members, list(opponent.values()))
    if isinstance(opponent, (list, tuple)):
        return Mixture.flat([make_opponent(game, each) for each in opponent], [1] * len(opponent))
    found: Any = opponent
    if is_player(found) or callable(getattr(found, "predict", None)):
        return found
    raise TypeError(
        f"opponent must be one of {opponent_names(game)} or a policy with predict(), "
        f"got {type(opponent).__name__}"
    )


def _named(game: Game[Any], name: str) -> Player | Mixture:
    if name.startswith("past:"):
        selves = load_past_selves(game, name.removeprefix("past:"))
        return Mixture.flat(selves, [1] * len(selves))
    if "+" in name:
        parts = name.split("+")
        return Mixture.flat([_named(game, part) for part in parts], [1] * len(parts))
    simulations = re.fullmatch(r"mcts:([1-9][0-9]{0,6})", name)
    if simulations:
        return MCTS(game, int(simulations[1]))
    if name not in opponent_names(game):
        forms = [*opponent_names(game), "mcts:N", "past:FOLDER"]
        raise UnknownName(f"opponent for {game.name}", name, forms)
    return _PLAYERS[name](game)


def truth(game: Game[Any], seat: int, opponent: Player | PolicyLike) -> Player:
    """The best play known here against an opponent.

    Where the states can be enumerated it is exact: the best response to a strategy whose
    probabilities are known, else an equilibrium. So it is in `searchable` games that hide
    something; their arrays take seconds and up to 200 MB, once a process. In `searchable` games of
    perfect information it is perfect play, whoever the opponent is. For the rest it is a tree
    search of `TRUTH_SIMULATIONS`: a strong player, no more.

    Raises:
        NoTruth: If the game is not zero-sum and there is no best response: what is best then
            depends on who else plays.
    """
    if has_tree(game) and callable(getattr(opponent, "probabilities", None)):
        known: Any = opponent
        return best_response(game, seat, known)[0]
    if has_equilibrium(game):
        return perfect_player(game) if game.perfect_information else cfr_equilibrium(game)
    if not game.zero_sum:
        raise NoTruth(f"what is best in {game.name} depends on an opponent that is not known")
    return MCTS(game, TRUTH_SIMULATIONS)


def equilibrium(game: Game[Any]) -> TabularPolicy:
    """Minimax, or the average strategy of CFR+; with two seats and zero sums no adversary beats it.

    Raises:
        ValueError: If the game is too large for either, or hides moves and is not of two seats
            and zero-sum.
    """
    return minimax_policy(game) if game.perfect_information else cfr_equilibrium(game)


def ask_policy(
    policy: PolicyLike,
    game: Game[Any],
    state: Any,
    view: View,
    memory: Any,
    opening: bool,
    max_retries: int,
) -> tuple[int | None, Any]:
    """One move of a policy object, in the seat that is to move.

    Args:
        policy: The player.
        game: The rules.
        state: The state of the game.
        view: Which view the policy reads.
        memory: What `predict` returned as state the last time, None at the start of an episode.
        opening: Whether this is its first move of the episode.
        max_retries: Texts without a legal move that are asked again; illegal numbers never are.

    Returns:
        A legal action, or None if it found none; and the policy's state for its next move.
    """
    seat, name = game.to_move(state), f"the opponent in {game.name}"
    if view == "numeric":
        batch = game.observe(state, seat)[None]  # (1, observation_size)
        replies, memory = policy.predict(batch, memory, np.array([opening]))
        return read_action(game, state, view, np.asarray(replies)[0], name), memory
    message = first_message(game, state, seat) if opening else game.describe(state, seat)
    for attempt in range(max_retries + 1):
        start = np.array([opening and attempt == 0])
        replies, memory = policy.predict([message], memory, start)
        move = read_action(game, state, view, replies[0], name)
        if move is not None:
            return move, memory
        message = retry_message(game, state, seat)
    return None, memory
