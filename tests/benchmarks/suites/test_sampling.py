"""Several samples a problem in a suite: logs of each language model, kept when a run goes on."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")

from zerogym.agents.llm import Sampling, evaluate_samples
from zerogym.benchmarks.report.pass_curves import pass_panels
from zerogym.benchmarks.results.outcome_log import read_outcomes
from zerogym.benchmarks.suites import agents as build
from zerogym.benchmarks.suites.runner import Progress
from zerogym.benchmarks.suites.sampling import sample_worlds
from zerogym.benchmarks.suites.suites import QUICK

WORLD = replace(QUICK.worlds[0], episodes=2, reply_tokens=16)
MISSING = replace(
    next(agent for agent in QUICK.agents if agent.name == "smollm2"),
    build=partial(build.language_model, name="/no/such/folder"),
)
AGENTS = [agent for agent in QUICK.agents if agent.name in ("random", "tiny", "oracle")]
SUITE = replace(QUICK, worlds=(WORLD, QUICK.worlds[3]), agents=(*AGENTS, MISSING))


def test_each_language_model_has_a_log_of_each_text_world(tmp_path: Path) -> None:
    events: list[Progress] = []
    sample_worlds(SUITE, tmp_path, 3, 5, events.append)
    assert [event.doing.partition(":")[0] for event in events] == ["tiny LM", "SmolLM2"]
    [path] = tmp_path.iterdir()
    assert path.name == "outcomes-RandomCalculation-tiny.jsonl"
    found = read_outcomes(path)
    sampling = Sampling(16, stop=WORLD.stop, seed=5)
    expected = evaluate_samples("tiny", WORLD.env_id, 3, 2, 5, sampling=sampling, **WORLD.kwargs)
    assert found.problems == tuple(expected) and found.about["model"] == "tiny LM"
    [(task, label, _)] = pass_panels(tmp_path)
    assert task.startswith(WORLD.env_id) and label == "pass@k"


def test_a_log_of_as_many_samples_is_kept(tmp_path: Path) -> None:
    sample_worlds(SUITE, tmp_path, 2, 0)
    [path] = tmp_path.iterdir()
    made = path.stat().st_mtime_ns
    sample_worlds(SUITE, tmp_path, 2, 0)
    assert path.stat().st_mtime_ns == made
    sample_worlds(SUITE, tmp_path, 1, 0)
    assert read_outcomes(path).samples == 1
    with pytest.raises(ValueError, match="samples must be at least 1"):
        sample_worlds(SUITE, tmp_path, 0, 0)
