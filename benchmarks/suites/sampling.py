"""Several samples of each problem of a suite's text worlds, for pass@k beside the greedy scores."""

import json
from contextlib import suppress
from functools import partial
from pathlib import Path

from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.sampled_evaluation import evaluate_samples
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import write_whole
from zerogym.benchmarks.results.schema import Agent, Suite, World
from zerogym.benchmarks.suites import agents as build
from zerogym.benchmarks.suites.runner import Callback, Progress
from zerogym.benchmarks.suites.scores import short
from zerogym.errors import MissingExtra, ModelNotFound

PROBLEMS = 50  # of a world, at most


def sample_worlds(
    suite: Suite, folder: Path, samples: int, seed: int, callback: Callback | None = None
) -> None:
    """Write `outcomes-WORLD-AGENT.jsonl` for each language model in each text world of a suite.

    Replies are drawn at temperature 1 from the whole distribution. A log that is there already with
    as many samples is kept, and models that are not there are left out, as in the table.

    Args:
        suite: The suite.
        folder: That of its results; models trained on the way are in it.
        samples: Episodes of each problem, >= 1.
        seed: Of the problems and replies.
        callback: Called before each evaluation.

    Raises:
        ValueError: If `samples` is below 1.
    """
    if samples < 1:
        raise ValueError(f"samples must be at least 1, got {samples}")
    cells = [
        (world, agent, model)
        for world in suite.worlds
        for agent in suite.agents
        if agent.name in world.agents and world.family in ("reasoning", "tools")
        if (model := _model_of(agent, folder)) is not None
    ]
    for number, (world, agent, model) in enumerate(cells):
        path = folder / f"outcomes-{short(world.env_id)}-{agent.name}.jsonl"
        if _holds(path, samples):
            continue
        if callback is not None:
            doing = f"{agent.title}: {world.name}, {samples} samples a problem"
            callback(Progress(number, len(cells), "samples", doing))
        with suppress(ModelNotFound, MissingExtra):
            _sample(world, agent, model, samples, seed, path)


def _model_of(agent: Agent, folder: Path) -> str | None:
    """Return the model of an agent that writes; None of one that does not."""
    if not isinstance(agent.build, partial):
        return None
    if agent.build.func is build.reinforced:
        return str(folder / "models" / "grpo" / "model")
    return agent.build.keywords["name"] if agent.build.func is build.language_model else None


def _holds(path: Path, samples: int) -> bool:
    """Return whether a log of as many samples is there; it was written whole."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8") as file:
        return bool(json.loads(file.readline()).get("samples") == samples)


def _sample(world: World, agent: Agent, model: str, samples: int, seed: int, path: Path) -> None:
    sampling = Sampling(world.reply_tokens, stop=world.stop, seed=seed)
    problems = min(PROBLEMS, world.episodes)
    kwargs = dict(world.kwargs)
    found = evaluate_samples(
        model, world.env_id, samples, problems, seed, sampling=sampling, **kwargs
    )
    about = {
        "kind": "evaluation", "model": agent.title, "env": world.env_id, "env_kwargs": kwargs,
        "samples": samples, **provenance(),
    }  # fmt: skip
    rows = [about, *(problem.record() for problem in found)]
    write_whole(path, "".join(f"{json.dumps(row)}\n" for row in rows))
