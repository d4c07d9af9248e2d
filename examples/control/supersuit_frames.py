"""SuperSuit: stacked frames for Stable-Baselines3's PPO."""
# requires: supersuit, stable-baselines3

import json

import supersuit
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import zerogym


def stacked() -> object:
    return supersuit.frame_stack_v1(zerogym.make("CartPole"), 2)


def returns() -> list[float]:
    env = stacked()
    env.reset(seed=1000)
    return evaluate_policy(model, env, 20, warn=False, return_episode_rewards=True)[0]


venv = make_vec_env(stacked, n_envs=8, seed=0)
model = PPO("MlpPolicy", venv, n_steps=128, batch_size=256, learning_rate=1e-3, seed=0)
before = returns()
model.learn(16_000)
print(json.dumps({"before": before, "after": returns()}))
