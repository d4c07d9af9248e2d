"""RLlib: PPO on a control task by its id."""
# requires: ray[rllib]

import json

from ray.rllib.algorithms.ppo import PPOConfig

import zerogym  # noqa: F401 (registers the ids)

config = (
    PPOConfig()
    .environment("zerogym:zerogym/CartPole-v0", env_config={"task": "balance"})
    .env_runners(num_env_runners=0, num_envs_per_env_runner=8)
    .training(train_batch_size=2048, minibatch_size=256, num_epochs=10, lr=1e-3)
    .debugging(seed=0)
)
algorithm = config.build_algo()


def returns() -> list[float]:
    played = algorithm.env_runner.sample(num_episodes=20, explore=True, force_reset=True)
    return [episode.get_return() for episode in played]


before = returns()
for _ in range(10):
    algorithm.train()
print(json.dumps({"before": before, "after": returns()}))
