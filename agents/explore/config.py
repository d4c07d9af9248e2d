"""Settings of a collection of reward-free data; importing them loads no torch."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from zerogym.agents.settings import check_types

Learned = Literal["rnd", "icm", "disagreement", "max_info", "diayn", "aps", "proto"]
Scripted = Literal["random", "expert", "play", "medium", "medium_replay"]
PolicyName = Literal[
    "rnd", "random", "disagreement", "aps", "diayn", "proto", "icm", "max_info",
    "expert", "play", "medium", "medium_replay", "mixed",
]  # fmt: skip
LEARNED, SCRIPTED = get_args(Learned), get_args(Scripted)
ORACLES = ("expert", "play", "medium", "medium_replay")
SKILLED = ("diayn", "aps")  # whose policy is told a skill


@dataclass(frozen=True)
class CollectConfig:
    """Everything that decides a dataset; same config, same data (on a CPU).

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range, or a mixture cannot be mixed.
    """

    env: str = "zerogym/PointMaze-v0"  # a registered environment; made without a task (reward-free)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    variants: Sequence[Mapping[str, Any]] = ()  # more arguments, of one world each; taken in turns
    reset_options: Mapping[str, Any] = field(default_factory=dict)  # of every episode, JSON values
    policy: PolicyName = "random"  # who acts
    mix: tuple[str, ...] = ("random", "rnd", "expert")  # who take turns by episode; mixed
    tasks: tuple[str, ...] = ()  # drawn from by expert, play and medium; empty: all of the world
    teacher: Literal["ppo", "sac", "dqn"] = "ppo"  # trained where expert, ... have no oracle
    teacher_steps: int = 100_000  # of its training for each task drawn; a fifth for medium
    steps: int = 20_000  # transitions
    shard_steps: int = 5_000  # a shard ends with the first episode that brings it to this size
    seed: int = 0  # of the episodes, the actions, the initial weights and the batches
    hold: int = 1  # steps for which a random action is repeated
    warmup: int = 1_000  # steps before an explorer starts to learn, its actions random until then
    update_every: int = 4  # steps of the world to one gradient step
    batch_size: int = 128  # transitions a gradient step
    hidden: int = 64  # width of the hidden layers
    waves: int = 32  # random Fourier features of an observation; 0 feeds it as it is
    frequency: float = 3.0  # their standard deviation, per deviation of the observations
    lr: float = 1e-3  # Adam's rate, of every network
    gamma: float = 0.95  # discount a step
    tau: float = 0.01  # part of the way that the target networks move each update
    noise: float = 0.2  # standard deviation of the noise on continuous actions
    epsilon: float = 0.1  # share of random actions; discrete actions
    threads: int = 1  # torch threads; small networks are fastest with one

    def __post_init__(self) -> None:
        check_types(self)
        for name in ("env_kwargs", "reset_options"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        variants = tuple(MappingProxyType(dict(each)) for each in self.variants)
        object.__setattr__(self, "variants", variants)
        for name in ("mix", "tasks"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in _POSITIVE:
            if getattr(self, name) < 1:
                raise ValueError(f"CollectConfig.{name} must be at least 1, got {self._of(name)}")
        for name in ("seed", "warmup", "waves", "frequency", "lr", "noise"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"CollectConfig.{name} must not be below 0, got {self._of(name)}")
        for name in ("gamma", "tau", "epsilon"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"CollectConfig.{name} must be in [0, 1], got {self._of(name)}")
        if self.policy not in get_args(PolicyName):
            raise ValueError(
                f"CollectConfig.policy must be one of {', '.join(get_args(PolicyName))}"
            )
        if self.teacher not in ("ppo", "sac", "dqn"):
            raise ValueError(f"CollectConfig.teacher must be ppo, sac or dqn, got {self.teacher!r}")
        self._check_mix()

    def _check_mix(self) -> None:
        if self.policy != "mixed":
            return
        fitting = [n for n in (*SCRIPTED, *LEARNED) if n not in SKILLED]
        wrong = [name for name in self.mix if name not in fitting]
        if wrong or not self.mix:
            raise ValueError(
                f"CollectConfig.mix must be of {', '.join(fitting)}, got {', '.join(self.mix)!r}: "
                "a policy with skills learns from its own episodes only"
            )

    @property
    def players(self) -> tuple[str, ...]:
        """Who take turns, one an episode."""
        return self.mix if self.policy == "mixed" else (self.policy,)

    @property
    def worlds(self) -> tuple[dict[str, Any], ...]:
        """The arguments of each world: one without variants, else one for each."""
        return tuple({**self.env_kwargs, **each} for each in self.variants or ({},))

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON values."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        values |= {name: dict(values[name]) for name in ("env_kwargs", "reset_options")}
        values["variants"] = [dict(each) for each in self.variants]
        found: dict[str, Any] = json.loads(json.dumps(values))
        return found

    def _of(self, name: str) -> Any:
        return getattr(self, name)


_POSITIVE = (
    "steps",
    "teacher_steps",
    "shard_steps",
    "hold",
    "update_every",
    "batch_size",
    "hidden",
    "threads",
)
