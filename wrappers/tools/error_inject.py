"""Tools that fail now and then: `ErrorInject`.

Left out: a trained model that writes the errors, as the paper has it; here they are four texts.
"""

from typing import Any

import gymnasium as gym

from zerogym.envs.spaces import Utf8Text
from zerogym.wrappers.arguments import number
from zerogym.wrappers.core import Options, Start, Step
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.tools.calls_in_reply import ToolCallWrapper

ERRORS = (
    "{tool}: no reply within 30 s",
    "{tool}: the connection was closed",
    "{tool}: too many requests, try again",
    "{tool}: internal error 500",
)
# Keys of the environment's info that are still true after an error in its place.
_LASTING = ("difficulty", "category", "split", "turn", "tool_calls", "failed_calls", "cost")
ROOM = 200  # characters of an error beyond the observation of the environment


class ErrorInject(SeededWrapper, ToolCallWrapper):
    """Lets replies with tool calls fail by chance; the calls are not run, and may be made again.

    The observation of such a reply is an error of its first tool, in the form of a result; reward
    0. The environment is not stepped, so that neither its turns nor its calls are used up. What
    fails is drawn from the seed of `reset`, one draw for each reply with calls.

    `info["injected_errors"]` counts the errors of the episode, so that the recovery rate is the
    mean score of episodes in which it is above 0.

    Args:
        env: A `ToolWorld`, or an environment inside `WithTools`.
        share: Chance that a reply with calls fails, in [0, 1].
        most: Most errors of an episode, at least 0.

    Raises:
        ValueError: If an argument is outside its range.
        TypeError: If the environment has no tools.

    Source:
        "Robust Tool Use via Fission-GRPO: Learning to Recover from Execution Errors" (2026, arXiv
        2601.15625) trains on what happens after errors. Chance, number and texts of the errors are
        our choices.
    """

    def __init__(self, env: gym.Env[Any, Any], share: float = 0.2, most: int = 2) -> None:
        super().__init__(env, share=share, most=most)
        self.share = number(share, "ErrorInject: share", 0.0, 1.0)
        if isinstance(most, bool) or not isinstance(most, int) or most < 0:
            raise ValueError(f"ErrorInject: most must be an int >= 0, got {most!r}")
        self.most = most
        space = self.env.observation_space
        assert isinstance(space, gym.spaces.Text)
        self.observation_space = Utf8Text(space.max_length + ROOM)

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode."""
        observation, info = super().reset(seed=seed, options=options)
        self._memory = {"errors": 0, "info": info}
        return observation, info | {"injected_errors": 0}

    def step(self, action: str) -> Step:
        """Step the environment, or return an error in place of the results of calls."""
        memory: dict[str, Any] = self._memory
        calls = self.calls(action)
        if calls and memory["errors"] < self.most and self.rng.random() < self.share:
            memory["errors"] += 1
            text = ERRORS[int(self.rng.integers(len(ERRORS)))].format(tool=calls[0].tool)
            shown = self.env.get_wrapper_attr("format").show(calls[0].tool, f"Error: {text}.")
            kept = {key: memory["info"][key] for key in _LASTING if key in memory["info"]}
            info = kept | {"void_turn": False, "feedback": text}
            return shown, 0.0, False, False, info | {"injected_errors": memory["errors"]}
        observation, reward, terminated, truncated, info = self.env.step(action)
        memory["info"] = info
        info = info | {"injected_errors": memory["errors"]}
        return observation, float(reward), terminated, truncated, info
