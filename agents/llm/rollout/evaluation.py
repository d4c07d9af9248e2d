"""How well a player does on fixed problems, with an interval.

A game is played in its single-seat view, against a fixed opponent and from each of the seats: when
a policy plays itself, a zero-sum game pays its seats 0 on average however well they play. Left out:
exploitability, which `zerogym exploit` tells of games that are small enough.
"""

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator

from zerogym.agents.llm.rollout.environments import ONLY_SEAT, Environments
from zerogym.agents.llm.rollout.runner import Player, Players, rollout
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.registry import game_of, single_seat_id

_NORMAL_95 = 1.959964  # quantile of the normal distribution for a two-sided 95 % interval


@dataclass(frozen=True)
class Evaluation:
    """Outcome of n episodes.

    Attributes:
        episodes: n; episodes in which a tool failed by itself are not among them.
        reward: Mean reward of an episode; of a game over its seats, too.
        accuracy: Share of episodes that succeeded (`success` or `correct` in the last info);
            None where the environment says neither.
        low: Lower end of accuracy's 95 % Wilson interval; None with it.
        high: Its upper end.
    """

    episodes: int
    reward: float
    accuracy: float | None
    low: float | None
    high: float | None


def evaluate(
    worlds: Mapping[str, Environments],
    players: Players,
    seeds: Sequence[int],
    temperature: float = 0.0,
    asynchronous: bool = False,
) -> Evaluation:
    """Play one episode for each seed and seat; the default takes the most likely tokens.

    Args:
        worlds: For each seat, where its player has it: as `exams` gives them.
        players: One player for all seats, or one for each.
        seeds: Of the resets.
        temperature: Of the replies.
        asynchronous: As in `rollout`.

    Raises:
        ValueError: If tools failed in all episodes, so that none counts.
    """
    records: list[Trajectory] = []
    for seat, own in worlds.items():
        player = players if isinstance(players, Player) else players[seat]
        player = replace(player, sampling=replace(player.sampling, temperature=temperature))
        records += rollout(own, seeds, player, asynchronous=asynchronous)
    return summarise(records)


def summarise(trajectories: Sequence[Trajectory]) -> Evaluation:
    """Mean reward and accuracy of finished episodes, at least one of which must count."""
    trajectories = [item for item in trajectories if item.counts]
    if not trajectories:
        raise ValueError("no episode counts: there was none, or a tool was unavailable in each")
    count = len(trajectories)
    reward = sum(trajectory.reward for trajectory in trajectories) / count
    won = [outcome for item in trajectories if (outcome := succeeded(item)) is not None]
    if not won:
        return Evaluation(count, reward, None, None, None)
    # An episode that was cut before it said anything has failed.
    low, high = wilson(sum(won), count)
    return Evaluation(count, reward, sum(won) / count, low, high)


def succeeded(trajectory: Trajectory) -> bool | None:
    """Whether the episode reached its goal; None if its last info does not say."""
    outcome = trajectory.info.get("success", trajectory.info.get("correct"))
    return None if outcome is None else bool(outcome)


def wilson(successes: int, count: int) -> tuple[float, float]:
    """95 % interval of a share: "Probable Inference, the Law of Succession, and Statistical
    Inference" (Wilson, 1927).

    Example:
        >>> [round(end, 3) for end in wilson(8, 10)]
        [0.49, 0.943]
    """
    share, z = successes / count, _NORMAL_95
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def exams(problems: Environments, opponent: str) -> dict[str, Environments]:
    """What is evaluated on by who trains on `problems`, for each seat: the test side.

    Of a game it is the single-seat view from that seat, the opponent in all others.
    """
    env, kwargs, game = problems.env, problems.kwargs, game_of(problems.env)
    if game is None:
        return {ONLY_SEAT: Environments(env, held_out(env, kwargs))}
    view, against = single_seat_id(game.name), kwargs | {"opponent": opponent}
    return {
        seat: Environments(view, against | {"seat": number})
        for number, seat in enumerate(problems.seats)
    }


def held_out(env: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments for an environment's test problems; unchanged where it has no split."""
    entry_point = gym.spec(env).entry_point
    creator = load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point
    known = inspect.signature(creator).parameters if creator is not None else {}
    return dict(kwargs) | ({"split": "test"} if "split" in known else {})
