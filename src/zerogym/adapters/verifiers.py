"""Text tasks as a taskset and an environment of verifiers, of one reply or of several.

verifiers finds a taskset by the name of a module, which two lines make; prime-rl reads the same:

from zerogym.adapters.verifiers import ZerogymEnv, ZerogymTaskset
__all__ = ["ZerogymEnv", "ZerogymTaskset"]

The taskset's settings are `environment` (an id), `count`, `first_seed` and `arguments`. Classes are
made at their first use: this module can be imported without verifiers.
"""

import functools
from typing import Any

import zerogym
from zerogym.adapters.library import library

__all__ = ["ZerogymEnv", "ZerogymTaskset"]  # noqa: F822 (made by __getattr__)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _classes()[name]


@functools.cache
def _classes() -> dict[str, Any]:
    vf: Any = library("verifiers.v1", "verifiers")

    class ZerogymConfig(vf.TasksetConfig):
        environment: str = "Countdown"
        count: int = 100
        first_seed: int = 0
        arguments: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)

    class ZerogymData(vf.TaskData):
        info: dict[str, Any]

    class ZerogymTask(vf.Task[ZerogymData, vf.State, vf.TaskConfig]):
        pass

    class ZerogymTaskset(vf.Taskset[ZerogymTask, ZerogymConfig]):
        def load(self) -> Any:
            name, arguments = self.config.environment, self.config.arguments
            env = zerogym.make(name, **arguments)
            for seed in range(self.config.first_seed, self.config.first_seed + self.config.count):
                info = {"environment": name, "arguments": arguments, "seed": seed}
                prompt, _ = env.reset(seed=seed)
                data = ZerogymData(name=f"{name}#{seed}", prompt=prompt, info=info)
                yield ZerogymTask(data, self.config.task)

    class ZerogymEnvConfig(vf.EnvConfig):
        player: vf.AgentConfig = vf.AgentConfig()

    class ZerogymEnv(vf.Env[ZerogymEnvConfig]):
        async def run(self, task: Any, agents: Any) -> None:
            info, total = task.data.info, 0.0
            env = zerogym.make(info["environment"], **info["arguments"])
            env.reset(seed=info["seed"])
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn()  # the prompt is the first observation
                while not segment.terminated:
                    observation, reward, ended, cut, _ = env.step(segment.last_reply)
                    total += float(reward)
                    if ended or cut:
                        break
                    segment = await interaction.turn(observation)
            interaction.trace.record_reward("reward", total, 1.0)

    return {"ZerogymEnv": ZerogymEnv, "ZerogymTaskset": ZerogymTaskset}
