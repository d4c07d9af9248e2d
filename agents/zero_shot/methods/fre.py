"""Functional reward encodings: a task is the code of a set of states with their rewards.

"Unsupervised Zero-Shot Reinforcement Learning via Functional Reward Encodings" (2024, arXiv
2402.17135), with the numbers of its public code. Rewards of a prior are labels of K states; a
transformer without positions and the mean over the set give a normal distribution of z, from which
a decoder predicts the rewards of other states. After the encoder, it stays as it is, and implicit
Q-learning with an actor by weighted regression learns the tasks of the prior, given the mean of z.

Our choice: rewards are of the state that a step enters, as in our worlds; several transitions share
a task, since encoders cost most; the KL divergence is the exact one of the standard deviation; a
pair is the product of the embeddings of its state and its reward (theirs: side by side), and the
decoder multiplies state and z, too, without which linear rewards were not learnt in 1,500 updates;
z starts with little noise. The set of a goal is the goal among states of the data, as theirs; that
of another reward is spread evenly over the order of the labels, so that it has the least and the
greatest, and labels are divided by the greatest absolute one. Left out: continuous actions.
"""

from typing import Any

import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.data.reward_prior import RewardPrior
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset
from zerogym.agents.zero_shot.methods.learner import (
    Learner,
    Metrics,
    as_actions,
    chosen,
    expectile_loss,
)
from zerogym.agents.zero_shot.models.networks import Product
from zerogym.agents.zero_shot.protocol import check_prompt, goal_and_reward

BINS = 32  # of rewards in [-1, 1]
HEADS = 2
MOST_WEIGHT = 100.0  # of a step in the actor's loss
NEAR = 0.7  # share of the goals that lie ahead of a transition of their task


class SetEncoder(nn.Module):
    """The mean and the logarithm of the deviation of z, of a set of states and rewards."""

    def __init__(self, observation: int, dim: int, layers: int) -> None:
        super().__init__()
        self.state, self.reward = nn.Linear(observation, dim), nn.Embedding(BINS, dim)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, HEADS, 2 * dim, dropout=0.0, batch_first=True)
            for _ in range(layers)
        )
        self.out = nn.Linear(dim, 2 * dim)
        with torch.no_grad():
            self.out.bias[dim:] = -2.0  # with a deviation of 1, noise hides all at first; ours

    def forward(self, states: Tensor, rewards: Tensor) -> tuple[Tensor, Tensor]:
        """(m, K, k), (m, K) -> (m, d), (m, d)."""
        bins = ((rewards + 1) / 2 * BINS).floor().long().clamp(0, BINS - 1)
        items = self.state(states) * self.reward(bins)  # (m, K, d)
        for block in self.blocks:
            items = block(items)
        mean, log_deviation = self.out(items.mean(1)).chunk(2, -1)
        return mean, log_deviation


class FRE(Learner):
    """The encoder and decoder of rewards; V, Q (twice) and an actor, given z."""

    def build(self) -> None:
        """Make all networks."""
        own = self.settings
        self.prior = RewardPrior(own.goal, own.linear, own.mlp)
        self.encoder = SetEncoder(self.observation, own.dim, own.layers)
        self.decoder = Product(1, self.observation, own.dim, own.hidden, 1)
        self.q = Product(2, self.observation, own.dim, own.hidden, self.actions)
        self.v = Product(1, self.observation, own.dim, own.hidden, 1)
        self.actor = Product(1, self.observation, own.dim, own.hidden, self.actions)
        self.slow_q = self.slow_copy(self.q)

    def losses(self, data: TensorDataset, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the loss of the encoder for the first updates, then that of the policy."""
        own, stored = self.settings, data.transitions.next_features
        each = len(batch.row) // own.tasks  # transitions of a task
        later = self.later(data, batch, own.gamma)[: own.tasks * each : each]
        drawn = stored[self.integers(len(stored), own.tasks, own.pairs + own.decoded)]
        near = self.uniform(own.tasks) < NEAR
        goals = torch.where(near[:, None], later, drawn[:, 0])  # (m, k)
        drawn[:, 0] = drawn[:, own.pairs] = goals  # in both sets
        rewards = self.prior.draw(goals, self.generator)
        states, others = drawn.split([own.pairs, own.decoded], 1)
        if self.updates < own.warmup:
            noise = self.normal(own.tasks, own.dim)
            return self.code_loss(states, rewards(states), others, rewards(others), noise)
        with torch.no_grad():
            z = self.encoder(states, rewards(states))[0].repeat_interleave(each, 0)
        batch = Batch(*(column[: len(z)] for column in batch))
        entered = batch.next_features.unflatten(0, (own.tasks, each))
        ends = rewards.reached(entered).flatten()
        on = own.gamma * batch.goes_on * ~ends
        return self.policy_loss(batch, rewards(entered).flatten(), on, z)

    def code_loss(
        self, states: Tensor, rewards: Tensor, others: Tensor, theirs: Tensor, noise: Tensor
    ) -> tuple[Tensor, Metrics]:
        """Return the decoder's squared error plus the weighted KL divergence from N(0, 1).

        Args:
            states: (m, K, k) to encode.
            rewards: (m, K).
            others: (m, D, k) whose rewards are predicted.
            theirs: (m, D).
            noise: (m, d) of z.
        """
        mean, log_deviation = self.encoder(states, rewards)
        error = (self.decode(mean + noise * log_deviation.exp(), others) - theirs).square().mean()
        spread = (2 * log_deviation).exp()
        divergence = (mean.square() + spread - 1 - 2 * log_deviation).mean() / 2  # a coordinate
        metrics = {"fre/reward_loss": error.detach(), "fre/divergence": divergence.detach()}
        return error + self.settings.kl * divergence, metrics

    def decode(self, z: Tensor, states: Tensor) -> Tensor:
        """Return predicted rewards, (m, d), (m, D, k) -> (m, D)."""
        wide = z.repeat_interleave(states.shape[1], 0)
        found: Tensor = self.decoder(states.flatten(0, 1), wide)[0, :, 0]
        return found.unflatten(0, states.shape[:2])

    def policy_loss(
        self, batch: Batch, rewards: Tensor, on: Tensor, z: Tensor
    ) -> tuple[Tensor, Metrics]:
        """Return the losses of V, Q and the actor.

        Args:
            batch: n transitions.
            rewards: (n,).
            on: (n,) discount of what follows.
            z: (n, d).
        """
        v = self.v(batch.features, z)[0, :, 0]  # (n,)
        with torch.no_grad():
            slow = self.slow_q(batch.features, z)  # (2, n, A)
            least = torch.minimum(*(chosen(copy, batch.actions) for copy in slow))  # (n,)
            target = rewards + on * self.v(batch.next_features, z)[0, :, 0]
        found = self.q(batch.features, z)
        done = torch.stack([chosen(copy, batch.actions) for copy in found])  # (2, n)
        with torch.no_grad():
            advantage = done.min(0).values - v
            weight = (self.settings.alpha * advantage).exp().clamp(max=MOST_WEIGHT)
        log_prob = chosen(self.actor(batch.features, z)[0].log_softmax(-1), batch.actions)
        value = expectile_loss(least - v.detach(), least - v, self.settings.expectile)
        critic = (done - target).square().mean(1).sum()
        actor = -(weight * log_prob).mean()
        metrics = {"fre/v_loss": value, "fre/q_loss": critic, "fre/actor_loss": actor}
        return value + critic + actor, {name: found.detach() for name, found in metrics.items()}

    @torch.no_grad()
    def infer(self, task: Any, samples: Dataset | None = None) -> Tensor:
        """Infer the mean of z, (d,); see `ZeroShotModel.infer`."""
        goal, reward = goal_and_reward(task)
        count = self.settings.pairs
        if reward is None:
            given = self.samples if samples is None else samples
            states = torch.as_tensor(given.next_observations)
            states = states[torch.linspace(0, len(states) - 1, count).long()]
            states[0] = self.rows_of([goal], "a goal")[0]
            labels = (states == states[0]).all(-1).float() - 1
        else:
            given, labels = self.labels_of(reward, samples)
            order = labels.argsort(stable=True)
            order = order[torch.linspace(0, len(order) - 1, count).long()]
            states = torch.as_tensor(given.next_observations)[order]
            labels = labels[order] / labels.abs().max()
        mean: Tensor = self.encoder(states[None], labels[None])[0][0]
        return mean

    @torch.no_grad()
    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the most likely actions (B,) for z."""
        check_prompt(prompt, Tensor)
        rows = self.rows_of(observations)
        return as_actions(self.actor(rows, prompt.expand(len(rows), -1))[0]), state
