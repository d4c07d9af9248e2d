"""Minari: episodes of a world are recorded, loaded again, and their environment recovered."""
# requires: minari, h5py, jax

import json
import os
import tempfile

os.environ["MINARI_DATASETS_PATH"] = tempfile.mkdtemp()
import minari
import numpy as np

import zerogym

env = minari.DataCollector(zerogym.make("Pendulum", horizon=50))
for seed in range(5):
    obs, _ = env.reset(seed=seed)
    over = False
    while not over:
        obs, _, ended, cut, _ = env.step(env.unwrapped.oracle_action())
        over = ended or cut
env.create_dataset("pendulum/expert-v0", algorithm_name="oracle")

found = minari.load_dataset("pendulum/expert-v0")
again = found.recover_environment()
for seed, episode in enumerate(found.iterate_episodes()):
    obs, _ = again.reset(seed=seed)
    played = [(obs, *again.step(action)[:2]) for action in episode.actions[:1]]
    assert np.array_equal(obs, episode.observations[0])
    assert played[0][2] == episode.rewards[0]
    for action, seen, reward in zip(
        episode.actions[1:], episode.observations[2:], episode.rewards[1:], strict=True
    ):
        obs, gained, *_ = again.step(action)
        assert np.array_equal(obs, seen) and gained == reward
checked = f"{found.total_steps} recorded steps, replayed in the recovered environment, are equal"
print(json.dumps({"checked": checked}))
