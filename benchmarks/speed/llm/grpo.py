"""GRPO steps a second, ours and TRL's in turn, and replies of mixed lengths beside `generate`.

    python -m zerogym.benchmarks.speed.llm.grpo [--model tiny] [--steps 8] [--threads 1] [--rows 64]

Both train the same model (a copy each, float32) on groups of replies to the same kind of prompt,
32 tokens each, no reply ends early, with the same rewards and one optimiser step a batch: 4 prompts
x 8 replies of `tiny`, 2 x 4 of `smollm2`. A step of ours stands between any two of TRL's, so that
both meet the same machine. The other tables have replies of log-normal lengths: written 16 at a
time, ours, where waiting rows join, and by `model.generate`, where a batch waits for its longest
row; and trained on, packed and padded.

CPU seconds count: on a busy machine the clock says little. There is no pass that scores replies:
the probabilities kept at sampling time are those of the same weights. Steps have one shape, which
is the best case for products that are prepared for a shape
(`zerogym.agents.llm.models.onednn_linear`).
"""

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from rich.console import Console

from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player
from zerogym.agents.llm.training.batch import collect
from zerogym.benchmarks.speed.llm.lengths import trained, written
from zerogym.benchmarks.speed.llm.timing import TOKENS, Timed, compared, digits, endless, timed
from zerogym.benchmarks.speed.loops import options
from zerogym.envs.core import TextEnv

ENV_ID = "zerogym-speed/Digits-v0"
SIZES = {"tiny": (4, 8), "smollm2": (2, 4)}  # prompts in a step, replies to each


class Digits(TextEnv):
    """One reply to 31 digits and a line break, which are a token each."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw the digits."""
        super().reset(seed=seed)
        return digits(self.np_random), {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Reward the reply."""
        return "", reward_of(action), True, False, {}


def reward_of(reply: str) -> float:
    """Return the share of different letters, so that rewards of a group differ."""
    return len(set(reply)) / max(1, len(reply))


class Watched(TransformersGenerator):
    """Says how long it took."""

    spent = 0.0

    def generate(self, *given: Any) -> list[Completion]:
        """The same, timed."""
        begun = time.process_time()
        completions = super().generate(*given)
        self.spent += time.process_time() - begun
        return completions


def our_step(name: str) -> tuple[Callable[[], None], dict[str, list[float]]]:
    """A training step, and where what each has spent is noted, in CPU seconds."""
    prompts, group = SIZES[name]
    config = GRPOConfig(
        env=ENV_ID,
        chat="plain",
        prompts_per_step=prompts,
        group_size=group,
        max_new_tokens=TOKENS,
        lr=1e-5,
    )
    envs, rng = Environments(ENV_ID), np.random.default_rng(0)
    model, tokenizer = endless(name)
    engine, learner = Watched(model, tokenizer), Learner(model, config)
    spent: dict[str, list[float]] = defaultdict(list)

    def player(seed: int) -> Player:
        return Player(engine, Sampling(TOKENS, seed=seed), config.chat)

    def step() -> None:
        engine.spent, begun = 0.0, time.process_time()
        batch = collect(envs, config, rng, player)
        collected = time.process_time()
        learner.update(batch.groups)
        spent["generate"].append(engine.spent)
        spent["environment"].append(collected - begun - engine.spent)
        spent["train"].append(time.process_time() - collected)
        turns = [record.turns[0] for group in batch.groups for record in group]
        assert {len(turn.prompt_ids) for turn in turns} == {TOKENS}
        assert {len(turn.action_ids) for turn in turns} == {TOKENS}

    return step, spent


def steps_in_turn(name: str, steps: int) -> tuple[list[Timed], list[Timed], dict[str, float]]:
    """Ours, TRL's (none where it is not installed), and ours by its parts; one step warms up."""
    step, spent = our_step(name)
    ours: list[Timed] = []
    if find_spec("trl"):
        from zerogym.benchmarks.speed.llm.trl import train

        rng = np.random.default_rng(0)
        texts = [digits(rng) + "\n" for _ in range(SIZES[name][0] * (steps + 1))]
        theirs = train(
            *endless(name), texts, SIZES[name], TOKENS, reward_of, lambda: ours.append(timed(step))
        )
    else:
        ours, theirs = [timed(step) for _ in range(steps + 1)], []
    parts = {part: statistics.median(seconds[1:]) for part, seconds in spent.items()}
    return ours[1:], theirs[1:], parts


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the tables."""
    given = options(
        __doc__,
        arguments,
        model={"choices": sorted(SIZES), "default": "tiny"},
        steps=(8, "of training, each"),
        threads=(1, ""),
        rows=(64, "of mixed lengths, 8 to a group; 0 leaves them out"),
        rounds=(3, "of rows of mixed lengths"),
    )
    torch.set_num_threads(given.threads)
    gym.register(ENV_ID, f"{Digits.__module__}:{Digits.__name__}")
    console = Console(width=100)
    machine = f"{given.model}, {given.threads} threads, load {os.getloadavg()[0]:.1f}"
    if given.steps:
        ours, theirs, parts = steps_in_turn(given.model, given.steps)
        size = "{} x {} replies".format(*SIZES[given.model])
        console.print(compared(f"Steps of {size}: {machine}", ("zerogym", "TRL"), ours, theirs))
        times = ", ".join(f"{part} {seconds:.3f}" for part, seconds in parts.items())
        console.print(f"of ours, CPU s: {times}")
    if given.rows:
        ours, plain, tokens = written(given.model, given.rows, given.rounds)
        title = f"{given.rows} replies, {tokens} tokens: {machine}"
        console.print(compared(title, ("zerogym", "generate"), ours, plain))
        packed, padded, tokens = trained(given.model, given.rows, given.rounds)
        title = f"Updates on {given.rows} episodes, {tokens} tokens: {machine}"
        console.print(compared(title, ("packed", "padded"), packed, padded))


if __name__ == "__main__":
    main()
