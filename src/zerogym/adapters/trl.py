"""Rewards of a task in the form of TRL's trainers ("TRL: Transformers Reinforcement Learning").

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from zerogym.adapters.trl import reward_function
from zerogym.export import dataset

trainer = GRPOTrainer(
    model="Qwen/Qwen3-0.6B",
    reward_funcs=reward_function("Countdown"),
    train_dataset=dataset("Countdown", 1000, chat=True),
    args=GRPOConfig(output_dir="runs/trl"),
)
trainer.train()
"""

from collections.abc import Callable, Sequence
from typing import Any

from zerogym.export import scorer

Text = str | Sequence[dict[str, Any]]  # a conversation or a plain text, as the dataset's prompts


def reward_function(env_id: str, **env_kwargs: Any) -> Callable[..., list[float]]:
    """Return a reward function for `reward_funcs`: one reward for each completion.

    Args:
        env_id: As in `zerogym.export.dataset`, like `env_kwargs`; the trainer's dataset is its.
        env_kwargs: Arguments of the environment.
    """
    score = scorer(env_id, **env_kwargs)

    def reward(
        prompts: Sequence[Text], completions: Sequence[Text], seed: Sequence[int], **columns: Any
    ) -> list[float]:
        replies = (each if isinstance(each, str) else each[-1]["content"] for each in completions)
        given = zip(prompts, seed, replies, strict=True)
        return [score({"prompt": prompt, "seed": one}, reply) for prompt, one, reply in given]

    reward.__name__ = score.env_id.partition("/")[2]  # the name of the metric
    return reward
