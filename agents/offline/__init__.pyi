from .agent import OfflineAgent
from .config import OfflineConfig
from .draws import DRAWS, Draw
from .method import METHODS, Method
from .sequences.config import SequenceConfig
from .sequences.decision_transformer import DecisionTransformer
from .transitions import Transitions, relabelled

__all__ = [
    "DRAWS",
    "METHODS",
    "DecisionTransformer",
    "Draw",
    "Method",
    "OfflineAgent",
    "OfflineConfig",
    "SequenceConfig",
    "Transitions",
    "relabelled",
]
