"""State that a rollouts part keeps from step to step: the same in a run that was killed."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.small_runs import equal, lines_of, untimed_lines, weights_of
from zerogym.agents.llm.algorithms.rollout_tables import Rolling, Rollouts, Step
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.request import Request
from zerogym.errors import PartFailed

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.training.grpo import train  # noqa: E402


@dataclass(frozen=True)
class Again(Rollouts):
    """Plays the last problem of the step before once more, and draws a number of its own."""

    numbers: int = 1  # drawn in a step

    def __call__(self, step: Step) -> Rolling:
        drawn = step.rng.integers(1000, size=self.numbers).tolist()
        prompts = step.draw(step.problems)
        if step.state:
            again = replace(prompts[0], seed=step.state["last"], key="")
            prompts = [again, *prompts[1:]]
        played = yield [Request(prompt) for prompt in prompts]
        step.state["last"] = prompts[-1].seed
        step.state.setdefault("numbers", []).append(drawn)
        step.metrics["steps"] = len(step.state["numbers"])
        return [group for seats in played for group in seats]


def settings(digits: str, start: Path, out: Path, **changed: Any) -> GRPOConfig:
    known = {
        "env": digits, "model": str(start), "out": str(out), "steps": 4, "prompts_per_step": 2,
        "group_size": 2, "max_new_tokens": 3, "lr": 3e-3, "eval_episodes": 0, "device": "cpu",
        "seed": 5, "save_every": 1, "keep_rollouts": True, "rollouts": Again(),
    }  # fmt: skip
    return GRPOConfig(**(known | changed))  # type: ignore[arg-type]


def kept_by(config: GRPOConfig) -> Any:
    [path] = Path(config.out).glob("checkpoint-*/run.json")
    return json.loads(path.read_text("utf-8"))["rollouts"]


def posed_by(config: GRPOConfig) -> list[list[int]]:
    found = []
    for path in sorted(Path(config.out).glob("rollouts/*.jsonl")):
        lines = map(json.loads, path.read_text("utf-8").splitlines())
        found.append(list(dict.fromkeys(line["seed"] for line in lines)))
    return found


@pytest.mark.parametrize("staleness", [0, 2])
def test_a_killed_run_keeps_what_a_whole_one_keeps(
    digits: str, start: Path, tmp_path: Path, staleness: int
) -> None:
    stale = {"staleness": staleness, "correction": "token_mask"} if staleness else {}
    config = settings(digits, start, tmp_path / "whole", **stale)
    whole = train(config)
    posed = posed_by(config)
    assert [one[0] for one in posed[1:]] == [one[-1] for one in posed[:-1]], "of the step before"

    def die(metrics: Any) -> None:
        if metrics["step"] == 3:
            raise RuntimeError("killed")

    halves = replace(config, out=str(tmp_path / "halves"))
    with pytest.raises(RuntimeError, match="killed"):
        train(halves, die)  # the last checkpoint is that of step 2
    assert len(kept_by(halves)["2"]["numbers"]) == 2
    resumed = train(halves, resume=True)
    assert posed_by(halves) == posed and untimed_lines(halves) == untimed_lines(config)
    assert kept_by(halves) == kept_by(config) and list(kept_by(config)) == ["4"]
    assert len({number for [number] in kept_by(config)["4"]["numbers"]}) > 1
    assert equal(weights_of(resumed.model), weights_of(whole.model))
    assert [line["rollouts/steps"] for line in lines_of(config)] == [1, 2, 3, 4]


def test_numbers_of_its_own_change_no_episode(digits: str, start: Path, tmp_path: Path) -> None:
    runs = [settings(digits, start, tmp_path / str(n), steps=1, rollouts=Again(n)) for n in (1, 50)]
    weights = [weights_of(train(config).model) for config in runs]
    assert equal(*weights) and kept_by(runs[0]) != kept_by(runs[1])


def test_a_state_that_is_not_json_names_the_part(
    digits: str, start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(self: Any, step: Step) -> Rolling:
        played = yield [Request(prompt) for prompt in step.draw(1)]
        step.state["odd"] = float("nan")
        return [group for seats in played for group in seats]

    monkeypatch.setattr(Again, "__call__", play)
    with pytest.raises(PartFailed, match=r"Again raised ValueError.*saved in"):
        train(settings(digits, start, tmp_path / "run"))
