"""TorchRL: all seats of games by its PettingZoo wrapper, with masks."""
# requires: torchrl

import json

import pettingzoo
import torch
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

import zerogym  # noqa: F401 (registers the ids)

steps = 0
for kind, name in (("aec", "kuhn_poker"), ("aec", "tic_tac_toe"), ("parallel", "goofspiel")):
    env = PettingZooWrapper(
        pettingzoo.make(kind, f"zerogym/{name}-v0"), use_mask=kind == "aec", return_state=False
    )
    env.set_seed(0)
    torch.manual_seed(0)
    check_env_specs(env)
    for _ in range(20):
        played = env.rollout(60)
        steps += len(played)
        assert played["next", "done"][-1].all(), f"{name} has no end"
print(json.dumps({"checked": f"the specs of three games, and 60 random games of {steps} steps"}))
