"""Episodes that branch: several continuations from one turn of a recorded episode.

What follows a turn, on average, says how good the turn was: estimators of credit play on from the
states between turns, as "VinePPO: Refining Credit Assignment in RL Training of LLMs" (2024,
arXiv 2410.01679) does. The start of the episode is replayed and compared with the record, the world
is copied there once, and each branch begins at the copy.

Left out: branching inside a reply, and estimators that use the branches.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from zerogym.agents.llm.generation.protocol import Completion, Finish
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import BranchPoint, Episode, Player, Players
from zerogym.agents.llm.rollout.runner import MAX_CONCURRENT, OnEnd, play
from zerogym.agents.trajectory import Trajectory, Turn


def branch(
    worlds: Environments,
    episode: Sequence[Trajectory],
    replies: int,
    players: Players,
    count: int,
    concurrent: int = MAX_CONCURRENT,
    asynchronous: bool = False,
    on_end: OnEnd | None = None,
) -> list[Trajectory]:
    """Play an episode's first replies again and go on from there `count` times.

    The random numbers of the branches are other ones than those of the episode, and follow from the
    players' seeds, the episode's number and `replies`.

    Args:
        worlds: Of the same environment and arguments.
        episode: What `rollout` recorded of one episode, of each of its seats.
        replies: How many are kept, of all seats together, >= 0.
        players: As in `rollout`; with the tokenizers, chats and contexts of the episode.
        count: Branches, numbered from 0 in their trajectories.
        concurrent: As in `rollout`.
        asynchronous: As in `rollout`.
        on_end: As in `rollout`.

    Returns:
        One trajectory for each branch and seat, with the turns before the branch, of which it has
        `shared`.

    Raises:
        ValueError: If the episode has not more replies than that, is of other worlds, or differs
            from its record when it is played again.
    """
    first = episode[0]
    if (first.env, dict(first.kwargs)) != (worlds.env, worlds.kwargs):
        raise ValueError(
            f"the episode is one of {first.env} {dict(first.kwargs)}, "
            f"not of {worlds.env} {worlds.kwargs}"
        )
    own = _with_other_seeds(players, (first.episode, replies))
    world = worlds.take()
    try:
        trunk = Episode(0, first.seed, first.group)
        trunk.seat_players(world, own, {})
        _replay(trunk, episode, replies)
        start = BranchPoint(world.get_state(), trunk.seats)
    finally:
        worlds.give_back(world)
    branches = [Episode(number, first.seed, first.group, start) for number in range(count)]
    return play(worlds, branches, own, concurrent, asynchronous, on_end)


def _replay(trunk: Episode, episode: Sequence[Trajectory], replies: int) -> None:
    """Bring an episode to where its record was after so many replies, before anything is heard."""
    recorded = {item.seat: deque(item.turns) for item in episode}
    paid: Mapping[str, float] = trunk.begin()
    for number in range(replies):
        trunk.hear(paid)
        reply = None
        while reply is None:
            if trunk.mover is None or not recorded[trunk.mover]:
                raise ValueError(f"the episode has {number} replies: it cannot branch at {replies}")
            reply = _repeat(trunk, recorded[trunk.mover].popleft(), number)
        paid = trunk.world.act(reply)
    trunk.add_reward(paid)
    if trunk.world.to_move() is None:
        raise ValueError(f"the episode is over after {replies} replies: nothing can branch")


def _repeat(trunk: Episode, turn: Turn, number: int) -> str | None:
    """Say what a turn said."""
    assert trunk.mover is not None
    seat = trunk.seats[trunk.mover]
    finish = cast(Finish, turn.finish)
    reply = trunk.speak(Completion(turn.action, turn.action_ids, turn.logprobs, finish))
    again = seat.turns[-1]
    if (again.prompt_ids, again.fresh, again.kind) != (turn.prompt_ids, turn.fresh, turn.kind):
        raise ValueError(f"reply {number} was made to other words than those of the episode")
    seat.turns[-1] = replace(again, weight_version=turn.weight_version)
    return reply


def _with_other_seeds(players: Players, key: tuple[int, ...]) -> Players:
    """The same players with other random numbers; those that are one object stay one."""
    if isinstance(players, Player):
        return _with_other_seed(players, key)
    made = {id(player): _with_other_seed(player, key) for player in players.values()}
    return {seat: made[id(player)] for seat, player in players.items()}


def _with_other_seed(player: Player, key: tuple[int, ...]) -> Player:
    source = np.random.SeedSequence(player.sampling.seed, spawn_key=key)
    seed = int(source.generate_state(1, np.uint64)[0] >> 1)
    return replace(player, sampling=replace(player.sampling, seed=seed))
