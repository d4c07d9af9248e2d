"""The listening loss: a seat's model learns to answer what is hidden from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from zerogym.agents.llm.algorithms.auxiliary_table import Auxiliary, auxiliary
from zerogym.agents.llm.algorithms.episode_tables import Groups
from zerogym.agents.posed_survey import PosedSurvey
from zerogym.agents.settings import check_at_least
from zerogym.agents.trajectory import Flat, Trajectory

if TYPE_CHECKING:
    import torch


@auxiliary("listening")
@dataclass(frozen=True)
class Listening(Auxiliary):
    """Add the cross-entropy of the right answer to each survey that was posed.

    A row is what a seat has read before a question, and the right answer, whose tokens alone are
    scored; the mean is over all surveys of the update. Its minimum over all distributions is Bayes'
    posterior of the players that made the episodes. Left out: the paper's second supervised loss,
    which predicts observations.
    """

    source = (
        '"Training Language Models for Social Deduction with Multi-Agent Reinforcement Learning" '
        "(2025, arXiv 2502.06060)"
    )
    surveys = True

    weight: float = (
        0.3  # of the cross-entropy in nats, beside a policy loss of order 1 (our choice)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, weight=0)

    def rows(self, groups: Groups) -> list[Flat]:
        """Return a row for each survey of each episode."""
        return [
            survey_row(item, posed) for group in groups for item in group for posed in item.surveys
        ]

    def __call__(self, logprobs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the negative log-probability of each answer (B,)."""
        return -logprobs.masked_fill(mask == 0, 0.0).sum(1)


def survey_row(item: Trajectory, posed: PosedSurvey) -> Flat:
    """Return the context of a survey that was posed to a seat, and the right answer with mask 1."""
    before: Sequence[int] = ()
    if not posed.fresh:
        flat = replace(item, turns=item.turns[: posed.turns]).flatten()
        before = flat.ids[flat.starts[-1] :]
    context, answer = (*before, *posed.prompt_ids), posed.options[posed.answer]
    width = len(context) + len(answer)
    mask = (0,) * len(context) + (1,) * len(answer)
    return Flat((*context, *answer), mask, (0.0,) * width, (0,) * width)
