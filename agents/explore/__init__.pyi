from .collection import collect
from .config import CollectConfig
from .policies import CollectingPolicy, IntrinsicReward, policy
from .rewards.base import Batch, Intrinsic, Shape

__all__ = [
    "Batch",
    "CollectConfig",
    "CollectingPolicy",
    "Intrinsic",
    "IntrinsicReward",
    "Shape",
    "collect",
    "policy",
]
