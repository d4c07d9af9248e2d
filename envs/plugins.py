"""Environments that installed packages bring, and those of any registered id, as `Task` records.

A package declares an entry point of the group `zerogym.envs`: a function that registers ids with
Gymnasium, or a module that does so when it is imported. They are loaded where ids are listed and
where an unknown id is looked up; a broken one is a `BrokenPlugin` warning. Left out: plain
`gymnasium.make(id)` of such an id before one of these. Gymnasium reads no entry points since its
version 1.0; it takes `module:id`, or the module is imported first.
"""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import pettingzoo
from gymnasium.envs.registration import EnvSpec, load_env_creator

from zerogym.envs.extensions import ENVS, entries, load, package_of
from zerogym.envs.references import failure
from zerogym.envs.registry import FAMILIES, Task

OTHER = "other"  # family of environments with no base of ours
_loaded: set[tuple[str, str, str]] = set()  # package, name and value of entry points
_brought: dict[str, str] = {}  # the package of each id


class BrokenPlugin(UserWarning):
    """An installed package declares environments that cannot be registered."""


@dataclass(frozen=True)
class RegisteredTask(Task):
    """An environment that is not of this package, under the id that it is registered with.

    Attributes:
        registered: The id.
        kind: The family of its base class, or `other`.
        first_line: First line of the docstring of its class.
    """

    registered: str = ""
    kind: str = OTHER
    first_line: str = ""

    @property
    def id(self) -> str:
        return self.registered

    @property
    def family(self) -> str:
        return self.kind

    @property
    def entry_point(self) -> str:
        return self.target

    @property
    def summary(self) -> str:
        return self.first_line


def load_plugins() -> None:
    """Let installed packages register their environments, each once; broken ones warn."""
    for entry in entries(ENVS):
        package = package_of(entry)
        if (package, entry.name, entry.value) in _loaded:
            continue
        _loaded.add((package, entry.name, entry.value))
        before = set(gym.registry)
        try:
            register = load(entry)
            if callable(register):
                register()
            own = [spec for spec in gym.registry.values() if _is_brought(spec, entry.module)]
            new = {spec.id for spec in own} | (set(gym.registry) - before)
            for env_id in new:
                task_of_spec(gym.registry[env_id])  # its class can be imported
        except (Exception, SystemExit) as error:  # whatever code of others raises
            says = str(error) if entry.name in str(error) else failure(entry.module, error)
            warnings.warn(f"environments of {package!r} are missing: {says}", BrokenPlugin, 2)
            continue
        _brought.update(dict.fromkeys(sorted(new), package))


def ensure_registered(env_id: str) -> str:
    """Load what installed packages bring unless an id is registered already; return the id."""
    tables = (gym.registry, pettingzoo.aec_registry, pettingzoo.parallel_registry)
    if ":" not in env_id and not any(env_id in table for table in tables):
        load_plugins()
    return env_id


def plugin_tasks() -> list[RegisteredTask]:
    """Return the tasks that installed packages bring, in the order of their ids."""
    load_plugins()
    return [task_of_spec(gym.registry[env_id]) for env_id in sorted(_brought)]


def task_of_spec(spec: EnvSpec) -> RegisteredTask:
    """Return the record of a registered environment; its class is imported."""
    creator = creator_of(spec)
    doc = inspect.getdoc(creator) if callable(creator) else None
    target = spec.entry_point
    if not isinstance(target, str):
        target = f"{creator.__module__}:{getattr(creator, '__qualname__', type(creator).__name__)}"
    return RegisteredTask(
        name=spec.name,
        target=target,
        max_steps=spec.max_episode_steps,
        kwargs=dict(spec.kwargs),
        tags=(_brought[spec.id],) if spec.id in _brought else (),
        registered=spec.id,
        kind=family_of(creator),
        first_line=(doc or "").partition("\n")[0],
    )


def creator_of(spec: EnvSpec) -> Callable[..., Any]:
    """Return the class or function that makes the environments of a specification."""
    creator = spec.entry_point
    assert creator is not None  # of a specification that is registered
    return load_env_creator(creator) if isinstance(creator, str) else creator


def family_of(creator: Callable[..., Any]) -> str:
    """Return the family of the base classes of an environment; `other` if it has none of ours."""
    for base in getattr(creator, "__mro__", ()):
        place = base.__module__.split(".")
        if place[:2] == ["zerogym", "envs"] and len(place) > 2 and place[2] in FAMILIES:
            return str(place[2])
    return OTHER


def _is_brought(spec: EnvSpec, module: str) -> bool:
    """Return True if the class of a specification is of the package of a module."""
    creator = spec.entry_point
    place = creator if isinstance(creator, str) else getattr(creator, "__module__", "")
    return place.partition(":")[0].split(".")[0] == module.split(".")[0]
