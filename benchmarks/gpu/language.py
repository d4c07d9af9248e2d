"""Checks of language models: replies and updates of GRPO, on the device and equal to the CPU's.

Replies are of a fixed length, so that a rate counts the same tokens on any device. The CPU computes
in float32 as written; the device, too, without TF32. Where a random number falls between two tokens
that rounding exchanges, replies differ from there on, so that log-probabilities are compared before
the first difference.
"""

from functools import partial

import numpy as np

from zerogym.agents.llm.generation.decoding.static_shapes import StaticStep
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.benchmarks.gpu.setup import Numbers, Setup
from zerogym.benchmarks.speed.llm.lengths import made_up_groups, tokens_of
from zerogym.benchmarks.speed.llm.timing import TOKENS

LOGPROB_GAP = 1e-4  # nats: largest difference of a log-probability from the CPU's that is equal
LOSS_GAP = 1e-4  # the same of loss and gradient norm, relative
SEED = 1
# How a decode step is made: compiler, and whether it is captured as a CUDA graph.
STEPS: dict[str, tuple[str, bool] | None] = {
    "eager": None, "static": ("none", False), "recorded": ("none", True),
    "compiled": ("inductor", False), "compiled and recorded": ("inductor", True),
}  # fmt: skip


def equal_replies(setup: Setup, step: str) -> Numbers:
    """Compare replies of the tiny model with those that the CPU writes as written."""
    rows, tokens = (4, 4) if setup.smoke else (64, 48)
    theirs = _replies(Setup("cpu", setup.smoke), "eager", rows, tokens)
    ours = _replies(setup, step, rows, tokens)
    same, gap = 0, 0.0
    for own, other in zip(ours, theirs, strict=True):
        pairs = zip(own.ids, other.ids, own.logprobs, other.logprobs, strict=True)
        for id_, other_id, logprob, other_logprob in pairs:
            if id_ != other_id:
                break
            same, gap = same + 1, max(gap, abs(logprob - other_logprob))
    if gap > LOGPROB_GAP or not same:
        raise AssertionError(f"log-probabilities differ by {gap:.1e}, more than {LOGPROB_GAP:g}")
    return {"largest difference, nats": gap, "equal tokens": same, "of": rows * tokens}


def equal_updates(setup: Setup, packing: bool) -> Numbers:
    """Compare loss and gradient norm of an update of the tiny model with the CPU's."""
    groups = made_up_groups(8 if setup.smoke else 64)
    found = []
    for device, packs in ((setup.device, packing), ("cpu", False)):
        model = setup.model("tiny", device=device)[0]
        metrics = Learner(model, GRPOConfig(packing=packs, micro_batch=64)).update(groups)
        found.append({k: v for k, v in metrics.items() if k in ("actor/loss", "actor/grad_norm")})
    gaps = {k: abs(v / found[1][k] - 1) for k, v in found[0].items() if found[1][k]}
    if not gaps or max(gaps.values()) > LOSS_GAP:
        raise AssertionError(f"updates differ from the CPU's: {gaps}, more than {LOSS_GAP:g}")
    return {f"{name}, relative difference": gap for name, gap in gaps.items()}


def reply_rates(setup: Setup, name: str, step: str, dtype: str) -> Numbers:
    """Tokens a second of replies, of few rows and of many."""
    sizes, tokens = ((4,), 3) if setup.smoke else ((64, 512), 128)
    engine = _engine(setup, name, step, dtype, max(sizes))
    found = {}
    for rows in sizes:
        prompts, sampling = _prompts(rows), Sampling(tokens, seed=SEED)
        call = partial(engine.generate, prompts, sampling)
        found[f"tokens/s, {rows} rows"] = setup.rate(call, rows * tokens)
    return found


def update_rates(setup: Setup, name: str, dtype: str) -> Numbers:
    """Tokens a second of updates on replies of log-normal lengths, packed and padded."""
    groups = made_up_groups(8 if setup.smoke else 256)
    tokens, found = tokens_of(groups), {}
    for way, packing in (("packed", True), ("padded", False)):
        model = setup.model(name, dtype)[0]
        learner = Learner(model, GRPOConfig(packing=packing, micro_batch=64, dtype=dtype))
        found[f"tokens/s, {way}"] = setup.rate(partial(learner.update, groups), tokens)
    return found


def _replies(setup: Setup, step: str, rows: int, tokens: int) -> list[Completion]:
    engine = _engine(setup, "tiny", step, "float32", rows)
    return engine.generate(_prompts(rows), Sampling(tokens, seed=SEED))


def _engine(setup: Setup, name: str, step: str, dtype: str, rows: int) -> TransformersGenerator:
    model, tokenizer = setup.model(name, dtype)
    static, how = None, STEPS[step]
    if how is not None:
        if how[1]:
            setup.need_graphs()
        static = StaticStep(model, *how)
    return TransformersGenerator(model, tokenizer, batch_size=rows, static=static)


def _prompts(rows: int) -> list[list[int]]:
    """Made-up tokens, which differ from row to row."""
    rng = np.random.default_rng(0)
    found: list[list[int]] = rng.integers(20, 200, (rows, TOKENS)).tolist()
    return found
