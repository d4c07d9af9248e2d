"""One decode step of a Llama, as written and through `torch.compile`, in turn.

    python -m zerogym.benchmarks.speed.llm.compile [--shape tiny] [--rounds 12] [--threads 1]

Both take the same token of each row with the same weights over the same slots, and must give the
same logits within 1e-4. `smollm2` has the shape of SmolLM2-135M and random weights. Compiling
begins with an empty cache; it is timed on the clock, as it works in other processes, too. Left out:
rows that get longer and fewer, as those of a run do, and GPUs.
"""

import os
import shutil
import statistics
import sys
import tempfile
from functools import partial
from typing import Any

import torch
from rich.console import Console
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.cache_utils import DynamicLayer

from zerogym.agents.llm.generation.decoding.llama_decode import llama_step
from zerogym.agents.llm.generation.decoding.slot_layer import Ends, SlotLayer
from zerogym.agents.llm.models.loading import load_model
from zerogym.benchmarks.speed.llm.timing import compared, timed
from zerogym.benchmarks.speed.loops import in_turn, options

SIZES = {"tiny": (32, 30), "smollm2": (8, 4)}  # rows, steps in one measurement
WIDTH = 64  # columns, all attended to
CLOSE = 1e-4


def model_of(shape: str) -> Any:
    """The model; nothing is fetched."""
    if shape == "tiny":
        return load_model("tiny", "cpu", "float32")[0].eval()
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30,
        num_attention_heads=9, num_key_value_heads=3, tie_word_embeddings=True,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


def slots(config: Any, rows: int) -> list[SlotLayer]:
    """Return keys and values of each layer: random numbers in all columns but the last."""
    heads, size = config.num_key_value_heads, config.hidden_size // config.num_attention_heads
    line = torch.arange(rows * heads) * WIDTH + WIDTH - 1
    made = []
    for _ in range(config.num_hidden_layers):
        like = DynamicLayer()
        like.keys, like.values = torch.randn(2, rows, heads, WIDTH, size)
        layer = SlotLayer(like, rows)
        layer.keys, layer.values = like.keys.clone(), like.values.clone()
        layer.ends = Ends({heads: line}, WIDTH)
        made.append(layer)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the table.

    Raises:
        SystemExit: If there is no C++ compiler, which `torch.compile` needs on a CPU.
    """
    given = options(
        __doc__,
        arguments,
        shape={"choices": sorted(SIZES), "default": "tiny"},
        rounds=(12, ""),
        threads=(1, ""),
    )
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        sys.exit("torch.compile needs a C++ compiler here: install g++, or name one in CXX")
    torch.set_num_threads(given.threads)
    model, (rows, steps) = model_of(given.shape), SIZES[given.shape]
    step, layers = llama_step(model), slots(model.config, rows)
    assert step is not None
    tokens, positions = torch.randint(200, (rows,)), torch.full((rows,), WIDTH - 1)
    mask = torch.zeros(rows, 1, 1, WIDTH)
    with tempfile.TemporaryDirectory() as cache, torch.inference_mode():
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        fast, what = torch.compile(step, fullgraph=True), (tokens, positions, mask, layers)
        expected = step(*what)
        compiling = timed(lambda: fast(*what))[1]
        error = float((fast(*what) - expected).abs().max())
        assert error < CLOSE, error

        def several(call: Any) -> None:
            for _ in range(steps):
                call(*what)

        measures = {
            "eager": partial(timed, partial(several, step)),
            "compiled": partial(timed, partial(several, fast)),
        }
        times = in_turn(measures, given.rounds)
    eager, compiled = times.values()
    console = Console(width=100)
    machine = f"{given.threads} threads, load {os.getloadavg()[0]:.1f}"
    title = f"{steps} steps of {rows} rows, {given.shape}: {machine}"
    console.print(compared(title, ("compiled", "eager"), compiled, eager))
    ratio = statistics.median(a[0] / b[0] for a, b in zip(eager, compiled, strict=True))
    console.print(f"eager / compiled, CPU s: {ratio:.2f}; compiling took {compiling:.1f} s")
    console.print(f"largest difference of a logit: {error:.1e}")


if __name__ == "__main__":
    main()
