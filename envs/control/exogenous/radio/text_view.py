"""The text view of a radio band: what was sensed, and what became of one's own signal."""

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.exogenous.radio.tasks import Layout, sender_names


def rules(layout: Layout, kinds: tuple[str, ...], exact: bool) -> str:
    """Describe the band at the start of an episode; `exact` is sensing without errors."""
    others, sensing = ", ".join(_names(kinds)), "is exact" if exact else "may err"
    return f"There are {layout.channels} channels. Other senders: {others}. Sensing {sensing}."


def words(
    layout: Layout, kinds: tuple[str, ...], observation: NDArray[np.float32], first: bool
) -> str:
    """Describe an observation (n,); before the `first` step nothing was sent."""
    sensed = layout.sensed(observation[None])[0, 0]
    parts = []
    for word, value in (("busy", 1.0), ("free", 0.0)):
        found = ", ".join(str(number + 1) for number in np.flatnonzero(sensed == value))
        parts.append(f"{word} {found or 'none'}")
    said = f"You sense: {'; '.join(parts)}."
    own, hits = layout.own(observation[None])[0], layout.hits(observation[None])[0]
    if not own.any():
        return said if first else f"You were silent. {said}"
    met = " and ".join(name for name, hit in zip(_names(kinds), hits, strict=True) if hit)
    return f"You sent on {int(own.argmax()) + 1}, {f'on the {met}' if met else 'alone'}. {said}"


def _names(kinds: tuple[str, ...]) -> list[str]:
    return [name.replace("_", " ") for name in sender_names(kinds)]
