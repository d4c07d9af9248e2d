"""GRPO as TRL trains it, with a pause after each step for others to be measured in."""

import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from transformers import TrainerCallback


class _Watch(TrainerCallback):
    """Notes how long each step takes, generation included, and calls the pause."""

    def __init__(self, pause: Callable[[], None]) -> None:
        self.steps: list[tuple[float, float]] = []
        self._pause = pause

    def on_step_begin(self, *given: Any, **more: Any) -> None:
        self._begun = time.process_time(), time.perf_counter()

    def on_step_end(self, *given: Any, **more: Any) -> None:
        cpu, clock = self._begun
        self.steps.append((time.process_time() - cpu, time.perf_counter() - clock))
        self._pause()


def train(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[str],
    size: tuple[int, int],
    tokens: int,
    reward_of: Callable[[str], float],
    pause: Callable[[], None],
) -> list[tuple[float, float]]:
    """Train on all prompts once; seconds of each step, of the CPU and on the clock.

    Args:
        model: Trained in place.
        tokenizer: Its tokenizer.
        prompts: One row of the data each.
        size: Prompts of a step, and replies to each of them.
        tokens: Of a reply.
        reward_of: The reward of a reply.
        pause: Called after each step.
    """
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    watch = _Watch(pause)

    def reward(completions: list[str], **columns: Any) -> list[float]:
        return [reward_of(completion) for completion in completions]

    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder, use_cpu=True, bf16=False, gradient_checkpointing=False,
            per_device_train_batch_size=size[0] * size[1], num_generations=size[1],
            max_completion_length=tokens, beta=0.0, learning_rate=1e-5,
            lr_scheduler_type="constant", num_train_epochs=1, shuffle_dataset=False,
            report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True,
        )  # fmt: skip
        trainer = GRPOTrainer(
            model, reward, args=config, train_dataset=Dataset.from_dict({"prompt": list(prompts)}),
            processing_class=tokenizer, callbacks=[watch],
        )  # fmt: skip
        trainer.train()
    return watch.steps
