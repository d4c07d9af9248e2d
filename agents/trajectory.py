"""The record of language-model rollouts: one seat's view of one episode, token by token.

A trajectory is written as one JSON line with OpenAI-style messages beside the ids, so that people
and other trainers can read it. Left out: numeric episodes (those export to Minari).
"""

import json
import math
import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zerogym.agents.checksums import check_regular
from zerogym.agents.posed_survey import PosedSurvey
from zerogym.errors import require, writing

_COLUMNS = (  # of a dataset
    "env", "seed", "key", "episode", "group", "seat", "role", "source", "reward",
)  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """One reply of the policy and what led to it.

    Attributes:
        observation: The text that was new to this seat.
        action: The reply as the environment got it.
        prompt_ids: The ids that were added since this seat's last reply; where `fresh`, the whole
            context before this reply.
        action_ids: The ids that the policy sampled.
        logprobs: Log-probability of each action id when it was sampled; NaN where it is not known
            (null in a record, because JSON has no NaN).
        reward: The reward of this seat after this reply and before its next one.
        finish: The end of the reply: `stop`, `length` or `context`.
        weight_version: Version of the weights that sampled it.
        fresh: Its context began anew: the turns before were not in it.
        kind: `reply`, or what the environment did not get by itself: `chunk` (a part of a reply
            that goes on in the next turn) and `summary` (written for the policy's own context).
        info: The seat's `info` of the step that this reply took, JSON values only; empty where the
            environment took none (a chunk, a summary, a reply to which nothing followed).
        role: Role in which the seat acted: that of its `info` where the environment names one,
            else the player's.
    """

    observation: str
    action: str
    prompt_ids: tuple[int, ...]
    action_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    reward: float = 0.0
    finish: str = "stop"
    weight_version: int = 0
    fresh: bool = False
    kind: str = "reply"
    info: Mapping[str, Any] = field(default_factory=dict)
    role: str = "player"

    def __post_init__(self) -> None:
        if len(self.action_ids) != len(self.logprobs):
            raise ValueError(
                f"{len(self.action_ids)} action ids but {len(self.logprobs)} log-probabilities"
            )


@dataclass(frozen=True)
class Flat:
    """A trajectory as one row of T tokens.

    Attributes:
        ids: All tokens in order (T).
        mask: 1 on the policy's own tokens, 0 on those of observations (T).
        logprobs: At sampling time, 0.0 where the mask is 0 (T).
        turn: The turn to which each token belongs (T).
        starts: First places of contexts, the first at 0: the context of a token goes back to the
            last of these places before it.
    """

    ids: tuple[int, ...]
    mask: tuple[int, ...]
    logprobs: tuple[float, ...]
    turn: tuple[int, ...]
    starts: tuple[int, ...] = (0,)

    def contexts(self) -> list["Flat"]:
        """Return a row for each context with tokens of the policy, in order."""
        ends = (*self.starts[1:], len(self.ids))
        places = [slice(start, end) for start, end in zip(self.starts, ends, strict=True)]
        return [
            Flat(self.ids[own], self.mask[own], self.logprobs[own], self.turn[own])
            for own in places
            if any(self.mask[own])
        ]


@dataclass(frozen=True)
class Trajectory:
    """One seat's view of one episode.

    Attributes:
        env: The environment's id.
        seed: The seed of its reset; with `env` and `kwargs` it names the problem.
        episode: Number of the episode within its batch.
        turns: The turns of this seat, in order.
        seat: The seat that acted; `player_0` where there is only one.
        role: Role of the seat (`player`, `opponent`, `judge`, ...).
        group: Number of the group of episodes with the same problem.
        kwargs: The environment's arguments (JSON values).
        system: The system text, empty where there was none.
        terminated: The episode came to its own end.
        truncated: It was cut, by a time limit or because the model's context was full.
        reward: The return of the seat, including rewards before its first turn.
        info: The last `info`, JSON values only.
        shared: Turns at its start that it took over from the episode from which it branched. Their
            tokens were sampled once for all branches, so that no branch is trained on them.
        parent: Number of the episode from which it branched; None if it began at the start.
        source: Who wrote its replies: `policy` (the one that is trained), or another name
            (`expert`, `replay`, `teacher`).
        key: Name of its problem: episodes of the same problem share it, in any batch. Empty where
            it was made by hand.
        surveys: The surveys that were posed to the seat, in order; most runs pose none.
        frozen: Numbers of the turns that are not trained on, because their role does not learn.
    """

    env: str
    seed: int
    episode: int
    turns: tuple[Turn, ...]
    seat: str = "player_0"
    role: str = "player"
    group: int = 0
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    system: str = ""
    terminated: bool = True
    truncated: bool = False
    reward: float = 0.0
    info: Mapping[str, Any] = field(default_factory=dict)
    shared: int = 0
    parent: int | None = None
    source: str = "policy"
    key: str = ""
    surveys: tuple[PosedSurvey, ...] = ()
    frozen: tuple[int, ...] = ()

    def learns(self, number: int) -> bool:
        """Return True if the policy is trained on a turn, by its number."""
        return number >= self.shared and number not in self.frozen

    @property
    def counts(self) -> bool:
        """True unless a tool failed by itself: then it is neither trained on nor evaluated."""
        return not self.info.get("unavailable", False)

    @property
    def correct(self) -> bool:
        """True if it reached its goal: by its last info, else by a reward above 0."""
        outcome = self.info.get("success", self.info.get("correct"))
        return self.reward > 0 if outcome is None else bool(outcome)

    @property
    def replies(self) -> tuple[Turn, ...]:
        """The turns that end with a reply to the environment."""
        return tuple(turn for turn in self.turns if turn.kind == "reply")

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation with the environment in OpenAI's form: `{"role": ..., "content": ...}`.

        All of it, also what was cut from the policy's context; chunks and summaries are left out.
        """
        messages = [{"role": "system", "content": self.system}] if self.system else []
        for turn in self.replies:
            messages.append({"role": "user", "content": turn.observation})
            messages.append({"role": "assistant", "content": turn.action})
        return messages

    def flatten(self) -> Flat:
        """Return the whole episode as one row: a policy is trained on the tokens with mask 1 only.

        A model must not read it across `starts`: see `Flat.contexts`.
        """
        ids: list[int] = []
        mask: list[int] = []
        logprobs: list[float] = []
        turns: list[int] = []
        starts = [0]
        for number, turn in enumerate(self.turns):
            if turn.fresh and ids:
                starts.append(len(ids))
            observed, own = len(turn.prompt_ids), len(turn.action_ids)
            ids += [*turn.prompt_ids, *turn.action_ids]
            trained = int(self.learns(number))
            mask += [0] * observed + [trained] * own
            logprobs += [0.0] * observed + list(turn.logprobs if trained else (0.0,) * own)
            turns += [number] * (observed + own)
        return Flat(tuple(ids), tuple(mask), tuple(logprobs), tuple(turns), tuple(starts))

    def to_record(self) -> dict[str, Any]:
        """Return all fields as JSON values, `messages` included."""
        return asdict(self) | {
            "turns": [
                asdict(turn) | {"logprobs": [None if p != p else p for p in turn.logprobs]}
                for turn in self.turns
            ],  # JSON has no NaN: null
            "kwargs": dict(self.kwargs),
            "info": dict(self.info),
            "messages": self.messages,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Trajectory":
        """Invert `to_record`; raises KeyError or TypeError on another shape."""
        fields = {key: value for key, value in record.items() if key != "messages"}
        # Files from before turns had a role and problems a key lack both.
        role = fields.get("role", "player")
        turns = tuple(_turn({"role": role} | dict(turn)) for turn in fields.pop("turns"))
        known = {"key": problem_key(fields["env"], fields.get("kwargs", {}), fields["seed"])}
        posed = tuple(PosedSurvey.from_record(each) for each in fields.pop("surveys", ()))
        frozen = tuple(fields.pop("frozen", ()))
        return cls(turns=turns, surveys=posed, frozen=frozen, **(known | fields))


def problem_key(env: str, kwargs: Mapping[str, Any], seed: int) -> str:
    """Return the name of a problem: environment, arguments and seed as JSON."""
    return json.dumps([env, dict(kwargs), seed], sort_keys=True)


def write_jsonl(path: str | Path, trajectories: Iterable[Trajectory]) -> None:
    """Write one line each; the file appears whole or not at all."""
    target = Path(path)
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        check_regular(target)
        handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.writelines(_lines(trajectories))
            os.replace(scratch, target)
        except BaseException:
            os.unlink(scratch)
            raise


def append_jsonl(path: str | Path, trajectories: Iterable[Trajectory]) -> None:
    """Add lines to a file; half a line that a killed writer left at its end is cut off first."""
    target = Path(path)
    data = "".join(_lines(trajectories)).encode("ascii")
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target, "a+b") as file:
            _cut_half_line(file)
            file.write(data)


def read_jsonl(path: str | Path) -> Iterator[Trajectory]:
    """Yield the trajectories of a file; half a line at its end is ignored.

    Raises:
        ValueError: If a whole line is not a trajectory; it names the line.
    """
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith("\n"):
                return
            try:
                yield Trajectory.from_record(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise ValueError(f"{path}, line {number} is not a trajectory: {error}") from error


def to_dataset(trajectories: Sequence[Trajectory]) -> Any:
    """Return a Hugging Face dataset with a row for each trajectory.

    `kwargs` and each `info` become JSON texts, because their keys differ from task to task; lone
    surrogates, which Arrow cannot hold, become question marks.

    Raises:
        MissingExtra: If `datasets` is not installed.
    """
    datasets = require("datasets", "dev", "the export to a Hugging Face dataset")
    rows = []
    for item in trajectories:
        flat = item.flatten()
        messages = [
            {key: text.encode("utf-8", "replace").decode() for key, text in message.items()}
            for message in item.messages
        ]
        rows.append(
            {
                **{name: getattr(item, name) for name in _COLUMNS},
                "kwargs": json.dumps(dict(item.kwargs)),
                "messages": messages,
                "ids": list(flat.ids),
                "mask": list(flat.mask),
                "logprobs": list(flat.logprobs),
                "starts": list(flat.starts),
                "turn_rewards": [turn.reward for turn in item.turns],
                "turn_roles": [turn.role for turn in item.turns],
                "turn_infos": [json.dumps(dict(turn.info)) for turn in item.turns],
                "info": json.dumps(dict(item.info)),
            }
        )
    return datasets.Dataset.from_list(rows)


def _turn(record: Mapping[str, Any]) -> Turn:
    lists: dict[str, Any] = {k: tuple(v) for k, v in record.items() if isinstance(v, list)}
    if "logprobs" in lists:
        lists["logprobs"] = tuple(math.nan if p is None else p for p in lists["logprobs"])
    return Turn(**(dict(record) | lists))


def _lines(trajectories: Iterable[Trajectory]) -> Iterator[str]:
    for trajectory in trajectories:
        yield json.dumps(trajectory.to_record()) + "\n"


def _cut_half_line(file: Any) -> None:
    """Truncate a file opened with `a+b` after its last line break."""
    end = file.seek(0, os.SEEK_END)
    if end:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            end = content.rfind(b"\n") + 1
    file.truncate(end)
