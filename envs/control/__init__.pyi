from .core.env import ControlEnv
from .core.tasks import Goal, Task
from .tabular.base import TabularEnv

__all__ = [
    "ControlEnv",
    "Goal",
    "TabularEnv",
    "Task",
]
