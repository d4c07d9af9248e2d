"""The episodes of one training step: rolled out, filtered, refilled, described."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from zerogym.agents.llm.advantages import all_equal
from zerogym.agents.llm.evaluation import summarise
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout import Player, rollout_groups
from zerogym.agents.llm.worlds import Worlds
from zerogym.agents.trajectory import Trajectory
from zerogym.errors import SandboxUnavailable

Groups = list[list[Trajectory]]


@dataclass(frozen=True)
class Batch:
    """What one step has played.

    Attributes:
        groups: What is trained on.
        rolled_out: All groups, those without a use included.
        metrics: What they looked like.
    """

    groups: Groups
    rolled_out: Groups
    metrics: dict[str, float]


def collect(
    worlds: Worlds,
    config: GRPOConfig,
    rng: np.random.Generator,
    make_player: Callable[[int], Player],
) -> Batch:
    """Play the groups of a step, `config.prompts_per_step` of them.

    With `refills` above 0, groups whose rewards are all equal are dropped and others are played in
    their place, so many times at most: dynamic sampling, "DAPO: An Open-Source LLM Reinforcement
    Learning System at Scale" (2025, arXiv 2503.14476), judged on what the environment paid. If that
    is not enough the batch is smaller, or empty.

    Args:
        worlds: Where the problems come from.
        config: The settings of the run.
        rng: Draws the problems, and a seed for the player of each round.
        make_player: The policy with the seed of its sampling.

    Raises:
        SandboxUnavailable: If tools failed in all episodes.
    """
    refills, wanted = config.algorithm.refills, config.prompts_per_step
    rolled_out: Groups = []
    counted: Groups = []
    useful: Groups = []
    rounds = 0
    while len(useful) < wanted and rounds <= refills:
        seeds = rng.integers(2**31, size=wanted - len(useful)).tolist()
        player = make_player(int(rng.integers(2**63)))
        fresh = rollout_groups(worlds, seeds, config.group_size, player, config.asynchronous)
        rolled_out += [[_numbered(t, rolled_out) for t in group] for group in fresh]
        counted = _counted(rolled_out, config.algorithm.peers)
        useful = [group for group in counted if not (refills and _is_equal(group))]
        rounds += 1
    metrics = _describe(counted)
    if refills:
        metrics |= {"rollout/rounds": float(rounds), "rollout/groups": float(len(useful))}
    return Batch(useful, rolled_out, metrics)


def _numbered(trajectory: Trajectory, before: Groups) -> Trajectory:
    """With numbers that come after those of the groups before."""
    episodes = sum(len(group) for group in before)
    return replace(
        trajectory, episode=trajectory.episode + episodes, group=trajectory.group + len(before)
    )


def _counted(groups: Groups, least: int) -> Groups:
    """Groups without the episodes in which a tool failed by itself, those with `least` of others.

    Raises:
        SandboxUnavailable: If nothing is left.
    """
    kept = [[trajectory for trajectory in group if trajectory.counts] for group in groups]
    kept = [group for group in kept if len(group) >= least]
    if not kept:
        raise SandboxUnavailable("tools of the environment failed in all episodes of a step")
    return kept


def _is_equal(group: Sequence[Trajectory]) -> bool:
    return all_equal([trajectory.reward for trajectory in group])


def _describe(groups: Groups) -> dict[str, float]:
    """What the rollouts of a step looked like."""
    everything = [trajectory for group in groups for trajectory in group]
    turns = [turn for trajectory in everything for turn in trajectory.replies]
    tokens = [sum(len(turn.action_ids) for turn in item.turns) for item in everything]
    outcome = summarise(everything)
    metrics = {
        "rollout/reward": outcome.reward,
        "rollout/turns": len(turns) / len(everything),
        "rollout/tokens": sum(tokens) / len(everything),
        "rollout/shortest": float(min(tokens)),
        "rollout/longest": float(max(tokens)),
        "rollout/unfinished": sum(turn.finish != "stop" for turn in turns) / max(1, len(turns)),
        "rollout/equal_groups": sum(map(_is_equal, groups)) / len(groups),
    }
    return metrics if outcome.accuracy is None else metrics | {"rollout/accuracy": outcome.accuracy}
