"""The engine of a training run, by name.

`transformers` decodes with the trained weights themselves, on any machine; `vllm` holds a second
copy, into which the weights are copied before each rollout, and is for GPUs; `servers` are vLLM
elsewhere, with the same copies.
"""

from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.generation.decoding.static_shapes import StaticStep
from zerogym.agents.llm.generation.protocol import Generator
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig


@runtime_checkable
class SleepingEngine(Protocol):
    """An engine that can free the device's memory."""

    def sleep(self) -> None:
        """Free the device's memory until the next call."""


def make_engine(
    config: GRPOConfig, model: Any, tokenizer: Any, checkpoint: Path | None
) -> Generator:
    """Make the engine of a model that is trained.

    Args:
        config: The settings of the run.
        model: The model that is trained.
        tokenizer: Its tokenizer.
        checkpoint: The checkpoint from which the run resumes; None if it starts.

    Raises:
        MissingExtra: If vLLM, or the client of servers, is not installed.
        EngineFailed: If it does not start.
        ServerDown: If a server does not answer.
        ValueError: If another engine is to write the replies of several processes, or the model's
            decode step cannot be compiled or captured.
    """
    if config.backend == "transformers" and not config.servers:
        static = None
        if config.compile != "none" or config.cuda_graph:
            static = StaticStep(model, config.compile, config.cuda_graph)
        return TransformersGenerator(model, tokenizer, static=static)
    if parallel.world_size() > 1:
        other = "servers" if config.servers else f"backend={config.backend!r}"
        raise ValueError(f"{other} is for one process: start the run without torchrun")
    if config.servers:
        from zerogym.agents.llm.generation.served_backend import ServedGenerator

        return ServedGenerator(config.servers, tokenizer, Path(config.out) / "served")
    from zerogym.agents.llm.generation.vllm_backend import VLLMGenerator
    from zerogym.agents.llm.models.directories import model_directory

    name = str(checkpoint / "model") if checkpoint and not config.lora_rank else config.model
    return VLLMGenerator(model_directory(name), config.dtype, config.engine_memory)


def sleep_if_possible(engine: Generator) -> None:
    """Free the device's memory for other work, if the engine can."""
    if isinstance(engine, SleepingEngine):
        engine.sleep()
