"""Settings of the short run that trackers of metrics follow."""

from pathlib import Path

import pytest

from zerogym.agents.llm.grpo_config import GRPOConfig


@pytest.fixture
def tracked(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=2, prompts_per_step=2,
        group_size=2, max_new_tokens=4, eval_episodes=2, device="cpu",
    )  # fmt: skip
