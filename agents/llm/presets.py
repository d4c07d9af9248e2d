"""Named combinations of an advantage and an aggregation: what tells the algorithms apart."""

from collections.abc import Mapping
from dataclasses import dataclass

from zerogym.errors import UnknownName


@dataclass(frozen=True)
class Preset:
    """An algorithm of the GRPO family."""

    advantage: str  # a name in `advantages.ADVANTAGES`
    aggregation: str  # a name in `losses.AGGREGATIONS`


PRESETS: Mapping[str, Preset] = {
    "grpo": Preset("grpo", "sequence_mean"),  # arXiv 2402.03300
    "dr_grpo": Preset("dr_grpo", "constant"),  # arXiv 2503.20783
}


def get_preset(name: str) -> Preset:
    """The preset of this name; UnknownName suggests the nearest."""
    if name not in PRESETS:
        raise UnknownName("preset", name, list(PRESETS))
    return PRESETS[name]
