"""The model that a run starts or resumes with."""

from pathlib import Path
from typing import Any

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.models.lora import SOLE, adapter_folders, attach, fill_adapter
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.training.imitation import imitate


def model_of_run(config: GRPOConfig, saved: Path | None) -> tuple[Any, Any]:
    """Load the model and tokenizer of a run, with its adapters where it has some.

    Args:
        config: The settings of the run.
        saved: The model of its checkpoint; None if it starts.
    """
    if not config.lora_rank:
        model, tokenizer = load_model(saved or config.model, config.device, config.dtype)
        if saved is None and config.imitation:
            imitate(model, tokenizer, config)
        return model, tokenizer
    model, tokenizer = load_model(config.model, config.device, config.dtype)
    with Environments(config.env, config.env_kwargs) as envs:
        attach(model, config, envs.seats if config.lora_per_seat else (SOLE,))
    if saved is not None:
        for name, folder in adapter_folders(model, saved):
            fill_adapter(model, folder, name)
    return model, tokenizer
