from .config import FBConfig, preset
from .evaluation.diagnosis import explain
from .evaluation.returns import evaluate_returns
from .features import Features
from .models.model import FBModel
from .models.policy import FixedTask
from .protocol import Prompted, ZeroShotAgent, ZeroShotModel
from .representations.representations import FeatureLoss
from .training.agents import ZeroShotConfig, load_model, train_agent
from .training.train import train, train_seeds

__all__ = [
    "FBConfig",
    "FBModel",
    "FeatureLoss",
    "Features",
    "FixedTask",
    "Prompted",
    "ZeroShotAgent",
    "ZeroShotConfig",
    "ZeroShotModel",
    "evaluate_returns",
    "explain",
    "load_model",
    "preset",
    "train",
    "train_agent",
    "train_seeds",
]
