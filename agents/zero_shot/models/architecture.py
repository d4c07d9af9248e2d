"""The networks of a model, from the sizes that are saved beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from torch import nn

from zerogym.agents.zero_shot.features import FEATURES
from zerogym.agents.zero_shot.models.attention import (
    AttentionBackward,
    AttentionForward,
    DiscreteAttentionForward,
)
from zerogym.agents.zero_shot.models.encoders import (
    KINDS,
    OF_B,
    EncodedActor,
    EncodedForward,
    Encoding,
    LastObservation,
    make_encoder,
)
from zerogym.agents.zero_shot.models.networks import (
    Actor,
    Backward,
    ContinuousForward,
    DiscreteForward,
    Product,
)
from zerogym.agents.zero_shot.models.torsos import TaskTorso, WideBackward, WideContinuousForward
from zerogym.agents.zero_shot.settings.networks import NETS
from zerogym.errors import UnknownName

NO_ENCODING = Encoding()


@dataclass(frozen=True)
class Shape:
    """Sizes and kinds of the networks."""

    observation: int  # numbers in an observation, k
    actions: int  # number of discrete actions, or of coordinates of a continuous one
    discrete: bool  # which of the two
    dim: int  # d
    hidden: int  # width of the hidden layers
    heads: int  # copies of F
    anchors: int = 0  # radial features; 0 feeds observations as they are
    kind: str = "fb"  # or whose successor features F are, see `feature_losses.py`
    net: str = "product"  # or "wide", "attention", see `torsos.py`, `attention.py`
    hidden_backward: int = 0  # width of B's hidden layers; wide
    noisy: bool = False  # whether the actor also takes noise, see `flow_bc.py`
    encoding: Encoding = NO_ENCODING  # what is trained before F, see `encoders.py`
    standardised: bool = False  # whether observations are fed with mean 0 and deviation 1

    def __post_init__(self) -> None:
        if ":" not in self.kind and self.kind not in FEATURES.names():  # one's own is not imported
            raise UnknownName("features", self.kind, FEATURES.names())
        for what, name, known in (
            ("nets", self.net, NETS),
            ("encoder", self.encoding.kind, KINDS),
        ):
            if name not in known:
                raise UnknownName(what, name, list(known))

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Return the shape of an observation."""
        return self.encoding.seen or (self.observation,)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Invert `dataclasses.asdict`, also of a shape saved before there were encoders."""
        encoding = dict(settings.get("encoding", {}))
        encoding["seen"] = tuple(encoding.get("seen", ()))
        return cls(**{**settings, "encoding": Encoding(**encoding)})


def make_networks(shape: Shape, inputs: int) -> tuple[nn.Module, nn.Module, nn.Module | None]:
    """Return fresh F, B and actor (None for discrete actions), behind their encoders.

    Args:
        shape: Their sizes.
        inputs: Numbers in an observation as it is fed to them.
    """
    encoding, wide = shape.encoding, shape.net == "wide"
    features = inputs if encoding.kind == "none" else encoding.width
    sizes = (shape.actions, shape.dim, shape.hidden)
    torso = TaskTorso if wide else Product
    forward: nn.Module
    if shape.net == "attention":
        attention = DiscreteAttentionForward if shape.discrete else AttentionForward
        forward = attention(shape.heads, features, *sizes)
    elif shape.discrete:
        forward = DiscreteForward(shape.heads, features, *sizes, torso)
    else:
        kind = WideContinuousForward if wide else ContinuousForward
        forward = kind(shape.heads, features, *sizes)
    own = encoding.kind in OF_B
    backward: nn.Module
    if shape.kind == "identity":
        backward = nn.Identity()
    elif wide:
        backward = WideBackward(features if own else inputs, shape.dim, shape.hidden_backward)
    elif shape.net == "attention":
        backward = AttentionBackward(features if own else inputs, shape.dim, shape.hidden)
    else:
        backward = Backward(features if own else inputs, shape.dim)
    actor: nn.Module | None = None
    if not shape.discrete:
        actor = Actor(features + (shape.actions if shape.noisy else 0), *sizes, torso)
    if encoding.kind == "none":
        return forward, backward, actor
    encoded = EncodedForward(make_encoder(encoding, inputs, shape.actions), forward)
    if actor is not None:
        actor = EncodedActor(encoded, actor)
    if own:
        backward = nn.Sequential(make_encoder(encoding, inputs, shape.actions), backward)
    elif encoding.kind == "history":
        backward = LastObservation(backward, inputs)
    return encoded, backward, actor
