"""The one episode runner: environments and engines in, trajectories out.

All episodes of a batch advance together, so that every engine call has as many rows as there are
episodes waiting for that player, and an engine that can (`Keeper`) reads each conversation once;
or each at its own pace ("VerlTool: Towards Holistic Agentic
Reinforcement Learning with Tool Use", 2025, arXiv 2509.01055). Left out: replies that join an
engine call which has begun.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.generation.protocol import Keeper
from zerogym.agents.llm.rollout.env_stepping import EnvStepper
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Episode, Player, Players, PlayerSlot, SlotKey
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.surveys import pose_surveys
from zerogym.agents.trajectory import Trajectory

__all__ = ["MAX_CONCURRENT", "Player", "Players", "rollout", "rollout_groups"]

MAX_CONCURRENT = 64  # episodes in flight

OnEnd = Callable[[list[Trajectory]], None]


def rollout(
    envs: Environments,
    seeds: Sequence[int],
    players: Players,
    groups: Sequence[int] | None = None,
    concurrent: int = MAX_CONCURRENT,
    asynchronous: bool = False,
    on_end: OnEnd | None = None,
) -> list[Trajectory]:
    """Play one episode for each seed.

    An episode ends by its environment, or (`truncated`) when the context of the player to move is
    full in spite of its policy of the context, or its budget is spent. A reward belongs to the
    seat's last turn before it.

    Steps of environments that say `waits` are taken side by side in threads. All the same, the next
    engine call comes when the slowest of them has ended. With `asynchronous` it comes as soon as
    any episode is ready, while other steps still run: worth it where steps take as long as replies,
    not where they are quick, because the calls have fewer rows. The random numbers of each reply
    then depend on `Sampling.seed`, its episode, seat and turn only, so that trajectories depend
    neither on the clock nor on `concurrent` (as far as the engine computes a row the same way in
    any batch); they are other numbers than without `asynchronous`. So it is in a run of several
    processes (`parallel`), of which each plays a part of the episodes and all get all.

    Args:
        envs: The environments.
        seeds: Of the resets: the same seed is the same problem.
        players: One player for all seats, or one for each seat. Players that are the same object
            share their engine calls.
        groups: A number for each seed, kept in the trajectories; default: all 0.
        concurrent: Most episodes at once.
        asynchronous: Each episode at its own pace. Every environment is then stepped in threads,
            so it must be usable from any thread, by one at a time.
        on_end: Callback for the trajectories of an episode as soon as it is over, in the caller's
            thread; with `partial(append_jsonl, path)` they are in a file before others have ended.
            Of several processes each gets its own episodes: give each a file of its own.

    Returns:
        One trajectory for each episode and seat, in the order of `seeds`, then of the seats.

    Raises:
        KeyError: If a seat has no player.
        TypeError: If the environment does not observe texts.
    """
    episodes = [
        Episode(number, Prompt(envs.task, seed), 0 if groups is None else groups[number])
        for number, seed in enumerate(seeds)
    ]
    return play(envs, episodes, players, concurrent, asynchronous, on_end)


def play(
    envs: Environments,
    episodes: Sequence[Episode],
    players: Players,
    concurrent: int,
    asynchronous: bool,
    on_end: OnEnd | None,
    own_seeds: bool = False,
) -> list[Trajectory]:
    """Play episodes from their starts to their ends, as `rollout` does.

    With `own_seeds` the random numbers of a reply depend on its episode, seat and turn only, as
    they do in any case if `asynchronous` or in a run of several processes. Environments of the
    prompts' tasks are those of `envs.of`.
    """
    own_seeds = own_seeds or asynchronous or parallel.world_size() > 1
    waiting = deque(parallel.block(list(episodes)))
    running: list[Episode] = []
    records: dict[int, list[Trajectory]] = {}
    slots: dict[SlotKey, PlayerSlot] = {}
    with ExitStack() as stack:
        steps = stack.enter_context(EnvStepper(asynchronous))
        _keep_conversations(stack, envs, list(waiting)[:concurrent], players)
        while waiting or running:
            while waiting and len(running) < concurrent:
                running.append(waiting.popleft())
                own = envs.of(running[-1].prompt.task)
                running[-1].seat_players(own.take(), players, slots)
                steps.reset(running[-1])
            steps.settle(idle=all(episode.stepping for episode in running))
            pose_surveys(running)
            for slot in slots.values():
                if ready := [episode for episode in running if episode.slot is slot]:
                    completions = slot.generate(ready, own_seeds)
                    for episode, completion in zip(ready, completions, strict=True):
                        reply = episode.reply(completion)
                        if reply is not None:
                            steps.act(episode, reply)
                    steps.settle()
                    pose_surveys(running)
            for episode in [episode for episode in running if episode.over]:
                running.remove(episode)
                records[episode.number] = episode.records()
                if on_end is not None:
                    on_end(records[episode.number])
                envs.of(episode.prompt.task).give_back(episode.env)
    return parallel.all_records(
        [record for number in sorted(records) for record in records[number]]
    )


def _keep_conversations(
    stack: ExitStack, envs: Environments, episodes: Sequence[Episode], players: Players
) -> None:
    """Let the engines keep the conversations of so many episodes at once, till the stack ends."""
    whole = [players] if isinstance(players, Player) else players.values()
    engines = {id(player.generator): player.generator for player in whole}
    keepers = [engine for engine in engines.values() if isinstance(engine, Keeper)]
    if keepers and episodes:
        tasks = {episode.prompt.task.name: episode.prompt.task for episode in episodes}
        seats = max(len(envs.of(task).seats) for task in tasks.values())
        for engine in keepers:
            stack.enter_context(engine.keeping(seats * len(episodes)))


def rollout_groups(
    envs: Environments,
    seeds: Sequence[int],
    group_size: int,
    players: Players,
    asynchronous: bool = False,
) -> list[list[Trajectory]]:
    """Play `group_size` episodes of each seed's problem.

    Returns:
        A group of trajectories for each seed and, within it, each seat: the trajectories of that
        seat in all episodes of the seed.
    """
    repeated = [seed for seed in seeds for _ in range(group_size)]
    numbers = [number for number in range(len(seeds)) for _ in range(group_size)]
    records = rollout(envs, repeated, players, numbers, len(repeated), asynchronous)
    return grouped(records, len(repeated), group_size)


def grouped(
    records: Sequence[Trajectory], episodes: int, group_size: int
) -> list[list[Trajectory]]:
    """Return the groups of `rollout_groups` from the records of its episodes in their order."""
    seats = len(records) // episodes
    size = group_size * seats
    problems = [list(records[start : start + size]) for start in range(0, len(records), size)]
    return [problem[seat::seats] for problem in problems for seat in range(seats)]
