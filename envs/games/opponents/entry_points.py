"""Opponents by name that packages above this one, or of others, bring: entry points.

A package that declares in its `pyproject.toml`

    [project.entry-points."zerogym.opponents"]
    oracle = "my_package.players:make"

is named by `opponent="oracle:9"`: `make(game, "9")` returns a player, a text player, a policy
(`core/players.py`) or a mixture, and `opponent="oracle"` calls `make(game, "")`. What cannot be had
is an error that says why. zerogym's own are `llm:MODEL`, `ppo:FILE.npz` and `person`. Left out:
a list of the games that such an opponent can play; it raises an error when it is made.
"""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from zerogym.envs.games.core.game import Game
from zerogym.errors import UnknownName

GROUP = "zerogym.opponents"

Maker = Callable[[Game[Any], str], Any]  # from the rules and what stands after the colon


def extension_names() -> list[str]:
    """The names that installed packages bring."""
    return sorted(entry_points(group=GROUP).names)


def find_extension(name: str) -> Maker:
    """Return the function that makes the opponents of a name.

    Raises:
        UnknownName: If no installed package brings it.
    """
    for found in entry_points(group=GROUP, name=name):
        maker: Maker = found.load()
        return maker
    raise UnknownName("opponent of an installed package", name, extension_names())
