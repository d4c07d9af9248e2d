"""SkyRL-Gym: a task of several turns under the oracle; rewards are those of the task itself."""
# requires: skyrl-gym

import json

import skyrl_gym

import zerogym
from zerogym.adapters.skyrl_gym import environment

skyrl_gym.register(id="sql", entry_point=environment("SQL"))
turns = 0
for seed in range(20):
    theirs, ours = skyrl_gym.make("sql", env_config={}, extras={"seed": seed}), zerogym.make("SQL")
    shown, _ = theirs.init([])
    assert shown[-1]["content"] == ours.reset(seed=seed)[0]
    done = False
    while not done:
        action = ours.unwrapped.oracle_action()
        step, (observed, reward, ended, cut, _) = theirs.step(action), ours.step(action)
        done, turns = ended or cut, turns + 1
        assert (step["reward"], step["done"]) == (reward, done)
        assert done or step["observations"][-1]["content"] == observed
    assert reward == 1
print(json.dumps({"checked": f"20 episodes of {turns} turns in all, equal prompts and rewards"}))
