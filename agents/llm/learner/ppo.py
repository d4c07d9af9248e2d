"""PPO: the learner that weighs each token by what a value head expected of it.

"Proximal Policy Optimization Algorithms" (2017, arXiv 1707.06347) for language models, where each
of the policy's own tokens is an action. Values stand in for the other episodes of a group, so one
episode of a problem is enough. A turn is paid at its last token; the distance to a reference is
paid where it arises, at each token (`kl_in="reward"`). Left out: adaptive weights of that
distance, mini-batches in random order, separate learning of values before the policy moves.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from zerogym.agents.llm.algorithms.advantages.gae import explained_variance, gae
from zerogym.agents.llm.algorithms.advantages.group_relative import Floats, whiten
from zerogym.agents.llm.algorithms.losses.aggregations import Totals
from zerogym.agents.llm.algorithms.reward_shaping import token_rewards
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.llm.learner.micro_batches import MicroBatch
from zerogym.agents.llm.learner.rows import Rows, placed
from zerogym.agents.llm.learner.value_head import ValueHead, captured_hidden_states, value_loss
from zerogym.agents.trajectory import Flat, Trajectory

_HEAD = "value_head."  # its tensors' names in the learner's state begin so


def make_learner(model: Any, config: GRPOConfig, reference: Any = None) -> Learner:
    """The learner of the settings' algorithm; same arguments as `Learner`."""
    learner = PPOLearner if config.algorithm.advantage == "gae" else Learner
    return learner(model, config, reference)


class PPOLearner(Learner):
    """Owns a value head beside the optimiser; same arguments as `Learner`.

    The head learns in the same optimiser at a rate of its own, and its gradient counts in the
    length that `max_grad_norm` bounds.
    """

    def __init__(self, model: Any, config: GRPOConfig, reference: Any = None) -> None:
        super().__init__(model, config, reference)
        self.head = ValueHead(model)
        self.optimizer.add(list(self.head.parameters()), config.value_lr)

    def _advantages(
        self,
        groups: Sequence[Sequence[Trajectory]],
        flats: Sequence[Flat],
        penalties: Sequence[Floats],
    ) -> tuple[list[Floats], dict[str, float]]:
        """Of each own token its advantage, value and return (T, 3): what `_batch` takes."""
        if not flats:
            return [], {}
        algorithm, limit = self.algorithm, self.config.max_new_tokens
        whole = [trajectory for group in groups for trajectory in group]
        rewards = [
            token_rewards(trajectory, limit, algorithm.overlong, penalty)
            for trajectory, penalty in zip(whole, penalties, strict=True)
        ]
        paid = [gae(own, np.zeros_like(own), algorithm.gamma, 1.0)[0] for own in rewards]
        to_go = np.concatenate(paid)  # what was paid from each token on (N,)
        if to_go.size:
            self.head.begin(float(to_go.mean()))
        values = self._scored(flats, self._values)
        estimates = [
            gae(own, expected, algorithm.gamma, algorithm.gae_lambda)
            for own, expected in zip(rewards, values, strict=True)
        ]
        advantages = whiten([advantage for advantage, _ in estimates])
        columns = [
            np.stack([advantage, expected, returns], axis=1)  # (T, 3)
            for advantage, expected, (_, returns) in zip(advantages, values, estimates, strict=True)
        ]
        explained = explained_variance(np.concatenate(values), to_go)
        return columns, {} if explained is None else {"value/explained": explained}

    def _values(self, rows: Rows) -> torch.Tensor:
        """What is expected before each token (B, K)."""
        with captured_hidden_states(self.model) as heard:
            self._logprobs(self.model, rows)
        return self._told(heard[-1], rows)

    def _told(self, features: torch.Tensor, rows: Rows) -> torch.Tensor:
        """Values (B, K) of the own tokens, 0 elsewhere, from what the output layer read: the own
        tokens' states (1, N, H) if episodes are packed, else all of them (C, >= K + 1, H).
        """
        chosen = rows.apart.mask == 1  # (C, K), a row for each context
        before = slice(-chosen.shape[1] - 1, -1)  # a token's state stands one position before it
        own = features[0] if self.packed else features[:, before][chosen]  # (N, H)
        return placed(self.head(own), rows)

    def _batch(self, flats: Sequence[Flat], advantages: Sequence[Floats]) -> MicroBatch:
        batch = super()._batch(flats, [own[:, 0] for own in advantages])
        columns = np.concatenate(advantages)  # (N, 3)
        values, returns = (
            placed(torch.from_numpy(columns[:, i]).to(batch.rows.mask), batch.rows) for i in (1, 2)
        )
        return replace(batch, values=values, returns=returns)

    def loss(self, batch: MicroBatch, totals: Totals) -> tuple[torch.Tensor, dict[str, float]]:
        """The policy's loss and that of the values, from one forward pass."""
        assert batch.values is not None and batch.returns is not None
        with captured_hidden_states(self.model) as heard:
            loss, metrics = super().loss(batch, totals)
        mask = batch.rows.mask  # (B, K)
        values = self._told(heard[-1], batch.rows)  # (B, K)
        error, more = value_loss(
            values, batch.values, batch.returns, mask, self.algorithm.value_clip, totals
        )
        return loss + self.algorithm.value_coef * error, metrics | more

    def state(self) -> dict[str, torch.Tensor]:
        """The optimiser's memory and the head as named tensors."""
        head = {f"{_HEAD}{name}": value for name, value in self.head.state_dict().items()}
        return super().state() | head

    def set_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Take over what `state` returned."""
        head = {k.removeprefix(_HEAD): v for k, v in tensors.items() if k.startswith(_HEAD)}
        self.head.load_state_dict(head)
        super().set_state({k: v for k, v in tensors.items() if not k.startswith(_HEAD)})
