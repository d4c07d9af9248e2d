"""Absolute Zero: the policy proposes the tasks that it solves."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from zerogym.agents.llm.algorithms.rollout_tables import Group, Rolling, Rollouts, Step, rollouts
from zerogym.agents.llm.algorithms.rollouts.proposals import (
    categories_of,
    code_question,
    code_task,
    episodes_of,
    has_form,
    is_code,
    parameter_question,
    parameter_task,
    proposal_of,
    rewarded,
    solve_rate,
)
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.request import Request
from zerogym.agents.settings import check_at_least
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.tools.code_triplet.creator_problems import creator_problem
from zerogym.envs.tools.code_triplet.problems import MODES
from zerogym.envs.tools.code_triplet.proposals import IDENTITY, ProposalLevel, Triplet
from zerogym.errors import UnknownName

Proposer = Literal["trained", "fixed", "uniform"]


def learnability(rate: float) -> float:
    """Return the reward of a proposal of which a share of the attempts succeeded: 1 less it.

    It is 0 where none or all did. With n attempts that succeed with probability p each, its mean is
    `(1 - p) - (1 - p)^n`, whose peak is at `p = 1 - n^(-1 / (n - 1))`.

    Example:
        >>> learnability(0.0), learnability(0.25), learnability(1.0)
        (0.0, 0.75, 0.0)
    """
    return 1 - rate if 0 < rate < 1 else 0.0


@rollouts("absolute_zero")
@dataclass(frozen=True)
class AbsoluteZero(Rollouts):
    """Play a proposer for each prompt, validate what it proposes, and play a group that solves it.

    The run's task is the solver's. Over `CodeTriplet` a proposal is a program with an input
    (`deduction`, `abduction`) or inputs and a message for an earlier program (`induction`); the
    kinds take turns. Accepted triplets join a buffer, which starts with the identity program alone
    and is what later proposers are shown; fewer accepted proposals than prompts are filled up with
    tasks of the buffer. Over any other reasoning task a proposal is a difficulty and a category.

    An accepted proposal has the reward `learnability` of the share of right episodes in its group,
    a right solution its own; what is wrong has -0.5 in the requested form, and -1 in another. The
    groups of both roles are trained on, best with the advantage `trr_pp`.

    Ours: the group that estimates the learnability is also what the solver is trained on, where the
    authors play two, and a step has one kind of task a prompt in place of all; accepted proposals
    of learnability 0 have 0 as in the paper's equation, where their code has -0.5; a right answer
    counts in any form. Left out: the first phase that fills the buffer before training, programs
    made of earlier ones, rewards for complexity and diversity, which its best runs do not use, and
    a check that no proposal is by chance a problem of the evaluation.
    """

    source = (
        '"Absolute Zero: Reinforced Self-play Reasoning with Zero Data" (2025, arXiv 2505.03335)'
    )
    wrong: ClassVar[float] = -0.5  # rewards of both roles, those of the paper's equation 6
    malformed: ClassVar[float] = -1.0

    proposals: int = 1  # episodes of a proposer's prompt
    references: int = 2  # earlier triplets that a proposer is shown
    pairs: int = 10  # inputs of a task of induction, of which half are hidden
    categories: tuple[str, ...] = tuple(MODES)  # kinds of tasks of CodeTriplet
    level: ProposalLevel = "interpreter"  # where programs run; else a level of the sandbox
    hardest: float = 8.0  # largest difficulty of a proposal over another reasoning task
    proposer: Proposer = "trained"  # fixed: it proposes untrained; uniform: problems are drawn
    capacity: int = 4096  # triplets in the buffer; the oldest leave it, but not the identity

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, proposals=1, references=0, pairs=2, capacity=1, hardest=0.5)
        object.__setattr__(self, "categories", tuple(self.categories))
        for kind, name, known in (
            *(("category", one, list(MODES)) for one in self.categories or ("",)),
            ("level", self.level, list(get_args(ProposalLevel))),
            ("proposer", self.proposer, list(get_args(Proposer))),
        ):
            if name not in known:
                raise UnknownName(kind, name, known)

    def rewards(self, proposals: Sequence[str], rates: Sequence[float]) -> list[float]:
        """Return the rewards of the accepted proposals of a step.

        Args:
            proposals: Each as text: equal ones are the same.
            rates: The share of right episodes of each one's group.
        """
        return [learnability(rate) for rate in rates]

    def trains_on(self, rate: float) -> bool:
        """Return whether the solver is trained on a group with a share of right episodes."""
        return True

    def __call__(self, step: Step) -> Rolling:
        drawn = step.draw(step.problems)
        kinds = [self._kind(prompt, step.state) for prompt in drawn]
        proposers: list[tuple[int, Trajectory]] = []  # the place of the prompt, and an episode
        if self.proposer != "uniform":
            count = max(self.proposals, step.least)
            questions = [
                self._question(prompt, kind, step)
                for prompt, kind in zip(drawn, kinds, strict=True)
            ]
            played = yield [Request(prompt, count) for prompt in questions]
            proposers = [
                (place, episode)
                for place, seats in enumerate(played)
                for episode in episodes_of(seats)
            ]
        tasks: list[Prompt] = []
        task_of: list[int | None] = []  # of each proposer's episode
        found = [proposal_of(episode) for _, episode in proposers]
        for (place, _), proposal in zip(proposers, found, strict=True):
            task_of.append(None if proposal is None else len(tasks))
            if proposal is not None:
                tasks.append(self._task(drawn[place], kinds[place], proposal))
        old = [
            self._old_task(prompt, kind, step)
            for prompt, kind in zip(drawn[len(tasks) :], kinds[len(tasks) :], strict=True)
        ]
        tasks += [prompt for prompt in old if prompt is not None]
        for (place, _), proposal in zip(proposers, found, strict=True):
            if proposal is not None:
                self._keep(drawn[place], kinds[place], proposal, step.state)
        solvers = (yield [Request(prompt) for prompt in tasks]) if tasks else []
        rates = [solve_rate(own) if (own := episodes_of(seats)) else None for seats in solvers]
        solutions = [
            [self._solver(each) for each in group]
            for seats, rate in zip(solvers, rates, strict=True)
            for group in (seats if rate is not None and self.trains_on(rate) else ())
        ]
        proposed = self._proposed(proposers, task_of, rates)
        self._measure(step, proposed, rates)
        return solutions + (proposed if self.proposer == "trained" else [])

    def _kind(self, prompt: Prompt, state: dict[str, Any]) -> str:
        """Return the kind of a task of `CodeTriplet`, each in turn; empty for another one."""
        if not is_code(prompt.task):
            return ""
        if fixed := prompt.task.kwargs.get("category"):
            return str(fixed)
        turn = state.get("turn", 0)
        state["turn"] = turn + 1
        return self.categories[turn % len(self.categories)]

    def _question(self, prompt: Prompt, kind: str, step: Step) -> Prompt:
        """Return the prompt of a proposer."""
        if not kind:
            return parameter_question(prompt, self.hardest)
        known = [IDENTITY, *map(Triplet.from_record, step.state.get("triplets", []))]
        count = 1 if kind == "induction" else min(self.references, len(known))
        chosen = step.rng.choice(len(known), size=count, replace=False).tolist()
        problem = creator_problem(kind, [known[place] for place in chosen], self.pairs)
        return code_question(prompt, problem, self.level)

    def _task(self, prompt: Prompt, kind: str, proposal: Mapping[str, Any]) -> Prompt:
        """Return the prompt in which a proposal is solved."""
        if not kind:
            return parameter_task(prompt, proposal)
        return code_task(prompt, kind, Triplet.from_record(proposal), self.level)

    def _old_task(self, prompt: Prompt, kind: str, step: Step) -> Prompt | None:
        """Return a task of the buffer, or of the run for a uniform proposer; None without any."""
        if self.proposer == "uniform":
            return prompt if kind else parameter_task(prompt, self._drawn_parameters(prompt, step))
        first = [IDENTITY.record()] if kind in ("deduction", "abduction") else []
        known = [*first, *step.state.get(_place(prompt, kind), [])]
        if not known:
            return None
        return self._task(prompt, kind, known[int(step.rng.integers(len(known)))])

    def _drawn_parameters(self, prompt: Prompt, step: Step) -> dict[str, Any]:
        """Return a difficulty, and a category where the task has several, each as likely."""
        options: dict[str, Any] = {"difficulty": round(float(step.rng.uniform(0, self.hardest)), 3)}
        names = categories_of(prompt.task)
        if names:
            options["category"] = names[int(step.rng.integers(len(names)))]
        return options

    def _keep(
        self, prompt: Prompt, kind: str, proposal: dict[str, Any], state: dict[str, Any]
    ) -> None:
        """Add a proposal to the buffer."""
        kept = state.setdefault(_place(prompt, kind), [])
        if proposal not in kept:
            kept.append(proposal)
        del kept[: -self.capacity]

    def _proposed(
        self,
        proposers: Sequence[tuple[int, Trajectory]],
        task_of: Sequence[int | None],
        rates: Sequence[float | None],
    ) -> list[Group]:
        """Return the groups of the proposers with their rewards.

        A proposal whose solvers all failed by a tool of their own has no reward, and is left out.
        """
        known = {
            number: (json.dumps(proposal_of(episode), sort_keys=True), rate)
            for number, ((_, episode), task) in enumerate(zip(proposers, task_of, strict=True))
            if task is not None and (rate := rates[task]) is not None
        }
        found = self.rewards(
            [one for one, _ in known.values()], [rate for _, rate in known.values()]
        )
        rewards = dict(zip(known, found, strict=True))
        groups: dict[int, Group] = {}
        for number, ((place, episode), task) in enumerate(zip(proposers, task_of, strict=True)):
            if task is None:
                rewards[number] = self._fault(episode)
            if number in rewards:
                own = rewarded(episode, rewards[number], "proposer")
                groups.setdefault(place, []).append(own)
        return list(groups.values())

    def _fault(self, episode: Trajectory) -> float:
        """Return the reward of a wrong reply: lower if it has not the requested form."""
        return self.wrong if has_form(episode) else self.malformed

    def _solver(self, episode: Trajectory) -> Trajectory:
        """Return a solver's episode with its reward: the task's own if it is right."""
        reward = episode.reward if episode.correct else self._fault(episode)
        return rewarded(episode, reward, "solver")

    def _measure(
        self, step: Step, proposed: Sequence[Group], rates: Sequence[float | None]
    ) -> None:
        """Log what became of the step's proposals."""
        known = [rate for rate in rates if rate is not None]
        episodes = [each for group in proposed for each in group]
        if episodes:
            accepted = [proposal_of(each) is not None for each in episodes]
            step.metrics["accepted"] = sum(accepted) / len(episodes)
            step.metrics["proposer_reward"] = sum(each.reward for each in episodes) / len(episodes)
        if known:
            step.metrics["solve_rate"] = sum(known) / len(known)
            step.metrics["learnable"] = sum(0 < rate < 1 for rate in known) / len(known)
        kept = [one for name, one in step.state.items() if name != "turn"]
        step.metrics["buffer"] = sum(map(len, kept))


def _place(prompt: Prompt, kind: str) -> str:
    """Return the part of the buffer in which a proposal belongs."""
    if not kind:
        return f"parameters of {prompt.task.name}"
    return "inductions" if kind == "induction" else "triplets"
