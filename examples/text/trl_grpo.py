"""TRL: GRPO of the tiny model on sums; accuracy of greedy replies to held-out problems."""
# requires: trl

import json
import tempfile

from trl import GRPOConfig, GRPOTrainer

from zerogym.adapters.trl import reward_function
from zerogym.agents.llm import evaluate
from zerogym.agents.llm.models.directories import TINY_DIRECTORY
from zerogym.export import dataset

env_id, arguments = "RandomCalculation", {"difficulty": [0.5, 1.0]}
folder = tempfile.mkdtemp()
trainer = GRPOTrainer(
    model=str(TINY_DIRECTORY),
    reward_funcs=reward_function(env_id, split="train", **arguments),
    train_dataset=dataset(env_id, 480, chat=True, split="train", **arguments),
    args=GRPOConfig(
        output_dir=folder, max_steps=60, per_device_train_batch_size=64, num_generations=8,
        max_completion_length=48, temperature=1.0, loss_type="dr_grpo", scale_rewards="none",
        beta=0.0, learning_rate=1e-4, lr_scheduler_type="constant", seed=10, bf16=False,
        use_cpu=True, report_to=[], save_strategy="no", logging_strategy="no",
    ),
)  # fmt: skip


def right(model: str) -> list[int]:
    found = evaluate(model, env_id, 300, seed=5000, split="test", **arguments)
    count = round(300 * found.accuracy)
    return [1] * count + [0] * (300 - count)


before = right(str(TINY_DIRECTORY))
trainer.train()
trainer.save_model(folder)
print(json.dumps({"before": before, "after": right(folder)}))
