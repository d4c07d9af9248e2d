"""Hilbert foundation policies: distances of phi are times between states, tasks are directions.

"Foundation Policies with Hilbert Representations" (2024, arXiv 2402.15567), with the formulas of
its public code for zero-shot RL. phi is trained by goal-conditioned value learning with the value
V(s, g) = -||phi(s) - phi(g)||, by an expectile of the target -1 + gamma V(s', g), in two copies.
The policy of z maximises the discounted sum of f'z; the features f are phi(s') - phi(s)
("difference"), or phi(s') without its mean ("state"). A goal g means in each state the direction of
phi(g) - phi(s); a reward the least squares fit of f to it. Where ways are long, distances are less
exact, and the goal may be replaced by a midpoint: the state w of the data with the least max of
||phi(s) - phi(w)|| and ||phi(w) - phi(g)||, then the midpoint of s and w, and so on.

A terminal state other than the goal has the value of never arriving, -1 / (1 - gamma): ours, their
data have no ends. Ours are also: Q-learning in place of their actor-critics, for discrete actions;
rewards divided by their root mean square; z of which half are directions of goals. At the goal
itself there is no direction, all actions are equal, and the first is taken. Of midpoints, ours is
that the best state is taken, where they have the mean of fifty. Left out: continuous actions, and
concatenated features.
"""

from typing import Any, NamedTuple

import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset
from zerogym.agents.zero_shot.methods.learner import (
    Learner,
    Metrics,
    as_actions,
    chosen,
    expectile_loss,
    mlp,
)
from zerogym.agents.zero_shot.models.inference import inverse_covariance, of_regression
from zerogym.agents.zero_shot.models.networks import Product, to_sphere
from zerogym.agents.zero_shot.protocol import check_prompt, goal_and_reward

LEAST = 1e-6  # of a squared distance, so that its root has a gradient
HALF = 0.5  # of a step: at this distance phi is of the same state
SAME = 1e-6  # distance of observations that count as equal


class Direction(NamedTuple):
    """The prompt of a task: one of the two.

    Attributes:
        place: phi of a goal, (d,).
        z: Of a reward, (d,), of length sqrt(d).
        between: phi of states that may be midpoints on the way to a goal, (N, d).
    """

    place: Tensor | None = None
    z: Tensor | None = None
    between: Tensor | None = None


class HILP(Learner):
    """phi, twice, and the values Q(s, a, z) of its directions."""

    mean: Tensor

    def build(self) -> None:
        """Make phi, its second copy, Q, and the running mean of phi."""
        own = self.settings
        self.one = mlp(self.observation, own.hidden, own.dim)
        self.two = mlp(self.observation, own.hidden, own.dim)
        self.q = Product(2, self.observation, own.dim, own.hidden, self.actions)
        self.register_buffer("mean", torch.zeros(own.dim))
        self.slow_one, self.slow_two = self.slow_copy(self.one), self.slow_copy(self.two)
        self.slow_q = self.slow_copy(self.q)

    def losses(self, data: TensorDataset, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the sum of the losses of phi and Q."""
        goals = self._goals(data, batch)
        distance, metrics = self.distance_loss(batch, goals)
        with torch.no_grad():
            self.mean.lerp_(self.one(batch.features).mean(0), 0.005)
            shown = self.features(batch.features, batch.next_features)  # (n, d)
            z = self._tasks(batch, goals, shown)
            # The scale of a reward changes no policy, but much how well its values are fitted.
            scale = (z @ (shown.T @ shown) * z).mean(1) / len(z) * z.shape[1]  # E[(f'z)^2], (n,)
            rewards = (shown * z).sum(-1) / scale.clamp(min=LEAST).sqrt()  # (n,)
        tasks = self.value_loss(batch, rewards, z)
        return distance + tasks, metrics | {"hilp/q_loss": tasks.detach()}

    def _goals(self, data: TensorDataset, batch: Batch) -> Tensor:
        """Return goals (n, k): states later in the same episode, or any of the data."""
        later = self.later(data, batch, self.settings.gamma)
        anywhere = data.transitions.next_features[
            self.integers(len(data.transitions.row), len(later))
        ]
        random = self.uniform(len(later)) < self.settings.random_goals
        return torch.where(random[:, None], anywhere, later)

    def distance_loss(self, batch: Batch, goals: Tensor) -> tuple[Tensor, Metrics]:
        """Return the loss of phi: the expectile regression of V(s, g) to its target.

        Args:
            batch: n transitions.
            goals: (n, k).
        """
        own = self.settings
        arrived = (batch.features - goals).norm(dim=-1) < SAME  # (n,)
        entered = (batch.next_features - goals).norm(dim=-1) < SAME
        points = torch.cat([goals, batch.features, batch.next_features])  # (3n, k)
        with torch.no_grad():
            here, after = [], []
            for net in (self.slow_one, self.slow_two):
                aims, before, then = net(points).chunk(3)  # (n, d) each
                here.append(value(before, aims))
                lost = (batch.goes_on == 0) & ~entered
                after.append(value(then, aims).masked_fill(lost, -1 / (1 - own.gamma)))
            goes_on = own.gamma * (~arrived).float()
            reward = arrived.float() - 1
            target = reward + goes_on * torch.minimum(*after)
            advantage = target - (here[0] + here[1]) / 2  # (n,)
        loss = torch.zeros(())
        for net, following in zip((self.one, self.two), after, strict=True):
            aims, before = net(points[: 2 * len(goals)]).chunk(2)
            error = reward + goes_on * following - value(before, aims)
            loss = loss + expectile_loss(advantage, error, own.expectile)
        return loss, {"hilp/distance_loss": loss.detach(), "hilp/value": target.mean()}

    def features(self, before: Tensor, after: Tensor) -> Tensor:
        """Return f, (n, d), of transitions between observations (n, k)."""
        if self.settings.convention == "state":
            return self.one(after) - self.mean
        return self.one(after) - self.one(before)

    def _tasks(self, batch: Batch, goals: Tensor, shown: Tensor) -> Tensor:
        """Return z (n, d): half directions of goals, a quarter of features, a quarter random."""
        n = len(goals)
        half, quarter = n // 2, n // 4
        ahead = self.one(goals[:half]) - self.one(batch.features[:half])
        alike = shown[self.integers(n, quarter)] @ inverse_covariance(shown)  # theirs: half of all
        return to_sphere(torch.cat([ahead, alike, self.normal(n - half - quarter, ahead.shape[1])]))

    def value_loss(self, batch: Batch, rewards: Tensor, z: Tensor) -> Tensor:
        """Return the loss of Q to f'z + gamma max_a Q(s', a, z), summed over its two copies."""
        with torch.no_grad():
            following = self.slow_q(batch.next_features, z).min(0).values.max(-1).values  # (n,)
            target = rewards + self.settings.gamma * batch.goes_on * following
        found = self.q(batch.features, z)  # (2, n, A)
        done = torch.stack([chosen(each, batch.actions) for each in found])  # (2, n)
        return (done - target).square().mean(1).sum()

    @torch.no_grad()
    def infer(self, task: Any, samples: Dataset | None = None) -> Direction:
        """Infer a place or a direction; see `ZeroShotModel.infer`."""
        goal, reward = goal_and_reward(task)
        if reward is None:
            place = self.one(self.rows_of([goal], "a goal"))[0]
            if not self.settings.midpoints:
                return Direction(place)
            known = self.samples if samples is None else samples
            return Direction(place, between=self.one(torch.as_tensor(known.next_observations)))
        given, labels = self.labels_of(reward, samples)
        before, after = (
            torch.as_tensor(each) for each in (given.observations, given.next_observations)
        )
        return Direction(z=of_regression(self.features(before, after), labels))

    @torch.no_grad()
    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the actions (B,) with the largest Q(s, a, z)."""
        check_prompt(prompt, Direction)
        rows = self.rows_of(observations)
        if prompt.place is None:
            return as_actions(self.q(rows, prompt.z.expand(len(rows), -1)).mean(0)), state
        here, aims = self.one(rows), prompt.place.expand(len(rows), -1)  # (B, d)
        if prompt.between is not None:
            for _ in range(self.settings.midpoints):
                aims = midpoints(here, aims, prompt.between)
        ahead = aims - here
        # Batches of other sizes round differently: at the goal that is no direction.
        there = ahead.square().sum(-1, keepdim=True) < LEAST
        values = self.q(rows, to_sphere(ahead)).mean(0)  # (B, A)
        return as_actions(values.masked_fill(there, 0.0)), state


def midpoints(here: Tensor, goals: Tensor, between: Tensor) -> Tensor:
    """Return the point (n, d) whose distances from here and to the goal have the least maximum.

    Points within half a step of here are no aims; if all are, the first is taken.

    Args:
        here: (n, d).
        goals: (n, d).
        between: (N, d), the points.
    """
    near = torch.cdist(here, between)  # (n, N)
    farther = torch.maximum(near, torch.cdist(goals, between)).masked_fill(near < HALF, torch.inf)
    return between[farther.argmin(1)]


def value(here: Tensor, goals: Tensor) -> Tensor:
    """Return V = -||phi(s) - phi(g)|| of phi (n, d); (n,)."""
    return -(here - goals).square().sum(-1).clamp(min=LEAST).sqrt()
