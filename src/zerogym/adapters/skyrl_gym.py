"""Text tasks as environments of SkyRL-Gym, of one reply or of several.

import skyrl_gym
from zerogym.adapters.skyrl_gym import environment

skyrl_gym.register(id="countdown", entry_point=environment("Countdown", split="train"))
env = skyrl_gym.make("countdown", env_config={}, extras={"seed": 0})

SkyRL gives each row of its data to `extras`; the column `seed` is needed. The prompt of a row is
replaced by the first observation of that seed.
"""

from typing import Any

import zerogym
from zerogym.adapters.library import library


def environment(env_id: str, **env_kwargs: Any) -> type:
    """Return the class to register: a `skyrl_gym.envs.base_text_env.BaseTextEnv`.

    Args:
        env_id: A text task, in any spelling that `zerogym.make` takes.
        env_kwargs: Arguments of the environment.

    Raises:
        MissingExtra: If `skyrl_gym` is not installed.
    """
    base: Any = library("skyrl_gym.envs.base_text_env", "skyrl-gym")

    class Environment(base.BaseTextEnv):
        def __init__(self, env_config: Any = None, extras: dict[str, Any] | None = None) -> None:
            super().__init__()
            self.seed, self.env = (extras or {})["seed"], zerogym.make(env_id, **env_kwargs)

        def init(self, prompt: Any) -> tuple[list[dict[str, str]], dict[str, Any]]:
            observation, _ = self.env.reset(seed=int(self.seed))
            return [{"role": "user", "content": observation}], {}

        def step(self, action: str) -> dict[str, Any]:
            observation, reward, ended, cut, info = self.env.step(action)
            done = ended or cut
            following = [] if done else [{"role": "user", "content": observation}]
            return {
                "observations": following,
                "reward": float(reward),
                "done": done,
                "metadata": info,
            }

    return Environment
