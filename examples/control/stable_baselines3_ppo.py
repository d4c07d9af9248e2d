"""Stable-Baselines3: PPO on a control task by its id."""
# requires: stable-baselines3

import json

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import zerogym  # noqa: F401 (registers the ids)

env_id, arguments = "zerogym/CartPole-v0", {"task": "balance"}
venv = make_vec_env(env_id, n_envs=8, seed=0, env_kwargs=arguments)
model = PPO("MlpPolicy", venv, n_steps=128, batch_size=256, learning_rate=1e-3, seed=0)


def returns() -> list[float]:
    env = gym.make(env_id, **arguments)
    env.reset(seed=1000)
    return evaluate_policy(model, env, 20, warn=False, return_episode_rewards=True)[0]


before = returns()
model.learn(16_000)
print(json.dumps({"before": before, "after": returns()}))
