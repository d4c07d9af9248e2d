"""verifiers: a taskset of several turns, played by the oracle in the place of a model."""
# requires: verifiers

import asyncio
import contextlib
import json
from types import SimpleNamespace

import zerogym
from zerogym.adapters.verifiers import ZerogymEnv, ZerogymTaskset

Config = ZerogymTaskset.__orig_bases__[0].__args__[1]
tasks = list(ZerogymTaskset(Config(environment="SQL", count=20)))
rewards, turns = [], []


class Player:
    """What verifiers gives to an environment, with the oracle in the place of a model."""

    @contextlib.asynccontextmanager
    async def interaction(self, task: object):
        oracle = zerogym.make("SQL")
        assert task.data.prompt == oracle.reset(seed=task.data.info["seed"])[0]

        async def turn(observation: str | None = None) -> SimpleNamespace:
            turns.append(observation)
            action = oracle.unwrapped.oracle_action()
            oracle.step(action)
            return SimpleNamespace(terminated=False, last_reply=action)

        record = SimpleNamespace(record_reward=lambda name, value, weight: rewards.append(value))
        yield SimpleNamespace(turn=turn, trace=record)


for task in tasks:
    asyncio.run(ZerogymEnv.run(None, task, SimpleNamespace(player=Player())))
assert rewards == [1.0] * 20
print(json.dumps({"checked": f"20 tasks, {len(turns)} turns, the oracle's reward is 1 in each"}))
