"""Episodes that branch: several continuations from one turn of a recorded episode.

The mean return after a turn is the value of that state: estimators of credit play on from the
states between turns, as "VinePPO: Refining Credit Assignment in RL Training of LLMs" (2024,
arXiv 2410.01679) does. The start of the episode is replayed and compared with the record, the
environment is copied there once, and each branch begins at the copy.

Left out: branching inside a reply, and estimators that use the branches.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from zerogym.agents.llm.generation.protocol import Completion, Finish
from zerogym.agents.llm.rollout.chat_template import encode_plain
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import (
    BranchPoint,
    Episode,
    Player,
    Players,
    Seat,
    seed_of,
)
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.runner import MAX_CONCURRENT, OnEnd, play
from zerogym.agents.trajectory import Trajectory, Turn


def branch(
    envs: Environments,
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
        envs: Of the same environment and arguments.
        episode: The records of one episode by `rollout`, one for each seat.
        replies: Replies that are kept, of all seats together, >= 0.
        players: As in `rollout`; with the tokenizers, chats and contexts of the episode.
        count: Branches, numbered from 0 in their trajectories.
        concurrent: As in `rollout`.
        asynchronous: As in `rollout`.
        on_end: As in `rollout`.

    Returns:
        One trajectory for each branch and seat, with the turns before the branch, of which it has
        `shared`.

    Raises:
        ValueError: If the episode has not more replies than that, is of another environment, or
            differs from its record when it is played again.
    """
    first = episode[0]
    if (first.env, dict(first.kwargs)) != (envs.env_id, envs.kwargs):
        raise ValueError(
            f"the episode is one of {first.env} {dict(first.kwargs)}, "
            f"not of {envs.env_id} {envs.kwargs}"
        )
    own = _with_other_seeds(players, (first.episode, replies))
    prompt = Prompt(envs.task, first.seed, key=first.key)
    start = branch_point(envs, episode, replies, prompt, own)
    branches = [Episode(number, prompt, first.group, start) for number in range(count)]
    return play(envs, branches, own, concurrent, asynchronous, on_end)


def branch_point(
    envs: Environments,
    episode: Sequence[Trajectory],
    replies: int,
    prompt: Prompt,
    players: Players,
) -> BranchPoint:
    """Return the state after an episode's first replies, which are played again.

    Args:
        envs: Of the task of the episode.
        episode: The records of one episode, one for each seat.
        replies: Replies that are kept, of all seats together, >= 0.
        prompt: The problem of the episode.
        players: As in `rollout`; with the tokenizers, chats and contexts of the episode.

    Raises:
        ValueError: As in `branch`.
    """
    env = envs.take()
    try:
        trunk = Episode(0, prompt, 0)
        trunk.seat_players(env, players, {})
        _replay(trunk, episode, replies)
        return BranchPoint(env.get_state(), trunk.seats, episode[0].episode)
    finally:
        envs.give_back(env)


def guided_point(envs: Environments, prompt: Prompt, players: Players) -> BranchPoint:
    """Return the state after the replies of a prompt's trace, and those of the oracle.

    Raises:
        ValueError: If the trace ends the episode.
        NoOracle: If the environment has no oracle.
    """
    env = envs.take()
    try:
        trunk = Episode(0, prompt, 0)
        trunk.seat_players(env, players, {})
        rewards: Mapping[str, float] = trunk.begin()
        for number in range(len(prompt.trace) + prompt.guided):
            given = number < len(prompt.trace)
            before = BranchPoint(env.get_state(), _copied(trunk.seats))
            trunk.observe(rewards)
            text = prompt.trace[number] if given else env.oracle_action()
            tokenizer = trunk.moving_seat().slot.player.generator.tokenizer
            ids = tuple(encode_plain(tokenizer, text))
            trunk.reply(Completion(text, ids, (math.nan,) * len(ids), "stop"))
            rewards = env.act(text)
            trunk.add_outcome(rewards)
            if env.to_move() is None:
                if given:
                    raise ValueError(f"the trace of {prompt.key:.80} leaves nothing for the policy")
                return before
            rewards = {}
        return BranchPoint(env.get_state(), trunk.seats)
    finally:
        envs.give_back(env)


def _copied(seats: Mapping[str, Seat]) -> dict[str, Seat]:
    """Return seats that later turns do not change."""
    return {
        name: replace(seat, turns=[*seat.turns], ids=[*seat.ids]) for name, seat in seats.items()
    }


def _replay(trunk: Episode, episode: Sequence[Trajectory], replies: int) -> None:
    """Bring an episode to where its record was after so many replies, before any observation."""
    recorded = {item.seat: deque(item.turns) for item in episode}
    rewards: Mapping[str, float] = trunk.begin()
    for number in range(replies):
        trunk.observe(rewards)
        reply = None
        while reply is None:
            if trunk.mover is None or not recorded[trunk.mover]:
                raise ValueError(f"the episode has {number} replies: it cannot branch at {replies}")
            reply = _repeat(trunk, recorded[trunk.mover].popleft(), number)
        rewards = trunk.env.act(reply)
    trunk.add_outcome(rewards)
    if trunk.env.to_move() is None:
        raise ValueError(f"the episode is over after {replies} replies: nothing can branch")


def _repeat(trunk: Episode, turn: Turn, number: int) -> str | None:
    """Write a recorded turn again."""
    seat = trunk.moving_seat()
    finish = cast(Finish, turn.finish)
    reply = trunk.reply(Completion(turn.action, turn.action_ids, turn.logprobs, finish))
    again = seat.turns[-1]
    if (again.prompt_ids, again.fresh, again.kind) != (turn.prompt_ids, turn.fresh, turn.kind):
        raise ValueError(f"reply {number} was made to other words than those of the episode")
    seat.turns[-1] = replace(again, weight_version=turn.weight_version)
    return reply


def _with_other_seeds(players: Players, key: tuple[int, ...]) -> Players:
    """Return the same players with other random numbers; those that are one object stay one."""
    whole = [players] if isinstance(players, Player) else players.values()
    made = {
        id(p): replace(p, sampling=replace(p.sampling, seed=seed_of(p.sampling.seed, *key)))
        for p in whole
    }
    if isinstance(players, Player):
        return made[id(players)]
    return {seat: made[id(player)] for seat, player in players.items()}
