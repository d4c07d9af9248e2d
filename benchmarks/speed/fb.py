"""Forward-backward updates a second: ours and, given a folder with its source, metamotivo's.

    python -m zerogym.benchmarks.speed.fb [--threads 2] [--blocks 5] [--seconds 4] [--peer FOLDER]

Two sizes: that of published runs on the walker (24 observations, 6 actions, d = 100, width 1024,
batch 1024), and a small one (width 256, d = 50, batch 512). Each with products of float32, and with
`set_float32_matmul_precision("medium")`, which lets a CPU multiply in bfloat16 where it can.
Transitions are made up and in memory; all updates have the same losses, networks and optimisers.

`--together` measures something else: five seeds trained in one batched graph, against one seed
alone. One core has nothing to gain from it, for products are what it is busy with: all five made
0.79 times the updates of one at the small size (2026-11-23, one thread of a busy 2-core Xeon).
`--together --device cuda` prints the same for a GPU, and compiled as a CUDA graph: not yet run.

The rows take turns, so that all meet the same machine; the table has the median of the blocks.
Rates are by CPU seconds of all threads, and beside them by the clock, which alone counts on a GPU.
Beside each rate stand the counted floating-point operations of an update, and the rate of this
machine's matrix products in the same minute: on a busy machine only their ratio means something.
Each block is announced on standard error.
metamotivo is CC BY-NC: it is only called here, where a user has fetched it.
"""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.computing import WARM_UP
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.multi_seed import MultiSeedAgent, stack_datasets
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.benchmarks.speed.loops import in_turn, options, show

Update = Callable[[], Any]
OBSERVATION, ACTIONS, ROWS = 24, 6, 20_000
SEEDS = 5  # of `--together`
MATRIX = 2048  # rows and columns of the products that tell the machine's rate


@dataclass(frozen=True)
class Size:
    """The sizes of the networks."""

    name: str
    dim: int
    hidden: int
    batch: int


SIZES = (Size("walker", 100, 1024, 1024), Size("small", 50, 256, 512))


def made_up() -> Dataset:
    """Transitions of numbers drawn at random."""
    rng = np.random.default_rng(0)
    observations = rng.normal(size=(ROWS, OBSERVATION)).astype(np.float32)
    actions = rng.uniform(-1, 1, (ROWS, ACTIONS)).astype(np.float32)
    return Dataset(observations, actions, observations + 0.1)


def settings(size: Size, **changes: Any) -> FBConfig:
    """Return the settings of the wide networks."""
    return FBConfig(
        net="wide",
        exact=False,
        temperature=0.0,
        dim=size.dim,
        hidden=size.hidden,
        hidden_backward=256,
        batch_size=size.batch,
        updates=1_000_000,
        **changes,
    )


def ours(size: Size, **changes: Any) -> Update:
    """An update of our agent with the wide networks."""
    data = made_up()
    agent = ContinuousFB.create(settings(size, **changes), data, ACTIONS)
    tensors = agent.to_tensors(data)
    return lambda: agent.update(tensors)


def several(size: Size, seeds: int = SEEDS, **changes: Any) -> Update:
    """An update of several seeds at once."""
    data = made_up()
    configs = [settings(size, seed=seed, **changes) for seed in range(seeds)]
    agents = [ContinuousFB.create(config, data, ACTIONS) for config in configs]
    together, tensors = MultiSeedAgent(agents), stack_datasets([a.to_tensors(data) for a in agents])
    return lambda: together.update(tensors)


def metamotivo(folder: Path, size: Size) -> Update:
    """An update of theirs, settings as its example for the walker."""
    sys.path.insert(0, str(folder))
    try:
        fb = importlib.import_module("metamotivo.fb")
        buffers = importlib.import_module("metamotivo.buffers.buffers")
    finally:
        sys.path.remove(str(folder))
    config = fb.FBAgentConfig()
    config.model.obs_dim, config.model.action_dim = OBSERVATION, ACTIONS
    config.model.norm_obs = False
    config.model.archi.z_dim = size.dim
    config.model.archi.f.hidden_dim = config.model.archi.actor.hidden_dim = size.hidden
    config.train.batch_size, config.train.discount = size.batch, 0.98
    agent = fb.FBAgent(**asdict(config))
    data = made_up()
    buffer = buffers.DictBuffer(capacity=ROWS, device="cpu")
    ended = np.zeros((ROWS, 1), dtype=bool)
    after = {"observation": data.next_observations, "terminated": ended}
    buffer.extend({"observation": data.observations, "action": data.actions, "next": after})
    return lambda: agent.update({"train": buffer}, 0)


def operations(update: Update) -> float:
    """Counted multiplications and additions of matrix products in one update, in 10^9."""
    with FlopCounterMode(display=False) as counter:
        update()
    return counter.get_total_flops() / 1e9


class Rate(NamedTuple):
    """Calls a CPU second (of all threads) and a second on the clock."""

    cpu: float
    clock: float


def rate(call: Callable[[], Any], seconds: float) -> Rate:
    """Call for so many seconds on the clock."""
    gpu = torch.cuda.is_available()
    for _ in range(WARM_UP + 1 if gpu else 1):
        call()
    begun, cpu, count = time.perf_counter(), time.process_time(), 0
    while not count or time.perf_counter() - begun < seconds:
        call()
        count += 1
    if gpu:
        torch.cuda.synchronize()  # until then the work is only queued
    return Rate(count / (time.process_time() - cpu), count / (time.perf_counter() - begun))


def matrix_rate(seconds: float) -> Rate:
    """Return the present speed of matrix products, in 10^9 operations a second."""
    a, b = torch.randn(MATRIX, MATRIX), torch.randn(MATRIX, MATRIX)
    cpu, clock = (each * 2 * MATRIX**3 / 1e9 for each in rate(lambda: a @ b, seconds))
    return Rate(cpu, clock)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the table."""
    given = options(
        __doc__,
        arguments,
        threads=(2, ""),
        blocks=(5, "turns of each row"),
        seconds=(4.0, "of a block"),
        peer={"type": Path, "help": "a folder with the source of metamotivo"},
        together={"action": "store_true", "help": "five seeds at once"},
        device={"choices": ("cpu", "cuda"), "default": "cpu", "help": "of --together"},
    )
    torch.set_num_threads(given.threads)
    if given.together:
        per = "s" if given.device == "cuda" else "CPU s"
        ratios = (f"one alone/{per}", f"each of five/{per}", "all over one")
        title = f"{SEEDS} seeds in one graph, {given.device}, {given.threads} threads"
        rows = together_rows(given.device, given.blocks, given.seconds)
        show(("size", "how", *ratios), rows, title=title)
        return
    columns = (
        "size", "products", "whose", "GFLOP", "updates/CPU s", "updates/s on the clock",
        "GFLOP/CPU s", "matrices GFLOP/CPU s",
    )  # fmt: skip
    rows = update_rows(given.peer, given.blocks, given.seconds)
    show(columns, rows, title=f"Forward-backward updates, {given.threads} threads")


def together_rows(device: str, blocks: int, seconds: float) -> Iterator[tuple[str, ...]]:
    """Rates of one seed alone and of each of five, and of all five over the one."""
    fast = {"device": "cuda", "precision": "bf16", "compile": "inductor", "cuda_graph": True}
    ways: dict[str, dict[str, Any]] = {"fp32": {"device": device}}
    if device == "cuda":
        ways["bf16, compiled, graph"] = fast
    for size in SIZES:
        for way, changes in ways.items():
            updates = {"alone": ours(size, **changes), "together": several(size, **changes)}
            measures = {n: partial(rate, each, seconds) for n, each in updates.items()}
            found = in_turn(measures, blocks, f"{size.name}, {way}")
            by = "clock" if device == "cuda" else "cpu"
            speeds = {n: [getattr(speed, by) for speed in each] for n, each in found.items()}
            one, each = map(median, speeds.values())
            ratio = SEEDS * median_ratio(speeds["together"], speeds["alone"])
            yield size.name, way, f"{one:.2f}", f"{each:.2f}", f"{ratio:.2f}x"


def update_rows(peer: Path | None, blocks: int, seconds: float) -> Iterator[tuple[str, ...]]:
    """Rates of each size, with products of both precisions."""
    for size in SIZES:
        updates = {"ours": ours(size)}
        if peer is not None:
            updates["metamotivo"] = metamotivo(peer, size)
        for precision, name in (("highest", "fp32"), ("medium", "bf16")):
            torch.set_float32_matmul_precision(precision)
            counted = {whose: operations(update) for whose, update in updates.items()}
            measures = {"": partial(matrix_rate, seconds / 4)}
            measures |= {whose: partial(rate, update, seconds) for whose, update in updates.items()}
            found = in_turn(measures, blocks, f"{size.name}, {name}")
            speeds = {whose: [speed.cpu for speed in each] for whose, each in found.items()}
            for whose, count in counted.items():
                middle = median(speeds[whose])
                clock = median(speed.clock for speed in found[whose])
                shown = f"{middle:.2f}"
                if whose == "ours":  # 1 without a peer
                    shown += f" ({median_ratio(speeds['ours'], speeds[[*updates][-1]]):.2f}x)"
                products = (f"{count * middle:.0f}", f"{median(speeds['']):.0f}")
                yield size.name, name, whose, f"{count:.1f}", shown, f"{clock:.2f}", *products
        torch.set_float32_matmul_precision("highest")


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """Median of the ratios, block by block."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    main()
