"""Strategies on disk: a folder of them is an opponent made of a learner's past selves.

One JSON file a strategy: the game with its parameters, and the table. Left out: policies that are
not tables, such as language models; load those and give the objects as opponents.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zerogym.envs.games.core import Game
from zerogym.envs.games.tabular import TabularPolicy
from zerogym.errors import ZerogymError


class NoPastSelves(ZerogymError, ValueError):
    """A folder, or a file in it, holds no strategy of this game; says which."""


def save_strategy(policy: TabularPolicy, path: str | Path) -> Path:
    """Write a strategy; the file is there in whole or not at all.

    Args:
        policy: The table.
        path: Ends in `.json`, so that a folder of such files can be an opponent.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(path.name + ".part")
    written.write_text(json.dumps(_header(policy.game) | {"table": policy.table}, indent=1))
    return written.replace(path)


def load_strategy(game: Game[Any], path: str | Path) -> TabularPolicy:
    """Read a strategy of this game.

    Raises:
        NoPastSelves: If the file holds none, or one of another game or other parameters.
    """
    try:
        content = json.loads(Path(path).read_text())
        table = {str(key): [float(p) for p in row] for key, row in content["table"].items()}
        found = {name: content[name] for name in _header(game)}
        policy = TabularPolicy(game, table)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoPastSelves(f"{path} holds no strategy: {error!r:.200}") from None
    if found != _header(game):
        raise NoPastSelves(f"{path} is of {found}, not of {_header(game)}")
    return policy


def load_past_selves(game: Game[Any], folder: str | Path) -> list[TabularPolicy]:
    """The strategies of a folder, in the order of their names.

    Raises:
        NoPastSelves: If there are none, or a file cannot be read.
    """
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        raise NoPastSelves(f"{folder} has no strategy, which would be a file *.json")
    return [load_strategy(game, path) for path in files]


def _header(game: Game[Any]) -> dict[str, Any]:
    parameters: Any = game
    # Through JSON, so that tuples are what they are after reading.
    return {"game": game.name, "parameters": json.loads(json.dumps(asdict(parameters)))}
