"""Tianshou's PettingZoo interface: DQN with masks against a random player."""
# requires: tianshou

import json

import pettingzoo
import torch
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import zerogym  # noqa: F401 (registers the ids)


def make() -> PettingZooEnv:
    return PettingZooEnv(pettingzoo.make("aec", "zerogym/tic_tac_toe-v0"))


torch.manual_seed(0)
space, net = make().action_space, Net(state_shape=27, action_shape=9, hidden_sizes=[128, 128])
policy = DiscreteQLearningPolicy(model=net, action_space=space, eps_training=0.2)
learner = DQN(
    policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.9, n_step_return_horizon=3,
    target_update_freq=320,
)  # fmt: skip
other = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=space)
players = MultiAgentOffPolicyAlgorithm(algorithms=[learner, other], env=make())
venv, buffer = DummyVectorEnv([make] * 8), VectorReplayBuffer(20_000, 8)
training = Collector(players, venv, buffer, exploration_noise=True)
training.reset(gym_reset_kwargs={"seed": 0})


def returns(eps: float) -> list[float]:
    policy.set_eps_inference(eps)
    test = Collector(players, DummyVectorEnv([make]), exploration_noise=True)
    test.reset(gym_reset_kwargs={"seed": 1000})
    return test.collect(n_episode=200).returns[:, 0].tolist()


before = returns(1.0)
settings = OffPolicyTrainerParams(
    training_collector=training, max_epochs=1, epoch_num_steps=12_000, batch_size=64,
    collection_step_num_env_steps=80, update_step_num_gradient_steps_per_sample=0.2,
)  # fmt: skip
players.run_training(settings)
print(json.dumps({"before": before, "after": returns(0.0)}))
