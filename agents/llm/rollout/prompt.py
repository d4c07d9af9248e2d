"""Tasks and prompts of a training run as JSON values; importing this loads no environment."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from zerogym.agents.trajectory import problem_key


@dataclass(frozen=True)
class TaskSpec:
    """An environment by name: all copies that are made of it are equal.

    Attributes:
        env: A Gymnasium id, or the PettingZoo id of a game (all its seats are then played).
        kwargs: Its arguments, JSON values.
        wrappers: Arguments by name of the wrappers around it, the innermost first, JSON values.
    """

    env: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    wrappers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The whole specification as JSON: equal ones have the same name."""
        return json.dumps(asdict(self))  # not sorted: the order of wrappers counts


@dataclass(frozen=True)
class Prompt:
    """A problem of a training step, and how it is posed.

    Attributes:
        task: The environment.
        seed: Seed of its reset.
        options: Options of its reset, JSON values (`difficulty`, `category`, `split`, ...).
        size: Episodes in its group; None: the `group_size` of the run.
        system: System text in place of the run's, so that a group can have several; None: the
            run's.
        prefill: The beginning of each seat's first reply, which is given and not trained on.
        hint: Text below each seat's first observation, which the evaluation does not show.
        trace: Replies of an expert that are played before the policy's first; not trained on.
        guided: Replies of the environment's oracle that are played after those, at most: one that
            would end the episode is left to the policy.
        others: Who plays in place of the policy, by seat of a game, JSON values: the record of an
            opponent (`agents/self_play/opponents`), or the name of another of the players.
        key: Name of the problem; by default environment, arguments, seed and options.
    """

    task: TaskSpec
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None
    system: str | None = None
    prefill: str = ""
    hint: str = ""
    trace: tuple[str, ...] = ()
    guided: int = 0
    others: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "trace", tuple(self.trace))  # JSON has no tuples
        if not self.key:
            key = problem_key(self.task.env, self.task.kwargs, self.seed)
            if self.options:
                key = json.dumps([*json.loads(key), dict(self.options)], sort_keys=True)
            object.__setattr__(self, "key", key)

    def record(self) -> dict[str, Any]:
        """Return all fields as JSON values; `from_record` inverts it."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Prompt":
        """Return the prompt of a record."""
        return cls(**(dict(record) | {"task": TaskSpec(**record["task"])}))
