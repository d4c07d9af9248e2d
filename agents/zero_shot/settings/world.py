"""The world of a forward-backward run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from zerogym.agents.datasets.environments import check_wrappers
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import Group


@describe_fields
@dataclass(frozen=True)
class WorldSettings(Group):
    """The world that the agent learns, without a task, and its wrappers."""

    env: str = "zerogym/UMap-v0"  # a registered environment; made without a task (reward-free)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    wrappers: Mapping[str, Any] = field(default_factory=dict)  # see `environments.py`; JSON

    def _check(self) -> None:
        """Refuse unknown wrappers and arguments that are no JSON values; make both read-only."""
        check_wrappers(self.wrappers)
        for name in ("env_kwargs", "wrappers"):
            try:
                values = json.loads(json.dumps(dict(getattr(self, name))))
            except TypeError as error:
                raise TypeError(f"FBConfig.{name} must be JSON values: {error}") from None
            object.__setattr__(self, name, MappingProxyType(values))
