"""Variants of the forward-backward agent, one change each, in a world with pits and one that slips.

The first is the agent of the table, whose targets follow a softmax of F'z / 10; it is F'z / 100 in
the softer and F'z in the sharper ones. Left out: conservative penalties, twice the time of the
others, and the large networks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from zerogym.agents.zero_shot.agents import FBSettings, Start
from zerogym.agents.zero_shot.algorithms.creation import create_agent
from zerogym.agents.zero_shot.config import PRESETS, FBConfig
from zerogym.agents.zero_shot.methods.fb import FB
from zerogym.benchmarks.zero_shot.suite import WORLDS, ZeroShotEntry

UPDATES = 3_000
SEEDS = 3


@dataclass(frozen=True)
class FBVariant(FBSettings):
    """Train forward-backward representations with other settings than the preset's.

    Attributes:
        changes: Fields of `FBConfig`.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)  # fields of FBConfig

    def __call__(self, start: Start) -> Any:
        """Return a new agent."""
        config = replace(
            PRESETS.get(start.env, FBConfig(env=start.env)),
            updates=start.updates,
            seed=start.seed,
            **{"gamma": self.gamma, **self.changes},
        )
        return FB(create_agent(config, start.dataset, start.actions, start.discrete))


def _entry(name: str, **changes: Any) -> ZeroShotEntry:
    part = f"{__name__}:{FBVariant.__name__}"
    return ZeroShotEntry(name, {"part": part, "changes": changes}, UPDATES)


VARIANTS = (
    _entry("as in the table"),
    _entry("softer target policy", temperature=100.0),
    _entry("sharper target policy", temperature=1.0),
    _entry("d = 96", dim=96),
    _entry("softer, d = 96", temperature=100.0, dim=96),
    _entry("z of goals only", goal_share=1.0),
    _entry("z uniform only", goal_share=0.0),
    _entry("goals that come later", later_share=1.0),
    _entry("a quarter of z of rewards", reward_share=0.25),
    _entry("pessimism 1/2", pessimism=0.5),
    _entry("gamma = 0.98", gamma=0.98),
    _entry("deep encoder with layer norm", encoder="state"),
)

PLACES = tuple(world for world in WORLDS if world.name in ("slippery rooms", "pits"))
