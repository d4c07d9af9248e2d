"""The record of a survey: what a seat believed in the middle of an episode, by its own model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Ids = tuple[int, ...]


@dataclass(frozen=True)
class PosedSurvey:
    """A question that was posed to a seat after a message, and the belief of its model.

    The episode went on as if it had not been posed. The context of the question is the seat's
    first `turns` turns, unless `fresh`, and then `prompt_ids`.

    Attributes:
        turns: Turns of the seat before the question.
        prompt_ids: The ids since its last reply: what it observed and the question.
        options: The ids of each possible answer.
        answer: Number of the right one.
        belief: Probability of each option under the model, those of all options summing to 1.
        fresh: The context before is not the model's: `prompt_ids` are the whole of it.
        speaker: The seat whose message came just before; empty where none has: the first survey of
            a discussion.
        spoken: Number of that turn among the speaker's turns; 0 without a speaker.
        sign: 1; -1 if a right belief of others is a loss of the speaker.
    """

    turns: int
    prompt_ids: Ids
    options: tuple[Ids, ...]
    answer: int
    belief: tuple[float, ...]
    fresh: bool = False
    speaker: str = ""
    spoken: int = 0
    sign: int = 1

    @property
    def right(self) -> float:
        """The probability of the right answer."""
        return self.belief[self.answer]

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "PosedSurvey":
        """Return the survey of JSON values."""
        options = tuple(tuple(ids) for ids in record["options"])
        lists = {name: tuple(record[name]) for name in ("prompt_ids", "belief")}
        return cls(**(dict(record) | lists | {"options": options}))
