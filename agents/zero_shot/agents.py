"""The table of zero-shot agents, one paper each, with their settings; no torch.

`zerogym train zero_shot --agent NAME` trains any of them by the interface of `protocol.py`. One's
own agent is a part that makes a `ZeroShotAgent`, named as `"my_module:Name"`. Models are imported
when they are made, by their place, because those modules are above this one.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from zerogym.agents.parts import Part, Table
from zerogym.agents.zero_shot.features import FEATURES
from zerogym.envs.references import load_reference
from zerogym.errors import UnknownName

_METHODS = "zerogym.agents.zero_shot.methods"


class Start(NamedTuple):
    """The data, sizes and seed of a new agent."""

    env: str  # id of the world
    dataset: Any  # the `Dataset` to learn from
    actions: int  # number of discrete actions, or of coordinates of a continuous one
    discrete: bool  # which of the two
    updates: int  # of the whole training; rates may follow it
    seed: int  # of the initial weights and the batches


class Agent(Part):
    """A zero-shot agent with its settings.

    Attributes:
        model: The class of the model, as `module:Name`; its `start` makes a new one.
    """

    model: ClassVar[str]

    def model_class(self) -> Any:
        """Return the class of the model, a `ZeroShotAgent`."""
        return load_reference(self.model, "agent")

    @abstractmethod
    def __call__(self, start: Start) -> Any:
        """Return a new `ZeroShotAgent`."""


AGENTS: Table[Agent] = Table("agent", Agent, __name__)
agent = AGENTS.register


@agent("fb")
@dataclass(frozen=True)
class FBSettings(Agent):
    """Learn forward-backward representations; `zerogym train fb` has all their settings."""

    source = "Learning One Representation to Optimize All Rewards (2021, arXiv 2103.07945)"
    model = f"{_METHODS}.fb:FB"
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
    model = f"{_METHODS}.fb:FB"
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
    model = f"{_METHODS}.psm:PSM"
    gamma: float = 0.95  # discount a step, in [0, 1)

    def __call__(self, start: Start) -> Any:
        """Return a new agent without policies."""
        return self.model_class().start(self, start)


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
    model = f"{_METHODS}.goal_conditioned.gcbc:GCBC"


@agent("gcivl")
@dataclass(frozen=True)
class GCIVLSettings(GoalConditionedSettings):
    """Learn a value of states and goals by expectile regression, without actions."""

    source = (
        "HIQL: Offline Goal-Conditioned RL with Latent States as Actions (2023, arXiv 2307.11949)"
    )
    model = f"{_METHODS}.goal_conditioned.gcivl:GCIVL"


@agent("hiql")
@dataclass(frozen=True)
class HIQLSettings(GoalConditionedSettings):
    """Choose subgoals on the way with one policy, and actions towards them with another."""

    source = (
        "HIQL: Offline Goal-Conditioned RL with Latent States as Actions (2023, arXiv 2307.11949)"
    )
    model = f"{_METHODS}.goal_conditioned.hiql:HIQL"
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
    model = f"{_METHODS}.goal_conditioned.gciql:GCIQL"


@agent("crl")
@dataclass(frozen=True)
class CRLSettings(GoalConditionedSettings):
    """Distinguish the states that follow a step from those that follow others."""

    source = (
        "Contrastive Learning as Goal-Conditioned Reinforcement Learning (2022, arXiv 2206.07568)"
    )
    model = f"{_METHODS}.goal_conditioned.crl:CRL"


@agent("qrl")
@dataclass(frozen=True)
class QRLSettings(GoalConditionedSettings):
    """Learn a distance that keeps the triangle inequality, no step longer than 1."""

    source = "Optimal Goal-Reaching Reinforcement Learning via Quasimetric Learning (2023, arXiv 2304.01203)"  # noqa: E501
    model = f"{_METHODS}.goal_conditioned.qrl:QRL"


CONVENTIONS = ("difference", "state")  # of HILP's features


@agent("hilp")
@dataclass(frozen=True)
class HILPSettings(Agent):
    """Learn phi whose distances are times between states, and policies along its directions."""

    source = "Foundation Policies with Hilbert Representations (2024, arXiv 2402.15567)"
    model = f"{_METHODS}.hilp:HILP"
    dim: int = 16  # d, of phi and z (theirs 32, 50)
    hidden: int = 64  # width of the hidden layers (theirs 512, 1024)
    gamma: float = 0.95  # discount a step of distances and returns, in [0, 1)
    expectile: float = 0.9  # of the value of a goal, in (0, 1); theirs 0.5 to 0.95
    random_goals: float = 0.375  # part of the goals that are any state of the data, as theirs
    convention: str = "state"  # features phi(s') without mean; or "difference": phi(s') - phi(s)
    lr: float = 2e-3  # Adam's rate (theirs 1e-4 to 5e-4)
    tau: float = 0.03  # part of the way that slow copies move each update (theirs 0.005, 0.01)
    batch_size: int = 128  # transitions of an update

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.convention not in CONVENTIONS:
            raise UnknownName("convention of agent hilp", self.convention, list(CONVENTIONS))
        if not 0 <= self.random_goals <= 1:
            raise ValueError("agent hilp: random_goals must be in [0, 1]")
        _check(self, "hilp")

    def __call__(self, start: Start) -> Any:
        """Return a new agent."""
        return self.model_class().start(self, start)


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
    model = f"{_METHODS}.pldm:PLDM"
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


@agent("fre")
@dataclass(frozen=True)
class FRESettings(Agent):
    """Encode a set of states with rewards, and learn the tasks of a prior given the code."""

    source = (
        "Unsupervised Zero-Shot Reinforcement Learning via Functional Reward Encodings (2024, "
        "arXiv 2402.17135)"
    )
    model = f"{_METHODS}.fre:FRE"
    dim: int = 64  # d, of z, even (theirs 128)
    hidden: int = 64  # width of the hidden layers (theirs 512)
    layers: int = 1  # of the transformer (theirs 2)
    pairs: int = 32  # states of an encoded set, as theirs
    decoded: int = 8  # states whose rewards are predicted, as theirs
    tasks: int = 16  # different rewards of an update (theirs: one a transition)
    warmup: int = 1_000  # updates of the encoder, before all others (theirs 150,000)
    goal: float = 1 / 3  # share of goals in the prior, as theirs
    linear: float = 1 / 3  # share of linear rewards
    mlp: float = 1 / 3  # share of random networks
    kl: float = 0.01  # weight of the divergence of z, as theirs
    gamma: float = 0.95  # discount a step, in [0, 1)
    expectile: float = 0.8  # of the value's error, in (0, 1), as theirs
    alpha: float = 3.0  # of the actor's weights exp(alpha A), as theirs
    lr: float = 2e-3  # Adam's rate (theirs 1e-4)
    tau: float = 0.03  # part of the way that slow copies move each update (theirs 0.001)
    batch_size: int = 128  # transitions of an update (theirs 512)

    def __post_init__(self) -> None:
        super().__post_init__()
        shares = (self.goal, self.linear, self.mlp)
        if min(shares) < 0 or not abs(sum(shares) - 1) < 1e-6:
            raise ValueError("agent fre: goal, linear and mlp must be at least 0 and sum to 1")
        if min(self.layers, self.decoded, self.tasks) < 1 or self.pairs < 2 or self.warmup < 0:
            raise ValueError(
                "agent fre: layers, decoded and tasks must be at least 1, pairs 2, warmup 0"
            )
        if self.dim % 2 or self.tasks > self.batch_size:
            raise ValueError("agent fre: dim must be even, and tasks at most batch_size")
        _check(self, "fre")

    def __call__(self, start: Start) -> Any:
        """Return a new agent."""
        return self.model_class().start(self, start)


def _check(part: Any, name: str) -> None:
    """Refuse numbers out of range."""
    for field, low in (("dim", 1), ("hidden", 1), ("batch_size", 2)):
        if getattr(part, field) < low:
            raise ValueError(f"agent {name}: {field} must be at least {low}")
    for field in ("expectile", "tau"):
        if not 0 < getattr(part, field) < 1:
            raise ValueError(f"agent {name}: {field} must be between 0 and 1")
    if not 0 <= part.gamma < 1 or part.lr < 0:
        raise ValueError(f"agent {name}: gamma must be in [0, 1) and lr at least 0")
