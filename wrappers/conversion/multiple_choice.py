"""Problems as multiple choice, for any numeric learner: `MultipleChoice`."""

import zlib
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import shuffled
from zerogym.wrappers.core import Options, Start, Step, current_problem

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FEATURES = 256
_MAX_DRAWS = 200


def draw_options(
    env: ReasoningEnv, problem: Problem, count: int, rng: np.random.Generator
) -> list[str]:
    """Return the canonical answer among `count - 1` wrong ones, in random order.

    The task's own distractors come first; if they are too few, answers of other problems of the
    same difficulty, as long as they are wrong here.

    Raises:
        ValueError: If the task has not so many different answers.
    """
    found = [problem.answer, *shuffled(rng, problem.distractors)][:count]
    difficulty = env.get_state()["episode"].difficulty
    for _ in range(_MAX_DRAWS):
        if len(found) == count:
            return shuffled(rng, found)
        other = env.sample(rng, difficulty).answer
        if other not in found and env.score(problem, other) < 1.0:
            found.append(other)
    raise ValueError(f"{env.name} has no {count} different answers at difficulty {difficulty:g}")


def listed(options: list[str]) -> str:
    """List the options with their letters, a line each."""
    return "\n".join(f"{LETTERS[n]}) {option}" for n, option in enumerate(options))


def hashed_trigrams(text: str) -> np.ndarray:
    """Count the text's character trigrams in 256 hashed places, float32 (256,), length 1."""
    counts = np.zeros(FEATURES, np.float32)
    padded = f"  {text} ".encode("utf-8", "surrogatepass")
    for place in range(len(padded) - 2):
        counts[zlib.crc32(padded[place : place + 3]) % FEATURES] += 1
    return counts / np.float32(np.linalg.norm(counts))


class MultipleChoice(gym.Wrapper[np.ndarray, Any, str, str], RecordConstructorArgs):
    """The numeric view of a reasoning task: choose the answer from a list.

    Observation: float32 features of the question, then of each option in its place, flat. Action:
    `Discrete(options)`. `info["options"]` and `info["question"]` have the texts. A policy that
    ignores the question has a score of 1 / options on average.

    Args:
        env: A reasoning environment.
        options: How many, from 2 to 26.
        encode: Text to a float32 vector of fixed length with values in [-1, 1]; hashed character
            trigrams by default.

    Raises:
        TypeError: If `env` is no reasoning environment.
        ValueError: If `options` is out of its range, or (in `reset`) the task has not so many.

    Example:
        >>> import zerogym
        >>> env = MultipleChoice(gym.make("zerogym/RandomCalculation-v0", difficulty=0), options=4)
        >>> observation, info = env.reset(seed=2)
        >>> env.action_space, observation.shape, info["options"]
        (Discrete(4), (1280,), ['5', '-5', '6', '4'])
        >>> env.step(0)[1]
        1.0
    """

    def __init__(
        self,
        env: gym.Env[str, str],
        options: int = 4,
        encode: Callable[[str], np.ndarray] = hashed_trigrams,
    ) -> None:
        RecordConstructorArgs.__init__(self, options=options, encode=encode)
        gym.Wrapper.__init__(self, env)  # type: ignore[misc]
        if not isinstance(env.unwrapped, ReasoningEnv):
            raise TypeError(f"MultipleChoice needs a reasoning environment, got {env}")
        if not 2 <= options <= len(LETTERS):
            raise ValueError(f"options must be 2 to {len(LETTERS)}, got {options!r}")
        self.options, self.encode = options, encode
        size = (1 + options) * len(encode("a"))
        self.observation_space = spaces.Box(-1.0, 1.0, (size,), np.float32)
        self.action_space = spaces.Discrete(options)
        self._shown: list[str] = []

    @property
    def task(self) -> ReasoningEnv:
        """The reasoning environment itself."""
        assert isinstance(self.unwrapped, ReasoningEnv)
        return self.unwrapped

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a problem and its options."""
        _, info = self.env.reset(seed=seed, options=options)
        problem = current_problem(self)
        self._shown = draw_options(self.task, problem, self.options, self.np_random)
        return self._observe(), info | {"question": problem.prompt, "options": self._shown}

    def step(self, action: Any) -> Step:
        """Choose an option.

        Raises:
            ValueError: If `action` is no option.
        """
        if not self.action_space.contains(action):
            raise ValueError(f"the action is an option from 0 to {self.options - 1}, not {action}")
        reply = f"<answer>{self._shown[int(action)]}</answer>"
        _, reward, terminated, truncated, info = self.env.step(reply)
        return self._observe(), float(reward), terminated, truncated, info

    def oracle_action(self) -> np.int64:
        """Return the right option."""
        return np.int64(self._shown.index(current_problem(self).answer))

    def _observe(self) -> np.ndarray:
        texts = [current_problem(self).prompt, *self._shown]
        return np.concatenate([self.encode(text) for text in texts]).astype(np.float32)
