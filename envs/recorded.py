"""Names that a file holds, of a run or of data: an id imports no module, a server gets no key.

A name that a user types may be `module:Id`, which imports the module, and a server's name may name
the environment variable with its key. The same name in a file may be anybody's: every reader of
settings passes what it read through the functions here, and what is typed goes over it.
"""

import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from zerogym.envs.games.opponents.registry import split_names
from zerogym.errors import ImportRefused

NO_KEY = "key_from="  # of a server's settings the last one counts
_SERVER = re.compile(r"[^\s/]*https?://[^#]*#")  # after a prefix such as `llm:`


def recorded_id(name: object, file: Path) -> str:
    """Return the id of an environment that a file names, for `gym.make`.

    Args:
        name: What stands in the file.
        file: The file, for the message.

    Raises:
        ImportRefused: If making the environment would import a module.

    Example:
        >>> recorded_id("zerogym/UMap-v0", Path("config.json"))
        'zerogym/UMap-v0'
    """
    if not isinstance(name, str):
        raise ImportRefused(f"{file} names {name!r:.80} as an environment, which is no id")
    module, colon, bare = name.partition(":")
    if colon and (module not in sys.modules or ":" in bare):
        raise ImportRefused(
            f"{file} names the environment {name!r:.200}, and nothing that a file names is "
            f"imported: name the module yourself (zerogym --import {module or 'MODULE':.200} ...)"
        )
    return name


def recorded_wrappers(wrappers: object, file: Path, typed: Collection[str] = ()) -> None:
    """Check the wrappers that a file names: none is of a module that the user did not type.

    Args:
        wrappers: What stands in the file: arguments by name.
        file: The file, for the message.
        typed: The modules that the user typed.

    Raises:
        ImportRefused: If one is `module:Class` of another module, or an MCP server would be
            started or called.

    Example:
        >>> recorded_wrappers({"FormatReward": {"bonus": 0.2}}, Path("run.json"))
    """
    for name in own_references(wrappers):
        module = name.partition(":")[0]
        if module not in typed:
            raise ImportRefused(
                f"{file} names {name!r:.200} among its wrappers, and nothing that a file names is "
                f"imported: type --wrappers again, or name the module yourself "
                f"(zerogym --import {module or 'MODULE':.200} ...)"
            )
    for server in _mcp_servers(wrappers):
        raise ImportRefused(
            f"{file} names the MCP server {server!r:.200}, and nothing that a file names is "
            "started or called: type --wrappers again"
        )


def _mcp_servers(value: object) -> list[object]:
    """Return the servers of the tools `("mcp", {"server": ...})` in arguments of wrappers."""
    if isinstance(value, Mapping):
        return [found for each in value.values() for found in _mcp_servers(each)]
    if not isinstance(value, (list, tuple)):
        return []
    if len(value) == 2 and value[0] == "mcp":
        return [value[1].get("server") if isinstance(value[1], Mapping) else value[1]]
    return [found for each in value for found in _mcp_servers(each)]


def own_references(wrappers: object) -> list[str]:
    """Return what wrappers by name take from modules: `module:Class`, `{"reward": "module:name"}`.

    Example:
        >>> own_references({"mine:Hint": {}, "RewardFunction": {"reward": "mine:short"}})
        ['mine:Hint', 'mine:short']
    """
    found = []
    for name, arguments in wrappers.items() if isinstance(wrappers, Mapping) else ():
        reward = arguments.get("reward") if isinstance(arguments, Mapping) else None
        found += [each for each in (name, reward) if isinstance(each, str) and ":" in each]
    return found


def without_keys(value: Any) -> Any:
    """Return JSON values in which every server's name says that no key is sent.

    Names stand alone (`http://...`), as opponents (`llm:http://...`), and among several (`a+b`).

    Example:
        >>> without_keys({"opponent": "random+llm:http://h/v1#m?key_from=SECRET"})
        {'opponent': 'random+llm:http://h/v1#m?key_from=SECRET&key_from='}
    """
    if isinstance(value, str):
        return "+".join(_keyless(name) for name in split_names(value))
    if isinstance(value, Mapping):
        return {without_keys(name): without_keys(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(without_keys(each) for each in value)
    return value


def _keyless(name: str) -> str:
    found = _SERVER.match(name)
    if found is None:
        return name
    _, mark, settings = name[found.end() :].partition("?")
    if settings == NO_KEY or settings.endswith(f"&{NO_KEY}"):
        return name
    return f"{name}{'&' if mark else '?'}{NO_KEY}"
