"""Flow behaviour cloning: an actor near any of the data's actions, not near their mean.

"Flow Q-Learning" (2025, arXiv 2502.02538), conditioned on z as "TD-JEPA" (2025) has it for offline
data. A velocity field v(s, a_t, t) learns the data's actions in s by flow matching; ten Euler steps
of it turn normal noise into such an action. The actor maps the same noise to an action in one step:
it maximises F'z, on the scale of 1, and stays near the flow's action for that noise. Training
targets draw fresh noise. Our choice: the value is that of the lower head; acting is deterministic,
by the best in F'z of a few fixed noises (noise 0 alone would often lie between two ways of the
data). Compare with `fb_continuous.py`: same methods, same order.
"""

from typing import Any

import torch
from torch import Tensor, nn

from zerogym.agents.zero_shot.algorithms.computing import Draws, find_device
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import Batch
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.representations.fb_losses import Metrics

FLOW_STEPS = 10  # of Euler's method


class Flow(nn.Module):
    """v(s, a_t, t): where an action on the way from noise to data moves; two hidden layers."""

    def __init__(self, features: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(features + actions + 1, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, actions),
        )

    def forward(self, features: Tensor, action: Tensor, time: Tensor) -> Tensor:
        """(n, features), (n, actions), (n, 1) -> (n, actions)."""
        return self.net(torch.cat([features, action, time], -1))

    @torch.no_grad()
    def action_of(self, features: Tensor, noise: Tensor) -> Tensor:
        """Integrate the flow from normal noise (n, actions), clipped to [-1, 1]; (n, actions)."""
        action = noise
        for step in range(FLOW_STEPS):
            time = torch.full_like(noise[:, :1], step / FLOW_STEPS)
            action = action + self(features, action, time) / FLOW_STEPS
        return action.clamp(-1, 1)


def flow_matching_loss(
    flow: nn.Module,
    features: Tensor,
    action: Tensor,
    noise: Tensor,
    time: Tensor,
    weights: Tensor | None = None,
) -> Tensor:
    """Return the mean squared error of the velocity on straight lines from noise to actions.

    Args:
        flow: v(s, a_t, t).
        features: Of the states, (n, k).
        action: The data's, (n, actions).
        noise: Normal, (n, actions).
        time: Uniform in [0, 1), (n, 1).
        weights: Of the transitions, (n,); None: all 1.
    """
    between = (1 - time) * noise + time * action  # (n, actions)
    error = (flow(features, between, time) - (action - noise)).square()  # (n, actions)
    return (error if weights is None else weights[:, None] * error).mean()


def near_flow_loss(
    forward: Tensor, z: Tensor, action: Tensor, target: Tensor, weight: float
) -> tuple[Tensor, Metrics]:
    """Return minus the scaled value of the actor, plus its distance to the flow's actions.

    Args:
        forward: F at the actor's actions, (H, n, d).
        z: (n, d).
        action: The actor's, (n, actions).
        target: The flow's of the same noise, (n, actions); no gradient.
        weight: Of the mean squared difference.
    """
    values = (forward * z).sum(-1)  # (H, n)
    value = values.min(0).values.mean()
    apart = (action - target).square().mean()
    loss = -value / values.detach().abs().mean().clamp(min=1e-6) + weight * apart
    return loss, {"actor/value": value.detach(), "actor/from_flow": apart.detach()}


class FlowFB(ContinuousFB):
    """A forward-backward agent whose actor stays near a flow of the data's actions."""

    def __init__(self, config: FBConfig, model: FBModel, seed: int = 0) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            flow = Flow(model.inputs, model.shape.actions, model.shape.hidden)
            self.flow = flow.to(find_device(config))
        super().__init__(config, model, seed)

    def draw_noise(self) -> Draws:
        """Draw the noise of the actor, and of the flow's own training."""
        n, m = self.config.batch_size, self.model.shape.actions
        more = {"flow": self.normal(n, m), "time": self.uniform(n, 1)}
        return super().draw_noise() | more

    def actor_loss(self, batch: Batch, z: Tensor, drawn: Draws) -> tuple[Tensor, Metrics]:
        """Return the sum of the actor's and the flow's loss, which share no weights."""
        net: Any = self.model.forward_net
        action = self.noisy_action(batch.features, z, drawn["actor"])  # (n, actions)
        target = self.flow.action_of(batch.features, drawn["actor"])
        forward = net(batch.features, action, z)
        loss, metrics = near_flow_loss(forward, z, action, target, self.config.flow_bc)
        matching = flow_matching_loss(
            self.flow, batch.features, batch.actions, drawn["flow"], drawn["time"]
        )
        return loss + matching, metrics | {"flow/loss": matching.detach()}

    def noisy_action(self, features: Tensor, z: Tensor, noise: Tensor) -> Tensor:
        """Return the actor's action for normal noise (n, actions); (n, actions)."""
        assert self.model.actor is not None
        return self.model.actor(torch.cat([features, noise], -1), z)

    def networks(self) -> dict[str, nn.Module]:
        """Return everything with parameters, by name."""
        return super().networks() | {"flow": self.flow}

    def trained(self) -> dict[str, tuple[nn.Module, float]]:
        """Return the networks trained by gradients; the flow is trained with the actor."""
        assert self.model.actor is not None
        both = nn.ModuleList([self.model.actor, self.flow])
        return super().trained() | {"actor": (both, self.config.lr_actor)}
