"""Settings of agents that learn the values of tasks that they draw themselves."""

from dataclasses import dataclass
from typing import Any

from zerogym.agents.zero_shot.agents.table import METHODS, Agent, Start, agent, check_settings
from zerogym.errors import UnknownName

CONVENTIONS = ("difference", "state")  # of HILP's features


@agent("hilp")
@dataclass(frozen=True)
class HILPSettings(Agent):
    """Learn phi whose distances are times between states, and policies along its directions."""

    source = "Foundation Policies with Hilbert Representations (2024, arXiv 2402.15567)"
    model = f"{METHODS}.hilp:HILP"
    discrete = True
    dim: int = 16  # d, of phi and z (theirs 32, 50)
    hidden: int = 64  # width of the hidden layers (theirs 512, 1024)
    gamma: float = 0.95  # discount a step of distances and returns, in [0, 1)
    expectile: float = 0.9  # of the value of a goal, in (0, 1); theirs 0.5 to 0.95
    random_goals: float = 0.375  # part of the goals that are any state of the data, as theirs
    midpoints: int = 0  # halvings of the way to a goal, by states of the data (theirs 0, 3)
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
        if self.midpoints < 0:
            raise ValueError("agent hilp: midpoints must be at least 0")
        check_settings(self, "hilp")

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
    model = f"{METHODS}.fre:FRE"
    discrete = True
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
        check_settings(self, "fre")

    def __call__(self, start: Start) -> Any:
        """Return a new agent."""
        return self.model_class().start(self, start)
