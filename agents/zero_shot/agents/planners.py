"""Settings of agents that plan in a model of their own."""

from dataclasses import dataclass
from typing import Any

from zerogym.agents.zero_shot.agents.table import METHODS, Agent, Start, agent


@agent("pldm")
@dataclass(frozen=True)
class PLDMSettings(Agent):
    """Learn latent dynamics without rewards, and plan in them.

    The weights of the loss are our choice; those of the paper differ between its worlds.
    """

    source = (
        "Learning from Reward-Free Offline Data: A Case for Planning with Latent Dynamics Models "
        "(2025, arXiv 2502.14819)"
    )
    model = f"{METHODS}.pldm:PLDM"
    discrete = True
    dim: int = 32  # d, of the latent z
    hidden: int = 64  # width of the hidden layers
    ahead: int = 3  # steps of a prediction in training
    variance: float = 1.0  # weight of the variance's shortfall from 1
    covariance: float = 1.0  # weight of the squared covariances
    closeness: float = 1.0  # weight of the squared distance of z in a step
    inverse: float = 1.0  # weight of the cross-entropy of the action that is read
    lr: float = 1e-3  # Adam's rate
    batch_size: int = 64  # stretches of walks of an update
    horizon: int = 6  # steps of a plan
    plans: int = 64  # drawn in each round
    rounds: int = 4  # of a decision
    temperature: float = 0.5  # of the weights of plans, in standard deviations of their returns
    gamma: float = 0.95  # discount a step of rewards in a plan, in [0, 1]

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("dim", "hidden", "ahead", "horizon", "rounds"):
            if getattr(self, field) < 1:
                raise ValueError(f"agent pldm: {field} must be at least 1")
        for field in ("batch_size", "plans"):
            if getattr(self, field) < 2:
                raise ValueError(f"agent pldm: {field} must be at least 2")
        for field in ("variance", "covariance", "closeness", "inverse", "lr"):
            if getattr(self, field) < 0:
                raise ValueError(f"agent pldm: {field} must be at least 0")
        if not 0 <= self.gamma <= 1 or self.temperature <= 0:
            raise ValueError("agent pldm: gamma must be in [0, 1] and temperature above 0")

    def __call__(self, start: Start) -> Any:
        """Return a new agent."""
        return self.model_class().start(self, start)


@agent("pma")
@dataclass(frozen=True)
class PMASettings(Agent):
    """Learn codes of actions with predictable, different outcomes, and plan in codes."""

    source = "Predictable MDP Abstraction for Unsupervised Model-Based RL (2023, arXiv 2302.03921)"
    model = f"{METHODS}.pma:PMA"
    discrete = True
    codes: int = 8  # K, best above the number of actions (theirs vectors of numbers)
    hidden: int = 64  # width of the hidden layers (theirs 512)
    models: int = 3  # E, whose disagreement counts (theirs 5)
    softness: float = 0.02  # of the decoder softmax(Q / softness), above 0 (theirs learned)
    bonus: float = 0.03  # weight of the disagreement in the decoder's reward, as theirs
    lr: float = 1e-3  # Adam's rate (theirs 3e-4)
    batch_size: int = 64  # transitions of an update (theirs 256)
    horizon: int = 6  # steps of a plan (theirs 15)
    plans: int = 64  # drawn in each round (theirs 256)
    rounds: int = 4  # of a decision (theirs 10)
    temperature: float = 0.5  # of the weights of plans, in standard deviations of their returns
    penalty: float = 1.0  # weight of the disagreement in plans (theirs 0 to 20)
    gamma: float = 0.95  # discount a step in a plan, in [0, 1] (theirs 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("hidden", "models", "horizon", "rounds"):
            if getattr(self, field) < 1:
                raise ValueError(f"agent pma: {field} must be at least 1")
        for field in ("codes", "batch_size", "plans"):
            if getattr(self, field) < 2:
                raise ValueError(f"agent pma: {field} must be at least 2")
        for field in ("bonus", "penalty", "lr"):
            if getattr(self, field) < 0:
                raise ValueError(f"agent pma: {field} must be at least 0")
        if not 0 <= self.gamma <= 1 or min(self.softness, self.temperature) <= 0:
            raise ValueError("agent pma: gamma must be in [0, 1], softness and temperature above 0")

    def __call__(self, start: Start) -> Any:
        """Return a new agent."""
        return self.model_class().start(self, start)
