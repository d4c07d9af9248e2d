"""Episodes that begin where a guide has left them: `JumpStart`, `JumpStartCurriculum`.

After "Jump-Start Reinforcement Learning" (2022, arXiv 2204.02372): a guide plays the first steps,
the agent the rest. Its random kind draws the number of the guide's steps evenly in each episode;
its curriculum begins with many and lets the guide play fewer as soon as both together do well
enough. That this is judged by the last episodes of training, and not by separate ones, is ours.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from zerogym.wrappers.arguments import check_function, in_list, in_order, number, shown, whole
from zerogym.wrappers.core import Options, Start, Step
from zerogym.wrappers.seeded import SeededWrapper

Guide = Callable[[Any], Any]


class JumpStart(SeededWrapper):
    """A guide plays the first steps of every episode, within `reset`.

    They count for the world's horizon, and their rewards are lost. `info["jump"]` is their number.
    Should the episode end meanwhile, it begins anew, without the guide.

    Args:
        env: A world.
        steps: Least and greatest number of the guide's steps; drawn evenly at each reset.
        guide: A function from an observation to an action; None is the world's oracle.

    Raises:
        TypeError, ValueError: If `steps` is no such pair, or the guide no function.

    Example:
        >>> import zerogym
        >>> env = JumpStart(gym.make("zerogym/MountainCar-v0", task="flag"), steps=(100, 100))
        >>> obs, info = env.reset(seed=0)
        >>> bool(obs[0] > 0.3), info["jump"]  # the car has nearly arrived
        (True, 100)
    """

    def __init__(
        self, env: gym.Env[Any, Any], steps: tuple[int, int], guide: Guide | None = None
    ) -> None:
        super().__init__(env, steps=steps, guide=guide)
        self.steps = in_order(steps, "JumpStart: steps", whole, 0)
        check_function(guide, "JumpStart: guide")
        self._guide = guide
        self._guide_return = 0.0

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode, and let the guide play."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.reseed(seed)
        jump = int(self.rng.integers(self.steps[0], self.steps[1] + 1))
        self._guide_return = 0.0
        for _ in range(jump):
            if self._guide is not None:
                action = self._guide(obs)
            else:
                action = self.env.get_wrapper_attr("oracle_action")()
            obs, reward, terminated, truncated, info = self.env.step(action)
            self._guide_return += float(reward)
            if terminated or truncated:
                obs, info = self.env.reset(options=options)
                self._guide_return = 0.0
                return obs, info | {"jump": 0}
        return obs, info | {"jump": jump}


class JumpStartCurriculum(JumpStart):
    """The guide plays fewer and fewer steps, as the agent learns to do without.

    An episode's return is that of guide and agent together. Once the mean over `window` episodes
    of a stage reaches `threshold`, the next stage begins; the last one goes on for ever.
    `info["stage"]` is its number. Vector environments have a curriculum in each environment.

    Args:
        env: A world.
        stages: Steps of the guide in each stage, fewer and fewer; the last is usually 0.
        threshold: Return that is good enough.
        window: Episodes of a stage that are averaged.
        guide: As of `JumpStart`.

    Raises:
        TypeError, ValueError: If the stages are no such numbers, the threshold is none, or the
            window is empty.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/CartPole-v0", task="balance", horizon=5)
        >>> env = JumpStartCurriculum(world, stages=[4, 2, 0], threshold=4.0, window=1)
        >>> stages = []
        >>> for _ in range(4):
        ...     obs, info = env.reset(seed=0)
        ...     stages.append(info["stage"])
        ...     while not env.step([0.0])[3]:
        ...         pass
        >>> stages
        [0, 1, 2, 2]
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        stages: Sequence[int],
        threshold: float,
        window: int = 10,
        guide: Guide | None = None,
    ) -> None:
        RecordConstructorArgs.__init__(
            self, stages=stages, threshold=threshold, window=window, guide=guide
        )
        name = "JumpStartCurriculum"
        steps = [whole(one, f"{name}: stages", 0) for one in in_list(stages, f"{name}: stages")]
        if not steps or not all(one > other for one, other in pairwise(steps)):
            raise ValueError(f"{name}: stages must be fewer and fewer steps, got {shown(stages)}")
        super().__init__(env, (steps[0], steps[0]), guide)
        self.stages, self.threshold = steps, number(threshold, f"{name}: threshold")
        self.window = whole(window, f"{name}: window", 1)
        self._memory = {"stage": 0, "returns": [], "paid": None}

    @property
    def progress(self) -> tuple[int, list[float]]:
        """The stage and its last returns, which going back to an earlier episode does not change.

        If that was one of another stage, it is not judged.
        """
        return self._memory["stage"], list(self._memory["returns"])

    @progress.setter
    def progress(self, progress: tuple[int, list[float]]) -> None:
        stage, returns = progress
        if stage != self._memory["stage"]:
            self._memory["paid"] = None
        self._memory |= {"stage": stage, "returns": list(returns)}

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode of the present stage."""
        stage = self._memory["stage"]
        self.steps = (int(self.stages[stage]), int(self.stages[stage]))
        obs, info = super().reset(seed=seed, options=options)
        guided = info["jump"] == self.stages[stage]  # else the guide has ended the episode
        self._memory["paid"] = self._guide_return if guided else None
        return obs, info | {"stage": stage}

    def step(self, action: Any) -> Step:
        """Step the world with the agent's action."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        if self._memory["paid"] is not None:
            self._memory["paid"] += float(reward)
            if terminated or truncated:
                self._judge(self._memory["paid"])
        return obs, reward, terminated, truncated, info

    def _judge(self, episode_return: float) -> None:
        """Go on to the next stage if the last episodes were good enough."""
        memory = self._memory
        memory["paid"] = None
        memory["returns"] = [*memory["returns"], episode_return][-self.window :]
        enough = len(memory["returns"]) == self.window
        last = memory["stage"] == len(self.stages) - 1
        if enough and not last and np.mean(memory["returns"]) >= self.threshold:
            memory["stage"], memory["returns"] = memory["stage"] + 1, []
