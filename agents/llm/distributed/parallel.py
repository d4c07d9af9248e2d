"""Data-parallel training: each process plays and learns from a share of a step's episodes.

`torchrun --nproc-per-node N -m zerogym train llm ...` starts them. All draw the same problems, play
a part of them each, and gather the trajectories, so that every process has the whole batch and
computes its advantages as one process would. Each then computes the gradient of its part, with the
divisors of the whole; the sum, one all-reduce for each optimiser step, is the gradient of the
batch. The first process alone writes files. In a single process, everything here does nothing.

Trajectories are sent as JSON: nothing is unpickled. Each process has the whole model, or a shard of
it (`fsdp`). Left out: sums that overlap the backward pass.
"""

import hashlib
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import chain
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor

from zerogym.agents.trajectory import Trajectory
from zerogym.errors import PartFailed, ZerogymError

Item = TypeVar("Item")
Tensor = TypeVar("Tensor", bound=torch.Tensor)

_PATIENCE = timedelta(days=1)  # for slow others; gloo notices at once that a process has ended


class ProcessLost(ZerogymError, RuntimeError):
    """Another process of the run has ended, so that a step cannot be completed."""


class WeightsDiffer(ZerogymError, ArithmeticError):
    """The processes of a run do not have the same weights."""


@contextmanager
def process_group() -> Iterator[None]:
    """Join the processes that `torchrun` started inside the block; else nothing changes.

    SIGTERM, by which torchrun ends the others when one has failed, is handled as Ctrl-C.
    """
    started = dist.is_available() and dist.is_torchelastic_launched() and not dist.is_initialized()
    if not started or int(os.environ["WORLD_SIZE"]) == 1:
        yield
        return
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("cpu:gloo,cuda:nccl" if on_gpu else "gloo", timeout=_PATIENCE)
    try:
        with _sigterm_as_sigint():
            yield
    finally:
        dist.destroy_process_group()


@contextmanager
def _sigterm_as_sigint() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def world_size() -> int:
    """Return the number of processes."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    """Return the number of this process; 0 is the one that writes."""
    return dist.get_rank() if world_size() > 1 else 0


def block(items: Sequence[Item]) -> Sequence[Item]:
    """Return this process's share of items, neighbours together."""
    first, last = (len(items) * number // world_size() for number in (rank(), rank() + 1))
    return items[first:last]


def strided_share(items: Sequence[Item]) -> Sequence[Item]:
    """Return this process's share of items, every n-th: of sorted ones all shares are alike."""
    return items[rank() :: world_size()]


def all_gather(own: Any) -> list[Any]:
    """Return the JSON values of all processes, in the order of their numbers.

    Raises:
        ProcessLost: If one has ended.
    """
    if world_size() == 1:
        return [own]
    text = torch.frombuffer(bytearray(json.dumps(own).encode()), dtype=torch.uint8)
    lengths = [torch.zeros(1, dtype=torch.long) for _ in range(world_size())]
    with _process_loss():
        dist.all_gather(lengths, torch.tensor([len(text)]))
    padded = torch.zeros(int(max(lengths)), dtype=torch.uint8)
    padded[: len(text)] = text
    texts = [torch.empty_like(padded) for _ in lengths]
    with _process_loss():
        dist.all_gather(texts, padded)
    pairs = zip(texts, lengths, strict=True)
    return [json.loads(text[: int(length)].numpy().tobytes()) for text, length in pairs]


def all_records(own: Sequence[Trajectory]) -> list[Trajectory]:
    """Return the trajectories of all processes, which have played a `block` each."""
    if world_size() == 1:
        return list(own)
    records = all_gather([trajectory.to_record() for trajectory in own])
    return [Trajectory.from_record(record) for record in chain.from_iterable(records)]


def all_reduce(own: Mapping[str, float]) -> dict[str, float]:
    """Return numbers by name, summed over the processes; a name may be missing in some."""
    total: Counter[str] = Counter()
    for numbers in all_gather(own):
        total.update(numbers)
    return dict(total)


def all_reduce_(tensors: Sequence[torch.Tensor]) -> None:
    """Replace tensors of one device by their sums over the processes, in one all-reduce.

    Raises:
        ProcessLost: If a process has ended.
    """
    if world_size() == 1 or not sum(tensor.numel() for tensor in tensors):
        return
    flat = torch.cat([tensor.flatten() for tensor in tensors])
    with _process_loss():
        dist.all_reduce(flat)
    sums = flat.split([tensor.numel() for tensor in tensors])
    for tensor, total in zip(tensors, sums, strict=True):
        tensor.copy_(total.view_as(tensor))


def all_reduce_gradients(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Sum the gradients of parameters over the processes; a process may have none.

    Those of sharded parameters (`fsdp`) are summed already.
    """
    if world_size() == 1:
        return
    gradients = []
    for parameter in _whole(parameters):
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        gradients.append(parameter.grad)
    all_reduce_(gradients)


def check_same(parameters: Iterable[torch.Tensor], parts: Mapping[str, Any] | None = None) -> None:
    """Wait for all processes, and raise unless their weights are the same to the bit.

    So must be what parts keep. Sharded parameters (`fsdp`) are passed over: there is one of each.

    Args:
        parameters: The weights.
        parts: The states of parts by name, JSON values.

    Raises:
        WeightsDiffer: If the weights differ.
        PartFailed: If the state of a part does; it names the first.
        ProcessLost: If a process has ended.
    """
    if world_size() == 1:
        return
    digest = hashlib.sha256()
    for parameter in _whole(parameters):
        digest.update(parameter.detach().cpu().flatten().view(torch.uint8).numpy().tobytes())
    states = {name: json.dumps(state, sort_keys=True) for name, state in (parts or {}).items()}
    (first, kept), *others = all_gather([digest.hexdigest(), states])
    different = [number for number, (other, _) in enumerate(others, 1) if other != first]
    if different:
        raise WeightsDiffer(f"processes {different} have other weights than process 0")
    for number, (_, other) in enumerate(others, 1):
        for name in sorted(kept.keys() | other.keys()):
            if kept.get(name) != other.get(name):
                raise PartFailed(
                    f"the part of {name!r} keeps other values in process {number} than in process "
                    "0: they must follow from the batch alone"
                )


def _whole(parameters: Iterable[Tensor]) -> Iterator[Tensor]:
    return (one for one in parameters if not isinstance(one, DTensor))


def barrier() -> None:
    """Wait for all processes."""
    all_gather(None)


@contextmanager
def _process_loss() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise ProcessLost(
            f"process {rank()} of {world_size()} goes on no more: another one has ended"
        ) from error
