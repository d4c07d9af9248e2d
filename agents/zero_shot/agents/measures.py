"""Settings of agents that learn the visits of policies: forward-backward and its kin."""

from dataclasses import dataclass
from typing import Any

from zerogym.agents.zero_shot.agents.table import METHODS, Agent, Start, agent
from zerogym.agents.zero_shot.features import FEATURES


@agent("fb")
@dataclass(frozen=True)
class FBSettings(Agent):
    """Learn forward-backward representations; `zerogym train fb` has all their settings."""

    source = "Learning One Representation to Optimize All Rewards (2021, arXiv 2103.07945)"
    model = f"{METHODS}.fb:FB"
    dim: int = 0  # d, the length of z; 0: that of the world's preset
    gamma: float = 0.95  # discount a step, in [0, 1)

    def __call__(self, start: Start) -> Any:
        """Return a new agent with the preset of its world, where there is one."""
        return self.model_class().start(self, start)


@agent("sf")
@dataclass(frozen=True)
class SFSettings(Agent):
    """Learn successor features of features that are learned by a loss of their own.

    `zerogym parts features` lists them; the networks and their training are those of agent fb.
    """

    source = "Does Zero-Shot Reinforcement Learning Exist? (2022, arXiv 2209.14935)"
    model = f"{METHODS}.fb:FB"
    features: str = "laplacian"  # of the table; not fb, whose features are a measure
    dim: int = 0  # d, the length of z; 0: that of the world's preset
    gamma: float = 0.95  # discount a step, in [0, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        FEATURES.make(self.features)
        if self.features == "fb":
            raise ValueError("agent sf: features 'fb' are agent fb")

    def __call__(self, start: Start) -> Any:
        """Return a new agent with the preset of its world, where there is one."""
        return self.model_class().start(self, start, self.features)


@agent("psm")
@dataclass(frozen=True)
class PSMSettings(Agent):
    """Span the visits of all policies by those of random ones; a task is a linear program.

    For worlds of few states, whose model is counted from the data. An update is one policy.
    """

    source = (
        "Proto Successor Measure: Representing the Behavior Space of an RL Agent (2024, arXiv "
        "2411.19418)"
    )
    model = f"{METHODS}.psm:PSM"
    gamma: float = 0.95  # discount a step, in [0, 1)

    def __call__(self, start: Start) -> Any:
        """Return a new agent without policies."""
        return self.model_class().start(self, start)
