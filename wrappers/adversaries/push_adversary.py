"""A second player who pushes: `PushAdversary`, forces on the torso of a MuJoCo body.

After "Robust Adversarial Reinforcement Learning" (2017, arXiv 1703.02702): the agent learns against
forces that are chosen to hurt it, so that it stands other disturbances and other masses, too. The
bound on how fast a disturbance may change is that of "Game-Theoretic Robust Reinforcement Learning
Handles Temporally-Coupled Perturbations" (2023, arXiv 2307.12062). The budget of an episode is
ours. Left out: forces on other parts of a body, such as the paper's on the feet.
"""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.mujoco.base import MAX_PUSH
from zerogym.wrappers.adversaries.base import Adversary, AdversaryWrapper, limited
from zerogym.wrappers.arguments import above_zero, number, shown
from zerogym.wrappers.core import Step

AXES = "xyz"


class PushAdversary(AdversaryWrapper):
    """Each step a force acts on the torso, chosen by the adversary.

    The adversary's action is in [-1, 1] along each of `axes`, in units of `strength`.
    `info["adversary"]` is that action, `info["push"]` the force that acted, (x, y, z) in newton.

    Args:
        env: A world with `push`, which the MuJoCo bodies have.
        adversary: A function from an observation to an action: a worst case, or an agent. None
            pushes evenly at random, as wind does.
        strength: Greatest force along an axis, newton.
        axes: Along which the adversary pushes, some of `x`, `y`, `z`.
        change: By how much its action may differ from the last one along an axis; more is cut
            off. None: by any amount.
        budget: Sum over an episode of the sizes of its actions, after which it cannot push. None:
            endless.

    Raises:
        TypeError: If the world has no `push`.
        ValueError: If an argument is out of its range, or in a step if the adversary's action is.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/Walker-v0", task="stand")
        >>> env = PushAdversary(world, lambda obs: [1.0, 0.0], strength=50.0, budget=1.0)
        >>> _ = env.reset(seed=0)
        >>> [env.step([0.0] * 6)[4]["push"].tolist() for _ in range(2)]
        [[50.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        adversary: Adversary | None = None,
        strength: float = 10.0,
        axes: str = "xz",
        change: float | None = None,
        budget: float | None = None,
    ) -> None:
        super().__init__(env, adversary, change, strength=strength, axes=axes, budget=budget)
        if not env.has_wrapper_attr("push"):
            raise TypeError(f"PushAdversary needs a world with push(), {env.unwrapped} has none")
        self.strength = number(strength, "PushAdversary: strength", 0, MAX_PUSH)
        if not isinstance(axes, str) or not 0 < len(set(axes) & set(AXES)) == len(axes):
            raise ValueError(f"PushAdversary: axes must be some of {AXES!r}, got {shown(axes)}")
        self.budget = above_zero(budget, "PushAdversary: budget")
        self._columns = [AXES.index(axis) for axis in axes]
        self.adversary_space = spaces.Box(-1.0, 1.0, (len(axes),), np.float32)

    def step(self, action: Any) -> Step:
        """Let both act."""
        obs, reward, terminated, truncated, info = super().step(action)
        return obs, reward, terminated, truncated, info | {"push": self._memory["push"].copy()}

    def _initial_memory(self) -> dict[str, Any]:
        still = np.zeros(len(self._columns), dtype=np.float32)
        return {"last": still, "spent": 0.0, "push": np.zeros(3)}

    def _combined(self, action: Any, against: NDArray[np.float32]) -> Any:
        memory = self._memory
        force = limited(against.astype(np.float64), memory["last"], self.change)
        if self.budget is not None:
            size, left = float(np.linalg.norm(force)), self.budget - memory["spent"]
            force = force * (min(size, left) / size) if size > 0 else force
        memory["last"], memory["spent"] = force, memory["spent"] + float(np.linalg.norm(force))
        memory["push"] = np.zeros(3)
        memory["push"][self._columns] = self.strength * force
        self.env.get_wrapper_attr("push")(memory["push"])
        return action
