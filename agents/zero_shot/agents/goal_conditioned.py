"""Settings of goal-conditioned agents."""

from dataclasses import dataclass
from typing import Any

from zerogym.agents.zero_shot.agents.table import METHODS, Agent, Start, agent


@dataclass(frozen=True)
class GoalConditionedSettings(Agent):
    """Settings of all goal-conditioned agents; a task with a reward only is turned into a goal."""

    hidden: int = 256  # width of both hidden layers of each network
    batch_size: int = 256  # transitions an update
    rate: float = 1e-3  # learning rate of Adam
    gamma: float = 0.95  # discount a step, in [0, 1)
    tau: float = 0.01  # part of the way to the present weights that slow copies go in an update
    expectile: float = 0.9  # of the value's error, in (0, 1); 0.5 is the mean
    alpha: float = 3.0  # weight of a step in the actor's loss: exp(alpha A); 0 imitates

    @property
    def lr(self) -> float:
        """The `rate`, by the name that it has in other agents."""
        return self.rate

    def __call__(self, start: Start) -> Any:
        """Return a new agent.

        Raises:
            ValueError: If a setting is out of range.
        """
        if not (0 <= self.gamma < 1 and 0 < self.expectile < 1 and 0 < self.tau <= 1):
            raise ValueError(
                f"agent {self.title()}: gamma must be in [0, 1), expectile in (0, 1) and tau in "
                f"(0, 1], got {self.gamma}, {self.expectile} and {self.tau}"
            )
        if self.hidden < 1 or self.batch_size < 1 or self.rate <= 0:
            raise ValueError(f"agent {self.title()}: hidden, batch_size and rate must be above 0")
        return self.model_class().start(self, start)


@agent("gcbc")
@dataclass(frozen=True)
class GCBCSettings(GoalConditionedSettings):
    """Imitate the walks that reached the goal later."""

    source = "Learning to Reach Goals via Iterated Supervised Learning (2019, arXiv 1912.06088)"
    model = f"{METHODS}.goal_conditioned.gcbc:GCBC"


@agent("gcivl")
@dataclass(frozen=True)
class GCIVLSettings(GoalConditionedSettings):
    """Learn a value of states and goals by expectile regression, without actions."""

    source = (
        "HIQL: Offline Goal-Conditioned RL with Latent States as Actions (2023, arXiv 2307.11949)"
    )
    model = f"{METHODS}.goal_conditioned.gcivl:GCIVL"


@agent("hiql")
@dataclass(frozen=True)
class HIQLSettings(GoalConditionedSettings):
    """Choose subgoals on the way with one policy, and actions towards them with another."""

    source = (
        "HIQL: Offline Goal-Conditioned RL with Latent States as Actions (2023, arXiv 2307.11949)"
    )
    model = f"{METHODS}.goal_conditioned.hiql:HIQL"
    subgoal_steps: int = 5  # steps to a subgoal, at least 1 (OGBench's 10 to 100)
    dim: int = 10  # d, of the codes of subgoals

    def __call__(self, start: Start) -> Any:
        """Return a new agent.

        Raises:
            ValueError: If a setting is out of range.
        """
        if self.subgoal_steps < 1 or self.dim < 1:
            raise ValueError("agent hiql: subgoal_steps and dim must be at least 1")
        return super().__call__(start)


@agent("gciql")
@dataclass(frozen=True)
class GCIQLSettings(GoalConditionedSettings):
    """Learn values of states, actions and goals by expectile regression."""

    source = "Offline Reinforcement Learning with Implicit Q-Learning (2021, arXiv 2110.06169)"
    model = f"{METHODS}.goal_conditioned.gciql:GCIQL"


@agent("crl")
@dataclass(frozen=True)
class CRLSettings(GoalConditionedSettings):
    """Distinguish the states that follow a step from those that follow others."""

    source = (
        "Contrastive Learning as Goal-Conditioned Reinforcement Learning (2022, arXiv 2206.07568)"
    )
    model = f"{METHODS}.goal_conditioned.crl:CRL"


@agent("qrl")
@dataclass(frozen=True)
class QRLSettings(GoalConditionedSettings):
    """Learn a distance that keeps the triangle inequality, no step longer than 1."""

    source = "Optimal Goal-Reaching Reinforcement Learning via Quasimetric Learning (2023, arXiv 2304.01203)"  # noqa: E501
    model = f"{METHODS}.goal_conditioned.qrl:QRL"
