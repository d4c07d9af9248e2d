"""zerogym: Gymnasium-style tasks with an oracle each, and the agents that learn in them.

Importing the package registers every id (as strings: no environment, torch or MuJoCo is loaded):

>>> import gymnasium as gym
>>> import zerogym
>>> env = gym.make("zerogym/RandomCalculation-v0")
>>> prompt, info = env.reset(seed=0)
"""

from zerogym.envs.registry import register_all

__version__ = "0.1.0"

register_all()
