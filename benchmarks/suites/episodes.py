"""Play episodes: a batch of environments, one policy, every episode kept.

Which episodes are played is fixed by their seeds before the first step, so a policy that ends its
episodes early is not counted more often.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import gymnasium as gym
import numpy as np

from zerogym.agents.core import Policy
from zerogym.benchmarks.results.schema import Episode, Turn

MAX_STEPS = 10_000  # an environment without an end would never return
MAX_TURN_TEXT = 4_000  # characters of one turn that a transcript keeps


@dataclass
class _Seat:
    """One environment of the batch and the episode it plays."""

    env: gym.Env[Any, Any]
    seed: int
    counted: bool
    observation: Any = None
    fresh: bool = True
    value: float = 0.0
    length: int = 0
    info: dict[str, Any] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    path: list[tuple[float, float]] = field(default_factory=list)

    def begin(self) -> None:
        self.observation, self.info = self.env.reset(seed=self.seed)
        self.fresh, self.value, self.length = True, 0.0, 0
        self.turns, self.path = [], []
        self.note("world", self.observation)

    def note(self, role: str, item: Any) -> None:
        """Keep what can be shown later: texts, and points of the plane."""
        if isinstance(item, str):
            self.turns.append(Turn(role, item[:MAX_TURN_TEXT]))
        elif role == "world" and isinstance(item, np.ndarray) and item.shape == (2,):
            self.path.append((round(float(item[0]), 4), round(float(item[1]), 4)))

    def finish(self, variant: str) -> Episode:
        """Return the record of the episode, with all that can be shown of it.

        Raises:
            RuntimeError: If a tool failed by itself, so that the episode says nothing.
        """
        if self.info.get("unavailable"):
            raise RuntimeError(f"a tool failed by itself in the episode of seed {self.seed}")
        score, success = self.info.get("score"), self.info.get("success")
        return Episode(
            variant,
            self.seed,
            self.value,
            self.length,
            None if score is None else float(score),
            None if success is None else bool(success),
            tuple(self.turns),
            tuple(self.path),
            self.info.get("sandbox"),
        )


def play(
    envs: Sequence[gym.Env[Any, Any]],
    policy: Policy,
    seeds: Sequence[int],
    variant: str = "default",
    deterministic: bool = True,
    keep: int = 0,
) -> list[Episode]:
    """Play one episode for each seed.

    Args:
        envs: The batch; a policy that is bound to environments must be bound to these.
        policy: Gets the observations of all environments at once.
        seeds: Seeds of the episodes.
        variant: Written into the episodes.
        deterministic: Passed to `predict`.
        keep: How many of the first episodes keep their transcript or path; if any does, the best,
            the worst and a typical one keep their transcript, too.

    Returns:
        The episodes in the order of `seeds`.

    Raises:
        RuntimeError: If an episode does not end within `MAX_STEPS` steps, or if a tool failed by
            itself in one.
    """
    waiting = list(seeds)
    seats = [_Seat(env, waiting.pop(0), True) for env in envs[: len(waiting)]]
    if len(seats) < len(envs):
        raise ValueError(f"{len(envs)} environments for {len(seats)} episodes: give fewer")
    for seat in seats:
        seat.begin()
    done: dict[int, Episode] = {}
    state: Any = None
    while len(done) < len(seeds):
        starts = np.array([seat.fresh for seat in seats])
        actions, state = policy.predict(_batch(seats), state, starts, deterministic)
        for seat, action in zip(seats, actions, strict=True):
            if _step(seat, action):
                if seat.counted:
                    done[seat.seed] = seat.finish(variant)
                # A seat without work left plays on uncounted: the batch keeps its shape.
                seat.counted = bool(waiting)
                seat.seed = waiting.pop(0) if waiting else seat.seed
                seat.begin()
    return _thinned([done[seed] for seed in seeds], keep)


def examples(values: Sequence[float], middle: float) -> dict[str, int]:
    """Return the places of the best, the worst and a typical value, each one only once.

    Args:
        values: Returns of the episodes to choose from, at least one.
        middle: The median return, which the typical one is nearest to.

    Example:
        >>> examples([0.0, 1.0, 0.5, 0.0], middle=0.0)
        {'best': 1, 'worst': 0, 'typical': 3}
        >>> examples([1.0, 1.0], middle=1.0)
        {'typical': 0}
    """
    places = range(len(values))
    best, worst = max(places, key=values.__getitem__), min(places, key=values.__getitem__)
    if values[best] == values[worst]:
        return {"typical": 0}
    found = {"best": best, "worst": worst}
    others = [place for place in places if place not in (best, worst)]
    typical = min(others, key=lambda place: abs(values[place] - middle), default=None)
    return found if typical is None else found | {"typical": typical}


def _thinned(episodes: list[Episode], keep: int) -> list[Episode]:
    """Return the episodes without the transcripts and paths that no report needs."""
    values = [episode.value for episode in episodes]
    chosen = set(examples(values, statistics.median_low(values)).values()) if keep else set()
    return [
        replace(
            episode,
            transcript=episode.transcript if n < keep or n in chosen else (),
            path=episode.path if n < keep else (),
        )
        for n, episode in enumerate(episodes)
    ]


def _step(seat: _Seat, action: Any) -> bool:
    """Take one step and return True if the episode is over."""
    seat.note("policy", action)
    observation, reward, terminated, truncated, info = seat.env.step(action)
    seat.observation, seat.info, seat.fresh = observation, info, False
    seat.value += float(reward)
    seat.length += 1
    seat.note("world", observation)
    if seat.length > MAX_STEPS:
        raise RuntimeError(f"{seat.env} did not end within {MAX_STEPS} steps")
    return bool(terminated or truncated)


def _batch(seats: Sequence[_Seat]) -> Any:
    """Observations of all seats as one batch: texts, an array, or a dict of arrays."""
    first = seats[0].observation
    if isinstance(first, str):
        return [cast(str, seat.observation) for seat in seats]
    if isinstance(first, dict):
        return {key: np.stack([seat.observation[key] for seat in seats]) for key in first}
    return np.stack([np.asarray(seat.observation) for seat in seats])
