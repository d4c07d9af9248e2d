"""Evaluation with several sampled episodes of each problem.

One greedy episode a problem cannot tell a model that never solves it from one that does so now and
then; n samples can (pass@k, support), see `sample_measures.py`.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.episode import Episode
from zerogym.agents.llm.rollout.evaluation import held_out
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.llm.rollout.runner import MAX_CONCURRENT, Player, play
from zerogym.agents.llm.sampled_problem import SampledProblem
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.lookup import full_id

OnProblem = Callable[[SampledProblem], object]


def evaluate_samples(
    model: Generator | str | os.PathLike[str],
    env_id: str,
    samples: int = 64,
    episodes: int = 50,
    seed: int = 0,
    *,
    sampling: Sampling | None = None,
    on_problem: OnProblem | None = None,
    **env_kwargs: Any,
) -> list[SampledProblem]:
    """Sample several episodes of each problem and return their outcomes.

    Problems are those of the test side where the environment has one, unless `env_kwargs` have a
    `split`. The random numbers of a reply depend on the seed, its episode and turn only.

    Args:
        model: A name, folder or address, or an engine of `load_generator`.
        env_id: A text environment, in any spelling that `zerogym.make` takes.
        samples: Episodes of each problem, all reset with the same seed.
        episodes: How many problems; problem k is reset with `seed + k`.
        seed: Of the first problem; without `sampling` also of the replies.
        sampling: How replies are sampled; by default 64 tokens at most.
        on_problem: Callback for the outcomes of a problem as soon as its last sample is over.
        env_kwargs: Arguments of the environment.

    Returns:
        The outcomes of each problem, in the order of their seeds.

    Raises:
        ModelNotFound, UnknownName: If there is no such model or task.
        NoText: If the environment observes no text with these arguments.
        NotHeldOut: If it poses no test problems.
        ValueError: If there is no sample or problem, or all samples would be the same.

    Example:
        >>> from zerogym.agents.llm import evaluate_samples
        >>> [problem] = evaluate_samples("tiny", "RandomCalculation", 4, 1, difficulty=0)
        >>> problem.seed, len(problem.scores), len(problem.answers)
        (0, 4, 4)
    """
    sampling = sampling or Sampling(seed=seed)
    if samples < 1 or episodes < 1:
        raise ValueError(f"cannot sample {samples} episodes of each of {episodes} problems")
    if sampling.temperature == 0 and samples > 1:
        raise ValueError(f"at temperature 0 all {samples} samples of a problem are the same")
    env_id = full_id(env_id)
    kwargs = problem_arguments(env_id, env_kwargs)
    engine = model if isinstance(model, Generator) else load_generator(model)
    player = Player(engine, sampling)
    parts: dict[int, list[Trajectory]] = {}
    whole = sampling.temperature > 0 and sampling.top_p == 1 and sampling.top_k == 0
    collect = partial(_collect, parts, samples, whole, on_problem)
    with Environments(env_id, kwargs) as envs:
        prompts = [Prompt(envs.task, seed + number) for number in range(episodes)]
        queue = [
            Episode(number, prompts[number // samples], number // samples)
            for number in range(samples * episodes)
        ]
        records = play(envs, queue, player, MAX_CONCURRENT, False, collect, own_seeds=True)
    starts = range(0, len(records), samples)
    return [SampledProblem.of(records[start : start + samples], whole) for start in starts]


def problem_arguments(env_id: str, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the problems that are sampled: a split that is given is kept."""
    return dict(kwargs) if "split" in kwargs else held_out(env_id, kwargs)


def _collect(
    parts: dict[int, list[Trajectory]],
    samples: int,
    whole: bool,
    on_problem: OnProblem | None,
    ended: Sequence[Trajectory],
) -> None:
    """Take the records of an episode; the problem's last one completes its outcomes."""
    [record] = ended  # a single seat
    own = parts.setdefault(record.group, [])
    own.append(record)
    if len(own) == samples and on_problem is not None:
        own.sort(key=lambda each: each.episode)
        on_problem(SampledProblem.of(own, whole))
