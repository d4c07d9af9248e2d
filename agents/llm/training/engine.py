"""The engine that a trainer generates with, by name.

`transformers` decodes with the very weights that are trained, on any machine; `vllm` holds a second
copy, takes the weights over before each rollout, and is for GPUs; `servers` are vLLM elsewhere,
which do the same.
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
    """An engine that can give memory back."""

    def sleep(self) -> None:
        """Leave the device's memory to others until the next call."""
        ...


def make_engine(
    config: GRPOConfig, model: Any, tokenizer: Any, checkpoint: Path | None
) -> Generator:
    """An engine for a model that is trained.

    Args:
        config: The settings of the run.
        model: What is trained.
        tokenizer: Its tokenizer.
        checkpoint: From which the run goes on; None if it starts.

    Raises:
        MissingExtra: If vLLM, or the client of servers, is not installed.
        EngineFailed: If it does not start.
        ServerDown: If a server does not answer.
        ValueError: If another engine is to write the replies of several processes, or the model's
            decode step cannot be compiled or recorded.
    """
    if config.backend == "transformers" and not config.servers:
        wanted = config.compile != "none" or config.cuda_graph
        fixed = StaticStep(model, config.compile, config.cuda_graph) if wanted else None
        return TransformersGenerator(model, tokenizer, fixed=fixed)
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
    """Before other work on the device: an engine that can sleep does."""
    if isinstance(engine, SleepingEngine):
        engine.sleep()
