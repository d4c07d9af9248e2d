"""d3rlpy: CQL learns offline from episodes of random play, and reaches the goal."""
# requires: d3rlpy
# without: gymnasium

import json

import d3rlpy
import numpy as np

import zerogym

d3rlpy.seed(0)
env, rng = zerogym.make("UMap", task="goal_1_4"), np.random.default_rng(7)


def returns(
    policy: d3rlpy.algos.DiscreteCQL | None, seeds: range, data: dict | None = None
) -> list:
    found = []
    for seed in seeds:
        (observed, _), over, total = env.reset(seed=seed), False, 0.0
        while not over:
            action = rng.integers(5) if policy is None else policy.predict(observed[None])[0]
            after, reward, ended, cut, _ = env.step(action)
            over, total = ended or cut, total + reward
            if data is not None:
                row = (observed, [action], [reward], float(ended), float(cut))
                for column, value in zip(data.values(), row, strict=True):
                    column.append(value)
            observed = after
        found.append(float(total))
    return found


data = {name: [] for name in ("observations", "actions", "rewards", "terminals", "timeouts")}
returns(None, range(300), data)
dataset = d3rlpy.dataset.MDPDataset(**{k: np.array(v) for k, v in data.items()}, action_size=5)
learner = d3rlpy.algos.DiscreteCQLConfig(batch_size=128, gamma=0.95, learning_rate=1e-3).create()
learner.fit(dataset, n_steps=4000, n_steps_per_epoch=4000, show_progress=False)
before, after = returns(None, range(1000, 1020)), returns(learner, range(1000, 1020))
print(json.dumps({"before": before, "after": after}))
