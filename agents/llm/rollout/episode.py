"""An episode of a rollout: its seats' conversations, what they were paid, and its records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zerogym.agents.llm.generation.protocol import Completion, Generator, Sampling
from zerogym.agents.llm.rollout.chat_template import ChatKind, make_chat
from zerogym.agents.llm.rollout.context_window import Context, Stop
from zerogym.agents.llm.rollout.conversation import Conversation, Room
from zerogym.agents.llm.rollout.environments import Environments, RolloutEnv
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
        context: What to do when the conversation outgrows the engine's context.
        budget: Tokens that it may write in an episode, over all turns; 0: any number. Then the
            reply is cut, and the episode ends when this player is to move again.
    """

    generator: Generator
    sampling: Sampling = field(default_factory=Sampling)
    chat: ChatKind = "auto"
    system: str | None = None
    role: str = "player"
    context: Context = field(default_factory=Stop)
    budget: int = 0

    def __post_init__(self) -> None:
        if self.budget < 0:
            raise ValueError(f"Player: budget must be at least 0, got {self.budget!r}")


Players = Player | Mapping[str, Player]  # one for all seats, or one for each


class PlayerSlot:
    """A player at work: the room of its conversations and the seeds of its calls."""

    def __init__(self, player: Player) -> None:
        self.player, engine = player, player.generator
        chat = make_chat(player.chat, engine.tokenizer, player.system)
        self.room = Room(chat, engine.tokenizer, engine.context_length, player.sampling)
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

    table: PlayerSlot
    turns: list[Turn] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)  # the context up to its last token
    observation: str = ""
    talk: Conversation | None = None  # with all that is heard
    early: float = 0.0  # paid before the first turn

    @property
    def spent(self) -> bool:
        """Whether it has written all that it may."""
        return 0 < self.table.player.budget <= self._written

    @property
    def _written(self) -> int:
        return sum(len(turn.action_ids) for turn in self.turns)

    def listen(self, observation: str) -> None:
        """Hear what the world says."""
        player = self.table.player
        self.observation = observation
        self.talk = player.context.hear(self.talk, observation, self.table.room)

    def prompt(self) -> list[int]:
        """All that it sees before its next reply."""
        assert self.talk is not None
        return list(self.talk.ids)

    def speak(self, completion: Completion) -> str | None:
        """Add a turn; returns a reply for the world, None if this was none or only a part of it."""
        assert self.talk is not None
        player, room = self.table.player, self.table.room
        left = player.budget - self._written
        if player.budget and len(completion.ids) > left:
            completion = _shortened(completion, left, room)
        prompt, known = self.prompt(), len(self.ids)
        grown = prompt[:known] == self.ids
        self.talk, kind = player.context.write(self.talk, completion, room)
        if kind == "chunk" and len(completion.ids) == left:
            kind = "reply"  # no other chunk will come
        text = self.talk.told(completion.text, room) if kind == "reply" else completion.text
        self.ids = [*prompt, *completion.ids]
        self.turns.append(
            Turn(
                observation=self.observation,
                action=text,
                prompt_ids=tuple(prompt[known:] if grown else prompt),
                action_ids=completion.ids,
                logprobs=completion.logprobs,
                finish=completion.finish,
                weight_version=player.generator.weight_version,
                fresh=not grown,
                kind=kind,
            )
        )
        return text if kind == "reply" else None

    def add_reward(self, reward: float) -> None:
        """Be paid, for the last turn."""
        if self.turns:
            self.turns[-1] = replace(self.turns[-1], reward=self.turns[-1].reward + reward)
        else:
            self.early += reward


@dataclass(frozen=True)
class BranchPoint:
    """Where an episode goes on that has branched from another.

    Attributes:
        state: Of the world.
        seats: As they were, the last step paid and nothing heard since.
    """

    state: dict[str, Any]
    seats: Mapping[str, Seat]


@dataclass
class Episode:
    """An episode from its start to its records."""

    number: int
    seed: int
    group: int
    start: BranchPoint | None = None  # of a branch
    world: RolloutEnv = field(init=False)
    seats: dict[str, Seat] = field(default_factory=dict)
    mover: str | None = None
    cut: bool = False  # the context of a player was full, or its budget spent
    stepping: bool = False  # its world is at work

    def seat_players(
        self, world: RolloutEnv, players: Players, tables: dict[int, PlayerSlot]
    ) -> None:
        """Put a player on each seat; the world is to be reset then.

        Raises:
            KeyError: If a seat has no player.
        """
        self.world = world
        for seat in world.seats:
            player = players if isinstance(players, Player) else players[seat]
            if id(player) not in tables:
                tables[id(player)] = PlayerSlot(player)
            before = self.start.seats[seat] if self.start else Seat(tables[id(player)])
            self.seats[seat] = replace(
                before, table=tables[id(player)], turns=[*before.turns], ids=[*before.ids]
            )

    def begin(self) -> dict[str, float]:
        """Bring the world to where the episode starts; nobody is paid for that."""
        self.world.reset(self.seed)
        if self.start is not None:
            self.world.set_state(self.start.state)
        return {}

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.mover is None and not self.stepping

    def table(self) -> PlayerSlot | None:
        """Whose reply it waits for; None while its world is at work, or when it is over."""
        return None if self.mover is None else self.seats[self.mover].table

    def prompt(self) -> list[int]:
        """All that the seat to move sees."""
        assert self.mover is not None
        return self.seats[self.mover].prompt()

    def draw_seed(self, seed: int) -> int:
        """A seed in [0, 2^63) for the next reply, by SeedSequence: other ones for all others."""
        assert self.mover is not None
        key = (self.number, list(self.seats).index(self.mover), len(self.seats[self.mover].turns))
        return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0] >> 1)

    def speak(self, completion: Completion) -> str | None:
        """Take what the seat to move has written; returns a reply, which the world is to hear.

        There is none (None) while the seat has more to write, or if its context was full, which
        ends the episode.
        """
        assert self.mover is not None
        if completion.finish == "context" and not completion.ids:
            self.mover, self.cut = None, True
            return None
        seat = self.seats[self.mover]
        reply = seat.speak(completion)
        self.cut = reply is None and seat.spent
        if self.cut or reply is not None:
            self.mover = None
        return reply

    def hear(self, paid: Mapping[str, float]) -> None:
        """Take what the world's step paid, and what it says to whoever moves next."""
        self.add_reward(paid)
        self.mover = self.world.to_move()
        if self.mover is not None and self.seats[self.mover].spent:
            self.mover, self.cut = None, True
        if self.mover is not None:
            self.seats[self.mover].listen(self.world.observation())

    def add_reward(self, paid: Mapping[str, float]) -> None:
        """Take what the world's step paid."""
        for seat, reward in paid.items():
            self.seats[seat].add_reward(reward)

    def records(self, worlds: Environments) -> list[Trajectory]:
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
                shared=len(self.start.seats[name].turns) if self.start else 0,
            )
            for name, seat in self.seats.items()
        ]


def _shortened(completion: Completion, tokens: int, room: Room) -> Completion:
    """The first tokens of a completion: what the engine had drawn, had that been the limit."""
    ids, logprobs = completion.ids[:tokens], completion.logprobs[:tokens]
    return Completion(room.text(ids), ids, logprobs, "length")
