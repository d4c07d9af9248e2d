"""SvS: variations of own solved problems, with the same answer."""

from dataclasses import dataclass

from zerogym.agents.llm.algorithms.rollout_tables import Group, Rolling, Rollouts, Step, rollouts
from zerogym.agents.llm.algorithms.rollouts.proposals import (
    code_question,
    code_task,
    drawn_triplet,
    episodes_of,
    is_code,
    proposal_of,
    rewarded,
    solve_rate,
)
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.request import Request
from zerogym.agents.settings import check_at_least
from zerogym.envs.tools.code_triplet.creator_problems import creator_problem
from zerogym.envs.tools.code_triplet.proposals import Triplet


@rollouts("svs")
@dataclass(frozen=True)
class SvS(Rollouts):
    """Play variations of the problems that the policy solves seldom, proposed by the policy.

    The run's task is `CodeTriplet` with the category `deduction`. For each problem whose share of
    right episodes is in the band, another program and input with the same output are proposed. A
    variation counts if the interpreter gives that output; then a group solves it, and the
    proposal's reward is 1 if the share of right episodes is in the second band, else 0. All three
    kinds of groups are trained on. Ours: the bands, that a proposer reads the problem and its
    answer in place of a right solution, and that the interpreter checks the answer, which the paper
    takes for granted.
    """

    source = (
        '"Beyond Pass@1: Self-Play with Variational Problem Synthesis Sustains RLVR" (2025, '
        "arXiv 2508.14029)"
    )
    least: float = 0.125  # smallest share of right episodes of a problem that is varied
    most: float = 0.5  # largest
    least_of_variation: float = 0.125  # smallest share of a variation that has a reward
    most_of_variation: float = 0.625  # largest
    proposals: int = 4  # episodes that propose variations of a problem

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, proposals=1)
        own = self.least_of_variation, self.most_of_variation
        for low, high in ((self.least, self.most), own):
            if not 0 < low <= high < 1:
                raise ValueError(f"a band of shares is within 0 and 1, got {low} to {high}")

    def __call__(self, step: Step) -> Rolling:
        drawn = step.draw(step.problems)
        if not all(_fits(prompt) for prompt in drawn):
            raise ValueError("svs is for CodeTriplet with the category deduction")
        played = yield [Request(prompt) for prompt in drawn]
        groups: list[Group] = [group for seats in played for group in seats]
        varied = [
            prompt
            for prompt, seats in zip(drawn, played, strict=True)
            if (own := episodes_of(seats)) and self.least <= solve_rate(own) <= self.most
        ]
        step.metrics["varied"] = len(varied) / len(drawn)
        if not varied:
            return groups
        count = max(self.proposals, step.least)
        proposed = yield [Request(_question(prompt), count) for prompt in varied]
        proposers = [episodes_of(seats) for seats in proposed]
        tasks, owners = [], []  # a variation; the places of its prompt and of its episode
        for place, (prompt, episodes) in enumerate(zip(varied, proposers, strict=True)):
            for number, episode in enumerate(episodes):
                found = proposal_of(episode)
                if found is not None:
                    triplet = Triplet.from_record(found)
                    tasks.append(code_task(prompt, "deduction", triplet, "interpreter"))
                    owners.append((place, number))
        solved = (yield [Request(task) for task in tasks]) if tasks else []
        rewards: dict[tuple[int, int], float] = {}
        for owner, seats in zip(owners, solved, strict=True):
            groups += seats
            own = episodes_of(seats)
            share = solve_rate(own) if own else 0.0
            rewards[owner] = float(self.least_of_variation <= share <= self.most_of_variation)
        groups += [
            [
                rewarded(episode, rewards.get((place, number), 0.0), "proposer")
                for number, episode in enumerate(episodes)
            ]
            for place, episodes in enumerate(proposers)
            if episodes
        ]
        step.metrics["accepted"] = len(tasks) / max(1, sum(map(len, proposers)))
        step.metrics["rewarded"] = sum(rewards.values()) / max(1, len(tasks))
        return groups


def _fits(prompt: Prompt) -> bool:
    return is_code(prompt.task) and prompt.task.kwargs.get("category") == "deduction"


def _question(prompt: Prompt) -> Prompt:
    """Return the prompt in which a variation of a problem is proposed."""
    triplet = drawn_triplet(prompt)
    problem = creator_problem("deduction", [triplet], returns=triplet.outputs[0])
    return code_question(prompt, problem, "interpreter")
