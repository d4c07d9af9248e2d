"""Decode steps at few static shapes, for compilers and CUDA graphs.

For a small model a GPU waits for Python to launch each kernel. A compiler makes fewer of them; a
CUDA graph is captured once for a shape and then replayed by one call. Rows and columns are rounded
up to powers of two, so that there are few shapes; the added ones are masked. Left out:
models that are not plain Llamas. CUDA graphs have not been run on a GPU yet: no machine of this
project's tests has any.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from zerogym.agents.compiling import compiled
from zerogym.agents.llm.generation.decoding.llama_decode import Step, llama_step

_COLUMNS = 64  # least
_WARM_UP = 3  # calls before the capture: libraries initialise in the first


def round_up(count: int, least: int = 1) -> int:
    """Return the smallest power of two, from `least` on, that is not below a count.

    Example:
        >>> [round_up(count) for count in (1, 3, 4, 5)], round_up(3, least=64)
        ([1, 4, 4, 8], 64)
    """
    return max(least, 1 << (count - 1).bit_length())


class StaticStep:
    """The decode step of a model, compiled or captured.

    Args:
        model: A plain Llama; its weights may change in place.
        compiler: One of `compiling.COMPILERS`.
        capture: Capture a CUDA graph for each shape.

    Attributes:
        step: The step; its next call may overwrite what the last one returned.
        layers: The cache of the last call, whose tensors are used again: graphs hold addresses.

    Raises:
        ValueError: If the model is another one, is not on a GPU and to be captured, or there is no
            C++ compiler.
    """

    def __init__(self, model: Any, compiler: str, capture: bool) -> None:
        step = llama_step(model)
        if step is None:
            raise ValueError(
                "compile and cuda_graph are for Llamas without adapters and hooks, not for "
                f"{type(model).__name__}"
            )
        if capture and model.device.type != "cuda":
            raise ValueError("cuda_graph needs device='cuda': a CPU has no such graphs")
        # all at once: a longer table would leave captured steps with the old one's address
        step.extend_rotations(
            round_up(model.config.max_position_embeddings, _COLUMNS), model.lm_head.weight
        )
        call: Step = compiled(step, compiler, "GRPOConfig.compile", dynamic=True)
        self.step: Step = CapturedGraph(call) if capture else call
        self.layers: list[Any] = []

    def shape(self, rows: int, columns: int) -> tuple[int, int]:
        """Return the rows and columns of a step that needs so many."""
        return round_up(rows), round_up(columns, _COLUMNS)


@dataclass
class _Capture:
    graph: Any
    inputs: list[torch.Tensor]
    logits: torch.Tensor


class CapturedGraph:
    """A step as CUDA graphs: captured once for each shape, then replayed.

    Args:
        step: The step; it is captured again if its layers move in memory.
    """

    def __init__(self, step: Step) -> None:
        self._step = step
        self._where: list[tuple[int, int]] = []
        self._captures: dict[tuple[int, ...], _Capture] = {}

    def __call__(
        self,
        tokens: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor,
        layers: Sequence[Any],
    ) -> torch.Tensor:
        """Run the step; the next call overwrites what this one returns."""
        where = [(part.data_ptr(), part.numel()) for x in layers for part in (x.keys, x.values)]
        if where != self._where:
            self._where = where
            self._captures.clear()
        given = [tokens, positions, mask, *layers[0].ends.places.values()]
        found = self._captures.get(tuple(mask.shape))
        if found is None:
            found = self._captures[tuple(mask.shape)] = self._capture(given, layers)
        for own, new in zip(found.inputs, given, strict=True):
            own.copy_(new)
        found.graph.replay()
        return found.logits

    def _capture(self, given: Sequence[torch.Tensor], layers: Sequence[Any]) -> _Capture:
        inputs = [one.clone() for one in given]
        ends = layers[0].ends.at(inputs[3:])
        for layer in layers:
            layer.ends = ends
        stream = torch.cuda.Stream()  # captures need a stream of their own
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UP):  # each writes the same token at the same place
                self._step(inputs[0], inputs[1], inputs[2], layers)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            logits = self._step(inputs[0], inputs[1], inputs[2], layers)  # captured, not run
        return _Capture(graph, inputs, logits)
