"""One cell of the table: an agent is evaluated in a world."""

import dataclasses
import hashlib
import time
import traceback
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from zerogym.benchmarks.league.game_value import exact_payoff
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import (
    EXACT,
    Agent,
    Episode,
    ModelCache,
    PolicyMaker,
    Variant,
    World,
)
from zerogym.benchmarks.suites.episodes import play
from zerogym.errors import MissingExtra, ModelNotFound

FIRST_SEED = 1_000_000  # far from the small seeds that people train with
KEPT_EPISODES = 3  # transcripts or paths a variant
KEPT_VARIANTS = 4  # variants of a world that keep them
SHOWN_HANDS = 3  # episodes played beside an exact value, to be read


def run_cell(world: World, agent: Agent, cache: ModelCache) -> Record:
    """Build the policy, play, and return a `cell` record; a failure returns an `error` record.

    KeyboardInterrupt passes: it is the user's, not the cell's.
    """
    started = time.monotonic()
    base = {"world": world.name, "contender": agent.name, "key": key(world, agent.name)}
    before = _costs(agent, cache)
    try:
        episodes = evaluate(world, agent, cache)
    except (MissingExtra, ModelNotFound) as error:
        return base | {"kind": "error", "missing": True, "message": str(error)}
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return base | {
            **_spent(before, _costs(agent, cache)),
            "kind": "error",
            "missing": False,
            "message": message[:500],
            "detail": traceback.format_exc()[-4000:],
        }
    return base | {
        **_spent(before, _costs(agent, cache)),
        "kind": "cell",
        "seconds": round(time.monotonic() - started, 2),
        "episodes": [dataclasses.asdict(episode) for episode in episodes],
    }


def _costs(agent: Agent, cache: ModelCache) -> dict[str, float]:
    """Return the costs that a server has reported for this agent; empty if there is none."""
    usage = getattr(cache.made.get(agent.name), "usage", None)
    return {} if usage is None else usage.costs()


def _spent(before: dict[str, float], after: dict[str, float]) -> dict[str, Any]:
    spent = {name: value - before.get(name, 0) for name, value in after.items()}
    return {"cost": spent} if spent else {}


def evaluate(world: World, agent: Agent, cache: ModelCache) -> list[Episode]:
    """Play and return all episodes of one cell, over all variants of the world."""
    make_policy = agent.build(world, cache)
    count = SHOWN_HANDS if world.measure == "game_tree" else world.episodes_for(agent.name)
    seeds = episode_seeds(count, cache.seed)
    episodes: list[Episode] = []
    for index, variant in enumerate(world.variants):
        envs = make_envs(world, variant, agent, min(world.batch, len(seeds)))
        try:
            policy = make_policy(envs, variant)
            keep = KEPT_EPISODES if index < KEPT_VARIANTS else 0
            episodes += play(envs, policy, seeds, variant.name, agent.deterministic, keep)
        finally:
            for env in envs:
                env.close()
        if world.measure == "game_tree":
            episodes.append(_exact(world, variant, agent, make_policy))
    return episodes


def _exact(world: World, variant: Variant, agent: Agent, make: PolicyMaker) -> Episode:
    """Return the exact value in the place of many episodes."""
    envs = make_envs(world, variant, agent, 1)
    return Episode(variant.name, EXACT, exact_payoff(envs[0], make(envs, variant)), 0)


def episode_seeds(count: int, seed: int) -> list[int]:
    """Return the seeds of the episodes; agents share them, so that their results are paired."""
    return [FIRST_SEED * (seed + 1) + i for i in range(count)]


def make_envs(
    world: World, variant: Variant, agent: Agent, count: int
) -> Sequence[gym.Env[Any, Any]]:
    """Make a batch of one world's environments in the view that the agent reads."""
    view = {"view": agent.view} if world.two_views else {}
    kwargs = {**world.kwargs, **variant.kwargs, **view}
    return [gym.make(world.env_id, **kwargs) for _ in range(count)]


def key(world: World, agent: str) -> str:
    """Return the fingerprint of a cell: a changed suite does not reuse old cells."""
    variants = [(v.name, sorted(v.kwargs.items())) for v in world.variants]
    kwargs = sorted(world.kwargs.items())
    played = (world.name, world.env_id, kwargs, variants, world.measure, world.training_task)
    text = repr((played, world.episodes_for(agent), agent))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
