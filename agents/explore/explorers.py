"""The explorers by name, and how one is made for an environment."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import torch

from zerogym.agents.explore.aps import APS
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.ddpg import DDPG
from zerogym.agents.explore.diayn import DIAYN
from zerogym.agents.explore.disagreement import Disagreement
from zerogym.agents.explore.dqn import DQN
from zerogym.agents.explore.icm import ICM
from zerogym.agents.explore.intrinsic import Intrinsic, Shape
from zerogym.agents.explore.max_info import MaxInfo
from zerogym.agents.explore.proto import Proto
from zerogym.agents.explore.rnd import RND
from zerogym.agents.explore.skeleton import Explorer

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
    """A fresh explorer; its weights are drawn from `config.seed`."""
    space, seen = env.action_space, env.observation_space
    discrete = isinstance(space, gym.spaces.Discrete)
    actions = (
        int(space.n) if isinstance(space, gym.spaces.Discrete) else math.prod(space.shape or ())
    )
    size = math.prod(seen.shape or ())
    shape = Shape(size + 2 * config.waves, actions, discrete, config.hidden)
    maker: type[Explorer] = DQN if discrete else DDPG
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return maker(config, size, shape, EXPLORERS[name](shape))
