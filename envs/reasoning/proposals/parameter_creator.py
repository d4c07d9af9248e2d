"""ParameterCreator: the proposer's seat of any reasoning task.

Left out: the reward for what a solver learns, which needs one (the rollouts part `absolute_zero`).
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.envs.registration import load_env_creator

from zerogym.envs.lookup import find_spec, full_id
from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick
from zerogym.envs.splits import Split
from zerogym.errors import ProblemSpaceTooSmall

DEFAULT = "zerogym/NumberTheory-v0"
HARDEST = 8.0
SHARE = 0.125  # of the whole range of difficulties, in a drawn question
MOST_EARLIER = 40
MAX_LENGTH = 500  # characters of a proposal


class ParameterCreatorEnv(ReasoningEnv):
    """Propose the difficulty and the category of a problem that another player is to solve.

    Description:
        A reasoning task is named, with its categories and the range of difficulties. The proposal
        is a JSON object with a `difficulty` in the given range, some way from earlier ones, and,
        where the task has categories, one of the given `category`. Whether it is a good one, only
        a solver shows: see the rollouts part `absolute_zero`.

    Observation:
        The question as text.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line.

    Reward:
        1 if the proposal is accepted, else 0: all keys are known, the difficulty is a number in the
        range and keeps its distances, and the task draws a problem of it.

    Episode end:
        After an accepted reply, or `max_attempts` of them. The last `info` then has the `proposal`
        as JSON text: options for the `reset` of the task.

    Difficulty:
        The proposal must differ from `1 + 2 * difficulty` earlier ones, 41 at most.

    Arguments:
        `env`, an id of a reasoning task (default `zerogym/NumberTheory-v0`), `kwargs` of it,
        `hardest`, the largest difficulty that is accepted (default 8), `difficulty` (default 1),
        `split`, `category` (none), `max_attempts` (default 1), `render_mode`.

    Example:
        >>> env = ParameterCreatorEnv("zerogym/ChainSum-v0")
        >>> print(env.reset(seed=1)[0].partition(": ")[2][:28])
        a difficulty from 3.6 to 4.6
        >>> env.step(env.oracle_action())[4]["proposal"]
        '{"difficulty": 3.6}'

    Source:
        The proposer of "Absolute Zero: Reinforced Self-play Reasoning with Zero Data" (2025,
        arXiv 2505.03335) over the parameters of a generator in place of programs (our choice).
    """

    def __init__(
        self,
        env: str = DEFAULT,
        kwargs: Mapping[str, Any] | None = None,
        hardest: float = HARDEST,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_attempts: int = 1,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_attempts, render_mode)
        self.env, self.kwargs, self.hardest = full_id(env), dict(kwargs or {}), float(hardest)
        if not (math.isfinite(self.hardest) and self.hardest >= 0.5):
            raise ValueError(f"hardest must be at least 0.5, got {hardest!r}")
        _task(self.env, json.dumps(self.kwargs))  # another task ends here

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a question about the default task."""
        return draw_question(rng, difficulty, DEFAULT, {}, HARDEST)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Return the first difficulty that keeps the distances, and the first category."""
        return _written(_free(problem.data), problem.data["categories"][:1])

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe why a proposal is not accepted; empty if it is."""
        try:
            accepted_options(problem, answer)
        except ValueError as error:
            return f"The proposal is not accepted: {error}."
        return ""

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Judge the proposal."""
        observation, reward, terminated, truncated, info = super().step(action)
        if info["success"]:
            options = accepted_options(self._episode.problem, self._read(action)[0])
            info["proposal"] = json.dumps(options)
        return observation, reward, terminated, truncated, info

    def _info(self) -> dict[str, Any]:
        return super()._info() | {"role": "proposer"}

    def _sample(self, difficulty: float) -> Problem:
        return draw_question(self.np_random, difficulty, self.env, self.kwargs, self.hardest)


def draw_question(
    rng: np.random.Generator, difficulty: float, env: str, kwargs: Mapping[str, Any], hardest: float
) -> Problem:
    """Return a question with a drawn range, a drawn category if there are any, and earlier values.

    Args:
        rng: Source of the draws.
        difficulty: How many earlier values there are.
        env: The id of the task.
        kwargs: Its arguments.
        hardest: The largest difficulty.
    """
    width = hardest * SHARE
    least = round(float(rng.uniform(0, hardest - width)), 1)
    known = _task(env, json.dumps(kwargs)).categories
    chosen = [pick(rng, known)] if known else []
    count = 1 + min(MOST_EARLIER, round(2 * difficulty))
    earlier = np.round(rng.uniform(least, least + width, size=count), 2).tolist()
    return question(env, kwargs, least, round(least + width, 3), chosen, earlier)


def question(
    env: str,
    kwargs: Mapping[str, Any],
    least: float,
    most: float,
    categories: Sequence[str] = (),
    earlier: Sequence[float] = (),
) -> Problem:
    """Return a question for the proposer.

    Args:
        env: The id of the task.
        kwargs: Its arguments.
        least: The smallest difficulty that is accepted.
        most: The largest one.
        categories: Those that are accepted; none: all of the task.
        earlier: Difficulties from which the proposal must keep a distance. All of them together
            leave at least half of the range.
    """
    accepted = list(categories or _task(env, json.dumps(kwargs)).categories)
    apart = round((most - least) / (4 * len(earlier)), 3) if earlier else 0.0
    prompt = (
        f"Propose parameters of a problem of {env.rpartition('/')[2]} for another player: a "
        f"difficulty from {least:g} to {most:g}"
    )
    if earlier:
        listed = ", ".join(f"{one:g}" for one in earlier)
        prompt += f" that differs by at least {apart:g} from each of {listed}"
    example = '{"difficulty": 1.5}'
    if accepted:
        prompt += f", and a category: {', '.join(accepted)}"
        example = '{"difficulty": 1.5, "category": "NAME"}'
    prompt += f". Answer with a JSON object such as {example}."
    data = {
        "env": env, "kwargs": dict(kwargs), "least": least, "most": most, "categories": accepted,
        "earlier": list(earlier), "apart": apart,
    }  # fmt: skip
    free = _free(data)
    answer = _written(free, accepted[:1])
    wrong = (
        _written(most + 1, accepted[:1]),
        f"{free:g}",
        *(_written(one, accepted[:1]) for one in earlier[:1]),
        _written(free, ["none"]),
    )
    solution = f"{free:g} is in the range and far enough from the others, so propose {answer}"
    return Problem(prompt, answer, solution, wrong, "", data)


def _free(data: Mapping[str, Any]) -> float:
    """Return the first difficulty of a fine grid that is far enough from the earlier ones."""
    found: float = data["least"]
    step = max(round(data["apart"] / 4, 3), 0.001)
    while _is_taken(found, data):
        found = round(found + step, 3)
    return found


def _is_taken(difficulty: float, data: Mapping[str, Any]) -> bool:
    return any(abs(difficulty - one) < data["apart"] - 1e-9 for one in data["earlier"])


def accepted_options(problem: Problem, answer: str) -> dict[str, Any]:
    """Return a proposal as options for the `reset` of the task.

    Raises:
        ValueError: If it is not accepted; the message names the reason.
    """
    data = problem.data
    if len(answer) > MAX_LENGTH:
        raise ValueError(f"it is longer than {MAX_LENGTH} characters")
    try:
        given = json.loads(answer)
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    keys = {"difficulty", "category"} if data["categories"] else {"difficulty"}
    if not isinstance(given, dict) or given.keys() != keys:
        raise ValueError(f"it is no object with {' and '.join(sorted(keys))}, and nothing else")
    difficulty = given["difficulty"]
    if isinstance(difficulty, bool) or not isinstance(difficulty, int | float):
        raise ValueError("the difficulty is no number")
    if not data["least"] <= difficulty <= data["most"]:
        raise ValueError(f"the difficulty is not from {data['least']:g} to {data['most']:g}")
    if _is_taken(difficulty, data):
        raise ValueError("the difficulty is too near to an earlier one")
    options: dict[str, Any] = {"difficulty": float(difficulty)}
    if data["categories"]:
        if given["category"] not in data["categories"]:
            raise ValueError(f"the category is none of {', '.join(data['categories'])}")
        options["category"] = given["category"]
    try:
        _task(data["env"], json.dumps(data["kwargs"])).reset(seed=0, options=dict(options))
    except ProblemSpaceTooSmall:
        raise ValueError("the task has no problem of these parameters") from None
    return options


def _written(difficulty: float, categories: Sequence[str]) -> str:
    given: dict[str, Any] = {"difficulty": round(difficulty, 3)}
    return json.dumps(given | ({"category": categories[0]} if categories else {}))


def _task(env: str, kwargs: str) -> ReasoningEnv:
    """Return an environment of the task, with arguments as JSON text.

    Raises:
        ValueError: If it is no reasoning task.
    """
    entry = find_spec(env).entry_point
    creator = load_env_creator(entry) if isinstance(entry, str) else entry
    if not (isinstance(creator, type) and issubclass(creator, ReasoningEnv)):
        raise ValueError(f"{env} is no reasoning task whose parameters can be proposed")
    return creator(**json.loads(kwargs))
