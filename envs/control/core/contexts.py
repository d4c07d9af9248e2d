"""The constants of a physics as arguments: one world, any gravity, mass or friction.

A context is a mapping from names to numbers. A world says which constants it has (`Constant`) and
takes `context={"gravity": 3.7}` at `make` or in `reset(options=...)`; what is not given keeps its
default. Who sees the context, and from where it is drawn, are wrappers' business.

Contextual MDPs as in "Contextualize Me - The Case for Context in Reinforcement Learning" (2023,
arXiv 2202.04500); the split of a context space into the part for training and the parts inside and
beyond it as in "A Survey of Zero-shot Generalisation in Deep Reinforcement Learning" (2023, arXiv
2111.09794). The ranges of each world are our choice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from zerogym.errors import UnknownName

Split = Literal["train", "interpolation", "extrapolation"]
SPLITS = ("train", "interpolation", "extrapolation")
GAP = (0.4, 0.6)  # the middle of a range, in shares of it, which training never sees


@dataclass(frozen=True)
class Constant:
    """One constant of a physics.

    Attributes:
        default: Its value if none is given.
        low: The least value for which the world makes sense, inclusive.
        high: The greatest, inclusive.
        text: What it is, with its unit.
        train: The part of the range from which contexts for training are drawn, without the
            middle of it; `(low, high)` of the draw.
    """

    default: float
    low: float
    high: float
    text: str
    train: tuple[float, float]

    def __post_init__(self) -> None:
        if not self.low <= self.train[0] < self.train[1] <= self.high:
            raise ValueError(f"{self.text}: the range for training must lie in the whole range")
        if not self.low <= self.default <= self.high:
            raise ValueError(f"{self.text}: the default must lie in the range")

    def draw(self, rng: np.random.Generator, split: Split) -> float:
        """A value of one of the three parts of the range.

        `train`: the range for training without its middle; `interpolation`: that middle;
        `extrapolation`: what lies beyond the range for training, on either side.

        Raises:
            UnknownName: If there is no such part.
            ValueError: If nothing lies beyond the range for training.
        """
        if split not in SPLITS:
            raise UnknownName("split", split, list(SPLITS))
        start, end = self.train
        width = end - start
        first, last = start + GAP[0] * width, start + GAP[1] * width
        parts = {
            "train": ((start, first), (last, end)),
            "interpolation": ((first, last),),
            "extrapolation": ((self.low, start), (end, self.high)),
        }[split]
        lengths = np.array([high - low for low, high in parts])
        if not lengths.sum() > 0:
            raise ValueError(f"{self.text}: nothing lies beyond the range for training")
        low, high = parts[int(rng.choice(len(parts), p=lengths / lengths.sum()))]
        return float(rng.uniform(low, high))


Constants = Mapping[str, Constant]


def complete_context(
    constants: Constants, given: Mapping[str, float] | None, world: str
) -> dict[str, float]:
    """A value for every constant: the given ones checked, defaults for the rest.

    Raises:
        UnknownName: If the world has no constant of a name.
        ValueError: If a value is no finite number or out of its range.
        TypeError: If `given` is no mapping.
    """
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{world}: context must be a mapping, got {type(given).__name__}")
    context = {name: constant.default for name, constant in constants.items()}
    for name, value in (given or {}).items():
        if name not in constants:
            raise UnknownName(f"constant of {world}", name, list(constants))
        context[name] = _checked(constants[name], name, value, world)
    return context


def joined(
    one: Mapping[str, float] | None, other: Mapping[str, float] | None
) -> dict[str, float] | None:
    """The constants of two tasks that are to be done at once; None if neither says any.

    Raises:
        ValueError: If they differ in one.
    """
    if one is None and other is None:
        return None
    both = {**(one or {}), **(other or {})}
    for name, value in (one or {}).items():
        if both[name] != value:
            raise ValueError(f"one task has {name} = {value:g}, the other {both[name]:g}")
    return both


def scaled_context(constants: Constants, context: Mapping[str, float]) -> NDArray[np.float32]:
    """Values between -1 (the least) and 1 (the greatest), in the order of the constants; (C,)."""
    shares = [
        (context[name] - constant.low) / (constant.high - constant.low)
        for name, constant in constants.items()
    ]
    return np.asarray(2 * np.array(shares) - 1, dtype=np.float32)


def _checked(constant: Constant, name: str, value: Any, world: str) -> float:
    try:  # float() would read words, too: a context is of numbers
        number = np.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not constant.low <= number <= constant.high:  # not a number compares as false
        got = repr(value) if isinstance(value, str) else str(value)
        raise ValueError(
            f"{world}: {name} ({constant.text}) must lie in [{constant.low:g}, {constant.high:g}], "
            f"got {got[:40]}"
        )
    return number
