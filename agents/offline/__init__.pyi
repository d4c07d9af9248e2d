from .agent import OfflineAgent
from .config import OfflineConfig
from .draws import DRAWS, Draw
from .method import METHODS, Method
from .transitions import Transitions, relabelled

__all__ = [
    "DRAWS",
    "METHODS",
    "Draw",
    "Method",
    "OfflineAgent",
    "OfflineConfig",
    "Transitions",
    "relabelled",
]
