"""The proof that GRPO learns: the shipped model on problems of the test side, before and after."""

from pathlib import Path

import pytest

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.training.grpo import train


@pytest.mark.proof
def test_grpo_raises_the_tiny_models_accuracy_on_unseen_problems(tmp_path: Path) -> None:
    """Most sums here have two steps. The warm start prefers to answer at once and is often wrong;
    GRPO learns to write the steps down. Measured: 0.49 before, 0.87 after, in 40 s.
    """
    config = GRPOConfig(
        env="zerogym/RandomCalculation-v0",
        env_kwargs={"difficulty": [0.5, 1.0]},
        model="tiny",
        out=str(tmp_path / "run"),
        steps=60,
        prompts_per_step=8,
        group_size=8,
        lr=1e-4,
        max_new_tokens=48,
        micro_batch=64,
        eval_episodes=300,
    )
    result = train(config)
    assert result.before is not None and result.after is not None
    assert result.before.high is not None and result.after.low is not None
    assert result.after.low > result.before.high
