"""The construction of explorers for an environment."""

import math
from typing import Any

import gymnasium as gym
import torch

from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.learners.base import Explorer
from zerogym.agents.explore.learners.ddpg import DDPG
from zerogym.agents.explore.learners.dqn import DQN
from zerogym.agents.explore.policies import IntrinsicReward
from zerogym.agents.explore.rewards.base import Intrinsic, Shape
from zerogym.agents.parts import errors_of
from zerogym.errors import PartFailed


def make_explorer(part: IntrinsicReward, env: gym.Env[Any, Any], config: CollectConfig) -> Explorer:
    """Return a new explorer; its weights are drawn from `config.seed`.

    Raises:
        PartFailed: If the part raises, or makes something else than an intrinsic reward.
    """
    space, size = env.action_space, math.prod(env.observation_space.shape or ())
    discrete = isinstance(space, gym.spaces.Discrete)
    actions = int(gym.spaces.flatdim(space))
    shape = Shape(size + 2 * config.waves, actions, discrete, config.hidden)
    maker: type[Explorer] = DQN if discrete else DDPG
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        with errors_of(part):
            reward = part(shape)
        if not isinstance(reward, Intrinsic):
            raise PartFailed(f"{part.title()} must make an Intrinsic, got {reward!r:.60}")
        return maker(config, size, shape, reward)
