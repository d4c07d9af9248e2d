"""f-DVL: V from the conjugate of a divergence to the data, and no action outside of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from zerogym.agents.offline.method import Method, Update, method
from zerogym.agents.offline.methods.iql import in_sample
from zerogym.agents.offline.networks import Networks
from zerogym.agents.settings import check_above

DIVERGENCES = ("chi2", "tv")


def dual_loss(difference: Tensor, divergence: str, weight: float) -> Tensor:
    """Return the mean of weight f(u) - (1 - weight) u over differences u = q - v, (n,).

    f(u) is max(u + u^2 / 4, 0) for Pearson's chi2 and max(u, 0) for total variation. Left of -4
    the first is 0 here, as f stands for weights of transitions that are not negative; in the
    authors' code it rises again there.
    """
    raised = difference + difference**2 / 4 if divergence == "chi2" else difference
    conjugate = torch.where(difference > 0, raised, 0.0)
    return (weight * conjugate - (1 - weight) * difference).mean()


@method("f_dvl")
@dataclass(frozen=True)
class FDVL(Method):
    """Dual V-learning: IQL with the loss of V that the dual of regularised control gives.

    V descends (1 - weight) V + weight f(Q - V), f the conjugate of a divergence between the visits
    of the policy and those of the data. With total variation V is the quantile of Q over the data's
    actions above which (1 - weight) / weight of them lie; with chi2 it is at least that. Both are
    exactly the maximum of Q in the data as soon as the best action has a larger share than that.
    Q, weights of the actor and order of updates are those of `iql`. The weight must be above 1/2,
    below which total variation has no minimum. Ours: a squared error of Q (the code has Huber's
    with delta 20), and the defaults. Left out: the reverse KL divergence, which is extreme
    Q-learning, and noise on actions.
    """

    source = (
        '"Dual RL: Unification and New Methods for Reinforcement and Imitation Learning" '
        "(2023, arXiv 2302.08560)"
    )
    heads: ClassVar[int] = 2
    value: ClassVar[bool] = True

    divergence: str = "chi2"  # chi2 (smooth) or tv (a quantile)
    weight: float = 0.7  # lambda, above 0.5, below 1: how near V is to the best action of the data
    temperature: float = 3.0  # of the weights of the actor; 0 imitates all alike
    largest: float = 100.0  # weight of an action

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.divergence not in DIVERGENCES:
            raise ValueError(
                f"divergence must be one of {', '.join(DIVERGENCES)}, got {self.divergence!r}"
            )
        check_above(self, weight=0.5, largest=0.0)
        if self.weight >= 1 or self.temperature < 0:
            raise ValueError(
                "weight must be below 1 and temperature at least 0, got "
                f"{self.weight} and {self.temperature}"
            )

    def losses(self, nets: Networks, update: Update) -> Iterator[tuple[str, Tensor]]:
        """Yield the losses of V, actor and Q."""

        def of_value(difference: Tensor) -> Tensor:
            return dual_loss(difference, self.divergence, self.weight)

        return in_sample(nets, update, of_value, self.temperature, self.largest)
