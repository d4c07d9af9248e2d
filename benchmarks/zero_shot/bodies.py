"""Bodies at the sizes of published runs, on a GPU: named behaviours, played. Not yet run.

Sizes, rates and batches are those of "Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv
2209.14935). Ours: data of random actions that are held, where theirs are of an exploring agent; the
number of updates.
"""

from typing import Any

from zerogym.agents.zero_shot.config import FBConfig
from zerogym.benchmarks.zero_shot.ablation import FBVariant
from zerogym.benchmarks.zero_shot.suite import GREEDY, ZeroShotEntry, ZeroShotWorld

UPDATES = 500_000
SEEDS = 10
RIVALS = (GREEDY, "random")
PUBLISHED: dict[str, Any] = {
    "device": "cuda",
    "precision": "tf32",
    "batch_size": 1024,
    "dim": 50,
    "net": "wide",
    "hidden": 1024,
    "hidden_backward": 256,
    "standardise": True,
    "exact": False,
    "temperature": 0.0,
    "gamma": 0.98,
    "tau": 0.01,
    "peak_updates": UPDATES,
    "lr_forward": 1e-4,
    "lr_backward": 1e-4,
    "lr_actor": 1e-4,
}


def config() -> FBConfig:
    """Return the settings of the first agent, without a world."""
    return FBConfig(**PUBLISHED)


def _entry(name: str, **changes: Any) -> ZeroShotEntry:
    part = f"{FBVariant.__module__}:{FBVariant.__name__}"
    return ZeroShotEntry(name, {"part": part, "changes": {**PUBLISHED, **changes}}, UPDATES)


BODIES = (
    _entry("FB", cuda_graph=True),
    _entry("SF laplacian", features="laplacian"),
    _entry("SF TD-JEPA", features="td_jepa"),
)
PLACES = tuple(
    ZeroShotWorld(body.lower(), f"zerogym/{body}-v0", {}, 1_000_000, 4, 5, "behaviour")
    for body in ("Cheetah", "Walker", "Ant")
)
