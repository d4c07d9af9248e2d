"""An episode of a rollout: its seats' conversations, their rewards, and its records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from zerogym.agents.llm.generation.protocol import Completion, Generator, Sampling
from zerogym.agents.llm.rollout.chat_template import ChatKind, encode_plain, make_chat
from zerogym.agents.llm.rollout.context_window import Context, Stop
from zerogym.agents.llm.rollout.conversation import Conversation, Room
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.rollout_env import RolloutEnv
from zerogym.agents.parts import errors_of
from zerogym.agents.posed_survey import PosedSurvey
from zerogym.agents.trajectory import Trajectory, Turn


@dataclass(frozen=True)
class Player:
    """A policy that plays a seat.

    Attributes:
        generator: The engine.
        sampling: How its replies are sampled; each call gets a new seed derived from `seed`.
        chat: How the conversation is written.
        system: System text, or None.
        role: Written into the trajectories.
        context: The policy for a conversation that outgrows the engine's context.
        budget: Tokens that it may write in an episode, over all turns; 0: any number. Then the
            reply is cut, and the episode ends when this player is to move again.
        surveys: Whether its beliefs after messages of a game of talk are recorded.
    """

    generator: Generator
    sampling: Sampling = field(default_factory=Sampling)
    chat: ChatKind = "auto"
    system: str | None = None
    role: str = "player"
    context: Context = field(default_factory=Stop)
    budget: int = 0
    surveys: bool = False

    def __post_init__(self) -> None:
        if self.budget < 0:
            raise ValueError(f"Player: budget must be at least 0, got {self.budget!r}")


Players = Player | Mapping[str, Player]  # one for all seats, or one for each


SlotKey = tuple[int, str | None]  # identity of a player, and the system text of the prompt


class PlayerSlot:
    """A player in a rollout: the room of its conversations and the seeds of its calls."""

    def __init__(self, player: Player) -> None:
        self.player, engine = player, player.generator
        chat = make_chat(player.chat, engine.tokenizer, player.system)
        self.room = Room(chat, engine.tokenizer, engine.context_length, player.sampling)
        self._seeds = np.random.default_rng(player.sampling.seed)

    def generate(self, episodes: "Sequence[Episode]", own_seeds: bool) -> list[Completion]:
        """Call the engine once for episodes in which this player is to move.

        With `own_seeds` each row has a seed that depends on its episode, seat and turn only;
        otherwise the call has the next of the slot's seeds.
        """
        sampling = self.player.sampling
        if own_seeds:
            seeds = tuple(episode.reply_seed(sampling.seed) for episode in episodes)
            sampling = replace(sampling, seeds=seeds)
        else:
            sampling = replace(sampling, seed=int(self._seeds.integers(2**63)))
        prompts = [episode.moving_seat().prompt() for episode in episodes]
        return self.player.generator.generate(prompts, sampling)


@dataclass
class Seat:
    """The conversation and rewards of one seat in a running episode."""

    slot: PlayerSlot
    turns: list[Turn] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)  # the context up to its last token
    observation: str = ""
    talk: Conversation | None = None  # up to the last observation
    early: float = 0.0  # reward before the first turn
    role: str = "player"  # of its next turn
    replied: Conversation | None = None  # up to its last reply, without what it observed since
    surveys: list[PosedSurvey] = field(default_factory=list)
    surveyed_after: int = -1  # steps of the episode before its last survey

    @property
    def written(self) -> int:
        """Tokens of all its turns."""
        return sum(len(turn.action_ids) for turn in self.turns)

    @property
    def spent(self) -> bool:
        """True if its player's budget is used up."""
        return 0 < self.slot.player.budget <= self.written

    def observe(self, observation: str, role: str | None = None, prefill: str = "") -> None:
        """Add an observation to the conversation.

        Args:
            observation: Its text.
            role: The role of the seat that the environment names, if any.
            prefill: The beginning of the reply, which the player does not sample.
        """
        self.observation, self.role = observation, role or self.slot.player.role
        context = self.slot.player.context
        with errors_of(context):
            self.talk = context.observe(self.talk, observation, self.slot.room)
        if prefill:
            ids = encode_plain(self.slot.room.tokenizer, prefill)
            self.talk = self.talk.extend(tuple(ids))

    def prompt(self) -> list[int]:
        """Return the ids of its context before its next reply."""
        assert self.talk is not None
        return list(self.talk.ids)

    def reply(self, completion: Completion) -> str | None:
        """Add a turn; a reply for the environment, None if this was none or only a part of it."""
        assert self.talk is not None
        player, room = self.slot.player, self.slot.room
        left = player.budget - self.written
        if player.budget and len(completion.ids) > left:  # as if that had been the limit
            ids, logprobs = completion.ids[:left], completion.logprobs[:left]
            completion = Completion(room.text(ids), ids, logprobs, "length")
        prompt, known = self.prompt(), len(self.ids)
        grown = prompt[:known] == self.ids
        with errors_of(player.context):
            self.talk, kind = player.context.write(self.talk, completion, room)
        if kind == "chunk" and len(completion.ids) == left:
            kind = "reply"  # no other chunk will come
        text = completion.text
        if kind == "reply":
            text = self.talk.reply_text(text, room)
        self.replied = self.talk
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
                role=self.role,
            )
        )
        return text if kind == "reply" else None

    def add_outcome(self, reward: float, info: Mapping[str, Any] | None) -> None:
        """Add a reward to the last turn, and the info of its step where it took it."""
        if not self.turns:
            self.early += reward
        elif reward or info is not None:
            turn = self.turns[-1]
            own = turn.info if info is None else info
            self.turns[-1] = replace(turn, reward=turn.reward + reward, info=own)


@dataclass(frozen=True)
class BranchPoint:
    """The state from which an episode goes on that branches from another.

    Attributes:
        state: Of the environment.
        seats: As they were, with the rewards of the last step and before the next observation.
        parent: Number of the episode from which it branches, where that is recorded.
    """

    state: dict[str, Any]
    seats: Mapping[str, Seat]
    parent: int | None = None


@dataclass
class Episode:
    """An episode from its start to its records.

    Attributes:
        number: Its number within its batch.
        prompt: The problem.
        group: Number of the group of episodes with the same problem.
        start: Where it begins; None: at the start.
        key: What its own random numbers depend on; by default its number.
    """

    number: int
    prompt: Prompt
    group: int
    start: BranchPoint | None = None
    key: tuple[int, ...] | None = None
    env: RolloutEnv = field(init=False)
    seats: dict[str, Seat] = field(default_factory=dict)
    mover: str | None = None
    replied: str | None = None  # the seat whose reply the environment has or gets
    cut: bool = False  # the context of a player was full, or its budget spent
    stepping: bool = False  # a step of its environment is under way
    steps: int = 0  # steps that changed its environment
    speaker: str | None = None  # the seat that took the last of them
    unsurveyed: bool = False  # no survey has been posed since

    def seat_players(
        self, env: RolloutEnv, players: Players, slots: dict[SlotKey, PlayerSlot]
    ) -> None:
        """Put a player on each seat; the environment is to be reset then.

        Raises:
            KeyError: If a seat has no player.
        """
        self.env = env
        system = self.prompt.system
        for seat in env.seats:
            other = self.prompt.others.get(seat, seat)
            name = other if isinstance(other, str) else seat  # an opponent plays by itself
            player = players if isinstance(players, Player) else players[name]
            place = id(player), system
            if place not in slots:
                own = player if system is None else replace(player, system=system)
                slots[place] = PlayerSlot(own)
            before = self.start.seats[seat] if self.start else Seat(slots[place])
            self.seats[seat] = replace(
                before, slot=slots[place], turns=[*before.turns], ids=[*before.ids],
                surveys=[*before.surveys],
            )  # fmt: skip

    def begin(self) -> dict[str, float]:
        """Bring the environment to where the episode starts; the rewards of opponents' openings."""
        self.env.reset(self.prompt.seed, self.prompt.options)
        others = self.prompt.others.items()
        rewards = self.env.seat_opponents(
            {seat: other for seat, other in others if not isinstance(other, str)}, self.prompt.seed
        )
        if self.start is None:
            return rewards
        self.env.set_state(self.start.state)
        return {}

    @property
    def over(self) -> bool:
        """True if nothing more will happen."""
        return self.mover is None and not self.stepping

    @property
    def slot(self) -> PlayerSlot | None:
        """The player that is to reply; None while a step is under way, or when it is over."""
        return None if self.mover is None else self.seats[self.mover].slot

    def moving_seat(self) -> Seat:
        """Return the seat that is to reply."""
        assert self.mover is not None
        return self.seats[self.mover]

    def reply_seed(self, seed: int) -> int:
        """Return a seed in [0, 2^63) for the next reply, by SeedSequence."""
        assert self.mover is not None
        place = list(self.seats).index(self.mover)
        key = (self.number,) if self.key is None else self.key
        return seed_of(seed, *key, place, len(self.moving_seat().turns))

    def reply(self, completion: Completion) -> str | None:
        """Add what the seat to move has written; a reply for the environment.

        It is None while the seat has more to write, or if its context was full, which ends the
        episode.
        """
        if completion.finish == "context" and not completion.ids:
            self.mover, self.cut = None, True
            return None
        seat = self.moving_seat()
        reply = seat.reply(completion)
        self.cut = reply is None and seat.spent
        if reply is not None:
            self.replied = self.mover
        if self.cut or reply is not None:
            self.mover = None
        return reply

    def observe(self, rewards: Mapping[str, float]) -> None:
        """Take the outcome of a step, and the observation of the seat that moves next."""
        if self.replied is None or not self.env.info(self.replied).get("void_turn", False):
            self.steps, self.speaker, self.unsurveyed = self.steps + 1, self.replied, True
        self.add_outcome(rewards)
        self.mover = self.env.to_move()
        if self.mover is not None and self.moving_seat().spent:
            self.mover, self.cut = None, True
        if self.mover is not None:
            seat, text = self.moving_seat(), self.env.observation()
            first = not seat.turns
            if first and self.prompt.hint:
                text = f"{text}\n{self.prompt.hint}"
            seat.observe(text, self.env.role(self.mover), self.prompt.prefill if first else "")

    def add_outcome(self, rewards: Mapping[str, float]) -> None:
        """Add the rewards of a step, and its info to the turn that took it."""
        for name, seat in self.seats.items():
            info = self.env.info(name) if name == self.replied else None
            if info is not None or name in rewards:
                seat.add_outcome(rewards.get(name, 0.0), info)
        self.replied = None

    def records(self) -> list[Trajectory]:
        """Return a trajectory for each seat."""
        prompt = self.prompt
        return [
            Trajectory(
                env=prompt.task.env,
                kwargs=prompt.task.kwargs,
                seed=prompt.seed,
                episode=self.number,
                group=self.group,
                seat=name,
                role=seat.slot.player.role,
                system=seat.slot.player.system or "",
                turns=tuple(seat.turns),
                terminated=self.env.terminated,
                truncated=self.env.truncated or self.cut,
                reward=seat.early + sum(turn.reward for turn in seat.turns),
                info=self.env.info(name),
                shared=len(self.start.seats[name].turns) if self.start else 0,
                parent=self.start.parent if self.start else None,
                key=prompt.key,
                surveys=tuple(seat.surveys),
            )
            for name, seat in self.seats.items()
        ]


def seed_of(seed: int, *key: int) -> int:
    """Return a seed in [0, 2^63) derived from another and a key, by SeedSequence."""
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0] >> 1)
