"""The one episode runner: environments and engines in, trajectories out.

All episodes of a batch advance together, so that every engine call has as many rows as there are
episodes waiting for that player. Left out: asynchronous rollouts, branching from snapshots.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from zerogym.agents.llm.chat import Chat, ChatKind, make_chat
from zerogym.agents.llm.generation import Completion, Generator, Sampling
from zerogym.agents.llm.worlds import World, Worlds
from zerogym.agents.trajectory import Trajectory, Turn

MAX_CONCURRENT = 64  # episodes in flight


@dataclass(frozen=True)
class Player:
    """Who fills a seat.

    Attributes:
        generator: The engine.
        sampling: How its replies are drawn; each call gets a new seed derived from `seed`.
        chat: How the conversation is written.
        system: System text, or None.
        role: Written into the trajectories.
    """

    generator: Generator
    sampling: Sampling = field(default_factory=Sampling)
    chat: ChatKind = "auto"
    system: str | None = None
    role: str = "player"


def rollout(
    worlds: Worlds,
    seeds: Sequence[int],
    players: Player | Mapping[str, Player],
    groups: Sequence[int] | None = None,
    concurrent: int = MAX_CONCURRENT,
) -> list[Trajectory]:
    """Play one episode for each seed.

    An episode ends by its environment, or (`truncated`) when the context of the player to move is
    full. What a seat is paid belongs to its last turn before the payment.

    Args:
        worlds: Where the environments come from.
        seeds: Of the resets: the same seed is the same problem.
        players: One player for all seats, or one for each seat. Players that are the same object
            share their engine calls.
        groups: A number for each seed, kept in the trajectories; default: all 0.
        concurrent: Most episodes at once.

    Returns:
        One trajectory for each episode and seat, in the order of `seeds`, then of the seats.

    Raises:
        KeyError: If a seat has no player.
        TypeError: If the environment does not observe texts.
    """
    waiting = deque(
        _Episode(number, seed, 0 if groups is None else groups[number])
        for number, seed in enumerate(seeds)
    )
    running: list[_Episode] = []
    records: dict[int, list[Trajectory]] = {}
    tables: dict[int, _Table] = {}  # by identity of the player
    while waiting or running:
        while waiting and len(running) < concurrent:
            episode = waiting.popleft()
            episode.begin(worlds.take(), players, tables)
            running.append(episode)
        for table in tables.values():
            table.reply([episode for episode in running if episode.table() is table])
        for episode in [episode for episode in running if episode.mover is None]:
            running.remove(episode)
            records[episode.number] = episode.records(worlds)
            worlds.give_back(episode.world)
    return [record for number in sorted(records) for record in records[number]]


def rollout_groups(
    worlds: Worlds, seeds: Sequence[int], group_size: int, player: Player
) -> list[list[Trajectory]]:
    """Play `group_size` episodes of each seed's problem, of a world with one seat.

    Returns:
        A group of trajectories for each seed.
    """
    repeated = [seed for seed in seeds for _ in range(group_size)]
    numbers = [number for number in range(len(seeds)) for _ in range(group_size)]
    records = rollout(worlds, repeated, player, numbers, concurrent=len(repeated))
    if len(records) != len(repeated):
        raise ValueError(f"{worlds.env} has several seats; groups are made for one")
    return [records[start : start + group_size] for start in range(0, len(records), group_size)]


class _Table:
    """A player at work: its chat and the seeds of its calls."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.chat: Chat = make_chat(player.chat, player.generator.tokenizer, player.system)
        self._seeds = np.random.default_rng(player.sampling.seed)

    def reply(self, episodes: "list[_Episode]") -> None:
        """One engine call for all episodes in which this player is to move."""
        if not episodes:
            return
        sampling = replace(self.player.sampling, seed=int(self._seeds.integers(2**63)))
        prompts = [episode.prompt() for episode in episodes]
        completions = self.player.generator.generate(prompts, sampling)
        for episode, completion in zip(episodes, completions, strict=True):
            episode.act(completion)


@dataclass
class _Seat:
    """One seat's conversation and pay in a running episode."""

    table: _Table
    turns: list[Turn] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)  # everything said so far
    observation: str = ""
    added: list[int] = field(default_factory=list)  # what the world says before the next reply
    early: float = 0.0  # paid before the first turn

    def listen(self, observation: str) -> None:
        chat = self.table.chat
        self.observation = observation
        self.added = (
            chat.following(self.turns[-1].action_ids, observation)
            if self.turns
            else chat.opening(observation)
        )

    def speak(self, completion: Completion) -> None:
        self.ids += [*self.added, *completion.ids]
        self.turns.append(
            Turn(
                observation=self.observation,
                action=completion.text,
                prompt_ids=tuple(self.added),
                action_ids=completion.ids,
                logprobs=completion.logprobs,
                finish=completion.finish,
                weight_version=self.table.player.generator.weight_version,
            )
        )

    def earn(self, reward: float) -> None:
        if self.turns:
            self.turns[-1] = replace(self.turns[-1], reward=self.turns[-1].reward + reward)
        else:
            self.early += reward


@dataclass
class _Episode:
    """An episode from its start to its records."""

    number: int
    seed: int
    group: int
    world: World = field(init=False)
    seats: dict[str, _Seat] = field(default_factory=dict)
    mover: str | None = None
    cut: bool = False  # the context of a player was full

    def begin(
        self, world: World, players: Player | Mapping[str, Player], tables: dict[int, _Table]
    ) -> None:
        self.world = world
        for seat in world.seats:
            player = players if isinstance(players, Player) else players[seat]
            if id(player) not in tables:
                tables[id(player)] = _Table(player)
            self.seats[seat] = _Seat(tables[id(player)])
        world.reset(self.seed)
        self._next()

    def table(self) -> _Table | None:
        return None if self.mover is None else self.seats[self.mover].table

    def prompt(self) -> list[int]:
        assert self.mover is not None
        seat = self.seats[self.mover]
        return seat.ids + seat.added

    def act(self, completion: Completion) -> None:
        assert self.mover is not None
        if completion.finish == "context" and not completion.ids:
            self.cut, self.mover = True, None
            return
        self.seats[self.mover].speak(completion)
        for seat, reward in self.world.act(completion.text).items():
            self.seats[seat].earn(reward)
        self._next()

    def _next(self) -> None:
        self.mover = self.world.to_move()
        if self.mover is not None:
            self.seats[self.mover].listen(self.world.observation())

    def records(self, worlds: Worlds) -> list[Trajectory]:
        return [
            Trajectory(
                env=worlds.env,
                kwargs=worlds.kwargs,
                seed=self.seed,
                episode=self.number,
                group=self.group,
                seat=name,
                role=seat.table.player.role,
                system=seat.table.player.system or "",
                turns=tuple(seat.turns),
                terminated=self.world.terminated,
                truncated=self.world.truncated or self.cut,
                reward=seat.early + sum(turn.reward for turn in seat.turns),
                info=self.world.info(name),
            )
            for name, seat in self.seats.items()
        ]
