from .algorithms.advantage_tables import Advantage, advantage
from .algorithms.batch import Batch
from .algorithms.episode_tables import Filter, Shaping
from .algorithms.loss_tables import Correction, SequenceLoss, Surrogate
from .algorithms.rollout_tables import Draw, Outcome, Prompts, Rollouts
from .contamination import prefix_probe
from .evaluation import evaluate
from .generation.engines import load_generator
from .generation.protocol import Sampling
from .grpo_config import GRPOConfig
from .models.changed_weights import changed_weights
from .models.loading import load_model, save_model
from .policy import LLMPolicy
from .rollout.context_window import Context
from .rollout.evaluation import Evaluation
from .rollout.prompt import Prompt, TaskSpec
from .rollout.request import Request
from .sampled_evaluation import evaluate_samples
from .supervised.fine_tuning import sft
from .supervised.sft import SFTConfig, fine_tune
from .training.grpo import train

__all__ = [
    "Advantage",
    "Batch",
    "Context",
    "Correction",
    "Draw",
    "Evaluation",
    "Filter",
    "GRPOConfig",
    "LLMPolicy",
    "Outcome",
    "Prompt",
    "Prompts",
    "Request",
    "Rollouts",
    "SFTConfig",
    "Sampling",
    "SequenceLoss",
    "Shaping",
    "Surrogate",
    "TaskSpec",
    "advantage",
    "changed_weights",
    "evaluate",
    "evaluate_samples",
    "fine_tune",
    "load_generator",
    "load_model",
    "prefix_probe",
    "save_model",
    "sft",
    "train",
]
