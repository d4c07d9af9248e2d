"""All checks by name, in the order in which they run: what says most comes first.

What compiles comes last: the compiler alone may take a minute.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from zerogym.benchmarks.gpu import agents_and_worlds as others
from zerogym.benchmarks.gpu import language
from zerogym.benchmarks.gpu.setup import Numbers, Setup

RECORDED: dict[str, Any] = {"cuda_graph": True}
BF16: dict[str, Any] = {"precision": "bf16", "cuda_graph": True}

CHECKS: dict[str, Callable[[Setup], Numbers]] = {
    "replies of tiny equal the CPU's, eager": partial(language.equal_replies, step="eager"),
    "replies of tiny equal the CPU's, recorded": partial(language.equal_replies, step="recorded"),
    "update of tiny equals the CPU's, padded": partial(language.equal_updates, packing=False),
    "update of tiny equals the CPU's, packed": partial(language.equal_updates, packing=True),
    "FB, walker, recorded": partial(others.update_rates, **RECORDED),
    "FB, walker, bf16, recorded": partial(others.update_rates, **BF16),
    "FB, recorded equals eager": others.recorded_is_eager,
    "replies of tiny, eager": partial(
        language.reply_rates, name="tiny", step="eager", dtype="float32"
    ),
    "replies of tiny, recorded": partial(
        language.reply_rates, name="tiny", step="recorded", dtype="float32"
    ),
    "replies of SmolLM2, bf16, eager": partial(
        language.reply_rates, name="smollm2", step="eager", dtype="bfloat16"
    ),
    "replies of SmolLM2, bf16, recorded": partial(
        language.reply_rates, name="smollm2", step="recorded", dtype="bfloat16"
    ),
    "updates of tiny": partial(language.update_rates, name="tiny", dtype="float32"),
    "updates of SmolLM2, bf16": partial(language.update_rates, name="smollm2", dtype="bfloat16"),
    "updates of SmolLM2": partial(language.update_rates, name="smollm2", dtype="float32"),
    "FB, walker, eager": others.update_rates,
    "FB, walker, ten seeds, recorded": partial(others.update_rates, seeds=10, **RECORDED),
    "grids in torch": others.grid_rates,
    "games beside the device": others.game_rates,
    "replies of tiny equal the CPU's, static": partial(language.equal_replies, step="static"),
    "replies of tiny, static": partial(
        language.reply_rates, name="tiny", step="static", dtype="float32"
    ),
    "FB, walker, bf16, compiled, recorded": partial(
        others.update_rates, compile="inductor", **BF16
    ),
    "replies of SmolLM2, bf16, compiled and recorded": partial(
        language.reply_rates, name="smollm2", step="compiled and recorded", dtype="bfloat16"
    ),
    "FB, walker, ten seeds, bf16, compiled, recorded": partial(
        others.update_rates, seeds=10, compile="inductor", **BF16
    ),
}
