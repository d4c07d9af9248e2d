"""A model in parts: each process has a share of its weights, gradients and optimiser state.

"ZeRO: Memory Optimizations Toward Training Trillion Parameter Models" (2019, arXiv 1910.02054),
stage 3, by torch's `fully_shard`: a block of layers is whole only while it is computed, and its
gradient is added up over the processes as soon as it is known. All processes must compute as many
passes, so one with fewer computes some that do not count.

Replies are written by a whole copy, which is filled before rollouts, evaluations and checkpoints
and emptied before an update. So a process needs room for its share and the whole weights, or for
its share, a whole block and the update's activations, whichever is more; and twice the weights
while it starts. Left out: models that no process can hold whole, parts in the CPU's memory, tensor
and pipeline parallelism.
"""

import copy
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.utils import clip_grad_norm_, clip_grads_with_norm_, get_total_norm

from zerogym.agents.llm.distributed import parallel


def shard_model(model: Any) -> Any:
    """A copy of a model, in parts over the processes: each of its blocks is a unit, the rest one.

    Raises:
        ValueError: If there are no other processes, or the model does not name its blocks.
        WeightsDiffer: If the processes do not have the same weights.
    """
    if parallel.world_size() == 1:
        raise ValueError("shard=True is for several processes: start the run with torchrun")
    parallel.check_same(model.parameters())
    kinds = set(getattr(model, "_no_split_modules", None) or ())
    parts = copy.deepcopy(model)
    units = [unit for unit in parts.modules() if type(unit).__name__ in kinds]
    if not units:
        raise ValueError(f"shard=True: {type(model).__name__} does not name its blocks")
    mesh = init_device_mesh(model.device.type, (parallel.world_size(),))
    for unit in (*units, parts):
        fully_shard(unit, mesh=mesh, reshard_after_forward=True)
        unit.set_gradient_divide_factor(1.0)  # a loss is divided by the size of the whole batch
        unit.set_force_sum_reduction_for_comms(True)  # gloo has no other
    return parts


def gather_weights(whole: Any, parts: Any) -> None:
    """Give a whole copy the weights of the parts; all processes do so together.

    Nothing happens, here and in `empty`, where the two are the same model.
    """
    if whole is not parts:
        for own, part in zip(whole.parameters(), parts.parameters(), strict=True):
            own.data = full_tensor(part.detach())


def free_weights(whole: Any, parts: Any) -> None:
    """Free the weights of the whole copy until it is filled again."""
    if whole is not parts:
        for own in whole.parameters():
            own.data = own.data.new_empty(0)


def full_tensor(tensor: torch.Tensor) -> torch.Tensor:
    """A whole tensor, which may be in parts; all processes assemble it together."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def full_tensor_to_write(tensor: torch.Tensor) -> torch.Tensor:
    """A whole tensor for the first process, which writes files; others keep none of parts."""
    if not isinstance(tensor, DTensor):
        return tensor
    whole = tensor.full_tensor()
    return whole.new_empty(0) if parallel.rank() else whole.cpu()


def local_shard(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """This process's part of a whole tensor of the shape of `like`, if that is in parts."""
    if not isinstance(like, DTensor) or tensor.shape != like.shape:
        return tensor
    return distribute_tensor(tensor.to(like.device), like.device_mesh, like.placements)


def clip(parameters: Iterable[torch.nn.Parameter], longest: float) -> float:
    """Scale gradients down to this length in all; returns the length that they had."""
    parameters = list(parameters)
    parts = [one for one in parameters if isinstance(one, DTensor)]
    if not parts:
        return float(clip_grad_norm_(parameters, longest))
    whole = [one for one in parameters if not isinstance(one, DTensor)]
    kinds = [kind for kind in (parts, whole) if kind]
    lengths = [
        full_tensor(get_total_norm([one.grad for one in kind if one.grad is not None]))
        for kind in kinds
    ]
    length = torch.stack(lengths).norm()
    for kind in kinds:
        clip_grads_with_norm_(kind, longest, length)
    return float(length)


@contextmanager
def stop_together(told: list[int] | None) -> Iterator[None]:
    """Of a sharded run, all processes stop at the end of the block if one was told to: only
    together do they have the state that is to be saved.

    Args:
        told: What `noted` has had around the whole run; None if that is not sharded.

    Raises:
        ProcessLost: If one has ended.
    """
    try:
        yield
    except RuntimeError as error:
        lost = "gloo" in str(error) or isinstance(error, torch.distributed.DistError)
        if told is None or not lost:
            raise
        raise parallel.ProcessLost(
            "a process of the run has ended, and its part is lost"
        ) from error
    if told is not None and any(parallel.all_gather(bool(told))):
        raise KeyboardInterrupt
