"""TRL: a step of GRPO with tool calls, in an environment of several turns."""
# requires: trl

import json
import tempfile
from pathlib import Path

import trl
from datasets import Dataset
from transformers import AutoTokenizer

from zerogym.adapters.trl import environment_factory
from zerogym.agents.llm.models.directories import TINY_DIRECTORY

tokenizer = AutoTokenizer.from_pretrained(TINY_DIRECTORY)
template = Path(trl.__file__).parent / "chat_templates/qwen3.jinja"  # one that has tool calls
tokenizer.chat_template = template.read_text()
trainer = trl.GRPOTrainer(
    model=str(TINY_DIRECTORY),
    processing_class=tokenizer,
    environment_factory=environment_factory("SQL", split="train"),
    train_dataset=Dataset.from_dict({"seed": range(8)}),
    args=trl.GRPOConfig(
        output_dir=tempfile.mkdtemp(), max_steps=1, per_device_train_batch_size=4,
        num_generations=4, max_completion_length=32, use_cpu=True, bf16=False, report_to=[],
        save_strategy="no", logging_steps=1,
    ),
)  # fmt: skip
trainer.train()
[logged] = [row for row in trainer.state.log_history if "rewards/SQL-v0/mean" in row]
reward, calls = logged["rewards/SQL-v0/mean"], logged["tools/call_frequency"]
checked = f"a step was trained; the tiny model knows no calls ({calls:g}) and has reward {reward:g}"
print(json.dumps({"checked": checked}))
