"""PMA: plan in codes of actions whose outcomes can be predicted and differ from each other.

"Predictable MDP Abstraction for Unsupervised Model-Based RL" (2023, arXiv 2302.03921), with the
formulas of its public code. A decoder pi(a | s, z) makes actions of codes z; a model predicts s' of
s and z, never of a. The decoder's reward is log p(s' | s, z) - log mean over z of p(s' | s, z), a
bound of the information I(S'; Z | S), and the disagreement of several models. Densities are normal
with variance 1, of standardised changes of the observation. To act, MPPI plans codes by the task's
reward of predicted transitions, less the models' disagreement.

Theirs explores with random z while it learns. Ours learns from stored transitions: each trains the
model of z with the weight pi(a | s, z), which is exact for data of uniform actions, and for any
data where the decoder is certain. Ours are also: finitely many codes, over which the mean is exact;
the reward of one step alone (theirs: a discounted sum), clipped to +-log K; a soft maximum of its
regression as the decoder (their actor-critic); one set of models for both uses (theirs two).

A noisy action is avoided where its outcomes are those of other codes, too. Where they are its own
they identify the code, and the information is none the less, although predictions are worse. With
no more codes than actions, one may come to hold two outcomes while two share another: a local
optimum. Plans to a goal have least distance of predicted observations to it, which is flat far from
the goal in one-hot worlds. Left out: continuous actions, ends of episodes, after which the model
goes on.
"""

import math
from typing import Any, NamedTuple, Self

import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import Start
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset
from zerogym.agents.zero_shot.methods.learner import Learner, Metrics, mlp
from zerogym.agents.zero_shot.planning.mppi import MPPI
from zerogym.agents.zero_shot.protocol import check_prompt, goal_and_reward
from zerogym.envs.control.core.tasks import Task

SMALL = 1e-3  # added to the variance of a change before its root, as in the public code


class Aim(NamedTuple):
    """The prompt of a task: one of the two.

    Attributes:
        place: The observation of a goal, (k,).
        task: With the reward of each transition.
    """

    place: Tensor | None = None
    task: Task | None = None


class PMA(Learner):
    """The decoder's values Q(s, z, a), and the models of what follows a code."""

    shift: Tensor
    scale: Tensor

    @classmethod
    def start(cls, settings: Any, start: Start) -> Self:
        """Return a new agent; see `Learner.start`.

        Raises:
            ValueError: Also if the data have observations that are not the environment's own.
        """
        if start.dataset.own_observations is not None:
            raise ValueError(
                "agent pma plans by rewards of the observations that it predicts, so it needs "
                "data with the environment's own observations alone"
            )
        return super().start(settings, start)

    def build(self) -> None:
        """Make the networks, and measure the changes of the observation."""
        own = self.settings
        self.values = mlp(self.observation, own.hidden, own.codes * self.actions)
        self.models = nn.ModuleList(
            mlp(self.observation + own.codes, own.hidden, self.observation)
            for _ in range(own.models)
        )
        changes = torch.as_tensor(self.samples.next_observations - self.samples.observations)
        self.register_buffer("shift", changes.mean(0))
        self.register_buffer("scale", (changes.var(0, correction=0) + SMALL).sqrt())

    def losses(self, data: TensorDataset, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the loss of the models and of the decoder's values."""
        own, n = self.settings, len(batch.row)
        here = batch.features[:, None].expand(-1, own.codes, -1)  # (n, K, k)
        every = torch.arange(own.codes).expand(n, -1)  # (n, K)
        predicted = self.predictions(here, every)  # (E, n, K, k)
        change = (batch.next_features - batch.features - self.shift) / self.scale  # (n, k)
        missed = (predicted - change[:, None]).square().sum(-1) / 2  # (E, n, K)
        index = batch.actions[:, None, None].expand(-1, own.codes, 1)
        found = self.decoder(batch.features)  # (n, K, A)
        value = found.gather(2, index)[..., 0]  # (n, K)
        with torch.no_grad():
            chance = (found / own.softness).softmax(-1).gather(2, index)[..., 0]  # (n, K)
            nearness = -(predicted.mean(0) - change[:, None]).square().sum(-1) / 2
            informs = predictability(nearness)  # (n, K)
            most = math.log(own.codes)
            reward = informs.clamp(-most, most) + own.bonus * self.disagreement(predicted)
        loss = (chance * missed).mean() + (value - reward).square().mean()
        return loss, {
            "pma/information": (chance * informs).sum() / chance.sum(),
            "pma/missed": (chance * missed.detach()).sum() / chance.sum() / own.models,
            "pma/certainty": (found.detach() / own.softness).softmax(-1).amax(-1).mean(),
        }

    def decoder(self, observations: Tensor) -> Tensor:
        """Return the values (n, K, A) of actions in observations (n, k)."""
        return self.values(observations).unflatten(-1, (self.settings.codes, self.actions))

    def decoded(self, observations: Tensor, codes: Tensor) -> Tensor:
        """Return the most likely actions (n,) of codes (n,) in observations (n, k)."""
        return self.decoder(observations)[torch.arange(len(codes)), codes].argmax(-1)

    def predictions(self, observations: Tensor, codes: Tensor) -> Tensor:
        """Return the standardised changes (E, ..., k) after codes in observations.

        Args:
            observations: (..., k).
            codes: (...).
        """
        given = torch.cat([observations, functional.one_hot(codes, self.settings.codes)], -1)
        return torch.stack([model(given) for model in self.models])

    def disagreement(self, predicted: Tensor) -> Tensor:
        """Return the mean over k of the variance of predicted changes; (E, ..., k) to (...)."""
        apart = (predicted - predicted.mean(0)).square().mean(0)  # six times as fast as `var`
        return apart @ self.scale.square() / self.observation

    @torch.no_grad()
    def infer(self, task: Any, samples: Dataset | None = None) -> Aim:
        """Keep the goal, or the reward after a check of it; see `ZeroShotModel.infer`."""
        goal, reward = goal_and_reward(task)
        if reward is None:
            return Aim(place=self.rows_of([goal], "a goal")[0])
        self.labels_of(reward, samples)
        return Aim(task=Task(getattr(reward, "__name__", "reward"), "", reward))

    @torch.no_grad()
    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the actions (B,) of the first codes of the best plans that MPPI finds."""
        check_prompt(prompt, Aim)
        own, start = self.settings, self.rows_of(observations)  # (B, k)
        planner = MPPI(own.codes, own.horizon, own.plans, own.rounds, own.temperature)

        def returns(plans: Tensor) -> Tensor:
            before = start.repeat_interleave(plans.shape[1], 0)  # (B N, k)
            total = torch.zeros(len(before))
            for step, codes in enumerate(plans.flatten(0, 1).T):
                predicted = self.predictions(before, codes)  # (E, B N, k)
                after = before + self.shift + self.scale * predicted.mean(0)
                gain = self._gain(prompt, before, codes, after)
                doubt = own.penalty * self.disagreement(predicted)
                total += own.gamma**step * (gain - doubt)
                before = after
            return total.unflatten(0, plans.shape[:2])

        plans, _ = planner(returns, len(start))
        return self.decoded(start, plans[:, 0]).numpy(), state

    def _gain(self, prompt: Aim, before: Tensor, codes: Tensor, after: Tensor) -> Tensor:
        if prompt.place is not None:
            return -(after - prompt.place).square().mean(-1)
        assert prompt.task is not None
        actions = self.decoded(before, codes)
        rewards = prompt.task.relabel(before.numpy(), actions.numpy(), after.numpy())
        return torch.as_tensor(rewards, dtype=torch.float32)


def predictability(densities: Tensor) -> Tensor:
    """Return log p(s' | s, z) less the log of its mean over z; (n, K) to (n, K).

    It is at most log K, which only the code that alone leads to s' has.

    Args:
        densities: log p(s' | s, z) of each of K codes, up to a constant of the row.
    """
    count = densities.shape[-1]
    return densities - densities.logsumexp(-1, keepdim=True) + math.log(count)
