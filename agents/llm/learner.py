"""The gradient side of GRPO: from groups of trajectories to an optimiser step.

The model stays in evaluation mode (no dropout), so that the first ratio of a batch is 1. Left out:
mixed precision with a float32 master copy, sharding, learning-rate schedules.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from zerogym.agents.llm.advantages import ADVANTAGES
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.losses import AGGREGATIONS, policy_loss
from zerogym.agents.llm.presets import get_preset
from zerogym.agents.llm.rows import Rows, token_logprobs
from zerogym.agents.trajectory import Flat, Trajectory
from zerogym.errors import ZerogymError


class TrainingDiverged(ZerogymError, ArithmeticError):
    """A loss or gradient is not finite; the weights are those before it."""


class Learner:
    """Owns the optimiser of a model.

    Args:
        model: A causal language model, trained in place.
        config: The settings of the run.
        reference: A frozen model; needed where `config.kl` is above 0.
    """

    def __init__(self, model: Any, config: GRPOConfig, reference: Any = None) -> None:
        if config.kl > 0 and reference is None:
            raise ValueError("kl > 0 needs a reference model")
        preset = get_preset(config.preset)
        self.model, self.config, self.reference = model.eval(), config, reference
        self.advantages = ADVANTAGES[preset.advantage]
        self.aggregate = AGGREGATIONS[preset.aggregation]
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(self.parameters, lr=config.lr, weight_decay=0.0)

    def update(self, groups: Sequence[Sequence[Trajectory]]) -> dict[str, float]:
        """Take the configured number of optimiser steps on groups; metrics of the last one.

        A group whose rewards are all equal has no gradient (unless `kl` is above 0) and is left
        out of the forward pass; if nothing is left, the weights stay exactly as they are.

        Raises:
            TrainingDiverged: If the loss or its gradient is not finite.
        """
        flats, advantages = self._weigh(groups)
        metrics = {"actor/rows": float(len(flats))}
        if not flats:
            return metrics
        size = self.config.micro_batch
        order = sorted(range(len(flats)), key=lambda index: len(flats[index].ids))
        chunks = [order[i : i + size] for i in range(0, len(order), size)]
        batches = [
            Rows.make([flats[i] for i in chunk], [advantages[i] for i in chunk], self.model.device)
            for chunk in chunks
        ]
        rows = sum(len(group) for group in groups)
        for _ in range(self.config.passes):
            metrics |= self._step(batches, rows)
        return metrics

    def _weigh(self, groups: Sequence[Sequence[Trajectory]]) -> tuple[list[Flat], list[float]]:
        """The episodes that have a gradient, and their advantages."""
        flats: list[Flat] = []
        advantages: list[float] = []
        for group in groups:
            weights = self.advantages([trajectory.reward for trajectory in group])
            for trajectory, weight in zip(group, weights.tolist(), strict=True):
                flat = trajectory.flatten()
                if any(flat.mask) and (weight != 0 or self.config.kl > 0):
                    flats.append(flat)
                    advantages.append(weight)
        return flats, advantages

    def _step(self, batches: Sequence[Rows], rows: int) -> dict[str, float]:
        self.optimizer.zero_grad(set_to_none=True)
        sums: Counter[str] = Counter()
        total = 0.0
        tokens = sum(float(batch.mask.sum()) for batch in batches)
        for batch in batches:
            loss, metrics = self.loss(batch, rows)
            loss.backward()
            total += float(loss.detach())
            share = float(batch.mask.sum()) / tokens
            sums.update({name: value * share for name, value in metrics.items()})
        norm = float(torch.nn.utils.clip_grad_norm_(self.parameters, self.config.max_grad_norm))
        if not np.isfinite(total) or not np.isfinite(norm):
            self.optimizer.zero_grad(set_to_none=True)
            raise TrainingDiverged(f"the loss is {total:g}, the length of its gradient {norm:g}")
        self.optimizer.step()
        return {"actor/loss": total, "actor/grad_norm": norm, **sums}

    def loss(self, batch: Rows, rows: int) -> tuple[torch.Tensor, dict[str, float]]:
        """The loss of one micro-batch as a part of `rows` episodes, and its metrics."""
        reference = None
        if self.config.kl > 0:
            with torch.no_grad():
                reference = token_logprobs(self.reference, batch, self.config.temperature)  # (B, K)
        logprobs = token_logprobs(self.model, batch, self.config.temperature)  # (B, K)
        return policy_loss(
            logprobs,
            batch.old,
            batch.advantages,
            batch.mask,
            aggregate=self.aggregate,
            rows=rows,
            budget=self.config.max_new_tokens,
            clip_low=self.config.clip_low,
            clip_high=self.config.clip_high,
            kl=self.config.kl,
            reference=reference,
        )

    def state(self) -> dict[str, torch.Tensor]:
        """The optimiser's memory as named tensors."""
        memory = self.optimizer.state_dict()["state"]
        return {f"{i}.{name}": value for i, part in memory.items() for name, value in part.items()}

    def set_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Take over what `state` returned."""
        state = self.optimizer.state_dict()
        state["state"] = {}
        for key, value in tensors.items():
            index, _, name = key.partition(".")
            state["state"].setdefault(int(index), {})[name] = value
        self.optimizer.load_state_dict(state)
