"""Settings of a collection of reward-free data; importing them loads no torch."""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from zerogym.agents.explore.policies import POLICIES, CollectingPolicy, IntrinsicReward
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import check_types

LEARNED = ("rnd", "icm", "disagreement", "max_info", "diayn", "aps", "proto")


@describe_fields
@dataclass(frozen=True)
class CollectConfig:
    """Settings that determine a dataset; same config, same data (on a CPU).

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range, or a mixture cannot be mixed.
    """

    # -- World
    env: str = "zerogym/PointMaze-v0"  # a registered environment; made without a task (reward-free)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    variants: Sequence[Mapping[str, Any]] = ()  # arguments of each variant; alternate by episode
    reset_options: Mapping[str, Any] = field(default_factory=dict)  # of every episode, JSON values
    # -- Policy and size
    policy: str | CollectingPolicy | Mapping[str, Any] = field(
        default="random", metadata={"parts": POLICIES}
    )  # the policy that acts
    mix: tuple[str, ...] = ("random", "rnd", "expert")  # policies that alternate by episode; mixed
    tasks: tuple[str, ...] = ()  # tasks of expert, play and medium; empty: all of the environment
    teacher: Literal["ppo", "sac", "dqn"] = "ppo"  # trained if expert, ... have no oracle
    teacher_steps: int = 100_000  # training steps for each task drawn; a fifth for medium
    steps: int = 20_000  # transitions
    shard_steps: int = 5_000  # a shard ends with the first episode that brings it to this size
    seed: int = 0  # seed of episodes, actions, initial weights and batches
    hold: int = 1  # steps for which a random action is repeated
    # -- Explorer
    warmup: int = 1_000  # steps of random actions before an explorer starts to learn
    update_every: int = 4  # environment steps for each gradient step
    batch_size: int = 128  # transitions a gradient step
    hidden: int = 64  # width of the hidden layers
    waves: int = 32  # random Fourier features of an observation; 0: none
    frequency: float = 3.0  # their standard deviation, in units of the observations' deviation
    lr: float = 1e-3  # Adam's rate, of every network
    gamma: float = 0.95  # discount a step
    tau: float = 0.01  # step of the target networks in each update
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
        for names, low, high, text in _RANGES:
            for name in names.split():
                value = getattr(self, name)
                if not low <= value <= high:
                    raise ValueError(f"CollectConfig.{name} must {text}, got {value}")
        part = POLICIES.make(self.policy)
        if not isinstance(self.policy, str) or ":" in self.policy:
            object.__setattr__(self, "policy", part)
        if self.teacher not in ("ppo", "sac", "dqn"):
            raise ValueError(f"CollectConfig.teacher must be ppo, sac or dqn, got {self.teacher!r}")
        fitting = [name for name in POLICIES if name != "mixed" and not _is_skilled(name)]
        wrong = [name for name in self.mix if name not in fitting]
        if self.policy == "mixed" and (wrong or not self.mix):
            raise ValueError(
                f"CollectConfig.mix must be of {', '.join(fitting)}, got {', '.join(self.mix)!r}: "
                "a policy with skills learns from its own episodes only"
            )

    @property
    def players(self) -> tuple[CollectingPolicy, ...]:
        """The policies that alternate, one for each episode."""
        names = self.mix if self.policy == "mixed" else (self.policy,)
        return tuple(POLICIES.make(name) for name in names)

    @property
    def policy_title(self) -> str:
        """The name of the policy."""
        return POLICIES.make(self.policy).title()

    @property
    def worlds(self) -> tuple[dict[str, Any], ...]:
        """The arguments of each environment: one without variants, else one for each."""
        return tuple({**self.env_kwargs, **each} for each in self.variants or ({},))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        values |= {name: dict(values[name]) for name in ("env_kwargs", "reset_options")}
        if isinstance(self.policy, CollectingPolicy):
            values["policy"] = self.policy.record()
        values["variants"] = [dict(each) for each in self.variants]
        found: dict[str, Any] = json.loads(json.dumps(values))
        return found


def _is_skilled(name: str) -> bool:
    part = POLICIES[name]
    return issubclass(part, IntrinsicReward) and part.skilled


_RANGES = (
    ("steps teacher_steps shard_steps hold update_every batch_size hidden threads", 1, math.inf,
     "be at least 1"),
    ("seed warmup waves frequency lr noise", 0, math.inf, "not be below 0"),
    ("gamma tau epsilon", 0, 1, "be in [0, 1]"),
)  # fmt: skip
