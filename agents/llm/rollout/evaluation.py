"""Evaluation of a player on fixed problems, with an interval.

A game is played in its single-seat view, against a fixed opponent and from each of the seats: in
self-play the mean reward over the seats of a zero-sum game is 0 however good the policy. Left out:
exploitability, which `zerogym exploit` computes for games that are small enough.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym

from zerogym.agents.llm.rollout.environments import Environments, arguments_of
from zerogym.agents.llm.rollout.rollout_env import ONLY_SEAT
from zerogym.agents.llm.rollout.runner import Player, Players, rollout
from zerogym.agents.llm.rollout.wrapping import TEXT_WRAPPERS
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.lookup import find_spec
from zerogym.envs.registry import TASKS, game_of, single_seat_id
from zerogym.errors import ZerogymError
from zerogym.wrappers.snapshots import layers

_NORMAL_95 = 1.959964  # quantile of the normal distribution for a two-sided 95 % interval


class NotHeldOut(ZerogymError, ValueError):
    """A task has no test side that can be evaluated; the message says what to pass instead."""


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
    return summarise(examine(envs, players, seeds, temperature, asynchronous))


def examine(
    envs: Mapping[str, Environments],
    players: Players,
    seeds: Sequence[int],
    temperature: float = 0.0,
    asynchronous: bool = False,
) -> list[Trajectory]:
    """Return the episodes of `evaluate`; same arguments."""
    records: list[Trajectory] = []
    for seat, own in envs.items():
        player = players if isinstance(players, Player) else players[seat]
        player = replace(player, sampling=replace(player.sampling, temperature=temperature))
        records += rollout(own, seeds, player, asynchronous=asynchronous)
    return records


def summarise(trajectories: Sequence[Trajectory]) -> Evaluation:
    """Return mean reward and accuracy of finished episodes, at least one of which must count."""
    counted = [item for item in trajectories if item.counts]
    return summary_of([item.reward for item in counted], [succeeded(item) for item in counted])


def summary_of(rewards: Sequence[float], outcomes: Sequence[bool | None]) -> Evaluation:
    """Return mean reward and accuracy of episodes.

    Args:
        rewards: Of each.
        outcomes: Whether each reached its goal; None where its last info does not say so.

    Raises:
        ValueError: If there are none.
    """
    if not rewards:
        raise ValueError("no episode counts: there was none, or a tool was unavailable in each")
    count = len(rewards)
    reward = sum(rewards) / count
    won = [outcome for outcome in outcomes if outcome is not None]
    if not won:
        return Evaluation(count, reward, None, None, None)
    # An episode that was cut before its first info has failed.
    low, high = wilson(sum(won), count)
    return Evaluation(count, reward, sum(won) / count, low, high)


def succeeded(trajectory: Trajectory) -> bool | None:
    """Return whether the episode reached its goal; None if its last info does not report it."""
    return outcome_of(trajectory.info)


def outcome_of(info: Mapping[str, Any]) -> bool | None:
    """Return whether the last info of an episode reports success; None if it reports neither."""
    outcome = info.get("success", info.get("correct"))
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
    low, high = (middle - spread) / scale, (middle + spread) / scale
    # At 0 and 1 an end is the share itself, which rounding may miss.
    return max(0.0, min(share, low)), min(1.0, max(share, high))


def evaluation_envs(
    problems: Environments,
    opponent: str,
    wrappers: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Environments]:
    """Return the test side of training problems, for each seat, without their wrappers.

    Of a game it is the single-seat view from that seat, with the opponent in all others.

    Args:
        problems: The training problems.
        opponent: In all other seats of a game.
        wrappers: Those of the evaluation, by name; the default is none.

    Raises:
        NotHeldOut: If there is no test side.
    """
    env_id, kwargs = problems.env_id, problems.kwargs
    game = game_of(env_id)
    if game is None:
        return {ONLY_SEAT: Environments(env_id, held_out(env_id, kwargs), wrappers)}
    view, against = single_seat_id(game.name), kwargs | {"opponent": opponent}
    return {
        seat: Environments(view, against | {"seat": number})
        for number, seat in enumerate(problems.seats)
    }


def held_out(env_id: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an environment's test problems; unchanged where it has no split.

    An environment of another package is made and reset once, to see which problems it poses.

    Raises:
        NotHeldOut: If its id holds wrappers that can be named apart from it, or if it poses
            problems of another split under `split="test"`.
    """
    given, spec = dict(kwargs), find_spec(env_id)
    if spec.additional_wrappers:
        names = [wrapper.name for wrapper in spec.additional_wrappers]
        raise _in_wrappers(env_id, names)
    test = given | {"split": "test"}
    if any(task.id == spec.id for task in TASKS):
        return test if "split" in arguments_of(env_id) else given
    own = test
    try:
        env = gym.make(env_id, disable_env_checker=True, **own)
    except (TypeError, ValueError):  # it takes no split
        own = given
        env = gym.make(env_id, disable_env_checker=True, **own)
    with env:
        if names := [type(each).__name__ for each in layers(env) if _is_named(each)]:
            raise _in_wrappers(env_id, names)
        _, info = env.reset(seed=0)
    if info.get("split", "test") != "test":
        raise NotHeldOut(
            f"{env_id} cannot be evaluated: with split='test' it poses problems of the split "
            f"{info['split']!r}; let it take the argument split, or pass eval_episodes=0"
        )
    return own


def _is_named(layer: gym.Wrapper[Any, Any, Any, Any]) -> bool:
    return type(layer) in TEXT_WRAPPERS.values()


def _in_wrappers(env_id: str, names: Sequence[str]) -> NotHeldOut:
    return NotHeldOut(
        f"{env_id} cannot be evaluated: the id is registered inside {', '.join(names)}; pass the "
        f"id of the task alone with wrappers={{{names[0]!r}: {{...}}}} (and eval_wrappers, if they "
        "belong to the evaluation, too), or eval_episodes=0"
    )
