"""An episode of a rollout: its seats' conversations, what they were paid, and its records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from zerogym.agents.llm.chat import Chat, ChatKind, make_chat
from zerogym.agents.llm.generation import Completion, Generator, Sampling
from zerogym.agents.llm.worlds import World, Worlds
from zerogym.agents.trajectory import Trajectory, Turn


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


class Table:
    """A player at work: its chat and the seeds of its calls."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.chat: Chat = make_chat(player.chat, player.generator.tokenizer, player.system)
        self._seeds = np.random.default_rng(player.sampling.seed)

    def generate(self, episodes: "Sequence[Episode]", own_seeds: bool) -> list[Completion]:
        """One engine call for episodes in which this player is to move.

        With `own_seeds` each row has a seed that depends on its episode, seat and turn only;
        otherwise the call has the next of the table's seeds.
        """
        sampling = self.player.sampling
        if own_seeds:
            seeds = tuple(episode.draw_seed(sampling.seed) for episode in episodes)
            sampling = replace(sampling, seeds=seeds)
        else:
            sampling = replace(sampling, seed=int(self._seeds.integers(2**63)))
        prompts = [episode.prompt() for episode in episodes]
        return self.player.generator.generate(prompts, sampling)


@dataclass
class Seat:
    """One seat's conversation and pay in a running episode."""

    table: Table
    turns: list[Turn] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)  # everything said so far
    observation: str = ""
    added: list[int] = field(default_factory=list)  # what the world says before the next reply
    early: float = 0.0  # paid before the first turn

    def listen(self, observation: str) -> None:
        """Hear what the world says."""
        chat = self.table.chat
        self.observation = observation
        self.added = (
            chat.following(self.turns[-1].action_ids, observation)
            if self.turns
            else chat.opening(observation)
        )

    def speak(self, completion: Completion) -> None:
        """Add a turn."""
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
        """Be paid, for the last turn."""
        if self.turns:
            self.turns[-1] = replace(self.turns[-1], reward=self.turns[-1].reward + reward)
        else:
            self.early += reward


@dataclass
class Episode:
    """An episode from its start to its records."""

    number: int
    seed: int
    group: int
    world: World = field(init=False)
    seats: dict[str, Seat] = field(default_factory=dict)
    mover: str | None = None
    cut: bool = False  # the context of a player was full
    stepping: bool = False  # its world is at work

    def sit(
        self, world: World, players: Player | Mapping[str, Player], tables: dict[int, Table]
    ) -> None:
        """Put a player on each seat; the world is to be reset then.

        Raises:
            KeyError: If a seat has no player.
        """
        self.world = world
        for seat in world.seats:
            player = players if isinstance(players, Player) else players[seat]
            if id(player) not in tables:
                tables[id(player)] = Table(player)
            self.seats[seat] = Seat(tables[id(player)])

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.mover is None and not self.stepping

    def table(self) -> Table | None:
        """Whose reply it waits for; None while its world is at work, or when it is over."""
        return None if self.mover is None else self.seats[self.mover].table

    def prompt(self) -> list[int]:
        """All that the seat to move has heard and said."""
        assert self.mover is not None
        seat = self.seats[self.mover]
        return seat.ids + seat.added

    def draw_seed(self, seed: int) -> int:
        """A seed in [0, 2^63) for the next reply, by SeedSequence: other ones for all others."""
        assert self.mover is not None
        key = (self.number, list(self.seats).index(self.mover), len(self.seats[self.mover].turns))
        return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0] >> 1)

    def speak(self, completion: Completion) -> bool:
        """Take a reply; False if the context was full, which ends the episode."""
        assert self.mover is not None
        mover, self.mover = self.mover, None
        if completion.finish == "context" and not completion.ids:
            self.cut = True
            return False
        self.seats[mover].speak(completion)
        return True

    def hear(self, paid: Mapping[str, float]) -> None:
        """Take what the world's step paid, and what it says to whoever moves next."""
        for seat, reward in paid.items():
            self.seats[seat].earn(reward)
        self.mover = self.world.to_move()
        if self.mover is not None:
            self.seats[self.mover].listen(self.world.observation())

    def records(self, worlds: Worlds) -> list[Trajectory]:
        """A trajectory for each seat."""
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
