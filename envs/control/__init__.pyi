from .core.env import ControlEnv
from .core.tasks import Goal, Task
from .tabular.base import TabularEnv
from .tabular.features import StateReward
from .tabular.layouts import Layout
from .tabular.mdp import deterministic_mdp
from .tabular.render import Scene

__all__ = [
    "ControlEnv",
    "Goal",
    "Layout",
    "Scene",
    "StateReward",
    "TabularEnv",
    "Task",
    "deterministic_mdp",
]
