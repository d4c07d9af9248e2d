"""sb3-contrib: MaskablePPO in a seat of a game, which masks its illegal moves."""
# requires: sb3-contrib

import json

import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

import zerogym


def make(seed: int) -> object:
    env = zerogym.make("TicTacToe", view="numeric", opponent="random")
    env.reset(seed=seed)
    return env


def random_returns(episodes: int) -> list[float]:
    env, rng, found = make(1000), np.random.default_rng(0), []
    for _ in range(episodes):
        _, info = env.reset()
        total, over = 0.0, False
        while not over:
            move = rng.choice(np.flatnonzero(info["action_mask"]))
            _, reward, ended, cut, info = env.step(move)
            total, over = total + reward, ended or cut
        found.append(total)
    return found


model = MaskablePPO("MlpPolicy", make(0), n_steps=512, batch_size=128, seed=0)
model.learn(8_000)
after = evaluate_policy(model, make(2000), 100, warn=False, return_episode_rewards=True)[0]
print(json.dumps({"before": random_returns(100), "after": [float(one) for one in after]}))
