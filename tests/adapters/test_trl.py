"""TRL's own trainer on a task of ours: the adapter is all that is between them."""

from pathlib import Path

import pytest

pytest.importorskip("trl")

from zerogym.adapters.trl import reward_function
from zerogym.agents.llm.models.directories import TINY_DIRECTORY
from zerogym.export import dataset


@pytest.mark.proof
@pytest.mark.filterwarnings("default")
def test_trl_trains_the_tiny_model_on_a_task(tmp_path: Path) -> None:
    from trl import GRPOConfig, GRPOTrainer

    arguments = {"difficulty": 0.5}
    trainer = GRPOTrainer(
        model=str(TINY_DIRECTORY),
        reward_funcs=reward_function("RandomCalculation", **arguments),
        train_dataset=dataset("RandomCalculation", 16, chat=True, **arguments),
        args=GRPOConfig(
            output_dir=str(tmp_path),
            per_device_train_batch_size=16,
            num_generations=8,
            max_completion_length=48,
            max_steps=2,
            logging_steps=1,
            report_to=[],
            use_cpu=True,
            seed=3,
        ),
    )
    trainer.train()
    logged = [row for row in trainer.state.log_history if "reward" in row]
    assert len(logged) == 2
    # The tiny model solves about two of three such problems, random text none.
    assert all(0.2 < row["rewards/RandomCalculation-v0/mean"] <= 1 for row in logged)
