"""Rejection sampling: which episodes are kept, and that a model learns to repeat them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from helpers.llm.small_runs import random_model

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.learner.rows import Rows, token_logprobs  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.supervised.rejection_sampling import (  # noqa: E402
    RejectionConfig,
    best,
    rejection_sampling,
)
from zerogym.agents.trajectory import Trajectory, Turn, write_jsonl  # noqa: E402
from zerogym.cli import app  # noqa: E402


def episode(number: int, seed: int, reward: float, said: tuple[int, ...], **more: Any) -> Any:
    turn = Turn("ask", "reply", (5, 6, 7), said, (-1.0,) * len(said))
    return Trajectory("e", seed, number, (turn,), reward=reward, **more)


PLAYED = [
    episode(0, 1, 0.5, (20, 21)), episode(1, 1, 1.0, (30, 31)), episode(2, 1, 1.0, (30, 31)),
    episode(3, 1, 2.0, (40, 41, 42)), episode(4, 2, 0.9, (50,)), episode(5, 3, 1.0, (60, 61)),
    episode(6, 3, 1.0, (62,), kwargs={"difficulty": 2}),
    episode(7, 4, 3.0, (70,), info={"unavailable": True}),
    replace(episode(8, 5, 3.0, (80,)), turns=()),
]  # fmt: skip


def test_the_best_of_each_problem_that_are_different_and_good_enough() -> None:
    def numbers(*arguments: Any) -> list[int]:
        return [item.episode for item in best(PLAYED, *arguments)]

    assert numbers(1.0, 1) == [3, 5, 6]
    assert numbers(1.0, 0) == numbers(1.0, 2) == [3, 1, 5, 6]
    assert numbers(0.0, 0) == [3, 1, 0, 4, 5, 6]
    assert numbers(2.5, 0) == []


@pytest.fixture
def config(tmp_path: Path) -> RejectionConfig:
    start = random_model(tmp_path / "start", ["Calculate 8 - 3."], 32)
    write_jsonl(tmp_path / "played/step.jsonl", PLAYED)
    return RejectionConfig(
        (str(tmp_path / "played"),), str(start), str(tmp_path / "run"), steps=40, lr=1e-2,
        device="cpu",
    )  # fmt: skip


def test_a_model_learns_to_repeat_what_was_kept(config: RejectionConfig) -> None:
    kept = rejection_sampling(config)
    assert (kept.episodes, kept.of) == (3, 9)
    flats = [PLAYED[number].flatten() for number in (3, 0)]
    rows = Rows.make(flats, [[0.0] * sum(flat.mask) for flat in flats])
    means = []
    for name in (config.model, kept.model):
        with torch.no_grad():
            chances = token_logprobs(load_model(name, "cpu")[0], rows, 1.0)  # (2, K)
        means.append(((chances * rows.mask).sum(1) / rows.mask.sum(1)).tolist())
    assert means[1][0] > means[0][0] + 3 and means[1][1] < means[0][1]
    with pytest.raises(FileExistsError, match="model exists"):
        rejection_sampling(config)


def test_what_cannot_be_learned_from_is_refused(config: RejectionConfig, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="none of 9 episodes has a return of 5 or more; the best 3"
    ):
        rejection_sampling(replace(config, least_reward=5.0))
    write_jsonl(tmp_path / "other.jsonl", [episode(0, 0, 1.0, (9999,))])
    with pytest.raises(ValueError, match="does not have"):
        rejection_sampling(replace(config, rollouts=(str(tmp_path / "other.jsonl"),)))
    with pytest.raises(FileNotFoundError, match="holds no"):
        rejection_sampling(replace(config, rollouts=(config.model,)))
    for change in ({"rollouts": ()}, {"steps": 0}, {"lr": 0.0}):
        with pytest.raises(ValueError, match=next(iter(change))):
            replace(config, **change)


def test_the_command(config: RejectionConfig) -> None:
    words = ["train", "best", "--rollouts", config.rollouts[0], "--model", config.model]
    result = CliRunner().invoke(app, [*words, "--out", config.out, "--steps", "2"])
    assert result.exit_code == 0 and "3 of 9 episodes" in result.output
    result = CliRunner().invoke(app, [*words, "--least-reward", "9"])
    assert result.exit_code != 0
