"""Opponents by name, and mixtures of them.

Players are shown states or texts and draw with the environment's generator, so that an episode
follows from its seed (`core/players.py`). A policy object brings its own randomness.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from zerogym.envs.extensions import OPPONENTS, entries, find_extension
from zerogym.envs.games.core.determinization import can_redraw
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.players import (
    Player,
    PolicyLike,
    TextPlayer,
    is_player,
    is_policy,
    is_text_player,
)
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.past_selves import load_past_selves
from zerogym.envs.games.opponents.scripted import find_script, scripted_policy
from zerogym.envs.games.solvers.cfr import cfr_equilibrium
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.envs.games.solvers.oracle import has_equilibrium, is_searchable, perfect_player
from zerogym.errors import UnknownName

# A name, `a+b` for several names, weights of names, a player, a policy, or several of all these.
Opponent = str | Mapping[str, float] | Player | TextPlayer | PolicyLike | Sequence[Any]

# A plus before a word, and not one inside a path as in `past:/data/c++/selves`.
_PLUS = re.compile(r"\+(?=\w+(?:[:+]|$))", re.ASCII)
_SEARCH = re.compile(r"mcts:([1-9][0-9]{0,6})", re.ASCII)


@lru_cache(maxsize=8)
def uniform_policy(game: Game[Any]) -> TabularPolicy:
    """All legal actions, equally likely; one object a game, so that answers to it are kept."""
    return TabularPolicy(game, {})


_PLAYERS: Mapping[str, Callable[[Game[Any]], Player]] = {
    "random": uniform_policy,
    "scripted": scripted_policy,
    "minimax": perfect_player,
    "cfr": cfr_equilibrium,
    "mcts": MCTS,
}


def opponent_names(game: Game[Any]) -> tuple[str, ...]:
    """Names that `opponent=` takes for this game: those that can be computed for it.

    Beside them, `mcts:N` is a search of N simulations, `past:FOLDER` one of the strategies and
    language models of a folder (`past_selves.py`), and names joined by `+` are drawn from, one for
    each episode. Entry points bring more (`envs/extensions.py`): ours are `llm:MODEL`,
    `ppo:FILE.npz` and `person`.
    """
    names = ["random"]
    if find_script(game) is not None:
        names.append("scripted")
    if game.perfect_information and (game.enumerable or is_searchable(game)):
        names.append("minimax")
    if not game.perfect_information and has_equilibrium(game):
        names.append("cfr")
    if can_redraw(game):
        names.append("mcts")
    return tuple(names)


def make_opponent(
    game: Game[Any], opponent: Opponent
) -> Player | TextPlayer | PolicyLike | Mixture:
    """The player of a name; a player or policy object is returned as it is.

    Raises:
        UnknownName: If the game has no opponent of this name.
        NoPastSelves: If a folder holds nobody who plays this game.
        ValueError: If weights are no positive numbers.
        TypeError: If the object is no player and no policy.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
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
    if isinstance(found, Mixture) or is_player(found) or is_text_player(found) or is_policy(found):
        return found
    raise TypeError(
        f"opponent must be one of {opponent_names(game)} or a policy with predict(), "
        f"got {type(opponent).__name__}"
    )


def split_names(text: str) -> list[str]:
    """Return the names of `a+b`; joined by a plus they are the text again."""
    return _PLUS.split(text)


def _named(game: Game[Any], name: str) -> Any:
    parts = split_names(name)
    if len(parts) > 1:
        return Mixture.flat([_named(game, part) for part in parts], [1] * len(parts))
    if name in opponent_names(game):
        return _PLAYERS[name](game)
    if search := _SEARCH.fullmatch(name):
        return MCTS(game, int(search[1]))
    kind, _, argument = name.partition(":")
    if kind == "past":
        selves = load_past_selves(game, argument)
        return Mixture.flat(selves, [1] * len(selves))
    brought = sorted({entry.name for entry in entries(OPPONENTS)})
    if kind in brought and kind not in _PLAYERS:
        return make_opponent(game, find_extension(OPPONENTS, kind, "opponent")(game, argument))
    forms = [*opponent_names(game), "mcts:N", "past:FOLDER", *brought]
    raise UnknownName(f"opponent for {game.name}", name, forms)
