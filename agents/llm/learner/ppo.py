"""PPO: the learner whose advantages are relative to the values of a value head.

"Proximal Policy Optimization Algorithms" (2017, arXiv 1707.06347) for language models, where each
of the policy's own tokens is an action. Values take the place of the other episodes of a group, so
one episode of a problem is enough. A turn's reward comes at its last token, the penalty for the
distance to a reference at each token (`kl_in="reward"`). Left out: adaptive weights of the
divergence, mini-batches in random order, training of the values before that of the policy.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from zerogym.agents.llm.algorithms.advantage_tables import ValueAdvantage, estimated
from zerogym.agents.llm.algorithms.advantages.gae import explained_variance, gae
from zerogym.agents.llm.algorithms.batch import Batch, Floats
from zerogym.agents.llm.algorithms.loss_tables import Totals
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.llm.learner.micro_batches import MicroBatch
from zerogym.agents.llm.learner.rows import Rows, placed
from zerogym.agents.llm.learner.sequences import SequenceLearner
from zerogym.agents.llm.learner.value_head import ValueHead, captured_hidden_states, value_loss
from zerogym.agents.trajectory import Flat, Trajectory

_HEAD = "value_head."  # its tensors' names in the learner's state begin so


def make_learner(model: Any, config: GRPOConfig, reference: Any = None) -> Learner:
    """Make the learner of the settings' algorithm; same arguments as `Learner`."""
    learner = PPOLearner if config.algorithm.estimator.critic else Learner
    if config.algorithm.sequences is not None:
        learner = SequenceLearner
    return learner(model, config, reference)


class PPOLearner(Learner):
    """A learner with a value head; same arguments as `Learner`.

    The head is trained by the same optimiser at a learning rate of its own, and its gradient counts
    in the norm that `max_grad_norm` bounds.
    """

    def __init__(self, model: Any, config: GRPOConfig, reference: Any = None) -> None:
        super().__init__(model, config, reference)
        assert isinstance(self.algorithm.estimator, ValueAdvantage)
        self.part = self.algorithm.estimator
        self.head = ValueHead(model)
        self.optimizer.add(list(self.head.parameters()), config.value_lr)

    def _advantages(
        self, batch: Batch, flats: Sequence[Flat]
    ) -> tuple[list[Floats], dict[str, float]]:
        """Return advantage, value, return and begin of a step (0 or 1) of own tokens (T, 4)."""
        if not flats:
            return [], {}
        part = self.part
        rewards = [part.step_rewards(sample) for sample in batch.samples]
        to_go = np.concatenate(
            [gae(own, np.zeros_like(own), part.gamma, 1.0)[0] for own in rewards]
        )  # the return from each step on (N,)
        if to_go.size:
            self.head.begin(float(to_go.mean()))
        values = self._scored(flats, self._values)
        others = [name for name in part.signals if name != "values"]
        signals = {name: self._scored(flats, self._signal(name)) for name in others}
        advantages, targets = estimated(part, batch.with_signals({**signals, "values": values}))
        begins = [
            np.isin(np.arange(sample.tokens), part.steps(sample)).astype(np.float64)
            for sample in batch.samples
        ]
        columns = [
            np.stack(own, axis=1) for own in zip(advantages, values, targets, begins, strict=True)
        ]
        forecasts = [own[begin == 1] for own, begin in zip(values, begins, strict=True)]
        explained = explained_variance(np.concatenate(forecasts), to_go)
        return columns, {} if explained is None else {"value/explained": explained}

    def _weigh(
        self, groups: Sequence[Sequence[Trajectory]]
    ) -> tuple[list[Flat], list[Floats], Totals, dict[str, float]]:
        """Return what `Learner._weigh` does, and the number of steps in the batch's size."""
        flats, columns, totals, metrics = super()._weigh(groups)
        steps = int(sum(own[:, 3].sum() for own in columns))
        return flats, columns, replace(totals, steps=max(1, steps)), metrics

    def _values(self, rows: Rows) -> torch.Tensor:
        """Return the values of the states before each token (B, K)."""
        with captured_hidden_states(self.model) as captured:
            self._logprobs(self.model, rows)
        return self._values_of(captured[-1], rows)

    def _values_of(self, features: torch.Tensor, rows: Rows) -> torch.Tensor:
        """Return values (B, K) of the own tokens, 0 elsewhere, from captured hidden states.

        These are the own tokens' (1, N, H) if episodes are packed, else all (C, >= K + 1, H).
        """
        chosen = rows.apart.mask == 1  # (C, K), a row for each context
        before = slice(-chosen.shape[1] - 1, -1)  # a token's state stands one position before it
        own = features[0] if self.packed else features[:, before][chosen]  # (N, H)
        if self.part.detached:
            own = own.detach()
        return placed(self.head(own), rows)

    def _batch(self, flats: Sequence[Flat], advantages: Sequence[Floats]) -> MicroBatch:
        batch = super()._batch(flats, [own[:, 0] for own in advantages])
        columns = np.concatenate(advantages)  # (N, 4)
        values, returns, steps = (
            placed(torch.from_numpy(own).to(batch.rows.mask), batch.rows) for own in columns.T[1:]
        )
        return replace(batch, values=values, returns=returns, steps=steps)

    def loss(self, batch: MicroBatch, totals: Totals) -> tuple[torch.Tensor, dict[str, float]]:
        """Return the policy loss plus the weighted value loss, from one forward pass."""
        assert batch.values is not None and batch.returns is not None and batch.steps is not None
        with captured_hidden_states(self.model) as captured:
            loss, metrics = super().loss(batch, totals)
        values = self._values_of(captured[-1], batch.rows)  # (B, K)
        error, more = value_loss(
            values, batch.values, batch.returns, batch.steps, self.algorithm.value_clip, totals
        )
        return loss + self.algorithm.value_coef * error, metrics | more

    def state(self) -> dict[str, torch.Tensor]:
        """Return the optimiser's state and the head as named tensors."""
        head = {f"{_HEAD}{name}": value for name, value in self.head.state_dict().items()}
        return super().state() | head

    def set_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Load what `state` returned."""
        head = {k.removeprefix(_HEAD): v for k, v in tensors.items() if k.startswith(_HEAD)}
        self.head.load_state_dict(head)
        super().set_state({k: v for k, v in tensors.items() if not k.startswith(_HEAD)})
