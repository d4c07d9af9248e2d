"""Rewards of a task in the form of TRL's trainers ("TRL: Transformers Reinforcement Learning").

from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer
from zerogym.adapters.trl import environment_factory, reward_function
from zerogym.export import dataset

trainer = GRPOTrainer(
    model="Qwen/Qwen3-0.6B",
    reward_funcs=reward_function("Countdown"),
    train_dataset=dataset("Countdown", 1000, chat=True),
    args=GRPOConfig(output_dir="runs/trl"),
)
trainer.train()

Tasks of several turns are environments of TRL, with a tool `reply`, for models whose chat template
has tool calls; their data are seeds:

trainer = GRPOTrainer(
    model="Qwen/Qwen3-0.6B",
    environment_factory=environment_factory("SQL", split="train"),
    train_dataset=Dataset.from_dict({"seed": range(1000)}),
)
"""

from collections.abc import Callable, Sequence
from typing import Any

import zerogym
from zerogym.envs.lookup import full_id
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


def environment_factory(env_id: str, **env_kwargs: Any) -> type:
    """Return a class for `environment_factory`; an episode's reward is the sum of its rewards.

    Args:
        env_id: A text task, in any spelling that `zerogym.make` takes.
        env_kwargs: Arguments of the environment.
    """

    class Environment:
        def __init__(self) -> None:
            self._env, self._reward, self._over = zerogym.make(env_id, **env_kwargs), 0.0, True

        def reset(self, seed: int, **columns: Any) -> str:
            """Start the episode of a row; return its first observation."""
            observation, _ = self._env.reset(seed=int(seed))
            self._reward, self._over = 0.0, False
            return str(observation)

        def reply(self, text: str) -> str:
            """
            Send a reply to the task, and read what follows.

            Args:
                text: The reply.

            Returns:
                What follows.
            """
            if not self._over:
                observation, reward, ended, cut, _ = self._env.step(text)
                self._reward, self._over = self._reward + float(reward), ended or cut
            return "The episode is over." if self._over else str(observation)

        def get_reward(self) -> float:
            """Return the sum of the rewards."""
            return self._reward

    Environment.__name__ = full_id(env_id).partition("/")[2]  # the name of the metric
    return Environment
