"""Episodes that begin where a guide has left them: `JumpStart`.

After "Jump-Start Reinforcement Learning" (2022, arXiv 2204.02372): a guide plays the first steps,
the agent the rest; fewer and fewer steps of the guide make a curriculum from the goal backwards.
Left out: the rule by which steps become fewer (set `steps`), and starts from stored states.
"""

from collections.abc import Callable
from typing import Any

import gymnasium as gym

from zerogym.wrappers.seeded import SeededWrapper


class JumpStart(SeededWrapper):
    """A guide plays the first steps of every episode, within `reset`.

    They count for the world's horizon, and their rewards are lost. `info["jump"]` is their number.
    Should the episode end meanwhile, it begins anew, without the guide.

    Args:
        env: A world.
        steps: Least and greatest number of the guide's steps; drawn evenly at each reset.
        guide: A function from an observation to an action; None asks the world's oracle.

    Raises:
        ValueError: If `steps` is no such pair.

    Example:
        >>> import zerogym
        >>> env = JumpStart(gym.make("zerogym/MountainCar-v0", task="flag"), steps=(100, 100))
        >>> obs, info = env.reset(seed=0)
        >>> bool(obs[0] > 0.3), info["jump"]  # the car has nearly arrived
        (True, 100)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        steps: tuple[int, int],
        guide: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(env, steps=steps, guide=guide)
        least, most = steps
        if not 0 <= least <= most:
            raise ValueError(f"JumpStart: steps must be (least, most) with 0 <= least, got {steps}")
        self.steps, self._guide = (int(least), int(most)), guide

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode, and let the guide play."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.reseed(seed)
        jump = int(self.rng.integers(self.steps[0], self.steps[1] + 1))
        for _ in range(jump):
            action = self._guided(obs)
            obs, _, terminated, truncated, info = self.env.step(action)
            if terminated or truncated:
                obs, info = self.env.reset(options=options)
                return obs, info | {"jump": 0}
        return obs, info | {"jump": jump}

    def _guided(self, obs: Any) -> Any:
        if self._guide is not None:
            return self._guide(obs)
        return self.env.get_wrapper_attr("oracle_action")()
