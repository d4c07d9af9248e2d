"""Minari, the other way: an agent learns from episodes of random play, and reaches goals."""
# requires: minari, h5py, jax, torch

import json
import os
import tempfile

folder = os.environ["MINARI_DATASETS_PATH"] = tempfile.mkdtemp()
import minari
import numpy as np

import zerogym
from zerogym.agents.datasets.minari import import_minari
from zerogym.agents.zero_shot import FBModel, FixedTask, evaluate_returns, preset, train

env = minari.DataCollector(zerogym.make("UMap", task=None))
env.action_space.seed(0)
for seed in range(200):
    env.reset(seed=seed)
    over = False
    while not over:
        *_, ended, cut, _ = env.step(env.action_space.sample())
        over = ended or cut
env.create_dataset("umap/random-v0", algorithm_name="random")

data = str(import_minari("umap/random-v0", f"{folder}/data", "zerogym/UMap-v0"))
model = FBModel.load(
    train(preset("zerogym/UMap-v0", data=data, updates=3000), f"{folder}/run").path
)
before, after, rng = [], [], np.random.default_rng(7)
for goal in ("goal_1_1", "goal_1_8", "goal_7_8", "goal_4_8"):
    env = zerogym.make("UMap", task=goal)
    learned = FixedTask(model, model.infer(env.unwrapped.tasks[goal]))
    for seed in range(1000, 1010):
        before.append(evaluate_returns(lambda _: rng.integers(5), env, 1, seed))
        after.append(evaluate_returns(learned, env, 1, seed))
print(json.dumps({"before": before, "after": after}))
