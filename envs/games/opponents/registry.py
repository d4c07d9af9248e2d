"""Opponents by name, and mixtures of them.

Players are shown states or texts and draw with the environment's generator, so that an episode
follows from its seed (`core/players.py`). A policy object brings its own randomness.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from inspect import signature
from types import FunctionType
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
from zerogym.envs.references import load_reference, named_modules
from zerogym.errors import ImportRefused, UnknownName

# A name, `a+b` for several names, weights of names, the record of a part, a player, a policy, what
# makes one from the rules, or several of all these.
Opponent = str | Mapping[str, Any] | Player | TextPlayer | PolicyLike | Sequence[Any]

# The table of parts is above this layer, as the opponents of our entry points are.
_PARTS = "zerogym.agents.self_play.opponents.table:OPPONENTS"

# A plus before a word or `package.module:Name`, and not one inside a path as in `past:/data/c++/x`.
_PLUS = re.compile(r"\+(?=\w+(?:[:+]|$)|\w+(?:\.\w+)+:[A-Za-z_]\w*(?:[:+]|$))", re.ASCII)
_REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*(?::.*)?", re.ASCII)  # module:Name:TEXT
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
    `ppo:FILE.npz` and `person`. `module:Name` is an object of a module that the user typed on the
    command line or imported by `import_named` (`envs/references.py`), never of another one.
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

    A class or function is called as it takes arguments: with nothing, with the rules, or with the
    rules and a text (what stands after the last colon of `module:Name:TEXT` and of `NAME:TEXT`). A
    part of `agents/self_play/opponents` is called with the rules; `{"part": NAME, ...}` is one with
    its settings, as files hold it, and imports nothing.

    Raises:
        UnknownName: If the game has no opponent of this name.
        UnknownArgument: If a record has a setting that its part has not.
        NoPastSelves: If a folder holds nobody who plays this game.
        ValueError: If weights are no positive numbers, or a setting is out of range.
        TypeError: If the object is no player and no policy.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> make_opponent(KuhnPoker(), {"random": 3, "mcts:50": 1}).weights
        (3, 1)
        >>> make_opponent(KuhnPoker(), {"part": "mcts", "simulations": 50}).simulations
        50
    """
    if isinstance(opponent, str):
        return _named(game, opponent)
    if isinstance(opponent, Mapping) and "part" in opponent:
        return make_opponent(game, load_reference(_PARTS, "table").make(opponent))
    if isinstance(opponent, Mapping):
        members = [_named(game, name) for name in opponent]
        return Mixture.flat(members, list(opponent.values()))
    if isinstance(opponent, (list, tuple)):
        return Mixture.flat([make_opponent(game, each) for each in opponent], [1] * len(opponent))
    found: Any = _called(opponent, game)
    if not _plays(found) and callable(found) and not isinstance(found, type):
        found = found(game)  # a part
    if _plays(found):
        return found
    raise TypeError(
        f"opponent must be one of {opponent_names(game)} or a policy with predict(), "
        f"got {type(opponent).__name__}"
    )


def _plays(found: Any) -> bool:
    known = is_player(found) or is_text_player(found) or is_policy(found)
    return known or isinstance(found, Mixture)


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
    if not is_kind(kind) and _REFERENCE.fullmatch(name):
        return _of_module(game, name)
    brought = sorted({entry.name for entry in entries(OPPONENTS)})
    if kind in brought and kind not in _PLAYERS:
        return make_opponent(
            game, _called(find_extension(OPPONENTS, kind, "opponent"), game, argument)
        )
    forms = [*opponent_names(game), "mcts:N", "past:FOLDER", *brought, "module:Name"]
    raise UnknownName(f"opponent for {game.name}", name, forms)


def is_kind(word: str) -> bool:
    """Return True for what stands before the colon in the name of an opponent of ours."""
    return word in (*_PLAYERS, "past", *(entry.name for entry in entries(OPPONENTS)))


def _of_module(game: Game[Any], name: str) -> Any:
    """Return the opponent `module:Name`, or `module:Name:TEXT`, of a module that the user named.

    Raises:
        ImportRefused: If nobody named the module: the name may be that of a file.
    """
    module, path, *text = name.split(":", 2)
    if module not in named_modules:
        raise ImportRefused(
            f"the opponent {name!r:.200} is not imported: name its module yourself "
            f"(zerogym --import {module:.200} ...), or give the object"
        )
    found = load_reference(f"{module}:{path}", "opponent")
    return make_opponent(game, _called(found, game, *text))


def _called(maker: Any, game: Game[Any], text: str = "") -> Any:
    """Return what a class or function makes, from as many arguments as it needs; or the object.

    A text that was given is passed where there is a place for it.
    """
    if not isinstance(maker, type | FunctionType):
        return maker
    takes = signature(maker).parameters.values()
    places = [each for each in takes if each.kind <= each.POSITIONAL_OR_KEYWORD]
    needed = sum(each.default is each.empty for each in places)
    return maker(*(game, text)[: min(2, len(places)) if text else needed])
