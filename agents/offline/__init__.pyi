from .agent import OfflineAgent
from .config import OfflineConfig
from .method import METHODS, Method
from .transitions import Transitions, relabelled

__all__ = ["METHODS", "Method", "OfflineAgent", "OfflineConfig", "Transitions", "relabelled"]
