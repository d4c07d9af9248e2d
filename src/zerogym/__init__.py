"""zerogym: Gymnasium-style tasks with an oracle each, and the agents that learn in them.

Importing the package registers every id (as strings: no environment, torch or MuJoCo is loaded):

>>> import gymnasium as gym
>>> import zerogym
>>> env = gym.make("zerogym/RandomCalculation-v0")
>>> prompt, info = env.reset(seed=0)

`zerogym.tasks()` lists the tasks, `zerogym.make(name)` makes one by its name. Agents are in
`zerogym.agents.llm` and `zerogym.agents.zero_shot`, measurements in `zerogym.benchmarks`.
"""

from zerogym.envs.lookup import make, tasks
from zerogym.envs.registry import Task, register_all

__all__ = ["Task", "__version__", "make", "tasks"]
__version__ = "0.1.0"

register_all()
