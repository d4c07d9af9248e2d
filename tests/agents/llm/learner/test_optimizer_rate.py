"""The learning rate of a run that names none follows from how much it trains."""

from pathlib import Path

import pytest

from helpers.llm.small_runs import lines_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.optimizer import Optimizer  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402


def rate(weights: int, config: GRPOConfig) -> float:
    """That of weights of which nothing but the number is there."""
    trained = [torch.nn.Parameter(torch.empty(part, device="meta")) for part in (weights - 9, 9)]
    return Optimizer(trained, config).adamw.param_groups[0]["lr"]


@pytest.mark.parametrize(("weights", "default"), [(9_999_999, 1e-4), (10_000_000, 1e-5)])
def test_few_weights_take_larger_steps(weights: int, default: float) -> None:
    assert rate(weights, GRPOConfig()) == default
    assert rate(weights, GRPOConfig(lr=3e-3)) == 3e-3


def test_the_rate_is_logged(digits: str, start: Path, tmp_path: Path) -> None:
    config = GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=1, prompts_per_step=2,
        group_size=4, max_new_tokens=4, eval_episodes=0, device="cpu",
    )  # fmt: skip
    train(config)
    assert [line["actor/lr"] for line in lines_of(config)] == [1e-4]
