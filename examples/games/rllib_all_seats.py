"""RLlib: all seats of a game by its PettingZoo wrapper, one masked module for both."""
# requires: ray[rllib]

import json

import gymnasium as gym
import pettingzoo
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import zerogym  # noqa: F401 (registers the ids)


class Renamed(BaseWrapper):
    """RLlib's masking reads `observations`, where PettingZoo has `observation`."""

    def observation_space(self, agent: str) -> gym.Space:
        return gym.spaces.Dict(self.renamed(super().observation_space(agent)))

    def observe(self, agent: str) -> dict:
        return self.renamed(super().observe(agent))

    @staticmethod
    def renamed(inner: dict) -> dict:
        return {"action_mask": inner["action_mask"], "observations": inner["observation"]}


def make(_: object) -> PettingZooEnv:
    return PettingZooEnv(Renamed(pettingzoo.make("aec", "zerogym/tic_tac_toe-v0")))


register_env("all_seats", make)
config = (
    PPOConfig()
    .environment("all_seats")
    .multi_agent(policies={"both"}, policy_mapping_fn=lambda *_, **__: "both")
    .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    .env_runners(num_env_runners=0)
    .training(train_batch_size=512, minibatch_size=128, num_epochs=4)
    .debugging(seed=0)
)
algorithm = config.build_algo()
shortest = [algorithm.train()["env_runners"]["episode_len_min"] for _ in range(3)]
assert min(shortest) >= 5, "a game ended before anybody can win: an illegal move"
checked = f"3 iterations of both seats, no illegal move: {min(shortest):g} moves at least"
print(json.dumps({"checked": checked}))
