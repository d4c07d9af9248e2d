"""The episodes of one training step: rolled out, filtered, refilled, described.

A game is played by the model in all its seats. A group holds the trajectories of one seat in the
episodes of one deal (the same seed), so that each return is compared with the same seat's returns
with the same cards; over the seats of a zero-sum game the mean would be 0. That roles need
baselines of their own is the idea of "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning
via Multi-Agent Multi-Turn Reinforcement Learning" (2025, arXiv 2506.24119), whose moving averages
over the training are left out. So are past selves as opponents in training. `reinforce_pp` and
`ppo`, which use no groups, put all seats on one scale.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from zerogym.agents.llm.algorithms.advantages.group_relative import all_equal
from zerogym.agents.llm.algorithms.episode_tables import without_dropped
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.context_window import CONTEXTS
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import summarise
from zerogym.agents.llm.rollout.runner import Player, Players, rollout_groups
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.registry import game_of
from zerogym.errors import SandboxUnavailable

Groups = list[list[Trajectory]]
Roll = Callable[[Environments, Sequence[int], int, Players, bool], Groups]


@dataclass(frozen=True)
class Batch:
    """The episodes of one step.

    Attributes:
        groups: The groups that are trained on.
        rolled_out: All groups, those without a use included.
        metrics: Statistics of the rollouts.
    """

    groups: Groups
    rolled_out: Groups
    metrics: dict[str, float]


def player_of(config: GRPOConfig, engine: Generator, seed: int) -> Player:
    """Return the player of an engine, with the settings of a run."""
    sampling = Sampling(
        config.max_new_tokens, config.temperature, stop=tuple(config.stop), seed=seed
    )
    return Player(
        engine, sampling, config.chat, config.system,
        context=CONTEXTS.make(config.context), budget=config.budget,
    )  # fmt: skip


def collect(
    envs: Environments,
    config: GRPOConfig,
    rng: np.random.Generator,
    make_players: Callable[[int], Players],
    roll: Roll = rollout_groups,
) -> Batch:
    """Play the groups of a step: of `config.prompts_per_step` problems, one for each seat.

    Not in the groups are episodes in which a seat never moved, and those that a filter drops.

    With `refills` above 0, groups whose rewards are all equal are dropped and others are played in
    their place (for problems of which no seat's group is left), so many times at most: dynamic
    sampling, "DAPO: An Open-Source LLM Reinforcement Learning System at Scale" (2025, arXiv
    2503.14476), judged on the environment's rewards. If that is not enough the batch is smaller, or
    empty.

    Args:
        envs: The environments of the problems.
        config: The settings of the run.
        rng: Generator of the problems' seeds, and of a seed for the player of each round.
        make_players: Makes the policy with the seed of its sampling.
        roll: Plays the groups.

    Raises:
        SandboxUnavailable: If tools failed in all episodes.
    """
    refills, target = config.algorithm.refills, config.prompts_per_step
    least = config.algorithm.minimum_group
    rolled_out: Groups = []
    counted: Groups = []
    useful: Groups = []
    rounds = 0
    while _problems(useful) < target and rounds <= refills:
        seeds = rng.integers(2**31, size=target - _problems(useful)).tolist()
        players = make_players(int(rng.integers(2**63)))
        fresh = roll(envs, seeds, config.group_size, players, config.asynchronous)
        fresh = _numbered(fresh, rolled_out)
        rolled_out += fresh
        fresh = _filtered(fresh, least, lambda item: item.counts)
        counted += fresh
        if not counted:
            raise SandboxUnavailable("tools of the environment failed in all episodes of a step")
        if game_of(envs.env_id) is not None:
            fresh = _filtered(fresh, least, lambda item: bool(item.turns))
        fresh = _filtered(without_dropped(config.algorithm.filters, fresh), least, lambda _: True)
        useful += [group for group in fresh if not (refills and _is_equal(group))]
        rounds += 1
    metrics = _describe(counted)
    if refills:
        metrics |= {"rollout/rounds": float(rounds), "rollout/groups": float(_problems(useful))}
    return Batch(useful, rolled_out, metrics)


def _problems(groups: Groups) -> int:
    """Return the number of problems; each seat has a group of its own."""
    return len({group[0].group for group in groups})


def _numbered(groups: Groups, before: Groups) -> Groups:
    """Renumber groups and episodes after those of the groups before."""
    episodes = len({trajectory.episode for group in before for trajectory in group})
    problems = _problems(before)
    return [
        [
            replace(
                t,
                episode=t.episode + episodes,
                group=t.group + problems,
                parent=None if t.parent is None else t.parent + episodes,
            )
            for t in group
        ]
        for group in groups
    ]


def _filtered(groups: Groups, least: int, keep: Callable[[Trajectory], bool]) -> Groups:
    """Return groups without some of their episodes, those with at least so many others."""
    kept = [[trajectory for trajectory in group if keep(trajectory)] for group in groups]
    return [group for group in kept if len(group) >= least]


def _is_equal(group: Sequence[Trajectory]) -> bool:
    return all_equal([trajectory.reward for trajectory in group])


def _describe(groups: Groups) -> dict[str, float]:
    """Return statistics of the rollouts of a step."""
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
    if outcome.accuracy is not None:
        metrics["rollout/accuracy"] = outcome.accuracy
    seats = sorted({trajectory.seat for trajectory in everything})
    for seat in seats if len(seats) > 1 else ():
        own = [trajectory for trajectory in everything if trajectory.seat == seat]
        metrics[f"rollout/reward_{seat}"] = summarise(own).reward
    return metrics
