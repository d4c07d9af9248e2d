"""skrl: all seats of a game at once by its PettingZoo wrapper, with masks."""
# requires: skrl

import json

import numpy as np
import pettingzoo
import torch
from skrl.envs.wrappers.torch import wrap_env
from skrl.utils.spaces.torch import unflatten_tensorized_space

import zerogym  # noqa: F401 (registers the ids)

ours = pettingzoo.make("parallel", "zerogym/goofspiel-v0")
theirs = wrap_env(
    pettingzoo.make("parallel", "zerogym/goofspiel-v0"), wrapper="pettingzoo", verbose=False
)
rng, steps = np.random.default_rng(0), 0
for seed in range(20):
    theirs._seed = seed
    seen, (shown, _) = ours.reset(seed=seed)[0], theirs.reset()
    while ours.agents:
        for seat in ours.agents:
            flat = unflatten_tensorized_space(ours.observation_space(seat), shown[seat])
            for key, value in seen[seat].items():
                assert np.array_equal(flat[key][0].numpy(), value), key
        moves = {s: rng.choice(np.flatnonzero(seen[s]["action_mask"])) for s in ours.agents}
        seen, rewards, *_ = ours.step(moves)
        shown, found, *_ = theirs.step({s: torch.tensor([[int(m)]]) for s, m in moves.items()})
        assert {seat: value.item() for seat, value in found.items()} == rewards
        steps += 1
print(json.dumps({"checked": f"20 games of {steps} rounds: equal masks, observations, rewards"}))
