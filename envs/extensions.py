"""Entry points of installed packages: environments, opponents and rewards, loaded when needed.

| group | value | used as |
|---|---|---|
| `zerogym.envs` | a function that registers ids, or a module that does | ids (`plugins.py`) |
| `zerogym.opponents` | a player, or a class or function that makes one | `opponent="NAME"` |
| `zerogym.rewards` | a function, or a class of such | `RewardFunction(env, "NAME")`, a task |
| `zerogym.parts` | a part, declared as `<table>.<name>` | `--advantage NAME` (`agents/parts.py`) |

A package declares them in its `pyproject.toml`:

    [project.entry-points."zerogym.opponents"]
    oracle = "my_package.players:make"

is named by `opponent="oracle:9"`: `make(game, "9")` returns a player, a text player, a policy
(`games/core/players.py`) or a mixture, and `opponent="oracle"` calls `make(game, "")`, or with as
many arguments as it takes. What cannot be had is an error that says why. zerogym's own opponents
are `llm:MODEL`, `ppo:FILE.npz` and `person`. Left out: a list of the games that such an opponent
can play; it raises an error when it is made.
"""

import os
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from zerogym.envs.references import CannotImport, import_module, load_reference
from zerogym.errors import MissingExtra, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENVS, OPPONENTS, REWARDS = "zerogym.envs", "zerogym.opponents", "zerogym.rewards"


def entries(group: str) -> "list[EntryPoint]":
    """Return the entry points of a group, by name."""
    found = _all_entries(tuple((folder, _changed(folder)) for folder in sys.path))
    return sorted(found.select(group=group), key=lambda entry: (entry.name, entry.value))


@lru_cache(maxsize=1)
def _all_entries(folders: tuple[tuple[str, int], ...]) -> Any:
    """Read the entry points of all packages, again when a folder has changed; 20 milliseconds."""
    from importlib.metadata import entry_points

    return entry_points()


def _changed(folder: str) -> int:
    """Return when a folder of `sys.path` has last changed, in nanoseconds; 0 if there is none."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return 0


def package_of(entry: "EntryPoint") -> str:
    """Return the name of the package that declares an entry point."""
    return entry.dist.name if entry.dist is not None else entry.module.partition(".")[0]


def load(entry: "EntryPoint") -> Any:
    """Return the module or the object of an entry point.

    Raises:
        CannotImport: If there is none, or its module raises; names the package.
        MissingExtra: If it needs an optional dependency.
    """
    try:
        if not entry.attr:
            return import_module(entry.module)
        return load_reference(f"{entry.module}:{entry.attr}", "object")
    except MissingExtra:
        raise
    except (CannotImport, UnknownName) as error:
        raise CannotImport(
            f"the package {package_of(entry)!r} declares {entry.name!r} in {entry.group}: {error}"
        ) from error


def find_extension(group: str, name: str, what: str) -> Any:
    """Return the object that an installed package brings under a name.

    Args:
        group: The group, such as `OPPONENTS`.
        name: The name.
        what: Words for it in the message.

    Raises:
        UnknownName: If no installed package brings it.
        CannotImport, MissingExtra: As `load`.
    """
    found = entries(group)
    for entry in found:
        if entry.name == name:
            return load(entry)
    raise UnknownName(f"{what} of an installed package", name, [entry.name for entry in found])
