"""The explorers by name, and their construction for an environment."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import torch

from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.learners.base import Explorer
from zerogym.agents.explore.learners.ddpg import DDPG
from zerogym.agents.explore.learners.dqn import DQN
from zerogym.agents.explore.rewards.aps import APS
from zerogym.agents.explore.rewards.base import Intrinsic, Shape
from zerogym.agents.explore.rewards.diayn import DIAYN
from zerogym.agents.explore.rewards.disagreement import Disagreement
from zerogym.agents.explore.rewards.icm import ICM
from zerogym.agents.explore.rewards.max_info import MaxInfo
from zerogym.agents.explore.rewards.proto import Proto
from zerogym.agents.explore.rewards.rnd import RND

EXPLORERS: Mapping[str, type[Intrinsic]] = MappingProxyType(
    {
        "rnd": RND,
        "icm": ICM,
        "disagreement": Disagreement,
        "max_info": MaxInfo,
        "diayn": DIAYN,
        "aps": APS,
        "proto": Proto,
    }
)


def make_explorer(name: str, env: gym.Env[Any, Any], config: CollectConfig) -> Explorer:
    """Return a new explorer; its weights are drawn from `config.seed`."""
    space, size = env.action_space, math.prod(env.observation_space.shape or ())
    discrete = isinstance(space, gym.spaces.Discrete)
    actions = int(gym.spaces.flatdim(space))
    shape = Shape(size + 2 * config.waves, actions, discrete, config.hidden)
    maker: type[Explorer] = DQN if discrete else DDPG
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return maker(config, size, shape, EXPLORERS[name](shape))
