"""The optimiser step: from gradients to weights, unless something speaks against it.

Weights of lower precision are stepped through copies in float32, in which small updates come
together: "Mixed Precision Training" (2017, arXiv 1710.03740). The weights are the copies, rounded.

Left out: gradients of micro-batches added up in more precision than the weights have, loss scaling
(bfloat16 needs none), learning-rate schedules.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from zerogym.agents.llm.distributed import fsdp, parallel
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import ZerogymError

_COPY = "float32"  # name of a copy beside AdamW's memory
_FEW = 10_000_000  # weights


class TrainingDiverged(ZerogymError, ArithmeticError):
    """A loss or gradient is not finite; the weights are those before that optimiser step."""


class Optimizer:
    """AdamW with a bound on the gradient's length.

    Args:
        parameters: What is trained.
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
        """Train others too, at a learning rate of their own."""
        stepped = [in_float32(parameter) for parameter in parameters]
        self.adamw.add_param_group({"params": stepped, "lr": lr})
        self.parameters += parameters
        self.stepped += stepped

    def forget(self) -> None:
        """Begin with no gradients."""
        for parameter in (*self.parameters, *self.stepped):
            parameter.grad = None

    def step(self, loss: float) -> dict[str, float]:
        """Follow the gradients that have come together in the processes; metrics.

        Args:
            loss: This process's part of it.

        Raises:
            TrainingDiverged: If the loss or its gradient is not finite.
        """
        parallel.all_reduce_gradients(self.parameters)
        total = sum(parallel.all_gather(loss))
        for parameter, copy in self._copies():
            copy.grad = None if parameter.grad is None else parameter.grad.to(copy.dtype)
        norm = fsdp.clip(self.stepped, self.config.max_grad_norm)
        if not np.isfinite(total) or not np.isfinite(norm):
            self.forget()
            raise TrainingDiverged(f"the loss is {total:g}, the length of its gradient {norm:g}")
        skipped = 0 < self.config.skip_grad_norm < norm
        if not skipped:
            self.adamw.step()
            with torch.no_grad():
                for parameter, copy in self._copies():
                    parameter.copy_(copy)
        return {
            "actor/loss": total, "actor/grad_norm": norm, "actor/skipped": float(skipped),
            "actor/lr": self.lr,
        }  # fmt: skip

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Where the block fails, weights and memory are what they were before it."""
        held = (*self.parameters, *self.stepped)
        weights = [parameter.detach().clone() for parameter in held]
        memory = self.adamw.state_dict()
        memory["state"] = {
            i: {name: value.clone() for name, value in part.items()}
            for i, part in memory["state"].items()
        }
        try:
            yield
        except BaseException:
            with torch.no_grad():
                for parameter, before in zip(held, weights, strict=True):
                    parameter.copy_(before)
            self.adamw.load_state_dict(memory)
            raise

    def state(self) -> dict[str, torch.Tensor]:
        """Its memory as named tensors, which need no pickle: `<number of the parameter>.<what>`.

        Of a model in parts the first process has it.
        """
        memory = self.adamw.state_dict()["state"]
        named = {f"{i}.{name}": value for i, part in memory.items() for name, value in part.items()}
        for i, (parameter, copy) in enumerate(zip(self.parameters, self.stepped, strict=True)):
            if copy is not parameter:
                named[f"{i}.{_COPY}"] = copy.detach()
        return {name: fsdp.full_tensor_to_write(value) for name, value in named.items()}

    def set_state(self, tensors: dict[str, torch.Tensor]) -> None:
        """Take over what `state` returned."""
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
        """Weights that are not stepped themselves, with what is."""
        for parameter, copy in zip(self.parameters, self.stepped, strict=True):
            if copy is not parameter:
                yield parameter, copy


def default_learning_rate(weights: int) -> float:
    """A learning rate for so many trained weights; our choice.

    Adapters are few too: they take about ten times the rate of all weights ("LoRA Without Regret",
    2025, a report without arXiv number).
    """
    return 1e-4 if weights < _FEW else 1e-5


def in_float32(parameter: torch.nn.Parameter) -> torch.nn.Parameter:
    """The parameter itself, or a copy if it has less precision."""
    if parameter.dtype not in (torch.bfloat16, torch.float16):
        return parameter
    return torch.nn.Parameter(parameter.detach().float())
