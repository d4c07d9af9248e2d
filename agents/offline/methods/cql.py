"""Conservative Q-learning: values of actions that the data do not have are pushed down."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from zerogym.agents.offline.method import Method, Update, method, squared
from zerogym.agents.offline.networks import Networks
from zerogym.agents.settings import check_at_least


@method("cql")
@dataclass(frozen=True)
class CQL(Method):
    """Q-learning with the penalty alpha (log sum_a exp Q(s, a) - Q(s, a of the data)), CQL(H).

    The target is double Q-learning's: the action is chosen by the critic and rated by its target.
    The policy is greedy. Ours: a squared error for returns, where the paper's games have quantiles.
    Left out: continuous actions (SAC with sampled actions), and a weight alpha tuned by a
    Lagrangian. For discrete actions only.
    """

    source = '"Conservative Q-Learning for Offline Reinforcement Learning" (2020, arXiv 2006.04779)'
    continuous: ClassVar[bool] = False
    heads: ClassVar[int] = 1
    actor: ClassVar[bool] = False
    noisy: ClassVar[bool] = False

    alpha: float = 1.0  # weight of the penalty; 0 is double Q-learning

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, alpha=0.0)

    def losses(self, nets: Networks, update: Update) -> Iterator[tuple[str, Tensor]]:
        """Yield the critic's loss."""
        observations, actions, rewards, following, goes_on, *_ = update.batch
        with torch.no_grad():
            best = nets.all_q(following)[0].argmax(1)  # (n,)
            later = nets.q(following, best, target=True)[0]
            target = rewards + update.gamma * goes_on * later  # (n,)
        rated = nets.all_q(observations)  # (1, n, A)
        own = rated[0].gather(1, actions[:, None])[:, 0]  # (n,)
        penalty = (rated[0].logsumexp(1) - own).mean()
        yield "critic", squared(own[None], target) + self.alpha * penalty
