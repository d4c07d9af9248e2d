"""Evaluation of a player on fixed problems, with an interval.

A game is played in its single-seat view, against a fixed opponent and from each of the seats: in
self-play the mean reward over the seats of a zero-sum game is 0 however good the policy. Left out:
exploitability, which `zerogym exploit` computes for games that are small enough.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from zerogym.agents.llm.rollout.environments import ONLY_SEAT, Environments, arguments_of
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
            None where the environment reports neither.
        low: Lower end of accuracy's 95 % Wilson interval; None with it.
        high: Its upper end.
    """

    episodes: int
    reward: float
    accuracy: float | None
    low: float | None
    high: float | None


def evaluate(
    envs: Mapping[str, Environments],
    players: Players,
    seeds: Sequence[int],
    temperature: float = 0.0,
    asynchronous: bool = False,
) -> Evaluation:
    """Play one episode for each seed and seat; the default takes the most likely tokens.

    Args:
        envs: The environments of each seat, as `evaluation_envs` makes them.
        players: One player for all seats, or one for each.
        seeds: Of the resets.
        temperature: Of the replies.
        asynchronous: As in `rollout`.

    Raises:
        ValueError: If tools failed in all episodes, so that none counts.
    """
    records: list[Trajectory] = []
    for seat, own in envs.items():
        player = players if isinstance(players, Player) else players[seat]
        player = replace(player, sampling=replace(player.sampling, temperature=temperature))
        records += rollout(own, seeds, player, asynchronous=asynchronous)
    return summarise(records)


def summarise(trajectories: Sequence[Trajectory]) -> Evaluation:
    """Return mean reward and accuracy of finished episodes, at least one of which must count."""
    trajectories = [item for item in trajectories if item.counts]
    if not trajectories:
        raise ValueError("no episode counts: there was none, or a tool was unavailable in each")
    count = len(trajectories)
    reward = sum(trajectory.reward for trajectory in trajectories) / count
    won = [outcome for item in trajectories if (outcome := succeeded(item)) is not None]
    if not won:
        return Evaluation(count, reward, None, None, None)
    # An episode that was cut before its first info has failed.
    low, high = wilson(sum(won), count)
    return Evaluation(count, reward, sum(won) / count, low, high)


def succeeded(trajectory: Trajectory) -> bool | None:
    """Return whether the episode reached its goal; None if its last info does not report it."""
    outcome = trajectory.info.get("success", trajectory.info.get("correct"))
    return None if outcome is None else bool(outcome)


def wilson(successes: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share.

    "Probable Inference, the Law of Succession, and Statistical Inference" (Wilson, 1927).

    Example:
        >>> [round(end, 3) for end in wilson(8, 10)]
        [0.49, 0.943]
    """
    share, z = successes / count, _NORMAL_95
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def evaluation_envs(problems: Environments, opponent: str) -> dict[str, Environments]:
    """Return the test side of training problems, for each seat.

    Of a game it is the single-seat view from that seat, with the opponent in all others.
    """
    env_id, kwargs = problems.env_id, problems.kwargs
    game = game_of(env_id)
    if game is None:
        return {ONLY_SEAT: Environments(env_id, held_out(env_id, kwargs))}
    view, against = single_seat_id(game.name), kwargs | {"opponent": opponent}
    return {
        seat: Environments(view, against | {"seat": number})
        for number, seat in enumerate(problems.seats)
    }


def held_out(env_id: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an environment's test problems; unchanged where it has no split."""
    return dict(kwargs) | ({"split": "test"} if "split" in arguments_of(env_id) else {})
