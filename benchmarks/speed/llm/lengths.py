"""Replies of log-normal lengths: written beside `model.generate`, trained on packed and padded.

`python -m zerogym.benchmarks.speed.llm.grpo` prints both.
"""

from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import StoppingCriteria, StoppingCriteriaList

from zerogym.agents.llm.generation.decoding.running_sequences import RunningSequence, StopCriteria
from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.trajectory import Trajectory, Turn
from zerogym.benchmarks.speed.llm.timing import TOKENS, Timed, digits, endless, timed

BATCH, MEDIAN, SIGMA, LONGEST = 16, 24, 1.0, 192  # rows at once; tokens of a reply
GROUP = 8


def draw_lengths(rng: np.random.Generator, rows: int) -> NDArray[np.int64]:
    """Tokens of each reply."""
    return (MEDIAN * rng.lognormal(0.0, SIGMA, rows)).astype(int).clip(1, LONGEST)


class Planned(StopCriteria):
    """Replies end at lengths that are given for each prompt."""

    def plan(self, lengths: dict[tuple[int, ...], int]) -> None:
        """From now on."""
        self._lengths = lengths

    def add(self, running: RunningSequence, token: int, logprob: float, sampling: Sampling) -> None:
        """Write a token."""
        super().add(running, token, logprob, sampling)
        if len(running.ids) == self._lengths[tuple(running.prompt)]:
            running.finish = "stop"


class Reached(StoppingCriteria):
    """The same for `model.generate`."""

    def __init__(self, lengths: list[int]) -> None:
        self._lengths = torch.tensor(lengths) + TOKENS

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        """Rows that are done."""
        return input_ids.shape[1] >= self._lengths


def written(name: str, rows: int, rounds: int) -> tuple[list[Timed], list[Timed], int]:
    """Ours, `model.generate`, and how many tokens each draws."""
    rng = np.random.default_rng(0)
    model, tokenizer = endless(name)
    prompts = [tokenizer(digits(rng) + "\n")["input_ids"] for _ in range(rows)]
    lengths = draw_lengths(rng, rows).tolist()
    engine = TransformersGenerator(model, tokenizer, batch_size=BATCH)
    engine.stop = Planned(model, tokenizer)
    engine.stop.plan(dict(zip(map(tuple, prompts), lengths, strict=True)))

    def ours() -> None:
        found = engine.generate(prompts, Sampling(LONGEST, seed=1))
        assert [len(completion.ids) for completion in found] == lengths

    def plain() -> None:
        for start in range(0, rows, BATCH):
            ids, ends = torch.tensor(prompts[start : start + BATCH]), lengths[start : start + BATCH]
            found = model.generate(
                input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0,
                max_new_tokens=LONGEST, stopping_criteria=StoppingCriteriaList([Reached(ends)]),
            )  # fmt: skip
            assert found.shape[1] == TOKENS + max(ends)

    timed(ours), timed(plain)  # what is made once
    pairs = [(timed(ours), timed(plain)) for _ in range(rounds)]
    return [one for one, _ in pairs], [other for _, other in pairs], sum(lengths)


def trained(name: str, rows: int, rounds: int) -> tuple[list[Timed], list[Timed], int]:
    """Updates on packed and on padded episodes, and how many tokens these have.

    Those of a group have a prompt in common, which packed rows hold once.
    """
    groups = made_up_groups(rows)
    learners = [
        Learner(endless(name)[0], GRPOConfig(micro_batch=rows, packing=packing))
        for packing in (True, False)
    ]
    for learner in learners:
        learner.update(groups)
    times = [[timed(partial(one.update, groups)) for one in learners] for _ in range(rounds)]
    packed, padded = zip(*times, strict=True)
    return list(packed), list(padded), tokens_of(groups)


def made_up_groups(rows: int) -> list[list[Trajectory]]:
    """Groups of episodes with made-up tokens and rewards, so many episodes in all."""
    rng = np.random.default_rng(0)
    lengths = draw_lengths(rng, rows)
    prompts = [_made_up(rng, TOKENS) for _ in range(rows // GROUP)]
    return [
        [
            _episode(rng, prompt, group * GROUP + one, int(lengths[group * GROUP + one]))
            for one in range(GROUP)
        ]
        for group, prompt in enumerate(prompts)
    ]


def tokens_of(groups: list[list[Trajectory]]) -> int:
    """All tokens of these episodes, prompts counted for each."""
    return sum(len(item.flatten().ids) for group in groups for item in group)


def _made_up(rng: np.random.Generator, count: int) -> tuple[int, ...]:
    """Tokens of a text."""
    return tuple(rng.integers(20, 200, count).tolist())


def _episode(
    rng: np.random.Generator, prompt: tuple[int, ...], number: int, length: int
) -> Trajectory:
    """One reply of made-up tokens."""
    reward = float(rng.random())
    turn = Turn("", "", prompt, _made_up(rng, length), (-1.0,) * length, reward)
    return Trajectory("made up", 0, number, (turn,), group=number // GROUP, reward=reward)
