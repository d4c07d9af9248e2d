"""Settings of forward-backward training, and the tuned presets of the package's environments."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from zerogym.agents.compiling import COMPILERS
from zerogym.agents.datasets.environments import check_wrappers
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import check_types
from zerogym.agents.zero_shot.features import FEATURES, Features
from zerogym.errors import UnknownName

NETS = ("product", "wide", "attention")
ENCODERS = ("auto", "state", "pixels", "tokens")  # see `encoders.py`
# How a run is computed, see `computing.py`.
DEVICES = ("cpu", "cuda", "auto")
PRECISIONS = ("fp32", "tf32", "bf16")
CONSERVATIVE = ("none", "value", "measure")  # see `conservative.py`


@describe_fields
@dataclass(frozen=True)
class FBConfig:
    """Everything that decides a training run; same config, same model (on a CPU).

    A comment that ends in "discrete" or "continuous" is for actions of that kind only.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range, or settings contradict each other.
    """

    # -- World and data
    env: str = "zerogym/UMap-v0"  # a registered environment; made without a task (reward-free)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    wrappers: Mapping[str, Any] = field(default_factory=dict)  # see `environments.py`; JSON
    seed: int = 0  # of the data, the initial weights and the batches
    seeds: int = 1  # runs trained at once, with seeds from `seed` on; see `multi_seed.py`
    data: str | None = None  # a folder of `zerogym collect` to learn from, instead of collecting
    data_steps: int = 20_000  # transitions collected by a random policy before training
    hold: int = 1  # steps for which a random action is repeated while collecting
    # -- Model
    features: str | Features | Mapping[str, Any] = field(
        default="fb", metadata={"parts": FEATURES}
    )  # what B is; another than fb makes F the successor features of B
    samples: int = 10_000  # transitions kept beside the model, for reward inference
    updates: int = 3_000  # gradient steps
    batch_size: int = 128  # transitions a gradient step
    dim: int = 48  # d, the length of z, F and B
    net: str = "product"  # or "wide" or "attention", see `torsos.py`, `attention.py`
    hidden: int = 128  # width of the hidden layers
    hidden_backward: int = 256  # width of B's; wide
    heads: int = 2  # independent copies of F
    temperature: float = 10.0  # of the target policy's softmax of F'z; 0: the argmax or actor
    pessimism: float = 0.0  # share of the heads' minimum in targets; the rest is their mean
    anchors: int = 0  # radial features of an observation; 0 feeds it as it is
    encoder: str = "auto"  # before F; "state": a deep one. auto: for pixels and tokens only
    encoded: int = 128  # numbers that an encoder makes, and width of its layers
    encoder_layers: int = 4  # hidden layers of a state encoder
    history: int = 1  # observations and actions that F remembers by a GRU; 1: no memory
    # -- Rates and discount
    gamma: float = 0.95  # discount a step
    # tau, the rates and their fall are our choice. Published are constant ones: 0.05 every 40
    # updates and 1e-3 (2021, arXiv 2103.07945), 0.01 and 1e-4 (2022, arXiv 2209.14935).
    tau: float = 0.05  # part of the way that the target networks move each update
    peak_updates: int = 4_000  # then tau and rates fall as peak_updates / update, see `tau_scale`
    lr_forward: float = 4e-3  # Adam's rate for F
    lr_backward: float = 1e-2  # Adam's rate for B
    lr_actor: float = 1e-3  # Adam's rate for the actor; continuous
    final_lr: float = 0.02  # all rates fall linearly to this part of themselves in the second half
    # -- Losses
    orthonormality: float = 1.0  # weight of B's orthonormality loss, which carries a factor 1/2
    q_loss: float = 0.0  # weight of the loss of F'z; successor features then have no other
    conservative: str = "none"  # or "value" (VC-FB), "measure" (MC-FB): for small, narrow data
    alpha: float = 1.0  # first weight of the conservative penalty, tuned from there
    penalty_target: float = 50.0  # alpha rises while the penalty is above it
    lr_alpha: float = 1e-4  # Adam's rate for log alpha
    bc: float = 0.0  # weight of the distance to the data's actions, as in TD3+BC; continuous
    flow_bc: float = 0.0  # of the distance to a flow of them, see `flow_bc.py`; continuous
    goal_share: float = 0.5  # part of the z that are B of a data point; the others are uniform
    exact: bool = True  # sum over every distinct state of the data instead of the batch's others
    noise: float = 0.2  # standard deviation of target and actor noise; continuous
    noise_clip: float = 0.3  # largest absolute noise; continuous
    # -- Run and computing
    evaluate_every: int = 0  # updates between scores in the log, on tasks of the world; 0: none
    checkpoint_every: int = 1_000  # updates between checkpoints
    stop_diverged: bool = True  # end a diverging run; False: only one with NaN or infinite numbers
    device: str = "cpu"  # or "cuda", or "auto": a GPU if there is one; where data and networks are
    precision: str = "fp32"  # of products; or "tf32" (GPUs), "bf16" (autocast; z and losses fp32)
    compile: str = "none"  # losses by torch.compile: "inductor" (fused), "aot_eager" (a test of it)
    cuda_graph: bool = False  # record an update once and replay it; cuda
    threads: int = 1  # torch threads, at most one a core; small networks are fastest with one

    def __post_init__(self) -> None:
        check_types(self)
        check_wrappers(self.wrappers)
        for name in ("env_kwargs", "wrappers"):
            try:
                values = json.loads(json.dumps(dict(getattr(self, name))))
            except TypeError as error:
                raise TypeError(f"FBConfig.{name} must be JSON values: {error}") from None
            object.__setattr__(self, name, MappingProxyType(values))
        check_least(self, **dict.fromkeys(_POSITIVE, 1), **dict.fromkeys(_NOT_NEGATIVE, 0))
        check_least(self, batch_size=2)  # a batch is its own negatives
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"FBConfig.{name} must be in [0, 1], got {getattr(self, name)}")
        for name, known in _NAMES.items():
            if getattr(self, name) not in known:
                raise UnknownName(f"FBConfig.{name}", getattr(self, name), list(known))
        part = FEATURES.make(self.features)
        if not isinstance(self.features, str) or ":" in self.features:
            object.__setattr__(self, "features", part)
        if self.conservative == "measure" and self.features != "fb":
            raise ValueError("FBConfig.conservative: successor features have no measure")
        if self.flow_bc > 0 and self.bc > 0:
            raise ValueError(f"FBConfig.flow_bc takes the place of bc, which is {self.bc}")
        for name in ("bc", "flow_bc"):
            if getattr(self, name) > 0 and self.temperature > 0:
                # Otherwise targets would be values of arbitrary actions, also far from the data.
                raise ValueError(
                    f"FBConfig.{name} keeps the actor near the data and needs temperature 0, where "
                    f"the target policy is the actor; got {self.temperature}"
                )
        if self.cuda_graph and self.device == "cpu":
            raise ValueError("FBConfig.cuda_graph needs device='cuda'")
        if self.cuda_graph and (self.features != "fb" or self.q_loss > 0):
            # Their error checks synchronise with the GPU.
            raise ValueError(
                "FBConfig.cuda_graph: successor features and the q_loss solve linear systems, "
                "which cannot be recorded"
            )
        if self.gamma == 1:
            raise ValueError("FBConfig.gamma must be below 1: episodes have no end")
        if self.gamma == 0 and part.looks_ahead:
            raise ValueError(f"FBConfig.gamma must be above 0: {part.title()} features look ahead")

    @property
    def phi(self) -> Features:
        """The part that `features` names."""
        return FEATURES.make(self.features)

    def to_json(self) -> str:
        """Return the settings as a JSON object."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        plain = {name: dict(values[name]) for name in ("env_kwargs", "wrappers")}
        if isinstance(self.features, Features):
            plain["features"] = self.features.record()
        return json.dumps(values | plain, indent=2)

    @classmethod
    def from_json(cls, text: str) -> "FBConfig":
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))


def check_least(settings: Any, **least: float) -> None:
    """Refuse settings with a number below its least value; the ValueError names the field."""
    for name, low in least.items():
        if not getattr(settings, name) >= low:
            raise ValueError(
                f"{type(settings).__name__}.{name} must be at least {low}, "
                f"got {getattr(settings, name)}"
            )


_NAMES = {
    "conservative": CONSERVATIVE,
    "net": NETS,
    "device": DEVICES,
    "precision": PRECISIONS,
    "compile": COMPILERS,
    "encoder": ENCODERS,
}
_POSITIVE = (
    *("data_steps", "hold", "samples", "dim", "hidden", "heads"),
    *(
        "hidden_backward",
        "peak_updates",
        "checkpoint_every",
        "threads",
        "seeds",
        "encoded",
        "history",
    ),
)
_NOT_NEGATIVE = (
    *("seed", "updates", "anchors", "lr_forward", "lr_backward", "lr_actor"),
    *("orthonormality", "temperature", "noise", "noise_clip", "q_loss", "bc", "flow_bc"),
    *("alpha", "penalty_target", "lr_alpha", "evaluate_every", "encoder_layers"),
)
_SHARES = ("pessimism", "gamma", "tau", "final_lr", "goal_share")

PRESETS: Mapping[str, FBConfig] = MappingProxyType(
    {
        config.env: config
        for config in (
            FBConfig(),
            FBConfig(env="zerogym/FourRooms-v0"),
            FBConfig(
                env="zerogym/PointMaze-v0",
                data_steps=40_000,
                hold=8,
                updates=4_000,
                batch_size=256,
                dim=64,
                anchors=100,
                exact=False,
                lr_actor=2e-3,
            ),
        )
    }
)


def preset(env: str, **changes: Any) -> FBConfig:
    """Return the tuned settings for an environment of `PRESETS`, with changes.

    Raises:
        UnknownName: If there are none for it; write an `FBConfig` of your own then.
    """
    if env not in PRESETS:
        raise UnknownName("forward-backward preset", env, list(PRESETS))
    return dataclasses.replace(PRESETS[env], **changes)
