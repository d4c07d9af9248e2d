"""Device, precision of products, compilation and threads of updates.

Nothing here changes the results beyond rounding, only the speed. The parts for GPUs have not been
run on one yet: the tests run on CPUs.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from zerogym.agents import compiling
from zerogym.agents.compiling import Function
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset
from zerogym.agents.zero_shot.representations.fb_losses import Metrics
from zerogym.envs.processors import processors

Draws = dict[str, torch.Tensor]  # the random numbers of an update, by name
WARM_UP = 3  # updates before one is recorded: libraries set themselves up in the first


def find_device(config: FBConfig) -> torch.device:
    """Return the device of the settings.

    Raises:
        ValueError: If it is missing, or other settings need another device.
    """
    found = torch.cuda.is_available()
    if config.device == "cuda" and not found:
        raise ValueError("FBConfig.device is 'cuda', but torch finds no GPU; 'auto' would do")
    device = torch.device("cuda" if found and config.device != "cpu" else "cpu")
    if config.cuda_graph and device.type != "cuda":
        raise ValueError("FBConfig.cuda_graph needs device='cuda': a CPU has no such graphs")
    return device


def compiled(function: Function, config: FBConfig) -> Function:
    """Return the function, compiled if the settings say so.

    Raises:
        ValueError: If there is no compiler; the backend aot_eager needs none.
    """
    return compiling.compiled(function, config.compile, "FBConfig.compile", dynamic=False)


def products(config: FBConfig, device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """Return a context with matrix products in bfloat16, if the settings say so."""
    if config.precision != "bf16":
        return contextlib.nullcontext()
    # A cache of converted weights would outlive the CUDA graph.
    return torch.autocast(device.type, torch.bfloat16, cache_enabled=False)


@contextlib.contextmanager
def torch_settings(config: FBConfig) -> Iterator[None]:
    """Set torch's threads and the precision of float32 products while training; restore them after.

    Never more threads than cores of this process: they would busy-wait for each other.
    """
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(min(config.threads, processors()))
    torch.set_float32_matmul_precision("high" if config.precision == "tf32" else "highest")
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)


class Replayed:
    """An update as a CUDA graph: recorded once, then replayed without a call from Python a kernel.

    Args:
        apply: From data and random numbers to metrics; its other inputs stay the same tensors.
    """

    def __init__(self, apply: Callable[[TensorDataset, Draws], Metrics]) -> None:
        self.apply, self.calls = apply, 0
        self.data: TensorDataset | None = None  # what was recorded reads this one
        self.graph: torch.cuda.CUDAGraph | None = None
        self.drawn: Draws = {}
        self.metrics: Metrics = {}

    def __call__(self, data: TensorDataset, drawn: Draws) -> Metrics:
        """As `apply`; the metrics are overwritten by the next call."""
        self.calls += 1
        if self.calls <= WARM_UP:
            return self._on_side_stream(data, drawn)
        if self.graph is None or data is not self.data:
            self.data = data
            self.drawn = {name: tensor.clone() for name, tensor in drawn.items()}
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.metrics = self.apply(data, self.drawn)  # recorded, not run
        for name, tensor in drawn.items():
            self.drawn[name].copy_(tensor)
        self.graph.replay()
        return self.metrics

    def _on_side_stream(self, data: TensorDataset, drawn: Draws) -> Metrics:
        """Apply on a separate stream, as recording requires."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            metrics = self.apply(data, drawn)
        torch.cuda.current_stream().wait_stream(stream)
        return metrics
