"""Planning with latent dynamics: a world model without rewards, and MPPI in its latent space.

"Learning from Reward-Free Offline Data: A Case for Planning with Latent Dynamics Models" (2025,
arXiv 2502.14819), with the formulas of its public code. An encoder makes z of an observation, the
dynamics predict the next z from z and an action, over several steps; there is no decoder. That z
does not collapse is due to three terms: the variance of each dimension over the batch is at least
about 1, dimensions are uncorrelated, and the action can be read from two z that follow each other.
A fourth term keeps z close in time. Plans to a goal have least distance of z to that of the goal,
summed over their steps.

Ours are: rewards, by a least squares fit of them to z and a constant (theirs are goals only); the
cross-entropy of the action that is read, since actions are discrete; dynamics without a memory,
which add to z. Left out: images, an ensemble's uncertainty as a cost, and the ends of episodes,
after which the model goes on.
"""

from typing import Any, NamedTuple

import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor
from torch.nn import functional

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset
from zerogym.agents.zero_shot.methods.learner import Learner, Metrics, mlp
from zerogym.agents.zero_shot.planning.mppi import MPPI
from zerogym.agents.zero_shot.protocol import check_prompt, goal_and_reward

SMALL = 1e-4  # added to a variance before its root, as in the public code


class Aim(NamedTuple):
    """The prompt of a task: one of the two.

    Attributes:
        place: z of a goal, (d,).
        weights: Of z and of the constant 1 in the reward, (d + 1,).
    """

    place: Tensor | None = None
    weights: Tensor | None = None


class PLDM(Learner):
    """Encoder, dynamics and the reader of actions."""

    def build(self) -> None:
        """Make the networks."""
        own = self.settings
        self.encoder = mlp(self.observation, own.hidden, own.dim)
        self.dynamics = mlp(own.dim + self.actions, own.hidden, own.dim)
        self.reader = mlp(2 * own.dim, own.hidden, self.actions)

    def losses(self, data: TensorDataset, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the weighted sum of the five terms on stretches of the walks."""
        own, n = self.settings, len(batch.row)
        rows = batch.row + torch.arange(own.ahead)[:, None]  # (T, n)
        inside = (rows <= batch.last).float()  # (T, n)
        rows = torch.minimum(rows, batch.last)
        observations = torch.cat([batch.features[None], data.transitions.next_features[rows]])
        codes = self.encoder(observations.flatten(0, 1)).unflatten(0, (own.ahead + 1, n))
        terms = self.terms(codes, data.transitions.actions[rows], inside)
        weights = {
            "variance": own.variance,
            "covariance": own.covariance,
            "time": own.closeness,
            "inverse": own.inverse,
        }
        loss = terms["prediction"] + sum(weights[name] * terms[name] for name in weights)
        spread = codes[0].detach().var(0).mean()
        return loss, {f"pldm/{k}": v.detach() for k, v in terms.items()} | {"pldm/spread": spread}

    def terms(self, codes: Tensor, actions: Tensor, inside: Tensor) -> dict[str, Tensor]:
        """Return the terms of the loss.

        Args:
            codes: z of n stretches of T steps, (T + 1, n, d).
            actions: (T, n).
            inside: 1 where the step is of the same walk, else 0; (T, n).
        """
        predicted, state = [], codes[0]
        for action in actions:
            state = self.next(state, action)
            predicted.append(state)
        count = inside.sum()
        missed = (torch.stack(predicted) - codes[1:]).square().mean(-1)  # (T, n)
        moved = (codes[1:] - codes[:-1]).square().mean(-1)
        read = self.reader(torch.cat([codes[:-1], codes[1:]], -1))  # (T, n, A)
        wrong = functional.cross_entropy(
            read.flatten(0, 1), actions.flatten(), reduction="none"
        ).unflatten(0, actions.shape)
        apart = codes[0] - codes[0].mean(0)
        n, d = apart.shape
        covariance = apart.T @ apart / (n - 1)  # (d, d)
        variance = covariance.diagonal()
        return {
            "prediction": (inside * missed).sum() / count,
            "variance": functional.relu(1 - (variance + SMALL).sqrt()).mean(),
            "covariance": (covariance.square().sum() - variance.square().sum())
            / max(d * (d - 1), 1),
            "time": (inside * moved).sum() / count,
            "inverse": (inside * wrong).sum() / count,
        }

    def next(self, state: Tensor, action: Tensor) -> Tensor:
        """Return the predicted z (n, d) after actions (n,) in z (n, d)."""
        taken = functional.one_hot(action, self.actions).to(state)
        return state + self.dynamics(torch.cat([state, taken], -1))

    @torch.no_grad()
    def infer(self, task: Any, samples: Dataset | None = None) -> Aim:
        """Infer a place or the weights of a reward; see `ZeroShotModel.infer`."""
        goal, reward = goal_and_reward(task)
        if reward is None:
            return Aim(place=self.encoder(self.rows_of([goal], "a goal"))[0])
        given, labels = self.labels_of(reward, samples)
        codes = self.encoder(torch.as_tensor(given.next_observations))
        known = torch.cat([codes, torch.ones(len(codes), 1)], 1).double()  # (N, d + 1)
        fitted = torch.linalg.lstsq(known, labels.double()[:, None], driver="gelsd")
        return Aim(weights=fitted.solution[:, 0].float())

    @torch.no_grad()
    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the first actions (B,) of the best plans that MPPI finds."""
        check_prompt(prompt, Aim)
        own, start = self.settings, self.encoder(self.rows_of(observations))  # (B, d)
        planner = MPPI(self.actions, own.horizon, own.plans, own.rounds, own.temperature)

        def returns(plans: Tensor) -> Tensor:
            code = start.repeat_interleave(plans.shape[1], 0)  # (B N, d)
            total = torch.zeros(len(code))
            for step, action in enumerate(plans.flatten(0, 1).T):
                code = self.next(code, action)
                if prompt.place is not None:
                    total -= (code - prompt.place).square().mean(-1)
                else:
                    total += own.gamma**step * (code @ prompt.weights[:-1] + prompt.weights[-1])
            return total.unflatten(0, plans.shape[:2])

        plans, _ = planner(returns, len(start))
        return plans[:, 0].numpy(), state
