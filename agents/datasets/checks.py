"""Whether a dataset is of the world that is asked for: its id, arguments, spaces and version.

The version of an environment is part of its id. Arguments that change neither what follows what nor
what is seen (`task`, `render_mode`, `horizon`) may differ. Data that take turns in several variants
fit the world that is varied. Data of another minor version of zerogym are refused, since its
physics may have changed.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym

import zerogym
from zerogym.agents.datasets.shards import Columns, NotADataset

_HARMLESS = ("task", "render_mode", "horizon")
_PARTS = 2  # of a version: major and minor


class WrongDataset(NotADataset):
    """The data are of another environment, version or format than was asked for; names both."""


def check_env_matches(
    folder: Path,
    manifest: Mapping[str, Any],
    env: str | gym.Env[Any, Any],
    given: Mapping[str, Any],
) -> None:
    """Refuse data of another environment, of other arguments, or of another version of zerogym.

    Raises:
        WrongDataset: If they are; it names both.
        ValueError: If the environment has no id.
    """
    name = env
    if not isinstance(env, str):
        if env.spec is None:
            raise ValueError(f"{env} has no id to compare the data's with: make it with gym.make")
        name, given = env.spec.id, env.spec.kwargs
    found = (manifest["env"], _physics(manifest["env_kwargs"]))
    wanted = (name, _physics(given))
    if found != wanted:
        raise WrongDataset(f"{folder} holds data of {_said(*found)}, not of {_said(*wanted)}")
    version = str(manifest.get("versions", {}).get("zerogym", zerogym.__version__))
    if version.split(".")[:_PARTS] != zerogym.__version__.split(".")[:_PARTS]:
        raise WrongDataset(
            f"{folder} was collected with zerogym {version}, this is {zerogym.__version__}: "
            "its worlds may move differently; collect again"
        )


def check_shapes(folder: Path, columns: Columns, env: gym.Env[Any, Any]) -> None:
    """Refuse data that are no observations and actions of an environment.

    Raises:
        WrongDataset: If they are not; it names both.
    """
    spaces = {"observations": env.observation_space, "actions": env.action_space}
    for name, space in spaces.items():
        found = (columns[name].shape[1:], columns[name].dtype.kind)
        wanted = (space.shape, space.dtype.kind if space.dtype is not None else None)
        if found != wanted:
            raise WrongDataset(
                f"{folder} holds {name} of shape {found[0]} and kind {found[1]}, those of {env} "
                f"have {wanted[0]} and {wanted[1]}"
            )


def _physics(arguments: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in arguments.items() if name not in _HARMLESS}
    plain: dict[str, Any] = json.loads(json.dumps(kept, default=str))
    return plain


def _said(name: Any, arguments: Mapping[str, Any]) -> str:
    return f"{name} {json.dumps(arguments)}" if arguments else str(name)
