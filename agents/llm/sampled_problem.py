"""The outcomes of all samples of one problem."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from zerogym.agents.llm.prompting.self_consistency import answer_of
from zerogym.agents.llm.rollout.evaluation import succeeded
from zerogym.agents.trajectory import Trajectory


@dataclass(frozen=True)
class SampledProblem:
    """Scores and answers of the samples of one problem, one an episode.

    Attributes:
        seed: Of the reset: with the environment's arguments it makes the problem again.
        key: A checksum of the first observation, by which problems of two logs are compared.
        scores: Reward of each sample; None where a tool failed by itself, which does not count.
        correct: Whether each reached its goal; None where its last info does not say so.
        answers: The answer in the last reply of each, without outer blanks and case.
        token_entropy: Mean entropy of the distributions that the tokens were drawn from, in nats:
            an unbiased estimate, the mean of -log p over all sampled tokens. None where tokens were
            not drawn from the whole distribution, or the engine does not know p.
    """

    seed: int
    key: str
    scores: tuple[float | None, ...]
    correct: tuple[bool | None, ...]
    answers: tuple[str, ...]
    token_entropy: float | None = None

    @property
    def counted(self) -> list[int]:
        """The places of the samples that count."""
        return [place for place, score in enumerate(self.scores) if score is not None]

    def record(self) -> dict[str, Any]:
        """Return the line of a log, JSON values."""
        return {"kind": "problem", **asdict(self)}

    @classmethod
    def of(cls, episodes: Sequence[Trajectory], whole: bool = False) -> "SampledProblem":
        """Return the outcomes of episodes of the same problem.

        Args:
            episodes: At least one.
            whole: Their tokens were drawn from the whole distribution of the model.
        """
        shown = next((each.turns[0].observation for each in episodes if each.turns), "")
        return cls(
            seed=episodes[0].seed,
            key=hashlib.sha256(shown.encode()).hexdigest()[:16],
            scores=tuple(each.reward if each.counts else None for each in episodes),
            correct=tuple(succeeded(each) for each in episodes),
            answers=tuple(_answer(each) for each in episodes),
            token_entropy=_token_entropy(episodes) if whole else None,
        )


def _token_entropy(episodes: Sequence[Trajectory]) -> float | None:
    drawn = [value for each in episodes for turn in each.turns for value in turn.logprobs]
    mean = -math.fsum(drawn) / len(drawn) if drawn else math.nan
    return None if math.isnan(mean) else mean


def _answer(episode: Trajectory) -> str:
    replies = episode.replies
    return answer_of(replies[-1].action) if replies else ""
