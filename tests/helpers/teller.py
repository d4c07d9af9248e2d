"""An environment of texts; here, where the processes that a test spawns can import it."""

from typing import Any

import gymnasium as gym
from gymnasium import spaces


class Teller(gym.Env[Any, Any]):
    """Says one text after another; the seed decides where it begins."""

    def __init__(self, space: spaces.Text, texts: tuple[str, ...], in_dict: bool) -> None:
        self.texts, self.in_dict = texts, in_dict
        number = spaces.Discrete(10)
        self.observation_space = spaces.Dict({"text": space, "n": number}) if in_dict else space  # type: ignore[assignment]
        self.action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = seed or 0
        return self.say(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.place += 1
        return self.say(), 0.0, False, False, {}

    def say(self) -> Any:
        text = self.texts[self.place % len(self.texts)]
        return {"text": text, "n": self.place % 10} if self.in_dict else text
