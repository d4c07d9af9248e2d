"""A training step in which the policy proposes its tasks: proposals beside the step's tokens.

    python -m zerogym.benchmarks.speed.llm.proposals [--steps 10] [--prompts 6] [--group 8]

The tiny model takes steps of `absolute_zero` over `CodeTriplet`, both seats, as the recipe has
them. `generate` and `train` are the tokens of a step; `environments` is all else of the rollouts:
resets, replies and rewards of both seats, and the part's own work. The tiny model proposes hardly
anything that is a program, so that proposals are validated apart, with the replies of the oracle:
`validate` is that time for as many proposals as the step has. `proposals` is the share of
`validate`, and `all` that of it and `environments`, of the time of the tokens; the target is less
than a tenth for proposals. CPU seconds count, the mean over steps.
"""

import itertools
import statistics
import time
from collections import defaultdict
from typing import Any

import gymnasium as gym
import numpy as np
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.llm.algorithms.rollouts.proposals import CODE_CREATOR
from zerogym.agents.llm.generation.protocol import Completion
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.training.batch import collect, player_of
from zerogym.benchmarks.speed.loops import options, show

PARTS = ("generate", "train", "environments", "validate")
VALIDATED = 30  # proposals of each category


class Timed(TransformersGenerator):
    """The engine, which adds up its CPU seconds."""

    spent = 0.0

    def generate(self, *given: Any) -> list[Completion]:
        """The same, timed."""
        begun = time.process_time()
        completions = super().generate(*given)
        self.spent += time.process_time() - begun
        return completions


def settings(prompts: int, group: int) -> GRPOConfig:
    """The settings of the recipe, for this many prompts and episodes of each."""
    return GRPOConfig(
        env="zerogym/CodeTriplet-v0", env_kwargs={"difficulty": 0, "level": "monty"},
        advantage="trr_pp", rollouts={"part": "absolute_zero", "pairs": 4},
        prompts_per_step=prompts, group_size=group, max_new_tokens=96, device="cpu",
    )  # fmt: skip


def validation(level: str = "interpreter") -> float:
    """Return the CPU seconds to validate a right proposal, the mean over the three categories."""
    env: Any = gym.make(CODE_CREATOR, level=level)
    seeds, total = itertools.count(), 0.0
    for category in ("deduction", "abduction", "induction"):
        for _ in range(VALIDATED):
            env.reset(seed=next(seeds), options={"category": category})
            reply = env.unwrapped.oracle_action()
            begun = time.process_time()
            _, reward, _, _, _ = env.step(reply)
            total += time.process_time() - begun
            if reward != 1:
                raise RuntimeError(f"{CODE_CREATOR} rejects the proposal of its oracle")
    env.close()
    return total / 3 / VALIDATED


def steps(config: GRPOConfig, number: int) -> tuple[dict[str, float], int]:
    """Return the mean CPU seconds of the parts of a step, and its number of proposals."""
    model, tokenizer = load_model("tiny", "cpu", "float32")
    engine, learner = Timed(model, tokenizer), Learner(model, config)
    spent, rng, proposals = defaultdict[str, list[float]](list), np.random.default_rng(0), 0
    with Environments(config.env, config.env_kwargs) as envs:
        for _ in range(number + 1):  # the first one warms up
            engine.spent, begun = 0.0, time.process_time()
            batch = collect(envs, config, rng, lambda seed: player_of(config, engine, seed))
            collected = time.process_time()
            learner.update(batch.groups)
            spent["generate"].append(engine.spent)
            spent["environments"].append(collected - begun - engine.spent)
            spent["train"].append(time.process_time() - collected)
            played = [episode for group in batch.rolled_out for episode in group]
            proposals = sum(episode.env == CODE_CREATOR for episode in played)
    return {name: statistics.fmean(own[1:]) for name, own in spent.items()}, proposals


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the table."""
    given = options(
        __doc__,
        arguments,
        steps=(10, "whose mean counts"),
        prompts=(6, "of a step"),
        group=(8, "episodes of the solver for each"),
        threads=(1, ""),
    )
    torch.set_num_threads(given.threads)
    seconds, proposals = steps(settings(given.prompts, given.group), given.steps)
    seconds["validate"] = proposals * validation()
    tokens = seconds["generate"] + seconds["train"]
    shares = seconds["validate"] / tokens, (seconds["environments"] + seconds["validate"]) / tokens
    row = (
        f"{given.prompts} x {given.group}", *(f"{seconds[name]:.3f}" for name in PARTS),
        *(f"{share:.1%}" for share in shares),
    )  # fmt: skip
    show(("step", *PARTS, "proposals", "all"), [row], title="CPU seconds of a step")


if __name__ == "__main__":
    main()
