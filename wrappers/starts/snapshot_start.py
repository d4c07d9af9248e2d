"""Episodes that begin in states that were visited before: `SnapshotStart`.

After "Snapshot Reinforcement Learning: Leveraging Prior Trajectories for Efficiency" (2024, arXiv
2403.00673): with some probability an episode starts in a state of a teacher's trajectory. With a
pool that grows while the agent explores it is the return of "Go-Explore: a New Approach for
Hard-Exploration Problems" (2019, arXiv 1901.10995). Left out: which states are worth returning to
(fill the pool with those), and shorter episodes (`gymnasium.wrappers.TimeLimit`).
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.wrappers import snapshots
from zerogym.wrappers.arguments import number, shown
from zerogym.wrappers.core import Options, Start
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.starts.jump_start import JumpStartCurriculum


@dataclass(frozen=True)
class Moment:
    """A moment of an episode to come back to.

    Attributes:
        observation: The last one.
        info: The one that came with it.
        state: The snapshot.
    """

    observation: Any
    info: dict[str, Any]
    state: dict[str, Any]

    @classmethod
    def of(cls, env: gym.Env[Any, Any], observation: Any, info: dict[str, Any]) -> "Moment":
        """Store the present moment of an environment, with its last observation and info."""
        return cls(copy.deepcopy(observation), dict(info), snapshots.get_state(env))


class SnapshotStart(SeededWrapper):
    """Some episodes begin at a stored start, drawn evenly.

    A start is an observation of the world, which begins a whole episode there (the world must know
    the option `start`), or a `Moment` of the wrapped environment, which goes on with the episode
    that it was in: its task, context and the steps that were left. Chance goes on, it is not
    repeated, and so does a `JumpStartCurriculum`. `info["start"]` is the number of the start, None
    for an ordinary one. A `start` that the options of `reset` pin is not replaced.

    Args:
        env: A world, perhaps in wrappers.
        starts: Observations (N, n), such as those of a data set, or a list of them or of moments.
            It is not copied: what is appended later is drawn, too.
        probability: Of beginning at one of them.

    Raises:
        TypeError: If the starts are no list.
        ValueError: If it is no probability; in `reset` if there is no start, or an episode that is
            over is to go on.

    Example:
        >>> import zerogym
        >>> env = SnapshotStart(gym.make("zerogym/PointMaze-v0"), [(0.5, 0.5), (2.5, 2.5)])
        >>> obs, info = env.reset(seed=0)
        >>> obs.tolist(), info["start"]
        ([0.5, 0.5], 0)
    """

    def __init__(
        self, env: gym.Env[Any, Any], starts: Sequence[Any] | Any, probability: float = 1.0
    ) -> None:
        super().__init__(env, starts=starts, probability=probability)
        if not hasattr(starts, "__len__") or isinstance(starts, str | bytes | Mapping):
            raise TypeError(f"SnapshotStart: starts must be a list, got {shown(starts)}")
        self.starts = starts
        self.probability = number(probability, "SnapshotStart: probability", 0, 1)

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode, perhaps at a stored start."""
        self.reseed(seed)
        stored = self.rng.random() < self.probability
        if "start" in (options or {}) or not stored:
            obs, info = self.env.reset(seed=seed, options=options)
            return obs, info | {"start": None}
        if not len(self.starts):
            raise ValueError("SnapshotStart: there are no starts to draw from yet")
        number = int(self.rng.integers(len(self.starts)))
        start = self.starts[number]
        if isinstance(start, Moment):
            obs, info = self._back_to(start, number, seed, options)
        else:
            pinned = {"start": np.asarray(start)}
            obs, info = self.env.reset(seed=seed, options=dict(options or {}) | pinned)
        return obs, info | {"start": number}

    def _back_to(self, moment: Moment, number: int, seed: int | None, options: Options) -> Start:
        self.env.reset(seed=seed, options=options)
        drawing = snapshots.generators(self.env)
        fresh = [copy.deepcopy(generator.bit_generator.state) for generator in drawing]
        inside = snapshots.layers(self.env)
        curricula = [layer for layer in inside if isinstance(layer, JumpStartCurriculum)]
        learnt = [(layer, layer.progress) for layer in curricula]
        snapshots.set_state(self.env, moment.state)
        for layer, progress in learnt:
            layer.progress = progress
        for generator, state in zip(snapshots.generators(self.env), fresh, strict=True):
            generator.bit_generator.state = state
        if getattr(getattr(self.env.unwrapped, "_episode", None), "over", False):
            raise ValueError(f"SnapshotStart: start {number} is the end of an episode")
        return copy.deepcopy(moment.observation), dict(moment.info)
