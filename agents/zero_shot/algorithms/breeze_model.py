"""A forward-backward model with a policy of its own that knows which actions the data have.

With discrete actions the policy is a softmax pi(a|s, z), and an action is eligible if `tries` draws
hold it once or more on average: what the best of so many samples is, without noise. With continuous
actions it is a flow from normal noise, and the best in F'z of `tries` of its actions is taken, for
noises that are fixed.
"""

import torch
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.flow_bc import Flow
from zerogym.agents.zero_shot.models.architecture import Shape
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.networks import Product


class BreezeModel(FBModel):
    """F, B and a policy near the data; without one it acts as `FBModel` does.

    Args:
        shape: Sizes of the networks.
        samples: Transitions of the training data.
        policy: Whether there is a policy of its own.
        tries: Of the policy's actions, of which the best in F'z is done.
    """

    def __init__(self, shape: Shape, samples: Dataset, policy: bool, tries: int) -> None:
        super().__init__(shape, samples)
        self.tries, self.chooser = tries, None
        if policy and shape.discrete:
            self.chooser = Product(1, self.inputs, shape.dim, shape.hidden, shape.actions)
        elif policy:
            self.actor = Flow(self.inputs + shape.dim, shape.actions, shape.hidden)

    chooser: Product | None

    def log_policy(self, features: Tensor, z: Tensor) -> Tensor:
        """Return log pi(a|s, z) of discrete actions; (n, k), (n, d) -> (n, A)."""
        assert self.chooser is not None
        return torch.log_softmax(self.chooser(features, z)[0], -1)

    def eligible(self, features: Tensor, z: Tensor) -> Tensor:
        """Return whether each action is eligible, at least one of a row; (n, A)."""
        policy = self.log_policy(features, z).exp()  # (n, A)
        least = policy.max(-1, keepdim=True).values.clamp(max=1 / self.tries)
        return policy >= least

    def values(self, features: Tensor, z: Tensor) -> Tensor:
        """Return Q(s, a) of discrete actions, minus infinity where not eligible; (n, A)."""
        found = super().values(features, z)
        if self.chooser is None:
            return found
        return found.masked_fill(~self.eligible(features, z), -torch.inf)

    def action(self, features: Tensor, z: Tensor) -> Tensor:
        """Return the continuous actions, (n, m)."""
        if not isinstance(self.actor, Flow):
            return super().action(features, z)
        seeded = torch.Generator().manual_seed(0)
        noise = torch.randn(self.tries, 1, self.shape.actions, generator=seeded)
        return self.best_of(self.forward_net, features, z, noise.expand(-1, len(features), -1))

    @torch.no_grad()
    def best_of(self, forward: nn.Module, features: Tensor, z: Tensor, noise: Tensor) -> Tensor:
        """Return of the flow's actions the best in F'z, the least of the heads; (n, m).

        Args:
            forward: F, or its slow copy.
            features: (n, k).
            z: (n, d).
            noise: Normal, (C, n, m).
        """
        assert isinstance(self.actor, Flow)
        count, n = noise.shape[:2]
        state, task = (each.expand(count, n, -1).flatten(0, 1) for each in (features, z))
        actions = self.actor.action_of(torch.cat([state, task], -1), noise.flatten(0, 1))
        found = (forward(state, actions, task) * task).sum(-1).min(0).values  # (C n,)
        best = found.unflatten(0, (count, n)).argmax(0)  # (n,)
        return actions.unflatten(0, (count, n))[best, torch.arange(n, device=best.device)]
