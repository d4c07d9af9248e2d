"""A folder of a learner's past selves is an opponent: one of them for each episode.

Strategies are JSON files: the game with its parameters, and the table. Networks are files of
`agents/baselines/saved_ppo.py`. Language models are subfolders in Hugging Face format, or with one
inside as `model`, as the checkpoints of our trainers are: `past:runs/mine` plays those of a run.
Its final `model` beside them is its last checkpoint again, and not counted twice.

The folder is read when the environment is made, because an episode follows from its seed and not
from what was written meanwhile; make the environment again where it has grown. What was read must
stay there: models are loaded when they are first drawn. Left out: what Stable-Baselines3 itself
saves, for that holds pickles.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zerogym.envs.extensions import OPPONENTS, find_extension
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import TabularPolicy
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
    written.write_text(json.dumps(header(policy.game) | {"table": policy.table}, indent=1))
    return written.replace(path)


def load_strategy(game: Game[Any], path: str | Path) -> TabularPolicy:
    """Read a strategy of this game.

    Raises:
        NoPastSelves: If the file holds none, or one of another game or other parameters.
    """
    try:
        content = json.loads(Path(path).read_text())
        table = {str(key): [float(p) for p in row] for key, row in content["table"].items()}
        found = {name: content[name] for name in header(game)}
        policy = TabularPolicy(game, table)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoPastSelves(f"{path} holds no strategy: {error!r:.200}") from None
    if found != header(game):
        raise NoPastSelves(f"{path} is of {found}, not of {header(game)}")
    return policy


def load_past_selves(game: Game[Any], folder: str | Path) -> list[Any]:
    """The strategies, networks and language models of a folder, in the order of their names.

    Raises:
        NoPastSelves: If there are none, or a file cannot be read.
        MissingExtra: If there are networks or models, and what runs them is not installed.
    """
    folder = Path(folder).expanduser()
    if is_model(folder):
        raise NoPastSelves(f"{folder} is one language model: llm:{folder}")
    found = _find_selves(folder)
    if not found:
        raise NoPastSelves(
            f"{folder} has no strategy, which would be a file *.json, no network, a file *.npz, "
            "and no language model, a folder"
        )
    return [_load(game, path) for path in found]


def is_model(folder: Path) -> bool:
    """Return True if a folder looks like a language model in Hugging Face format, or an adapter."""
    described = any((folder / name).is_file() for name in ("config.json", "adapter_config.json"))
    return described and any(folder.glob("*.safetensors"))


def _load(game: Game[Any], path: Path) -> Any:
    if path.suffix == ".json":
        return load_strategy(game, path)
    kind = "ppo" if path.suffix == ".npz" else "llm"
    return find_extension(OPPONENTS, kind, "opponent")(game, str(path))


def _find_selves(folder: Path) -> list[Path]:
    """Files of strategies and networks, and folders of models."""
    found = [*folder.glob("*.json"), *folder.glob("*.npz")]
    whole = sorted(path for path in folder.glob("*") if is_model(path))
    checkpoints = sorted(path for path in folder.glob("*") if is_model(path / "model"))
    # While a checkpoint is written, it has a name that begins with a dot.
    found += [path for path in checkpoints if not path.name.startswith(".")]
    found += [path for path in whole if path.name != "model" or not checkpoints]
    return sorted(found)


def header(game: Game[Any]) -> dict[str, Any]:
    """The part of a file about the rules that its player was made for."""
    parameters: Any = game
    # Through JSON, so that tuples are what they are after reading.
    return {"game": game.name, "parameters": json.loads(json.dumps(asdict(parameters)))}
