"""The seats of a training game: one for the learner, the others for an opponent of the run.

Each prompt of a game gets a seat for the learner, all alike, and an opponent in all others; its
group of episodes has the same. Opponents that are made from a record (chance, scripts, searches,
other models) move inside the environment; earlier weights of the run reply in calls of their own,
each with all episodes that wait for it (`earlier_players.py`). What they wrote is not trained on.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.llm.rollout.rollout_env import AECEnv
from zerogym.agents.self_play.opponents.table import Opponent
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.registry import game_of

_AFTER = "after "  # the name of a player with earlier weights is this and a number of updates


def check_games(
    opponent: Opponent | None, tasks: Mapping[str, TaskSpec], envs: Environments
) -> None:
    """Refuse an opponent of a run in whose games it cannot play.

    Args:
        opponent: The opponent of the run, if any.
        tasks: The tasks of the run by name.
        envs: Environments of any task.

    Raises:
        ValueError: If no task is a game with all its seats.
        UnknownName: If a game has no such opponent.
    """
    if opponent is None:
        return
    games = [task for task in tasks.values() if game_of(task.env) is not None]
    if not games:
        ids = ", ".join(sorted({task.env for task in tasks.values()}))
        raise ValueError(f"opponent is for games by their PettingZoo ids, of which {ids} is none")
    for own in map(envs.of, games):
        env = own.take()
        if isinstance(env, AECEnv):
            opponent.check(env.rules)
        own.give_back(env)


def seated(
    prompts: Iterable[Prompt],
    opponent: Opponent,
    step: int,
    envs: Environments,
    rng: np.random.Generator,
) -> list[Prompt]:
    """Return prompts with opponents in all seats but one of each game.

    Args:
        prompts: The prompts; those of tasks with one seat stay as they are.
        opponent: The opponent of the run.
        step: Updates of the run before.
        envs: Environments of any task.
        rng: Of the draws.
    """
    found = []
    for prompt in prompts:
        met = opponent.meet(step, rng) if game_of(prompt.task.env) is not None else None
        if met is not None:
            seats = envs.of(prompt.task).seats
            own = seats[int(rng.integers(len(seats)))]
            other = name_of(met) if isinstance(met, int) else met
            others = dict.fromkeys((seat for seat in seats if seat != own), other)
            prompt = replace(prompt, others=others)
        found.append(prompt)
    return found


def name_of(updates: int) -> str:
    """Return the name of the player with the weights after so many updates."""
    return f"{_AFTER}{updates}"


def updates_of(name: str) -> int | None:
    """Return after how many updates the run had a player's weights; None: it is the learner."""
    return int(name.removeprefix(_AFTER)) if name.startswith(_AFTER) else None


def by_opponent(
    groups: Sequence[Sequence[Trajectory]], prompts: Sequence[Prompt]
) -> dict[str, float]:
    """Return the learner's mean reward against each kind of opponent, for the log."""
    rewards: dict[str, list[float]] = defaultdict(list)
    for group in groups:
        for other in list(prompts[group[0].group].others.values())[:1]:
            kind = other["part"] if isinstance(other, Mapping) else _kind(other)
            rewards[kind] += [each.reward for each in group]
    return {
        f"rollout/reward_against_{kind}": sum(own) / len(own)
        for kind, own in sorted(rewards.items())
    }


def _kind(name: str) -> str:
    return "past" if updates_of(name) else "start"
