"""Settings of agents that learn the visits of policies: forward-backward and its kin."""

from dataclasses import dataclass
from typing import Any

from zerogym.agents.zero_shot.agents.table import METHODS, Agent, Start, agent, check_settings
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
        return self.model_class().start(self, start)


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
    discrete = True
    gamma: float = 0.95  # discount a step, in [0, 1)

    def __call__(self, start: Start) -> Any:
        """Return a new agent without policies."""
        return self.model_class().start(self, start)


@agent("psm_neural")
@dataclass(frozen=True)
class NeuralPSMSettings(Agent):
    """Learn the visits of hashed policies as an affine set, by networks; a task is its program."""

    source = PSMSettings.source
    model = f"{METHODS}.psm_neural:NeuralPSM"
    discrete = True
    dim: int = 16  # d, of the weights of a policy
    rank: int = 64  # k, of the features B of pairs
    policies: int = 64  # of the codebook
    hidden: int = 256  # width of the hidden layers
    gamma: float = 0.95  # discount a step, in [0, 1)
    pairs: int = 250  # of the data, between which visits are not negative
    rounds: int = 100  # steps of the program
    lr: float = 1e-3  # Adam's rate
    tau: float = 0.03  # part of the way that slow copies move each update
    batch_size: int = 256  # transitions of an update

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("rank", "policies", "pairs", "rounds"):
            if getattr(self, field) < 1:
                raise ValueError(f"agent psm_neural: {field} must be at least 1")
        check_settings(self, "psm_neural")

    def __call__(self, start: Start) -> Any:
        """Return a new agent."""
        return self.model_class().start(self, start)


@agent("breeze")
@dataclass(frozen=True)
class BreezeSettings(Agent):
    """Learn forward-backward representations with values and policies near the data's actions.

    Each of the three switches leaves agent fb's own part in its place when it is off.
    """

    source = "Towards Robust Zero-Shot Reinforcement Learning (2025, arXiv 2510.15382)"
    model = f"{METHODS}.breeze:Breeze"
    value: bool = True  # switch: V(s, z) by expectiles over the data's actions
    policy: bool = True  # switch: a policy of z by weighted regression on the data's actions
    attention: bool = True  # switch: F and B with attention
    dim: int = 0  # d, the length of z; 0: that of the world's preset
    gamma: float = 0.95  # discount a step, in [0, 1)
    expectile: float = 0.99  # of V, in (0, 1), as theirs (0.7 in a kitchen)
    regularisation: float = 0.001  # weight of the error of F'z against V, as theirs
    alpha: float = 0.05  # of the policy's weights exp(alpha (F'z - V)), as theirs
    tries: int = 64  # of the policy's actions, of which the best in F'z is done, as theirs

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.expectile < 1:
            raise ValueError(f"agent breeze: expectile must be in (0, 1), got {self.expectile}")
        if self.tries < 1 or min(self.regularisation, self.alpha, self.dim) < 0:
            raise ValueError(
                "agent breeze: tries must be at least 1, and regularisation, alpha and dim 0"
            )

    def __call__(self, start: Start) -> Any:
        """Return a new agent with the preset of its world, where there is one."""
        return self.model_class().start(self, start)
