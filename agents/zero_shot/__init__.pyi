from .config import FBConfig, preset
from .evaluation.diagnosis import explain
from .evaluation.returns import evaluate_returns
from .features import Features
from .models.model import FBModel
from .models.policy import FixedTask
from .representations.representations import FeatureLoss
from .training.train import train, train_seeds

__all__ = [
    "FBConfig",
    "FBModel",
    "FeatureLoss",
    "Features",
    "FixedTask",
    "evaluate_returns",
    "explain",
    "preset",
    "train",
    "train_seeds",
]
