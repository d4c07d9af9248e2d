"""Checks that a dataset is of the requested environment: id, arguments, spaces and version.

The version of an environment is part of its id. Arguments that change neither transitions nor
observations (`task`, `render_mode`, `horizon`) may differ. Data of several variants fit the
environment that is varied. Data of another minor version of zerogym are refused, since its physics
may have changed.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym

import zerogym
from zerogym.agents.datasets.shards import Columns, NotADataset
from zerogym.envs.recorded import without_keys

_HARMLESS = ("task", "render_mode", "horizon")
_PARTS = 2  # of a version: major and minor


class WrongDataset(NotADataset):
    """The data are of another environment, version or format than requested; names both."""


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
    found = (_bare(manifest["env"]), _physics(manifest["env_kwargs"], manifest["env"]))
    expected = (_bare(name), _physics(given, name))
    if found != expected:
        raise WrongDataset(f"{folder} holds data of {_text(*found)}, not of {_text(*expected)}")
    version = str(manifest.get("versions", {}).get("zerogym", zerogym.__version__))
    if version.split(".")[:_PARTS] != zerogym.__version__.split(".")[:_PARTS]:
        raise WrongDataset(
            f"{folder} was collected with zerogym {version}, this is {zerogym.__version__}: "
            "its physics may differ; collect again"
        )


def check_shapes(folder: Path, columns: Columns, env: gym.Env[Any, Any]) -> None:
    """Refuse data whose observations or actions do not fit the spaces of an environment.

    Raises:
        WrongDataset: If they are not; it names both.
    """
    spaces = {"observations": env.observation_space, "actions": env.action_space}
    for name, space in spaces.items():
        found = (columns[name].shape[1:], columns[name].dtype.kind)
        expected = (space.shape, space.dtype.kind if space.dtype is not None else None)
        if found != expected:
            raise WrongDataset(
                f"{folder} holds {name} of shape {found[0]} and kind {found[1]}, those of {env} "
                f"have {expected[0]} and {expected[1]}"
            )


def _physics(arguments: Mapping[str, Any], env: object) -> dict[str, Any]:
    spec = gym.registry.get(_bare(env))
    every = {**(spec.kwargs if spec is not None else {}), **arguments}  # an id may have its own
    kept = {name: value for name, value in every.items() if name not in _HARMLESS}
    plain: dict[str, Any] = without_keys(json.loads(json.dumps(kept, default=str)))
    return plain


def _bare(name: object) -> str:
    """Return an id without the module that registers it."""
    return str(name).rpartition(":")[2]


def _text(name: Any, arguments: Mapping[str, Any]) -> str:
    return f"{name} {json.dumps(arguments)}" if arguments else str(name)
