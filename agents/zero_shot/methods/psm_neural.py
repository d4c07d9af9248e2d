"""Proto successor measures by networks: one affine set of visits that all policies share.

"Proto Successor Measure: Representing the Behavior Space of an RL Agent" (2024, arXiv 2411.19418).
The discounted visits that follow a pair x = (s, a) under a policy have a density M(x, y) at pairs
y, relative to the data, which is affine in weights of the policy: M = b + sum_i w_i Phi_i. Phi and
b are trained by temporal differences for the policies of a codebook, each of which takes in a state
the action that its code and the state, hashed together, say. A task is the program of the weights
with the largest return whose visits are nowhere negative; its policy is greedy on their Q.

Ours: all Phi_i and b have one factor B(y), so that M(x, y) = (F_0(x) + sum_i w_i F_i(x))'B(y); y is
a pair and counts from the first step, so that rewards are those of transitions; the weights of a
code are entries of a table; and the program is solved with a penalty in place of a multiplier that
is learned: negative visits cost 2 max |r| / (1 - gamma). That is exact if M is, since multipliers
of the linear program are the best policy's values less those of single actions, which are no
larger. Slow copies of the networks act, as they are less noisy. Left out: continuous actions.
"""

import hashlib
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset
from zerogym.agents.zero_shot.methods.learner import Learner, Metrics, as_actions, mlp
from zerogym.agents.zero_shot.protocol import check_prompt, goal_and_reward

SAME = 1e-6  # distance of observations that count as equal
LEAST = 1e-6  # of a deviation
STEP = 0.2  # first step of the program, in deviations of the codebook's weights; falls to 0


class Weights(NamedTuple):
    """The prompt of a task.

    Attributes:
        w: Of the policy, (d,).
        task: E[r(y) B(y)] over the data, (k,): Q is the mixture of F times it.
    """

    w: Tensor
    task: Tensor


class NeuralPSM(Learner):
    """F and B of pairs, and the weights of the codebook."""

    kept = 100_000  # more than others: a goal is the pairs that enter it, which may be rare

    def build(self) -> None:
        """Make the networks and the table."""
        own, pair = self.settings, self.observation + self.actions
        self.start_net = mlp(pair, own.hidden, (own.dim + 1) * own.rank)
        self.visit_net = mlp(pair, own.hidden, own.rank)
        self.codebook = nn.Embedding(own.policies, own.dim)
        self.slow_start = self.slow_copy(self.start_net)
        self.slow_visit = self.slow_copy(self.visit_net)
        self.slow_codebook = self.slow_copy(self.codebook)
        self.keys = np.zeros(0, np.uint64)  # of the next observations of the data

    def tensors(self, dataset: Dataset) -> TensorDataset:
        """Return the data as tensors, and keep the keys of its next observations."""
        data = super().tensors(dataset)
        self.keys = keys_of(dataset.next_observations)
        return data

    def losses(self, data: TensorDataset, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the loss of M for a policy of the codebook in each transition."""
        codes = self.integers(self.settings.policies, len(batch.row))
        following = actions_of(self.keys[batch.row.numpy()], codes.numpy(), self.actions)
        return self.visits_loss(batch, codes, torch.as_tensor(following))

    def visits_loss(self, batch: Batch, codes: Tensor, following: Tensor) -> tuple[Tensor, Metrics]:
        """Return the squared Bellman error of M, less what does not depend on it.

        Args:
            batch: n transitions; y are the pairs of the others.
            codes: (n,) of policies.
            following: (n,) actions of these in the next states.
        """
        here = self.pairs_of(batch.features, batch.actions)
        with torch.no_grad():
            then = self.slow_start(self.pairs_of(batch.next_features, following))
            onward = self.settings.gamma * batch.goes_on[:, None]  # (n, 1)
            target = onward * mixed(then, self.slow_codebook(codes)) @ self.slow_visit(here).T
        found = mixed(self.start_net(here), self.codebook(codes)) @ self.visit_net(here).T  # (n, n)
        error, n = (found - target).square(), len(codes)
        others = (error.sum() - error.diagonal().sum()) / max(n * (n - 1), 1)
        loss = others - 2 * found.diagonal().mean()
        return loss, {"psm/loss": loss.detach(), "psm/visits": found.detach().mean()}

    def pairs_of(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Return observations (n, k) with actions (n,), one-hot, beside them."""
        return torch.cat([observations, nn.functional.one_hot(actions, self.actions)], dim=-1)

    @torch.no_grad()
    def infer(self, task: Any, samples: Dataset | None = None) -> Weights:
        """Infer the weights of the best policy; see `ZeroShotModel.infer`.

        Args:
            task: A task, reward function or goal: 1 for each step that enters it.
            samples: Transitions to evaluate it on; None for those saved with the model.
        """
        goal, reward = goal_and_reward(task)
        if reward is None:
            point = self.rows_of([goal], "a goal")[0]
            given = self.samples if samples is None else samples
            labels = (
                (torch.as_tensor(given.next_observations) - point).norm(dim=-1) < SAME
            ).float()
            if not labels.any():
                raise ValueError("the data never reach the goal")
        else:
            given, labels = self.labels_of(reward, samples)
        pairs = self.pairs_of(torch.as_tensor(given.observations), torch.as_tensor(given.actions))
        features = self.slow_visit(pairs)  # (N, k)
        value = labels / labels.abs().max() @ features / len(labels)  # (k,)
        some = np.linspace(0, len(pairs) - 1, min(len(pairs), self.settings.pairs)).astype(int)
        starts = self.slow_start(pairs[some]).unflatten(-1, (-1, self.settings.rank))
        visits = (starts @ features[some].T).movedim(1, 0)  # (d + 1, n, n)
        return Weights(self.best((starts @ value).mean(0), visits.flatten(1)), value)

    def best(self, returns: Tensor, visits: Tensor) -> Tensor:
        """Return the weights (d,) with the largest return less the cost of negative visits.

        Args:
            returns: (d + 1,) of b and of each Phi_i, for rewards of at most 1 in size.
            visits: (d + 1, m) of these, with equal chances.
        """
        own, table = self.settings, self.slow_codebook(torch.arange(self.settings.policies))
        middle, width = table.mean(0), table.std(0, correction=0).clamp(min=LEAST)
        moved = torch.zeros(own.dim, requires_grad=True)
        adam = torch.optim.Adam([moved], STEP)
        slower = torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.0, own.rounds)
        with torch.enable_grad():
            for _ in range(own.rounds):
                w = middle + width * moved
                negative = (visits[0] + w @ visits[1:]).clamp(max=0).mean()
                loss = -w @ returns[1:] - 2 / (1 - own.gamma) * negative
                adam.zero_grad()
                loss.backward()
                adam.step()
                slower.step()
        return middle + width * moved.detach()

    @torch.no_grad()
    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the actions (B,) with the largest Q."""
        check_prompt(prompt, Weights)
        rows = self.rows_of(observations)
        every = torch.arange(self.actions).repeat(len(rows))  # (B A,)
        starts = self.slow_start(self.pairs_of(rows.repeat_interleave(self.actions, 0), every))
        values = mixed(starts, prompt.w.expand(len(every), -1)) @ prompt.task
        return as_actions(values.unflatten(0, (-1, self.actions))), state


def mixed(starts: Tensor, weights: Tensor) -> Tensor:
    """Return F_0 + sum_i w_i F_i of F (n, (d + 1) k) and w (n, d); (n, k)."""
    rows = starts.unflatten(-1, (weights.shape[-1] + 1, -1))  # (n, d + 1, k)
    return rows[:, 0] + torch.einsum("nd,ndk->nk", weights, rows[:, 1:])


def keys_of(observations: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each observation (N, k), the same on every machine; (N,)."""
    rows = np.ascontiguousarray(observations + 0.0, dtype="<f4")  # no -0.0
    hashes = (hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in rows)
    return np.array([int.from_bytes(each, "little") for each in hashes], np.uint64)


def actions_of(keys: NDArray[np.uint64], codes: NDArray[Any], actions: int) -> NDArray[np.int64]:
    """Return the actions (n,) that policies take in the states of keys, by the hash splitmix64.

    Args:
        keys: (n,).
        codes: (n,) of the policies.
        actions: Number of actions.
    """
    mix = keys + (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mix = (mix ^ (mix >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mix = (mix ^ (mix >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mix ^ (mix >> np.uint64(31))) % np.uint64(actions)).astype(np.int64)
