"""The episodes of one training step: rolled out, filtered, refilled, described.

A game is played by the model in all its seats. A group holds the trajectories of one seat in the
episodes of one deal (the same seed), so that each return is compared with the same seat's returns
with the same cards; over the seats of a zero-sum game the mean would be 0. That roles need
baselines of their own is the idea of "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning
via Multi-Agent Multi-Turn Reinforcement Learning" (2025, arXiv 2506.24119), whose moving averages
are the advantage `rae`. With an `opponent` the model has one seat of each episode (`seats`).
`reinforce_pp` and `ppo`, which use no groups, put all seats on one scale.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from zerogym.agents.llm.algorithms.batch import all_equal
from zerogym.agents.llm.algorithms.rollout_tables import Outcome, Step
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.context_window import CONTEXTS
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import summarise
from zerogym.agents.llm.rollout.planned import play_planned
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.runner import Player, Players
from zerogym.agents.llm.training.prompt_states import json_copy
from zerogym.agents.llm.training.rounds import DrawPrompts, Roll, Rounds
from zerogym.agents.llm.training.seats.seating import by_opponent, seated
from zerogym.agents.trajectory import Trajectory
from zerogym.errors import SandboxUnavailable

Groups = list[list[Trajectory]]


@dataclass(frozen=True)
class Batch:
    """The episodes of one step.

    Attributes:
        groups: The groups that are trained on.
        rolled_out: All groups, those without a use included.
        metrics: Statistics of the rollouts.
        prompts: The prompt of each group, by the `group` of its episodes.
        state: What the rollouts part keeps for the next step.
    """

    groups: Groups
    rolled_out: Groups
    metrics: dict[str, float]
    prompts: Sequence[Prompt] = field(default_factory=tuple)
    state: Mapping[str, Any] = field(default_factory=dict)

    def outcomes(self, advantages: Sequence[float] | None) -> list[Outcome]:
        """Return what became of each prompt.

        Args:
            advantages: The mean absolute advantage of each of the `groups`; None if not computed.
        """
        episodes: list[list[Trajectory]] = [[] for _ in self.prompts]
        for group in self.rolled_out:
            episodes[group[0].group] += [each for each in group if each.counts]
        sizes: dict[int, list[float]] = {}
        for group, size in zip(self.groups, advantages or (), strict=False):
            sizes.setdefault(group[0].group, []).append(size)
        means = {number: sum(found) / len(found) for number, found in sizes.items()}
        return [
            Outcome(prompt, own, means.get(number))
            for number, (prompt, own) in enumerate(zip(self.prompts, episodes, strict=True))
        ]


def player_of(config: GRPOConfig, engine: Generator, seed: int) -> Player:
    """Return the player of an engine, with the settings of a run."""
    sampling = Sampling(
        config.max_new_tokens, config.temperature, stop=tuple(config.stop), seed=seed
    )
    return Player(
        engine, sampling, config.chat, config.system,
        context=CONTEXTS.make(config.context), budget=config.budget,
        surveys=config.algorithm.surveys,
    )  # fmt: skip


def collect(
    envs: Environments,
    config: GRPOConfig,
    rng: np.random.Generator,
    make_players: Callable[[int], Players],
    roll: Roll = play_planned,
    state: Mapping[str, Any] | None = None,
    kept: Mapping[str, Any] | None = None,
    updates: int = 0,
) -> Batch:
    """Play the groups of a step: of `config.prompts_per_step` problems, one for each seat.

    The prompts are those of the run's part, and its `rollouts` part requests their episodes.
    Not in the groups are episodes in which a seat never moved, and those that a filter drops.

    Args:
        envs: The environments of the run's task.
        config: The settings of the run.
        rng: Generator of the prompts, and of a seed for the player of each round.
        make_players: Makes the policy with the seed of its sampling.
        roll: Plays the episodes.
        state: What the part of the prompts has learned; None: nothing yet.
        kept: What the rollouts part kept in the step before; None: nothing yet.
        updates: Number of updates of the run before.

    Raises:
        SandboxUnavailable: If tools failed in all episodes.
        PartFailed: If one of the parts fails.
    """
    part, least = config.algorithm.rolling, config.algorithm.minimum_group
    others = config.others
    seat = partial(seated, opponent=others, step=updates, envs=envs, rng=rng) if others else None
    draw = DrawPrompts(config.source, state or {}, envs.task, rng, seat)
    rounds = Rounds(envs, config, rng, make_players, roll)
    own = json_copy(part, kept or {})
    [own_rng] = rng.spawn(1)  # which leaves the numbers of `rng` as they are
    step = Step(config.prompts_per_step, config.group_size, least, draw, own_rng, own)
    taken = _learning(rounds.take(step), config.learns)
    useful = [group for group in taken if len(group) >= least]
    rolled_out = rounds.groups
    counted = _filtered(rolled_out, least)
    if not counted:
        raise SandboxUnavailable("tools of the environment failed in all episodes of a step")
    metrics = _describe(counted)
    metrics |= {f"rollouts/{name}": float(value) for name, value in step.metrics.items()}
    if not part.one_round:
        groups = float(len({group[0].group for group in useful}))
        metrics |= {"rollout/rounds": float(rounds.rounds), "rollout/groups": groups}
    names = {task.name: name for name, task in config.source.task_specs(envs.task).items()}
    if len(names) > 1:
        metrics |= _by_task(counted, rounds.prompts, names)
    metrics |= by_opponent(counted, rounds.prompts)
    return Batch(useful, rolled_out, metrics, rounds.prompts, json_copy(part, step.state))


def _learning(groups: Groups, learns: Sequence[str]) -> Groups:
    """Return the episodes in which a role or seat learns, with the turns of others frozen."""
    if not learns:
        return groups
    kept: Groups = []
    for group in groups:
        kept.append([])
        for item in group:
            others = [
                number
                for number, turn in enumerate(item.turns)
                if item.seat not in learns and turn.role not in learns
            ]
            if len(others) < len(item.turns):
                kept[-1].append(replace(item, frozen=tuple(others)))
    return kept


def _by_task(
    groups: Groups, prompts: Sequence[Prompt], names: Mapping[str, str]
) -> dict[str, float]:
    """Return the mean reward of each task that was posed; the run's own has the name `own`."""
    found: dict[str, list[float]] = {}
    for group in groups:
        name = names.get(prompts[group[0].group].task.name, "") or "own"
        found.setdefault(name, []).extend(each.reward for each in group)
    return {
        f"rollout/reward_{name}": sum(rewards) / len(rewards)
        for name, rewards in sorted(found.items())
    }


def _filtered(groups: Groups, least: int) -> Groups:
    """Return the groups with at least so many episodes that count, without the others."""
    kept = [[trajectory for trajectory in group if trajectory.counts] for group in groups]
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
    surveys = [posed for trajectory in everything for posed in trajectory.surveys]
    if surveys:
        metrics["rollout/belief"] = sum(posed.right for posed in surveys) / len(surveys)
    rates = defaultdict[str, list[float]](list)  # an episode without a rate does not count for it
    for name, value in (pair for trajectory in everything for pair in trajectory.info.items()):
        if name.startswith("rate_") and isinstance(value, (int, float)):
            rates[name].append(value)
    metrics |= {f"rollout/{name}": fmean(values) for name, values in sorted(rates.items())}
    seats = sorted({trajectory.seat for trajectory in everything})
    for seat in seats if len(seats) > 1 else ():
        own = [trajectory for trajectory in everything if trajectory.seat == seat]
        metrics[f"rollout/reward_{seat}"] = summarise(own).reward
    return metrics
