"""Rewards for calls: precision and completeness, of an episode and of a turn.

"Feedback-Driven Tool-Use Improvements in Large Language Models via Automated Build Environments"
(2025, arXiv 2508.08791). A call solves a part of the task if it has the tool and the result of a
needed call that is still open; so other wordings of an argument count, if the result is the same.

`turn_reward` and `answer_reward` are those of the authors' public code (`compute_solve_f1`). Left
out: its tolerant comparison of results, since ours are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Made = tuple[str, str]  # a tool and a result

EMPTY, MALFORMED, ONLY_CALLS = -0.5, -0.3, 0.5  # rewards of the public code


@dataclass(frozen=True)
class CallScores:
    """The fit of an episode's calls to the needed ones.

    Attributes:
        solved: Needed calls that were made.
        made: All calls, those that could not be run included.
        needed: Needed calls.
    """

    solved: int
    made: int
    needed: int

    @property
    def precision(self) -> float:
        """The share of the calls that were needed; 1 without a call."""
        return self.solved / self.made if self.made else 1.0

    @property
    def completeness(self) -> float:
        """The share of the needed calls that were made."""
        return self.solved / self.needed if self.needed else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both, `2 solved / (made + needed)`."""
        total = self.made + self.needed
        return 2 * self.solved / total if total else 1.0


def count_solved(made: Sequence[Made], needed: Sequence[Made]) -> int:
    """Count the needed calls that were made, each at most once."""
    open_calls, solved = list(needed), 0
    for one in made:
        if one in open_calls:
            open_calls.remove(one)
            solved += 1
    return solved


def score_calls(made: Sequence[Made], count: int, needed: Sequence[Made]) -> CallScores:
    """Return how well calls fit the needed ones.

    Args:
        made: Tool and result of each call that was run.
        count: Calls in all, those that could not be run included.
        needed: Tool and result of each needed call.
    """
    return CallScores(count_solved(made, needed), count, len(needed))


def turn_reward(solved: int, calls: int) -> float:
    """Return the reward of a turn with calls, `2 solved / (calls + 1)`.

    Args:
        solved: Needed calls that this turn has made, and none before it.
        calls: Calls of this turn.
    """
    return 2 * solved / (calls + 1)


def answer_reward(right: bool, unsolved: int) -> float:
    """Return the reward of the turn with the answer.

    Args:
        right: Whether the answer is right.
        unsolved: Needed calls that were not made.
    """
    if right:
        return 1 / (1 + unsolved)
    return 0.0 if unsolved else ONLY_CALLS
