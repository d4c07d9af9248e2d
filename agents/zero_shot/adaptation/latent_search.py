"""A better z for one task, searched in the environment itself; the networks stay as they are.

LoLA of "Fast Adaptation with Behavioral Foundation Models" (2025, arXiv 2504.07896): z are drawn
around the current one, each acts from the same starts, and what they earn, less the mean of the
others (leave-one-out), says where to move: the score function's gradient. After `horizon` steps a
value that is never trained stands for the rest of the episode. Our choice: all z are on the sphere;
half of the directions tried are goals of the training data instead of normal noise; a step has a
fixed length and is taken from the best z so far; and in the end that z is kept only if it also
earns more than the first one in episodes that the search did not see. Left out: starts in states
of the training data, where most environments cannot be put. `residual.py` has ReLA, which learns a
critic of what the first z misses.

A wide search (`spread` 1) mends a z that is wrong; one that is nearly right it seldom improves.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.settings import check_types
from zerogym.agents.zero_shot.data.histories import HistoryState
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.policy import FixedTask, respond
from zerogym.agents.zero_shot.models.reward_scale import reward_scale
from zerogym.envs.control.core.tasks import Task

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class SearchConfig:
    """How to search.

    Raises:
        TypeError: If a value is of a wrong type; the message names it.
        ValueError: If a number is outside its range; the message names it.
    """

    budget: int = 30_000  # environment steps, the judgement in the end included
    tried: int = 12  # z drawn around the current one in each round
    starts: int = 4  # episodes of each z, from the same starts for all
    horizon: int = 0  # steps before the frozen value stands for the rest; 0: whole episodes
    gamma: float = 1.0  # discount a step; with a horizon, that of the training
    spread: float = 1.0  # length of what is added to a z to try others, in lengths of z
    rate: float = 0.6  # length of a step, in lengths of z
    seed: int = 0  # of the z drawn and of the starts

    def __post_init__(self) -> None:
        check_types(self)
        for name, least in (
            ("budget", 1),
            ("tried", 2),
            ("starts", 1),
            ("horizon", 0),
            ("seed", 0),
        ):
            if getattr(self, name) < least:
                raise ValueError(
                    f"SearchConfig.{name} must be at least {least}, got {getattr(self, name)}"
                )
        for name in ("spread", "rate"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"SearchConfig.{name} must be above 0, got {getattr(self, name)}")
        if not 0 <= self.gamma <= 1 or (self.horizon > 0 and self.gamma == 1):
            raise ValueError(
                f"SearchConfig.gamma must be in [0, 1], below 1 with a horizon, got {self.gamma}"
            )


@dataclass(frozen=True, eq=False)
class Adapted:
    """What a search, or `residual.py`, found.

    Attributes:
        z: (d,); the first one itself if nothing better was found.
        before: Mean return of the first z in the episodes of the judgement.
        after: That of `z` in the same episodes; never below `before`.
        steps: Environment steps used.
        history: Mean return of the current z in each round, in the episodes of the search.
    """

    z: Floats
    before: float
    after: float
    steps: int
    history: tuple[float, ...]


def adapt(
    model: FBModel,
    z: ArrayLike,
    make: Callable[[], gym.Env[Any, Any]],
    config: SearchConfig | None = None,
    task: Task | None = None,
) -> Adapted:
    """Search the sphere for a z that earns more than the given one.

    Args:
        model: A trained model; it is not changed.
        z: Where to begin (d,), from `model.infer`.
        make: The environment with its task; called once for each z that acts at a time.
        config: Settings; None for those above.
        task: What the environment pays; only a horizon needs it, for the value's unit.

    Raises:
        ValueError: If `z` does not fit the model, or a horizon is given and no task.
    """
    chosen, first = config or SearchConfig(), FixedTask(model, z).z
    scale = 0.0
    if chosen.horizon > 0:
        if task is None:
            raise ValueError("a horizon needs the task: without it a value has no unit")
        scale = reward_scale(model, first, task)
    envs = [make() for _ in range(chosen.tried + 1)]
    try:
        return _Search(model, first, envs, chosen, scale).run()
    finally:
        for env in envs:
            env.close()


class _Search:
    def __init__(
        self,
        model: FBModel,
        first: Floats,
        envs: Sequence[gym.Env[Any, Any]],
        config: SearchConfig,
        scale: float,
    ) -> None:
        self.model, self.first, self.envs, self.config = model, first, envs, config
        self.value = torch.as_tensor(scale * first)  # (d,): F'value is in the unit of the rewards
        self.rng, self.steps = np.random.default_rng(config.seed), 0

    def run(self) -> Adapted:
        config, current, history = self.config, self.first, list[float]()
        best, most, cost = self.first, -math.inf, 0
        seen = range(config.seed, config.seed + config.starts)
        # The judgement plays two z, a round one more than are tried.
        while self.steps + cost * (1 + 2 / (config.tried + 1)) <= config.budget:
            before = self.steps
            ways = self._ways()
            tried = _to_sphere(np.vstack([current[None], current + config.spread * ways]))
            earned = self._earned(tried, seen)  # (1 + tried,)
            history.append(float(earned[0]))
            if earned.max() > most:
                best, most = tried[earned.argmax()], float(earned.max())
            current = _to_sphere(best + config.rate * uphill(ways, earned[1:]))
            cost = self.steps - before
        unseen = range(seen.stop, seen.stop + config.starts)
        start, found = self._earned(np.stack([self.first, best]), unseen)
        if found <= start:
            best, found = self.first, start
        return Adapted(best, float(start), float(found), self.steps, tuple(history))

    def _ways(self) -> Floats:
        """Directions in which z are tried, (tried, d), of length sqrt(d) or about that."""
        size = (self.config.tried, len(self.first))
        ways = self.rng.standard_normal(size, dtype=np.float32)
        places = self.model.samples.next_observations
        # In high dimensions hardly any direction leads somewhere: half of them are places.
        chosen = places[self.rng.integers(len(places), size=self.config.tried // 2)]
        ways[: len(chosen)] = [self.model.infer_goal(place) for place in chosen]
        return ways

    def _earned(self, tasks: Floats, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Mean return of each z over the same starts; (k, d) to (k,)."""
        return np.mean([self._episode(tasks, seed) for seed in seeds], axis=0)

    def _episode(self, tasks: Floats, seed: int) -> NDArray[np.float64]:
        """What an episode of each z earns, (k,); where a horizon cuts it, with the frozen value."""
        earned, discount, age = np.zeros(len(tasks)), 1.0, 0
        seen = np.stack([env.reset(seed=seed)[0] for env in self.envs[: len(tasks)]])
        going, state = np.arange(len(tasks)), None
        while len(going) and not 0 < self.config.horizon <= age:
            actions, state = respond(self.model, tasks[going], seen[going], state)
            over = list[bool]()
            for number, action in zip(going, actions, strict=True):
                seen[number], paid, ended, cut, _ = self.envs[int(number)].step(action)
                earned[number] += discount * float(paid)
                over.append(ended or cut)
            self.steps += len(going)
            still, age, discount = ~np.array(over), age + 1, discount * self.config.gamma
            going, state = going[still], None if state is None else state.of(still)
        if len(going):
            earned[going] += discount * self._values(seen[going], tasks[going], state)
        return earned

    @torch.no_grad()
    def _values(self, seen: Floats, tasks: Floats, state: HistoryState | None) -> Floats:
        """What the policies of z (n, d) will still earn, as the first z counts it; (n,)."""
        features = self.model.features(seen if state is None else self.model.recall(seen, state))
        forward = self.model.forward_chosen(features, torch.as_tensor(tasks))  # (n, d)
        found: Floats = (forward @ self.value).numpy()
        return found


def uphill(noise: Floats, earned: NDArray[np.float64]) -> Floats:
    """The score function's gradient with a leave-one-out baseline, at the length of a z; (d,).

    Zero where all earned the same.
    """
    others = (earned.sum() - earned) / (len(earned) - 1)
    gradient = (earned - others).astype(np.float32) @ noise  # (d,)
    length = np.linalg.norm(gradient)
    return gradient if length == 0 else math.sqrt(len(gradient)) * gradient / length


def _to_sphere(tasks: Floats) -> Floats:
    """To length sqrt(d), along the last dimension."""
    size = math.sqrt(tasks.shape[-1])
    return size * tasks / np.linalg.norm(tasks, axis=-1, keepdims=True)
