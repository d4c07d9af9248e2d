"""The speaking reward: a message counts by what it adds to others' belief in the right answer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from zerogym.agents.llm.algorithms.rollout_tables import Rolling, Rollouts, Step, rollouts
from zerogym.agents.llm.rollout.request import Request
from zerogym.agents.settings import check_at_least
from zerogym.agents.trajectory import Trajectory

Message = tuple[int, str, int]  # episode, speaker, number of the speaker's turn


@rollouts("speaking")
@dataclass(frozen=True)
class Speaking(Rollouts):
    """Play as `plain`, and add to each message's reward the change of belief that it made.

    After each message of a game of talk the seats with a survey are surveyed, the speaker if it
    has one, too; `weight` times the change of the sum of their probabilities of the right answer
    is the reward of the speaker's turn, negative for a speaker whom it harms (an impostor). Changes
    add up to last minus first belief of a discussion. Metrics and the rewards of records stay the
    task's own. Left out: the paper's reward for the belief before a discussion, which is of the
    rounds of play, and its further rewards for reports and tasks.
    """

    source = (
        '"Training Language Models for Social Deduction with Multi-Agent Reinforcement Learning" '
        "(2025, arXiv 2502.06060)"
    )
    numbered = False
    one_round = True
    surveys = True
    weight: float = 1.0  # of a change of belief, in [-1, 1] for each listener (our choice)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, weight=0)

    def __call__(self, step: Step) -> Rolling:
        played = yield [Request(prompt) for prompt in step.draw(step.problems)]
        groups = [group for seats in played for group in seats]
        gains = speaking_gains([item for group in groups for item in group])
        return [[self._rewarded(item, gains) for item in group] for group in groups]

    def _rewarded(self, item: Trajectory, gains: "Counter[Message]") -> Trajectory:
        added = [
            self.weight * gains[item.episode, item.seat, place] for place in range(len(item.turns))
        ]
        if not any(added):
            return item
        turns = tuple(
            replace(turn, reward=turn.reward + more)
            for turn, more in zip(item.turns, added, strict=True)
        )
        return replace(item, turns=turns, reward=item.reward + sum(added))


def speaking_gains(episodes: Sequence[Trajectory]) -> "Counter[Message]":
    """Return what each message added to the beliefs of the listeners, signed for its speaker.

    Args:
        episodes: The trajectories of all seats.
    """
    gains: Counter[Message] = Counter()
    for item in episodes:
        for before, after in zip(item.surveys, item.surveys[1:], strict=False):
            if after.speaker:
                message = (item.episode, after.speaker, after.spoken)
                gains[message] += after.sign * (after.right - before.right)  # type: ignore[assignment]
    return gains
