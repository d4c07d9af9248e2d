"""The interface of every zero-shot agent: what evaluation, studies and the command line use.

A prompt is whatever a method infers from a task: a vector z, the code of a set, weights, a goal. It
is opaque to everyone but the model that made it. The agents are listed in `agents/`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

import gymnasium as gym
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.datasets.dataset import Dataset
from zerogym.envs.control.core.tasks import Task


@runtime_checkable
class ZeroShotModel(Protocol):
    """A trained model that acts on any task of its world."""

    @property
    def recurrent(self) -> bool:
        """True if actions depend on earlier observations of the episode."""
        ...

    def infer(self, task: Any, samples: Dataset | None = None) -> Any:
        """Infer the prompt of a task, without learning.

        Args:
            task: A `Task` (by its goal if it has one, else by its reward), a function
                `reward(obs, action, next_obs) -> (B,)`, or a goal observation (k,).
            samples: Transitions to evaluate a reward on; None for those saved with the model.

        Raises:
            TypeError: If `task` is something else.
            ValueError: If the reward or goal is misshapen, not finite, or defines no task.
        """
        ...

    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the actions (B,) or (B, m) for observations (B, k), and the next state."""
        ...

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions; the ValueError names both."""
        ...

    def save(self, path: Path | str) -> None:
        """Write a model directory."""
        ...

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read what `save` wrote; NotAModel if it is something else."""
        ...


@runtime_checkable
class ZeroShotAgent(ZeroShotModel, Protocol):
    """A model that also learns, from transitions without rewards."""

    updates: int

    def learn(self, dataset: Dataset, updates: int) -> Mapping[str, Any]:
        """Take `updates` steps of learning; return the metrics of the last (empty if none).

        Raises:
            ValueError: If the data are of another environment.
        """
        ...


class Prompted:
    """The policy of one prompt; a `zerogym.agents.core.Policy`.

    Args:
        model: A model.
        prompt: What its `infer` returned.
    """

    def __init__(self, model: ZeroShotModel, prompt: Any) -> None:
        self.model, self.prompt = model, prompt

    def predict(
        self,
        observations: ArrayLike,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], Any]:
        """Return the model's actions; it has no randomness."""
        return self.model.predict(observations, self.prompt, state, episode_start)


def check_prompt(prompt: Any, kind: type) -> None:
    """Refuse a prompt that another agent inferred.

    Raises:
        TypeError: If it is not of the kind.
    """
    if not isinstance(prompt, kind):
        raise TypeError(
            f"a prompt is what `infer` of the same agent returned, a {kind.__name__}, "
            f"got {prompt!r:.80}"
        )


def goal_and_reward(task: Any) -> tuple[Any, Any]:
    """Return the goal of a task and None, or None and its reward function.

    Args:
        task: As for `ZeroShotModel.infer`.

    Raises:
        TypeError: If it is none of those.
    """
    if isinstance(task, Task):
        return (None, task.reward) if task.goal is None else (task.goal, None)
    if isinstance(task, str) or task is None:
        raise TypeError(
            "infer takes a Task (look names up in env.unwrapped.tasks), a reward function "
            f"or a goal, got {task!r:.80}"
        )
    return (None, task) if callable(task) else (task, None)
