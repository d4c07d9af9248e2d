"""The warm start of a study of Absolute Zero: the tiny model learns to propose, and not to forget.

    python -m zerogym.benchmarks.studies.both_seats runs/both_seats

fine-tunes the tiny model for a minute on oracle traces of easy sums, and on proposals of
difficulties that are drawn evenly from 0 to 2, and writes the model that
`docs/studies/absolute_zero.toml` starts from. So the first proposer is nearly uniform, and knows
nothing of what can be learned.
"""

import argparse
from pathlib import Path

import numpy as np

from zerogym.agents.llm.models.loading import load_model, save_model
from zerogym.agents.llm.supervised.oracle_traces import Source, Trace, record_all
from zerogym.agents.llm.supervised.sft import SFTConfig, encode_all, fine_tune
from zerogym.agents.torch_threads import one_thread
from zerogym.envs.reasoning.core import ReasoningEnv
from zerogym.envs.reasoning.proposals.parameter_creator import question

TASK, HARDEST = "zerogym/RandomCalculation-v0", 2.0
TRACES = 4_000  # of each of the two seats


def proposals(rng: np.random.Generator, count: int) -> list[Trace]:
    """Return conversations in which a difficulty is proposed, each as likely, to one digit."""
    prompt = f"{question(TASK, {}, 0.0, HARDEST).prompt}\n{ReasoningEnv.answer_request}"
    levels = rng.integers(int(HARDEST * 10) + 1, size=count) / 10
    return [
        Trace(
            "zerogym/ParameterCreator-v0", ((prompt, f'<answer>{{"difficulty": {one}}}</answer>'),)
        )
        for one in levels.tolist()
    ]


def warm_start(directory: Path, steps: int, seed: int = 0) -> Path:
    """Write a model that proposes and solves.

    Args:
        directory: Where to write it.
        steps: Optimiser steps.
        seed: Of the traces.

    Returns:
        The directory, for `load_model`.
    """
    with one_thread():  # with several the weights would differ from run to run
        model, tokenizer = load_model("tiny", "cpu")
        easy = Source(TASK, TRACES, {"difficulty": (0.0, 1.0)}, worked=0.45)  # as the tiny model's
        solved = record_all([easy], seed)
        traces = [*solved, *proposals(np.random.default_rng((seed, 1)), TRACES)]
        order = np.random.default_rng((seed, 2)).permutation(len(traces)).tolist()
        data = encode_all([traces[place] for place in order], tokenizer)
        training = SFTConfig(steps=steps, batch_tokens=1024, learning_rate=1.5e-3, warmup=20)
        fine_tune(model, data, training)
    return save_model(model, tokenizer, directory)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=300, help="optimiser steps")
    given = parser.parse_args()
    warm_start(given.out, given.steps)
