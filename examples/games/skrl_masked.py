"""skrl: PPO in a seat of a game, with a policy that reads the mask from the observation."""
# requires: skrl

import json

import gymnasium as gym
import torch
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, Model
from skrl.trainers.torch import SequentialTrainer
from skrl.utils.model_instantiators.torch import deterministic_model

import zerogym
from zerogym.wrappers import MaskInObservation


class Masked(CategoricalMixin, Model):
    def __init__(self, **spaces: gym.Space) -> None:
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.net = torch.nn.Sequential(
            torch.nn.Linear(36, 64), torch.nn.Tanh(), torch.nn.Linear(64, 9)
        )  # fmt: skip

    def compute(self, inputs: dict, role: str = "") -> tuple:
        seen = inputs["observations"]
        return self.net(seen).masked_fill(seen[:, :9] == 0, -1e9), {}


def make() -> gym.Env:
    game = zerogym.make("TicTacToe", view="numeric", opponent="random")
    return gym.wrappers.FlattenObservation(MaskInObservation(game))  # the mask comes first


def train(timesteps: int) -> list[float]:
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": timesteps, "headless": True}).train()
    return [float(one) for one in envs.return_queue]


torch.manual_seed(0)
envs = RecordEpisodeStatistics(gym.vector.SyncVectorEnv([make] * 16), buffer_length=200)
env = wrap_env(envs, wrapper="gymnasium", verbose=False)
spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
layers = [{"name": "net", "input": "OBSERVATIONS", "layers": [64], "activations": "tanh"}]
value = deterministic_model(**spaces, network=layers, output="ONE")
models = {"policy": Masked(**spaces), "value": value}
memory = RandomMemory(memory_size=64, num_envs=16)
agent = PPO(models=models, memory=memory, cfg=PPO_CFG(rollouts=64, mini_batches=4), **spaces)
print(json.dumps({"before": train(64), "after": train(1280)}))  # 64: until the first update
