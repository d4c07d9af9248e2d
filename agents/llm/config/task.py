"""The task of a run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.algorithms.rollout_tables import PROMPTS, Prompts
from zerogym.agents.llm.rollout.prompt import TaskSpec
from zerogym.agents.llm.rollout.wrapping import check_text_wrappers
from zerogym.agents.self_play.opponents.table import OPPONENTS, Opponent
from zerogym.agents.settings import Group


@describe_fields
@dataclass(frozen=True)
class TaskSettings(Group):
    """The task that the model learns, its wrappers in training, and its problems."""

    env: str = (
        "zerogym/RandomCalculation-v0"  # id of a text environment, or of a game: all its seats
    )
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)  # its arguments, JSON values
    wrappers: Mapping[str, Any] = field(
        default_factory=dict
    )  # of training only: {NAME: ARGUMENTS}, innermost first; see `wrapping.py`

    prompts: str | Prompts | Mapping[str, Any] = field(
        default="endless", metadata={"parts": PROMPTS}
    )  # which problems are posed: endless, a pool, a mixture of tasks, a curriculum

    opponent: str | Opponent | Mapping[str, Any] | None = field(
        default=None, metadata={"parts": OPPONENTS}
    )  # of games: who has all seats but one of an episode; None: the model plays and learns in all

    @cached_property
    def source(self) -> Prompts:
        """The part that `prompts` names."""
        return PROMPTS.make(self.prompts)

    @cached_property
    def others(self) -> Opponent | None:
        """The part that `opponent` names."""
        return None if self.opponent is None else OPPONENTS.make(self.opponent)

    @property
    def task(self) -> TaskSpec:
        """The environment with its arguments and wrappers."""
        return TaskSpec(self.env, self.env_kwargs, self.wrappers)

    def _check(self) -> None:
        """Refuse arguments that are no JSON values, unknown wrappers and the test problems."""
        json.dumps(dict(self.env_kwargs))  # raises the TypeError before the run is saved
        check_text_wrappers("GRPOConfig.wrappers", self.wrappers, self.env)
        if self.env_kwargs.get("split") == "test":
            raise ValueError("training on split='test' would spoil the evaluation")
        _ = self.source, self.others  # unknown names end here
