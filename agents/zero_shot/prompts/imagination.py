"""Sentences as tasks: imagine frames, match them to states of the data, imitate these.

"RLZero: Direct Policy Inference from Language Without In-Domain Supervision" (2024, arXiv
2412.05718): a video model imagines, an image model finds the nearest states of the agent's own
data, and the reward rho_imagined / rho_data has a z in closed form, the mean of B over the states
found. Nothing is trained at test time. `imaginers.py` makes frames, `matchers.py` and `captions.py`
find states; both can be replaced by anything with the two protocols here. Left out: a video
model and a learned image embedding, which are large downloads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.prompts.sentences import check_sentence
from zerogym.errors import ZerogymError

MAX_FRAMES = 1_000

Frame = str | NDArray[Any]  # a state in words, or a picture (H, W) or (H, W, channels)


class NoImagination(ZerogymError, ValueError):
    """No frames could be made for a sentence; the message has the reason."""


class NoMatch(ZerogymError, ValueError):
    """A frame matches no state of the data, or is no frame; the message has the reason."""


class Imaginer(Protocol):
    """A maker of frames for a sentence."""

    def __call__(self, sentence: str) -> Sequence[Frame]:
        """Return frames of the sentence being done, in order, all words or all pictures.

        Raises:
            NoImagination: If there are none.
        """
        ...


class Matcher(Protocol):
    """A finder of the states that a frame shows, whatever its style."""

    @property
    def observations(self) -> NDArray[np.float32]:
        """Return the states that can be found, (N, k)."""
        ...

    def match(self, frames: Sequence[Any]) -> NDArray[np.float64]:
        """Return the weight of each state for each frame, (T, N); rows sum to 1.

        Raises:
            NoMatch: If a frame is like none of them.
        """
        ...


@dataclass(frozen=True, eq=False)
class Imagined:
    """A sentence with its frames, states and z, for inspection before acting."""

    frames: Sequence[Frame]  # T of them
    observations: NDArray[np.float32]  # (T, k): the nearest state of each
    z: NDArray[np.float32]  # (d,)


def imagine(model: FBModel, sentence: str, imaginer: Imaginer, matcher: Matcher) -> Imagined:
    """Infer the z of a sentence; return it with its frames and states.

    Args:
        model: A trained model.
        sentence: What to do, in words.
        imaginer: Makes frames of it.
        matcher: Finds them among states of the data.

    Raises:
        ValueError: If the sentence is no text, empty or too long.
        NoImagination: If there are no frames, or too many.
        NoMatch: If a frame is like no state.
    """
    check_sentence(sentence)
    frames = imaginer(sentence)
    if not 1 <= len(frames) <= MAX_FRAMES:
        raise NoImagination(
            f"1 to {MAX_FRAMES} frames are needed for {sentence[:80]!r}, got {len(frames)}"
        )
    weights = matcher.match(frames)
    return Imagined(frames, _nearest(weights, matcher), imitate(model, weights, matcher))


def project(frames: Sequence[Frame], matcher: Matcher) -> NDArray[np.float32]:
    """Return the nearest state of each frame, (T, k); of equally near ones the first."""
    return _nearest(matcher.match(frames), matcher)


def imitate(model: FBModel, weights: NDArray[np.float64], matcher: Matcher) -> NDArray[np.float32]:
    """Return the z of visiting the states of the frames: of the reward rho_imagined / rho_data.

    With rho_data even over the matcher's states, the mean of reward times B is the mean of B over
    the frames; successor features fit that reward. The order of the frames does not count.

    Args:
        model: A trained model.
        weights: (T, N) from `matcher.match`.
        matcher: The matcher of the states.
    """
    return model.infer_labelled(matcher.observations, weights.mean(0) * weights.shape[1])


def _nearest(weights: NDArray[np.float64], matcher: Matcher) -> NDArray[np.float32]:
    return matcher.observations[weights.argmax(1)]
