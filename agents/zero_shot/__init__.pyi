from .config import FBConfig, preset
from .evaluation.diagnosis import explain
from .evaluation.returns import evaluate_returns
from .models.model import FBModel
from .models.policy import FixedTask
from .training.train import train, train_seeds

__all__ = [
    "FBConfig",
    "FBModel",
    "FixedTask",
    "evaluate_returns",
    "explain",
    "preset",
    "train",
    "train_seeds",
]
