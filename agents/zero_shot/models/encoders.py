"""Encoders before F and the actor, trained with F: of states, pixels, tokens and histories.

- `state`: a deep network. "TD-JEPA: Latent-predictive Representations for Zero-Shot Reinforcement
  Learning" (2025, arXiv 2510.00739) finds that one before F, trained by the forward-backward loss
  itself, helps in OGBench and does little in DMC.
- `pixels`: the four convolutions of "Mastering Visual Continuous Control: Improved Data-Augmented
  Reinforcement Learning" (DrQ-v2, 2021, arXiv 2107.09645), as many as the picture allows.
- `tokens`: embeddings, read by a recurrent network (GRU).
- `history`: a GRU over the last observations and actions (2025, arXiv 2506.15446).

All give vectors of length 1, the scale of the networks behind them: our choice. The actor reads
F's encoder and does not train it: of the papers only the last differs, whose actor is recurrent
itself. B has its own encoder for pixels and tokens; of a history it reads the last observation
alone (published: the last 8 rows), so that a goal is a state and not a path to it. Left out:
augmented pictures, histories of pictures, S4 and transformers.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import PICTURE_AXES, Dataset
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.models.recurrent import Recurrent

KINDS = ("none", "state", "pixels", "tokens", "history")
OF_B = ("pixels", "tokens")  # kinds of which B has an encoder of its own


@dataclass(frozen=True)
class Encoding:
    """Sizes and kind of an encoder; `kind` "none" stands for no encoder."""

    kind: str = "none"
    seen: tuple[int, ...] = ()  # shape of an observation; () for a vector
    vocabulary: int = 0  # tokens that the data show
    width: int = 0  # output features
    layers: int = 0  # hidden layers of a state encoder
    history: int = 1  # rows of a history


def encoding_of(config: FBConfig, data: Dataset) -> Encoding:
    """Return the encoder of the settings, or with "auto" that of the observations.

    Raises:
        ValueError: If it does not fit the observations or the other settings.
    """
    shape, whole = data.observations.shape[1:], data.observations.dtype.kind in "iu"
    fitting = "pixels" if len(shape) == PICTURE_AXES else "tokens" if whole else "none"
    kind = fitting if config.encoder == "auto" else config.encoder
    if config.history > 1:
        if config.encoder != "auto" or fitting != "none":
            raise ValueError("FBConfig.history needs vectors as observations, and encoder='auto'")
        kind = "history"
    if (kind == "pixels") != (len(shape) == PICTURE_AXES) or (kind == "tokens" and not whole):
        raise ValueError(
            f"FBConfig.encoder {kind!r} does not fit observations of shape {shape} and type "
            f"{data.observations.dtype}"
        )
    if kind not in ("none", "state") and config.phi.vectors:
        raise ValueError(f"FBConfig.features {config.phi.title()!r} needs vectors as observations")
    if kind in OF_B and (config.anchors or config.standardise or config.features == "identity"):
        raise ValueError(
            f"FBConfig.anchors, standardise and identity features need vectors, not {kind}"
        )
    if kind != "none" and config.flow_bc > 0:
        raise ValueError(f"FBConfig.flow_bc reads observations as they are: it has no {kind!r}")
    if kind == "none":
        return Encoding()
    sizes = (config.encoded, config.encoder_layers, config.history)
    vocabulary = int(data.observations.max()) + 1 if kind == "tokens" else 0
    return Encoding(kind, shape if kind == "pixels" else (), vocabulary, *sizes)


def make_encoder(encoding: Encoding, inputs: int, actions: int) -> nn.Module:
    """Return a fresh encoder of observations with `inputs` numbers, and actions with `actions`."""
    width = encoding.width
    if encoding.kind == "state":
        return StateEncoder(inputs, width, encoding.layers)
    if encoding.kind == "pixels":
        return PixelEncoder(encoding.seen, width)
    if encoding.kind == "tokens":
        return TokenEncoder(encoding.vocabulary, width)
    return HistoryEncoder(inputs, actions, width, encoding.history)


class EncodedForward(nn.Module):
    """F behind an encoder; it has the methods of the F inside."""

    net: Any

    def __init__(self, encoder: nn.Module, net: nn.Module) -> None:
        super().__init__()
        self.encoder, self.net = encoder, net

    def forward(self, x: Tensor, *given: Tensor) -> Tensor:
        return self.net(self.encoder(x), *given)

    def parts(self, x: Tensor, z: Tensor) -> Tensor:
        """Apply the method of `ContinuousForward`."""
        return self.net.parts(self.encoder(x), z)

    def of_many(self, x: Tensor, actions: Tensor, z: Tensor) -> Tensor:
        """Apply the method of `ContinuousForward`."""
        return self.net.of_many(self.encoder(x), actions, z)

    def basis(self, action: Tensor) -> Tensor:
        """Apply the method of `ContinuousForward`."""
        return self.net.basis(action)


class EncodedActor(nn.Module):
    """An actor behind the encoder of F, which its loss does not train."""

    def __init__(self, of: EncodedForward, net: nn.Module) -> None:
        super().__init__()
        self._of = (of,)  # not a submodule: its weights are saved and trained as F's
        self.net = net

    def forward(self, x: Tensor, z: Tensor) -> Tensor:
        with torch.no_grad():
            features = self._of[0].encoder(x)
        return self.net(features, z)


class LastObservation(nn.Module):
    """B of the last observation of a history (n, L, k + A), of a row (n, k + A), or of (n, k)."""

    def __init__(self, net: nn.Module, inputs: int) -> None:
        super().__init__()
        self.net, self.inputs = net, inputs

    def forward(self, x: Tensor) -> Tensor:
        last = x[:, -1] if x.ndim == 3 else x
        return self.net(last[:, : self.inputs])


class StateEncoder(nn.Module):
    """Linear, LayerNorm, tanh, then hidden layers with ReLU, then a linear one."""

    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        hidden = [part for _ in range(layers) for part in (nn.Linear(width, width), nn.ReLU())]
        first = (nn.Linear(inputs, width), nn.LayerNorm(width), nn.Tanh())
        self.net = nn.Sequential(*first, *hidden, nn.Linear(width, width))

    def forward(self, x: Tensor) -> Tensor:
        """(n, k) -> (n, width)."""
        return nn.functional.normalize(self.net(x.float()), dim=-1)


class PixelEncoder(nn.Module):
    """Convolutions 3 x 3 with 32 channels, the first with stride 2, then a linear layer."""

    def __init__(self, shape: tuple[int, ...], width: int) -> None:
        super().__init__()
        self.last = shape[-1] <= shape[0]  # whether the channels are the last axis, or the first
        channels, side = (shape[-1], min(shape[:2])) if self.last else (shape[0], min(shape[1:]))
        layers: list[nn.Module] = []
        for _ in range(4):
            stride = 1 if layers else 2
            if side < 3:
                break
            layers += [nn.Conv2d(channels, 32, 3, stride), nn.ReLU()]
            channels, side = 32, (side - 3) // stride + 1
        self.convolutions = nn.Sequential(*layers, nn.Flatten())
        with torch.no_grad():
            size = self.convolutions(self._channels_first(torch.zeros(1, *shape))).shape[1]
        self.out = nn.Linear(size, width)

    def _channels_first(self, x: Tensor) -> Tensor:
        return x.movedim(-1, 1) if self.last else x

    def forward(self, x: Tensor) -> Tensor:
        """(n, height, width, channels) or (n, channels, ...), 0 to 255 -> (n, width)."""
        pixels = self._channels_first(x.float() / 255 - 0.5)
        return nn.functional.normalize(self.out(self.convolutions(pixels)), dim=-1)


class TokenEncoder(nn.Module):
    """An embedding for each token, one for all tokens that are not in the data, then a GRU."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(vocabulary + 1, width)
        self.recurrent = Recurrent(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """(n, k) whole numbers -> (n, width)."""
        known = (x >= 0) & (x < self.vocabulary)
        tokens = torch.where(known, x.long(), self.vocabulary)
        return nn.functional.normalize(self.recurrent(self.embedding(tokens)), dim=-1)


class HistoryEncoder(nn.Module):
    """A GRU over a history."""

    def __init__(self, inputs: int, actions: int, width: int, length: int) -> None:
        super().__init__()
        self.inputs, self.actions, self.length = inputs, actions, length
        self.recurrent = Recurrent(inputs + actions, width)

    def forward(self, x: Tensor) -> Tensor:
        """(n, L, k + A) -> (n, width); (n, k) are the first observations of episodes."""
        if x.ndim == 2:
            rows = nn.functional.pad(x, (0, self.actions))
            x = rows[:, None].expand(-1, self.length, -1)
        return nn.functional.normalize(self.recurrent(x), dim=-1)
