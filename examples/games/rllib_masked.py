"""RLlib: PPO with its own masking module in a seat of a game."""
# requires: ray[rllib]

import json

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

import zerogym
from zerogym.wrappers import MaskInObservation


def make(_: object) -> MaskInObservation:
    game = zerogym.make("TicTacToe", view="numeric", opponent="random")
    return MaskInObservation(game, observation_key="observations")


register_env("tic_tac_toe", make)
config = (
    PPOConfig()
    .environment("tic_tac_toe")
    .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
    .training(train_batch_size=1024, minibatch_size=128, num_epochs=8, lr=1e-3)
    .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    .debugging(seed=0)
)
algorithm = config.build_algo()


def returns() -> list[float]:
    played = algorithm.env_runner.sample(num_episodes=200, explore=True, force_reset=True)
    return [float(episode.get_return()) for episode in played]


before = returns()
for _ in range(10):
    algorithm.train()
print(json.dumps({"before": before, "after": returns()}))
