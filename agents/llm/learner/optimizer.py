"""The optimiser step, with gradient clipping, skipped steps and rollback.

Weights of lower precision are stepped through copies in float32, in which small updates add up:
"Mixed Precision Training" (2017, arXiv 1710.03740). The weights are the copies, rounded.

Left out: gradients of micro-batches added up in more precision than the weights have, loss scaling
(bfloat16 needs none), learning-rate schedules.
"""

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from zerogym.agents.llm.distributed import fsdp, parallel
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import TrainingDiverged

_COPY = "float32"  # name of a copy beside AdamW's state
_FEW = 10_000_000  # weights, below which the default learning rate is larger


class Optimizer:
    """AdamW with a bound on the gradient's length.

    Args:
        parameters: The parameters that are trained.
        config: The settings of the run.
    """

    def __init__(self, parameters: Sequence[torch.nn.Parameter], config: GRPOConfig) -> None:
        self.config, self.parameters = config, list(parameters)
        self.stepped = [in_float32(parameter) for parameter in self.parameters]
        self.lr = config.lr or default_learning_rate(
            sum(parameter.numel() for parameter in self.parameters)
        )
        self.adamw = torch.optim.AdamW(self.stepped, lr=self.lr, weight_decay=0.0, fused=True)

    def add(self, parameters: Sequence[torch.nn.Parameter], lr: float) -> None:
        """Add parameters with a learning rate of their own."""
        stepped = [in_float32(parameter) for parameter in parameters]
        self.adamw.add_param_group({"params": stepped, "lr": lr})
        self.parameters += parameters
        self.stepped += stepped

    def zero_grad(self) -> None:
        """Clear all gradients."""
        for parameter in (*self.parameters, *self.stepped):
            parameter.grad = None

    def step(self, loss: float) -> dict[str, float]:
        """Sum the gradients over the processes and take a step; metrics.

        Args:
            loss: This process's part of the loss.

        Raises:
            TrainingDiverged: If the loss or its gradient is not finite; no step is taken.
        """
        parallel.all_reduce_gradients(self.parameters)
        total = sum(parallel.all_gather(loss))
        for parameter, stepped in self._copies():
            stepped.grad = None if parameter.grad is None else parameter.grad.to(stepped.dtype)
        norm = fsdp.clip(self.stepped, self.config.max_grad_norm)
        if not np.isfinite(total) or not np.isfinite(norm):
            self.zero_grad()
            raise TrainingDiverged(f"the loss is {total:g}, the length of its gradient {norm:g}")
        skipped = 0 < self.config.skip_grad_norm < norm
        if not skipped:
            self.adamw.step()
            with torch.no_grad():
                for parameter, stepped in self._copies():
                    parameter.copy_(stepped)
        return {
            "actor/loss": total, "actor/grad_norm": norm, "actor/skipped": float(skipped),
            "actor/lr": self.lr,
        }  # fmt: skip

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Restore weights and optimiser state if the block fails."""
        held = (*self.parameters, *self.stepped)
        weights = [parameter.detach().clone() for parameter in held]
        state = copy.deepcopy(self.adamw.state_dict())
        try:
            yield
        except BaseException:
            with torch.no_grad():
                for parameter, before in zip(held, weights, strict=True):
                    parameter.copy_(before)
            self.adamw.load_state_dict(state)
            raise

    def state(self) -> dict[str, torch.Tensor]:
        """Return its state as named tensors, `<number of the parameter>.<name>`, without pickle.

        Of a sharded model the first process returns it.
        """
        states = self.adamw.state_dict()["state"]
        named = {f"{i}.{name}": value for i, part in states.items() for name, value in part.items()}
        for i, (parameter, stepped) in enumerate(zip(self.parameters, self.stepped, strict=True)):
            if stepped is not parameter:
                named[f"{i}.{_COPY}"] = stepped.detach()
        return {name: fsdp.full_tensor_to_write(value) for name, value in named.items()}

    def set_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Load what `state` returned."""
        state = self.adamw.state_dict()
        state["state"] = {}
        for key, value in tensors.items():
            index, _, name = key.partition(".")
            own = fsdp.local_shard(value, self.parameters[int(index)])
            if name == _COPY:
                self.stepped[int(index)].data.copy_(own)
            else:
                state["state"].setdefault(int(index), {})[name] = own
        self.adamw.load_state_dict(state)

    def _copies(self) -> Iterator[tuple[torch.nn.Parameter, torch.nn.Parameter]]:
        """Yield the weights that are stepped through a copy, and the copy."""
        pairs = zip(self.parameters, self.stepped, strict=True)
        return ((own, stepped) for own, stepped in pairs if stepped is not own)


def default_learning_rate(weights: int) -> float:
    """Return a learning rate for so many trained weights; our choice.

    Adapters are few too: they take about ten times the rate of all weights ("LoRA Without Regret",
    2025, a report without arXiv number).
    """
    return 1e-4 if weights < _FEW else 1e-5


def in_float32(parameter: torch.nn.Parameter) -> torch.nn.Parameter:
    """Return the parameter itself, or a copy if it has less precision."""
    if parameter.dtype not in (torch.bfloat16, torch.float16):
        return parameter
    return torch.nn.Parameter(parameter.detach().float())
