"""Wrappers by name with their arguments: `{"PrefixHint": {"share": [0.2, 0.5]}}`.

This is the form of the setting `wrappers` of training runs, the innermost first. A name is one of a
table, or `module:Class` of a wrapper of the user, which is imported when an environment is made;
`recorded_wrappers` of `envs/recorded.py` refuses such names in files.
"""

import json
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from zerogym.envs.references import load_reference
from zerogym.errors import UnknownName

Table = Mapping[str, type[gym.Wrapper[Any, Any, Any, Any]]]


def check_wrappers(setting: str, wrappers: Mapping[str, Any], table: Table) -> None:
    """Raise unless these are arguments by name of a table; what `module:Class` is, is not checked.

    Args:
        setting: The setting that holds them, for messages: `FBConfig.wrappers`.
        wrappers: The arguments of each wrapper, JSON values.
        table: The wrappers that have a name.

    Raises:
        UnknownName: If a name is not in the table.
        ValueError: If there are no arguments by name.
        TypeError: If they are no JSON values.
    """
    for name, arguments in wrappers.items():
        if name not in table and ":" not in name:
            raise UnknownName(setting, name, [*table, "module:Class"])
        if not isinstance(arguments, Mapping):
            raise ValueError(f"{setting}: {name} takes arguments by name, {arguments!r:.80}")
    try:
        json.dumps({name: dict(arguments) for name, arguments in wrappers.items()})
    except TypeError as error:
        raise TypeError(f"{setting} must be JSON values: {error}") from None


def wrap(
    env: gym.Env[Any, Any], wrappers: Mapping[str, Mapping[str, Any]], table: Table, named: str
) -> gym.Env[Any, Any]:
    """Return an environment inside wrappers.

    Args:
        env: The environment; it is closed if a wrapper does not fit it.
        wrappers: The arguments of each wrapper, the innermost first.
        table: The wrappers that have a name.
        named: The name of the environment, for messages.

    Raises:
        ValueError: If a wrapper does not fit, or refuses its arguments; names both.
        CannotImport, UnknownName: If `module:Class` does not exist.
    """
    for name, arguments in wrappers.items():
        try:
            env = _wrapper(name, table)(env, **arguments)
        except (TypeError, ValueError) as error:
            env.close()
            if isinstance(error, UnknownName):
                raise
            raise ValueError(f"{name} does not fit {named}: {error}") from None
    return env


def _wrapper(name: str, table: Table) -> type[gym.Wrapper[Any, Any, Any, Any]]:
    """Return the class of a name.

    Raises:
        TypeError: If it is no wrapper.
    """
    found = table[name] if name in table else load_reference(name, "wrapper")
    if not (isinstance(found, type) and issubclass(found, gym.Wrapper)):
        raise TypeError("it is no subclass of gymnasium.Wrapper")
    return found
