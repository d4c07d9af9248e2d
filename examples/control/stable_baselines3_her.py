"""Stable-Baselines3: hindsight replay reaches any cell of a grid world."""
# requires: stable-baselines3

import json

from stable_baselines3 import DQN, HerReplayBuffer
from stable_baselines3.common.evaluation import evaluate_policy

import zerogym
from zerogym.wrappers import GoalView

env = GoalView(zerogym.make("FourRooms", task=None))
model = DQN(
    "MultiInputPolicy", env, replay_buffer_class=HerReplayBuffer, gamma=0.95, learning_rate=1e-3,
    learning_starts=1000, train_freq=4, exploration_fraction=0.5, seed=0,
)  # fmt: skip


def returns() -> list[float]:
    fresh = GoalView(zerogym.make("FourRooms", task=None))
    fresh.reset(seed=1000)
    return evaluate_policy(model, fresh, 40, warn=False, return_episode_rewards=True)[0]


before = returns()
model.learn(15_000)
print(json.dumps({"before": before, "after": returns()}))
