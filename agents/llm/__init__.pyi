from .generation.engines import load_generator
from .generation.protocol import Sampling
from .grpo_config import GRPOConfig
from .models.loading import load_model, save_model
from .policy import LLMPolicy
from .supervised.sft import SFTConfig, fine_tune
from .training.grpo import train

__all__ = [
    "GRPOConfig",
    "LLMPolicy",
    "SFTConfig",
    "Sampling",
    "fine_tune",
    "load_generator",
    "load_model",
    "save_model",
    "train",
]
