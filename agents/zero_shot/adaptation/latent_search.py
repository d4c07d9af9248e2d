"""A better z for one task, searched in the environment itself; the networks stay as they are.

LoLA of "Fast Adaptation with Behavioral Foundation Models" (2025, arXiv 2504.07896): z are sampled
around the current one, each acts from the same starts, and their returns, less the mean of the
others (leave-one-out), give the score function's gradient. After `horizon` steps a frozen value
replaces the rest of the episode. Our choice: all z are on the sphere; half of the directions tried
are goals of the training data instead of normal noise; a step has a fixed length and starts from
the best z so far; the result is kept only if its return is also higher than that of the first z in
held-out episodes. Left out: starts in states of the training data, which most environments cannot
be set to. `residual.py` has ReLA, which learns a critic of the first z's error.

A wide search (`spread` 1) repairs a wrong z; it seldom improves one that is nearly right.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import check_types
from zerogym.agents.zero_shot.data.histories import HistoryState
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.policy import FixedTask
from zerogym.agents.zero_shot.models.reward_scale import reward_scale
from zerogym.agents.zero_shot.settings.checks import check_least
from zerogym.envs.control.core.tasks import Task

Floats = NDArray[np.float32]


@describe_fields
@dataclass(frozen=True)
class SearchConfig:
    """Settings of the search.

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
        check_least(self, budget=1, tried=2, starts=1, horizon=0, seed=0)
        for name in ("spread", "rate"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"SearchConfig.{name} must be above 0, got {getattr(self, name)}")
        if not 0 <= self.gamma <= 1 or (self.horizon > 0 and self.gamma == 1):
            raise ValueError(
                f"SearchConfig.gamma must be in [0, 1], below 1 with a horizon, got {self.gamma}"
            )


@dataclass(frozen=True, eq=False)
class Adapted:
    """The result of a search, or of `residual.py`.

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
    """Search the sphere for a z with a higher return than the given one.

    Args:
        model: A trained model; it is not changed.
        z: Where to begin (d,), from `model.infer`.
        make: The environment with its task; called once for each z that acts at a time.
        config: Settings; None for those above.
        task: The task of the environment; only a horizon needs it, for the value's unit.

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


@dataclass(eq=False)
class _Search:
    model: FBModel
    first: Floats
    envs: Sequence[gym.Env[Any, Any]]
    config: SearchConfig
    scale: float

    def __post_init__(self) -> None:
        self.value = torch.as_tensor(self.scale * self.first)  # (d,): F'value is in reward units
        self.rng, self.steps = np.random.default_rng(self.config.seed), 0

    def run(self) -> Adapted:
        config, current, history = self.config, self.first, list[float]()
        best, most, cost = self.first, -math.inf, 0
        seeds = range(config.seed, config.seed + config.starts)
        # The judgement plays two z, a round one more than are tried.
        while self.steps + cost * (1 + 2 / (config.tried + 1)) <= config.budget:
            before = self.steps
            directions = self._directions()
            tried = _to_sphere(np.vstack([current[None], current + config.spread * directions]))
            returns = self._returns(tried, seeds)  # (1 + tried,)
            history.append(float(returns[0]))
            if returns.max() > most:
                best, most = tried[returns.argmax()], float(returns.max())
            current = _to_sphere(best + config.rate * score_gradient(directions, returns[1:]))
            cost = self.steps - before
        fresh = range(seeds.stop, seeds.stop + config.starts)
        start, found = self._returns(np.stack([self.first, best]), fresh)
        if found <= start:
            best, found = self.first, start
        return Adapted(best, float(start), float(found), self.steps, tuple(history))

    def _directions(self) -> Floats:
        """Return directions in which z are tried, (tried, d), of length sqrt(d) or about that."""
        size = (self.config.tried, len(self.first))
        directions = self.rng.standard_normal(size, dtype=np.float32)
        places = self.model.samples.next_observations
        # In high dimensions few random directions reach any state: half of them are goals.
        chosen = places[self.rng.integers(len(places), size=self.config.tried // 2)]
        directions[: len(chosen)] = [self.model.infer_goal(place) for place in chosen]
        return directions

    def _returns(self, tasks: Floats, seeds: Sequence[int]) -> NDArray[np.float64]:
        """Return the mean return of each z over the same starts; (k, d) to (k,)."""
        return np.mean([self._episode(tasks, seed) for seed in seeds], axis=0)

    def _episode(self, tasks: Floats, seed: int) -> NDArray[np.float64]:
        """Return the return of one episode of each z, (k,), plus the frozen value at a horizon."""
        returns, discount, age = np.zeros(len(tasks)), 1.0, 0
        observations = np.stack([env.reset(seed=seed)[0] for env in self.envs[: len(tasks)]])
        going, state = np.arange(len(tasks)), None
        while len(going) and not 0 < self.config.horizon <= age:
            actions, state = self.model.predict(observations[going], tasks[going], state)
            done = list[bool]()
            for number, action in zip(going, actions, strict=True):
                env = self.envs[int(number)]
                observations[number], reward, terminated, truncated, _ = env.step(action)
                returns[number] += discount * float(reward)
                done.append(terminated or truncated)
            self.steps += len(going)
            still, age, discount = ~np.array(done), age + 1, discount * self.config.gamma
            going, state = going[still], None if state is None else state.of(still)
        if len(going):
            returns[going] += discount * self._values(observations[going], tasks[going], state)
        return returns

    @torch.no_grad()
    def _values(self, observations: Floats, tasks: Floats, state: HistoryState | None) -> Floats:
        """Return the frozen value of the first z under the policies of z (n, d); (n,)."""
        if state is not None:
            observations = self.model.recall(observations, state)
        features = self.model.features(observations)
        forward = self.model.forward_chosen(features, torch.as_tensor(tasks))  # (n, d)
        return (forward @ self.value).numpy()


def score_gradient(noise: Floats, returns: NDArray[np.float64]) -> Floats:
    """Return the score function's gradient with a leave-one-out baseline, scaled to length sqrt(d).

    Zero where all returns are equal.
    """
    others = (returns.sum() - returns) / (len(returns) - 1)
    gradient = (returns - others).astype(np.float32) @ noise  # (d,)
    length = np.linalg.norm(gradient)
    return gradient if length == 0 else math.sqrt(len(gradient)) * gradient / length


def _to_sphere(tasks: Floats) -> Floats:
    """Rescale the last dimension to length sqrt(d)."""
    size = math.sqrt(tasks.shape[-1])
    return size * tasks / np.linalg.norm(tasks, axis=-1, keepdims=True)
