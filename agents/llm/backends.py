"""The engine that a trainer generates with, by name.

`transformers` decodes with the very weights that are trained, on any machine; `vllm` holds a second
copy, takes the weights over before each rollout, and is for GPUs.
"""

from typing import Any, Protocol, runtime_checkable

from zerogym.agents.llm import parallel
from zerogym.agents.llm.generation import BackendName, Generator
from zerogym.agents.llm.transformers_backend import TransformersGenerator


@runtime_checkable
class Sleeper(Protocol):
    """An engine that can give memory back."""

    def sleep(self) -> None:
        """Leave the device's memory to others until the next call."""
        ...


def make_engine(
    backend: BackendName, model: Any, tokenizer: Any, name: str, dtype: str, memory: float
) -> Generator:
    """An engine for a model that is trained.

    Args:
        backend: Which.
        model: What is trained.
        tokenizer: Its tokenizer.
        name: Where its weights were read from, as in `load_model`.
        dtype: As in `load_model`.
        memory: Share of the GPU's memory for an engine with weights of its own, in (0, 1].

    Raises:
        MissingExtra: If vLLM is not installed.
        EngineFailed: If it does not start.
        ValueError: If vLLM is to write the replies of several processes.
    """
    if backend == "transformers":
        return TransformersGenerator(model, tokenizer)
    if parallel.size() > 1:
        raise ValueError(f"backend={backend!r} is for one process: start the run without torchrun")
    from zerogym.agents.llm.models import model_directory
    from zerogym.agents.llm.vllm_backend import VLLMGenerator

    return VLLMGenerator(model_directory(name), dtype, memory)


def rest(engine: Generator) -> None:
    """Before other work on the device: an engine that can sleep does."""
    if isinstance(engine, Sleeper):
        engine.sleep()
