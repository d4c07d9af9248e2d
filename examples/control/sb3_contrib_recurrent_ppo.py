"""sb3-contrib: RecurrentPPO in a T-maze, whose cue is seen at the beginning only."""
# requires: sb3-contrib

import json

from sb3_contrib import RecurrentPPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import zerogym

venv = make_vec_env("zerogym/TMaze-v0", n_envs=8, seed=0, env_kwargs={"length": 3})
model = RecurrentPPO("MlpLstmPolicy", venv, n_steps=128, learning_rate=1e-3, seed=0)


def returns() -> list[float]:
    env = zerogym.make("TMaze", length=3)
    env.reset(seed=1000)
    found = evaluate_policy(
        model, env, 40, deterministic=False, warn=False, return_episode_rewards=True
    )
    return [float(one) for one in found[0]]


before = returns()
model.learn(6_000)
print(json.dumps({"before": before, "after": returns()}))
