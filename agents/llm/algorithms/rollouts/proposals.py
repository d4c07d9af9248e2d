"""Proposals in rollouts: the prompts of a proposer and of a solver, and their rewards; no part.

Read `absolute_zero.py` for what they are for. A proposal is JSON values: options of the task's
`reset` for a reasoning task, a triplet of texts for `CodeTriplet`.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from zerogym.agents.llm.algorithms.rollout_tables import Group, Seats
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.lookup import full_id
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.proposals.parameter_creator import question
from zerogym.envs.tools.code_triplet.env import CodeTripletEnv
from zerogym.envs.tools.code_triplet.inputs import written_arguments
from zerogym.envs.tools.code_triplet.language.rendering import rendered
from zerogym.envs.tools.code_triplet.proposals import ProposalLevel, Triplet, plain, problem_of

CODE = "zerogym/CodeTriplet-v0"
CODE_CREATOR, PARAMETER_CREATOR = "zerogym/CodeCreator-v0", "zerogym/ParameterCreator-v0"
REQUIRED_FORM = ("tag", "boxed")  # places of an answer in the form that was requested


def is_code(task: TaskSpec) -> bool:
    """Return whether a task is `CodeTriplet`, whose proposals are programs."""
    return full_id(task.env) == CODE


def categories_of(task: TaskSpec) -> list[str]:
    """Return the categories from which a proposal chooses; empty if a task has none."""
    names = question(full_id(task.env), task.kwargs, 0.0, 1.0).data["categories"]
    return list(names)


def code_question(prompt: Prompt, problem: Problem, level: ProposalLevel) -> Prompt:
    """Return the prompt in which a program, or inputs for one, are proposed."""
    options = {"problem": problem.record()}
    return Prompt(TaskSpec(CODE_CREATOR, {"level": level}), prompt.seed, options, key=_key(options))


def drawn_triplet(prompt: Prompt) -> Triplet:
    """Return the triplet behind a prompt of `CodeTriplet` with the category `deduction`."""
    env = CodeTripletEnv(**prompt.task.kwargs)
    env.reset(seed=prompt.seed, options=dict(prompt.options))
    data = env.get_state()["episode"].problem.data
    program = plain(rendered(data["program"]))
    return Triplet(program, (written_arguments(data["arguments"]),), (repr(data["output"]),))


def parameter_question(prompt: Prompt, hardest: float) -> Prompt:
    """Return the prompt in which the parameters of a problem are proposed."""
    task = prompt.task
    posed = question(full_id(task.env), task.kwargs, 0.0, hardest)
    creator = TaskSpec(PARAMETER_CREATOR, {"env": task.env, "kwargs": dict(task.kwargs)})
    options = {"problem": posed.record()}
    return Prompt(creator, prompt.seed, options, key=_key(options))


def code_task(
    prompt: Prompt, category: str, triplet: Triplet, level: ProposalLevel, count: int | None = None
) -> Prompt:
    """Return the prompt in which a proposed triplet is completed, with so many episodes."""
    options = {"problem": problem_of(category, triplet, level).record()}
    return Prompt(prompt.task, prompt.seed, options, count, key=_key(options))


def parameter_task(prompt: Prompt, options: Mapping[str, Any], count: int | None = None) -> Prompt:
    """Return the prompt in which a problem of proposed parameters is solved."""
    return Prompt(prompt.task, prompt.seed, dict(options), count)


def proposal_of(episode: Trajectory) -> dict[str, Any] | None:
    """Return the accepted proposal of an episode; None if there is none."""
    text = episode.info.get("proposal")
    return json.loads(text) if isinstance(text, str) else None


def episodes_of(seats: Seats) -> Group:
    """Return the episodes of a request, of all seats."""
    return [each for group in seats for each in group]


def solve_rate(episodes: Sequence[Trajectory]) -> float:
    """Return the share of episodes that are right."""
    return sum(each.correct for each in episodes) / len(episodes)


def has_form(episode: Trajectory) -> bool:
    """Return whether its last answer was in the form that was requested."""
    return episode.info.get("answer_format") in REQUIRED_FORM


def rewarded(episode: Trajectory, reward: float, role: str) -> Trajectory:
    """Return an episode with another return, at its last turn, and a role."""
    turns = [replace(turn, reward=0.0, role=role) for turn in episode.turns]
    if turns:
        turns[-1] = replace(turns[-1], reward=reward)
    return replace(episode, reward=reward, turns=tuple(turns), role=role)


def _key(options: Mapping[str, Any]) -> str:
    """Return a name of a problem that stays short, however long the problem is."""
    text = json.dumps(options, sort_keys=True)
    return f"proposal {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
