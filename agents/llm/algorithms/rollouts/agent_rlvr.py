"""Agent-RLVR: problems that no episode solved are tried again with guidance."""

from dataclasses import dataclass, replace

from zerogym.agents.llm.algorithms.rollout_tables import Group, Rolling, Rollouts, Step, rollouts
from zerogym.agents.llm.algorithms.rollouts.proposals import episodes_of
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.request import Request

FAILED = "An earlier attempt failed: {}"


@rollouts("agent_rlvr")
@dataclass(frozen=True)
class AgentRLVR(Rollouts):
    """Play the problems that no first episode solved once more, with guidance in their prompt.

    The guidance is the world's own, by the argument `argument` with the value `guidance` (RepoFix
    has `place` and `plan`), and with `feedback` the judge's words about the first failed episode,
    below the first observation. A guided group takes the place of the failed one in the batch, and
    is trained on with its prompt as it was, guidance included; problems that were solved are not
    guided. The evaluation has no guidance.

    Ours: guidance that is generated with the problem, where the paper's is written by a language
    model that sees the failed attempt; the update of the run's algorithm, where the paper's is DPO
    on pairs of guided trajectories; that guidance stays in the prompt that is trained on, and that
    failed episodes without guidance are left out.
    """

    source = (
        '"Agent-RLVR: Training Software Engineering Agents via Guidance and Environment Rewards" '
        "(2025, arXiv 2506.11425)"
    )
    argument: str = "guidance"  # of the world, by which it shows guidance
    guidance: str = "plan"  # its value for the second attempts
    feedback: bool = True  # whether the judge's words about a failed episode are shown, too

    def __call__(self, step: Step) -> Rolling:
        drawn = step.draw(step.problems)
        played = yield [Request(prompt) for prompt in drawn]
        groups: list[Group] = []
        failed: list[Prompt] = []
        for prompt, seats in zip(drawn, played, strict=True):
            episodes = episodes_of(seats)
            if episodes and not any(each.correct for each in episodes):
                failed.append(self.guided(prompt, episodes))
            else:
                groups += seats
        again = (yield [Request(prompt) for prompt in failed]) if failed else []
        solved = [any(each.correct for each in episodes_of(seats)) for seats in again]
        step.metrics["guided"] = len(failed) / len(drawn)
        step.metrics["guided_solved"] = sum(solved) / max(1, len(solved))
        return [*groups, *(group for seats in again for group in seats)]

    def guided(self, prompt: Prompt, episodes: Group) -> Prompt:
        """Return the prompt of the second attempts at a problem, after failed episodes."""
        kwargs = {**prompt.task.kwargs, self.argument: self.guidance}
        said = (str(each.turns[-1].info.get("feedback") or "") for each in episodes if each.turns)
        words = next(filter(None, said), "") if self.feedback else ""
        hint = "\n".join(filter(None, (prompt.hint, words and FAILED.format(words))))
        return replace(prompt, task=replace(prompt.task, kwargs=kwargs), hint=hint)
