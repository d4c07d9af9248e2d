"""MART's rounds: two policies, of which one learns at a time."""

from pathlib import Path
from typing import Any

import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.small_runs import equal
from zerogym.agents.llm.algorithms.stages.sequence import Sequence
from zerogym.agents.llm.grpo_config import GRPOConfig

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft", reason="the extra llm brings peft")

from safetensors.torch import load_file  # noqa: E402

from zerogym.agents.llm.training.grpo import train  # noqa: E402


def adapter(out: Path, step: int, seat: str) -> dict[str, Any]:
    """The adapter of a seat after a step; its second factor is 0 at first."""
    return load_file(out / f"checkpoint-{step:06d}" / "model" / seat / "adapter_model.safetensors")


def learned(weights: dict[str, Any]) -> bool:
    return any(bool(value.any()) for name, value in weights.items() if "lora_B" in name)


@pytest.mark.proof
def test_each_policy_stays_bit_for_bit_while_the_other_learns(tmp_path: Path) -> None:
    out = tmp_path / "run"
    turns = {seat: {"steps": 1, "learns": [seat]} for seat in ("player_0", "player_1")}
    train(
        GRPOConfig(
            env="zerogym/kuhn_poker-v0", out=str(out), preset="dr_grpo", steps=2,
            prompts_per_step=1, group_size=2, max_new_tokens=8, eval_episodes=0, save_every=1,
            keep_checkpoints=2, device="cpu", seed=3, lora_rank=2, lora_per_seat=True, entropy=0.01,
            stages=Sequence(turns, repeat=True),
        )
    )  # fmt: skip
    first, second = ([adapter(out, step, seat) for step in (1, 2)] for seat in turns)
    assert learned(first[0]) and not learned(second[0])
    assert learned(second[1]) and equal(first[0], first[1])
