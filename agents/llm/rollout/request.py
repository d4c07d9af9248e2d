"""Rollouts as requests: so many episodes of a prompt, from its start or from a branch point.

Requests are plain data, so that any process can play them; importing this loads no environment.
"""

from dataclasses import dataclass

from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.trajectory import Trajectory


@dataclass(frozen=True)
class Branch:
    """A place in a recorded episode.

    Attributes:
        episode: The records of the episode, one for each seat.
        replies: Replies that are kept, of all seats together.
    """

    episode: tuple[Trajectory, ...]
    replies: int


@dataclass(frozen=True)
class Request:
    """Episodes that a step is to play.

    Attributes:
        prompt: The problem.
        count: Episodes; None: the prompt's `size`, or the `group_size` of the run.
        start: Where they begin; None: at the start.
        joins: Number of an earlier request of the step, from 0, to whose group they belong; None:
            they are a group of their own.
    """

    prompt: Prompt
    count: int | None = None
    start: Branch | None = None
    joins: int | None = None


@dataclass(frozen=True)
class PlannedEpisode:
    """One episode of a request.

    Attributes:
        number: Its number within the step.
        prompt: The problem.
        group: Number of its group within the step.
        key: What its random numbers depend on, beside the player's seed, its seats and turns.
        start: Where it begins; None: at the start.
    """

    number: int
    prompt: Prompt
    group: int
    key: tuple[int, ...]
    start: Branch | None = None
