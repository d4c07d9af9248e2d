"""The warm start of the tiny model: `python -m zerogym.agents.llm.supervised.warm_start` writes its
weights.

Records oracle traces of the registered text tasks, trains the tokenizer and the model on them,
measures the result on held-out problems, and writes model, tokenizer and model card. The
warm start is short on purpose: it teaches the forms, and reinforcement learning can do the rest.
"""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import torch
import transformers
import typer
from rich.console import Console

from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.models.directories import TINY_DIRECTORY
from zerogym.agents.llm.models.loading import save_model
from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer
from zerogym.agents.llm.supervised.model_card import Measurement, measure, table, write_card
from zerogym.agents.llm.supervised.oracle_traces import Source, record_all
from zerogym.agents.llm.supervised.sft import SFTConfig, encode_all, fine_tune
from zerogym.agents.torch_threads import one_thread

ROOMS = {"view": "text", "task": "random_goal", "ends_at_goal": True}

# The u-map is left out: as text it looks like the four rooms, whose walls are elsewhere.
SOURCES = (
    Source("zerogym/RandomCalculation-v0", 100_000, {"difficulty": (0.0, 1.0)}, worked=0.45),
    Source("zerogym/Countdown-v0", 40_000, {"difficulty": (0.0, 1.0)}),
    Source("zerogym/SQL-v0", 12_000, {"difficulty": 0.0}),
    Source("zerogym/FourRooms-v0", 3_000, ROOMS),
    Source("zerogym/KuhnPoker-v0", 750, {"opponent": "random"}),
    Source("zerogym/KuhnPoker-v0", 750, {"opponent": "cfr"}),
    Source("zerogym/TicTacToe-v0", 2_000, {"opponent": "random"}),
    Source("zerogym/TicTacToe-v0", 1_500, {"opponent": "minimax"}),
)

MEASUREMENTS = (
    Measurement("zerogym/RandomCalculation-v0", {"difficulty": 0.0, "split": "test"}),
    Measurement("zerogym/RandomCalculation-v0", {"difficulty": 0.5, "split": "test"}),
    Measurement("zerogym/RandomCalculation-v0", {"difficulty": (0.5, 1.0), "split": "test"}),
    Measurement("zerogym/Countdown-v0", {"difficulty": 0.0, "split": "test"}),
    Measurement("zerogym/Countdown-v0", {"difficulty": 1.0, "split": "test"}),
    Measurement("zerogym/SQL-v0", {"difficulty": 0.0, "split": "test"}),
    Measurement("zerogym/FourRooms-v0", ROOMS | {"horizon": 20}),
    Measurement("zerogym/KuhnPoker-v0", {"opponent": "random"}),
    Measurement("zerogym/TicTacToe-v0", {"opponent": "random"}),
)


@dataclass(frozen=True)
class WarmStart:
    """Everything that decides the weights."""

    sources: tuple[Source, ...] = SOURCES
    measurements: tuple[Measurement, ...] = MEASUREMENTS
    size: TinyConfig = field(default_factory=TinyConfig)
    training: SFTConfig = field(default_factory=SFTConfig)
    seed: int = 0  # of traces and initial weights


def warm_start(
    recipe: WarmStart, directory: Path, on_progress: Callable[[str], None] | None = None
) -> Path:
    """Make a tiny model from nothing.

    Args:
        recipe: Data, size and training.
        directory: The directory to write; it is replaced.
        on_progress: Callback for one line of text now and then.

    Returns:
        The directory, with model, tokenizer and model card in Hugging Face format.
    """
    say = on_progress or (lambda line: None)
    begin = time.perf_counter()
    with one_thread():  # with several the weights would differ from run to run
        traces = record_all(recipe.sources, recipe.seed)
        texts = [message["content"] for trace in traces for message in trace.messages]
        tokenizer = build_tokenizer(texts, recipe.size)
        data = encode_all(traces, tokenizer)
        tokens = sum(len(row.ids) for row in data)
        say(f"{len(data)} traces, {tokens / 1e6:.1f} million tokens, vocabulary {len(tokenizer)}")
        model = build_model(tokenizer, recipe.size, recipe.seed)
        fine_tune(model, data, recipe.training, _reporter(say, recipe.training.steps))
        minutes = (time.perf_counter() - begin) / 60
        save_model(model, tokenizer, directory)
        generator = TransformersGenerator(model, tokenizer)
        results = []
        for task in recipe.measurements:
            for deterministic in (True, False):
                results.append(measure(generator, task, deterministic))
                say(table(results[-1:]).splitlines()[-1])
    write_card(directory, _facts(model, len(traces), recipe, minutes), results)
    return directory


def _reporter(say: Callable[[str], None], steps: int) -> Callable[[int, dict[str, float]], None]:
    begin = time.perf_counter()

    def report(step: int, metrics: dict[str, float]) -> None:
        if step % 200 == 0 or step == steps:
            seconds = time.perf_counter() - begin
            say(f"step {step} of {steps}: loss {metrics['sft/loss']:.3f}, {seconds:.0f} s")

    return report


def _facts(model: Any, traces: int, recipe: WarmStart, minutes: float) -> dict[str, str]:
    size, training = recipe.size, recipe.training
    return {
        "Command": "`python -m zerogym.agents.llm.supervised.warm_start`",
        "Architecture": f"Llama, {model.num_parameters() / 1e6:.2f} million parameters: "
        f"{size.layers} layers, width {size.hidden}, {size.heads} heads, context {size.context}",
        "Trained on": f"{traces} oracle traces of the train side, AdamW, {training.steps} steps "
        f"of at most {training.batch_tokens} tokens, peak rate {training.learning_rate:g}",
        "Took": f"{minutes:.1f} minutes of one thread ({platform.machine()}, "
        f"{os.cpu_count()} cores, shared with other work), {date.today().isoformat()}",
        "Libraries": f"torch {torch.__version__}, transformers {transformers.__version__}",
        "Licence": "Apache-2.0, as the package",
    }


def main(
    out: Annotated[Path, typer.Option(help="Directory to write.")] = TINY_DIRECTORY,
    steps: Annotated[int, typer.Option(help="Optimiser steps.")] = SFTConfig().steps,
) -> None:
    """Make the tiny model and its card."""
    recipe = WarmStart(training=SFTConfig(steps=steps))
    warm_start(recipe, out, Console().print)


if __name__ == "__main__":
    typer.run(main)
