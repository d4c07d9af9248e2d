"""Settings of a training run of an offline agent: its world, its data, its method."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.offline.agent import OfflineAgent
from zerogym.agents.offline.config import OfflineConfig
from zerogym.agents.offline.draws import DRAWS, Draw
from zerogym.agents.offline.method import METHODS, OfflineMethod, SequenceMethod
from zerogym.agents.offline.sequences.decision_transformer import DecisionTransformer
from zerogym.agents.offline.transitions import Transitions
from zerogym.agents.settings import check_at_least, check_types

_OF_STEPS = ("draw", "batch_size", "hidden", "layers", "lr", "gamma", "tau")  # of no sequence

Agent = OfflineAgent | DecisionTransformer


@describe_fields
@dataclass(frozen=True)
class OfflineRunConfig:
    """Everything that decides a training run of an offline agent.

    Methods that learn whole trajectories have settings of their own (`method.context`, ...) for the
    model and its batches; those of single steps (from `draw` on) are then refused.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range, or a setting of single steps is given to a
            method of trajectories.
        UnknownName: If there is no such method or draw.
    """

    env: str = "zerogym/UMap-v0"  # a registered environment with tasks
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    task: str = "goal_1_1"  # whose rewards the transitions get; one of the world's
    method: str | OfflineMethod | Mapping[str, Any] = field(
        default="iql", metadata={"parts": METHODS}
    )  # what learns
    data: str | None = None  # a folder of `zerogym collect` to learn from, instead of collecting
    data_steps: int = 20_000  # transitions collected by a random policy before training
    hold: int = 1  # steps for which a random action is repeated while collecting
    updates: int = 3_000  # gradient steps
    episodes: int = 20  # of the task that are played at the end, for the log; 0: none
    seed: int = 0  # of data, weights, batches and episodes
    # -- Methods of single steps
    draw: str | Draw | Mapping[str, Any] = field(
        default="uniform", metadata={"parts": DRAWS}
    )  # how likely each transition is in a batch
    batch_size: int = 256  # transitions an update
    hidden: int = 256  # width of the hidden layers
    layers: int = 2  # hidden layers; 0: linear
    lr: float = 3e-4  # Adam's rate, of all networks
    gamma: float = 0.95  # discount a step, in [0, 1]
    tau: float = 0.005  # part of the way that target networks move

    def __post_init__(self) -> None:
        check_types(self)
        try:
            values = json.loads(json.dumps(dict(self.env_kwargs)))
        except TypeError as error:
            raise TypeError(f"OfflineRunConfig.env_kwargs must be JSON values: {error}") from None
        object.__setattr__(self, "env_kwargs", MappingProxyType(values))
        check_at_least(self, data_steps=1, hold=1, episodes=0)
        plain = {one.name: one.default for one in dataclasses.fields(self)}
        self.check_family(name for name in _OF_STEPS if getattr(self, name) != plain[name])
        if not isinstance(self.part, SequenceMethod):
            self.learner()

    @property
    def part(self) -> OfflineMethod:
        """The method as a part."""
        return METHODS.make(self.method)

    def check_family(self, given: Iterable[str]) -> None:
        """Refuse settings, by name, that the method does not have.

        Raises:
            ValueError: If the method learns trajectories, and some are of single steps.
        """
        part, given = self.part, set(given)
        wrong = [name for name in _OF_STEPS if name in given]
        if wrong and isinstance(part, SequenceMethod):
            own = ", ".join(f"method.{one.name}" for one in dataclasses.fields(part))
            raise ValueError(
                f"{part.title()} learns whole trajectories and has no {', '.join(wrong)}; its "
                f"settings are {own}"
            )

    def learner(self) -> OfflineConfig:
        """Return the settings of an agent of single steps."""
        names = [one.name for one in dataclasses.fields(OfflineConfig)]
        return OfflineConfig(**{name: getattr(self, name) for name in names})

    def agent(self, data: Transitions, actions: int | None) -> Agent:
        """Return the agent that is to learn from the data.

        Raises:
            ValueError: If method and data do not fit.
        """
        part = self.part
        if isinstance(part, SequenceMethod):
            if data.ends is not None and bool((data.ends == data.ends[0]).all()):
                raise ValueError(
                    f"the data are one trajectory, which has one return: {part.title()} learns "
                    "from different ones; give more steps than an episode has"
                )
            return DecisionTransformer(part.config(self.updates, self.seed), data, actions)
        return OfflineAgent(self.learner(), data, actions)

    def record(self) -> dict[str, Any]:
        """Return the settings that the method has, as JSON values."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        values |= {"env_kwargs": dict(self.env_kwargs), "method": self.part.record()}
        if isinstance(self.part, SequenceMethod):
            return {name: value for name, value in values.items() if name not in _OF_STEPS}
        return {**values, **self.learner().record()}
