"""Rows that join as others finish: the same replies as one by one, whatever the model."""

from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from helpers.llm.forward_pass import recomputed  # noqa: E402
from helpers.llm.random_models import LLAMA, Letters, random_model  # noqa: E402
from zerogym.agents.llm.generation.decoding.kv_cache import Forward  # noqa: E402
from zerogym.agents.llm.generation.decoding.llama_decode import llama_step  # noqa: E402
from zerogym.agents.llm.generation.decoding.slot_cache import SlotKVCache, fits_slots  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402

MODELS: dict[str, tuple[dict[str, Any], bool]] = {
    "llama": (LLAMA, True),
    "qwen3": (LLAMA, True),
    "gpt2": ({"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}, True),
    "gemma3_text": (LLAMA | {"sliding_window": 6}, False),  # forgets
    "mistral": (LLAMA | {"sliding_window": 6}, False),
    "bloom": ({"hidden_size": 32, "n_layer": 2, "n_head": 4}, False),  # takes no positions
}
PROMPTS = [[n % 60 + 1 for n in range(7 * i, 7 * i + 1 + 5 * i % 11)] for i in range(13)]


def made(name: str) -> Any:
    return random_model(name, MODELS[name][0])


def engine(model: Any, batch_size: int, context: int = 40) -> TransformersGenerator:
    return TransformersGenerator(model, Letters(), context_length=context, batch_size=batch_size)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_tested_for_slots(name):
    model = made(name)
    with torch.no_grad():
        assert fits_slots(Forward(model, pad=0)) == MODELS[name][1]
    assert (llama_step(model) is not None) == (name == "llama")


@pytest.mark.proof
@pytest.mark.parametrize("name", MODELS)
def test_refilled_replies_are_those_of_rows_alone(name):
    model = made(name)
    for sampling in (
        Sampling(20, seed=4),
        Sampling(20, temperature=0.7, top_p=0.9, top_k=20, seeds=tuple(range(13))),
        Sampling(20, temperature=0.0),
        Sampling(20, stop=("a", "bc"), seed=2),
    ):
        alone = engine(model, 1).generate(PROMPTS, sampling)
        assert len({len(c.ids) for c in alone}) > 3 or sampling.temperature == 0
        for batch_size in (3, 64):
            together = engine(model, batch_size).generate(PROMPTS, sampling)
            for one, other in zip(alone, together, strict=True):
                assert replace(one, logprobs=()) == replace(other, logprobs=())
                assert other.logprobs == pytest.approx(one.logprobs, abs=1e-5)
    plain = engine(model, 3).generate(PROMPTS, Sampling(20, seed=4))
    for prompt, completion in zip(PROMPTS, plain, strict=True):
        with torch.no_grad():
            expected = recomputed(model, prompt, completion.ids).tolist()
        assert completion.logprobs == pytest.approx(expected, abs=1e-5)


def test_contexts_that_fill_up_leave_their_slots():
    model = made("llama")
    ends = [c.finish for c in engine(model, 1, 12).generate(PROMPTS, Sampling(6, seed=1))]
    assert set(ends) == {"stop", "length", "context"}
    for batch_size in (3, 4):
        found = engine(model, batch_size, 12).generate(PROMPTS, Sampling(6, seed=1))
        assert [c.finish for c in found] == ends


def test_rows_join_as_others_finish(monkeypatch):
    rows: list[int] = []
    step = SlotKVCache.step
    monkeypatch.setattr(
        SlotKVCache, "step", lambda self, tokens: rows.append(len(tokens)) or step(self, tokens)
    )
    model, sampling = made("llama"), Sampling(30, seed=6)
    small = engine(model, 4)
    small.generate([[1]], sampling)  # tests whether slots fit
    rows.clear()
    found = small.generate(PROMPTS * 3, sampling)
    in_chunks = sum(
        max(len(c.ids) for c in part) - 1
        for part in (found[i : i + 4] for i in range(0, len(found), 4))
    )
    assert max(rows) == 4
    assert sum(rows) == sum(len(c.ids) - 1 for c in found)  # no row is computed after its end
    assert len(rows) < 0.8 * in_chunks


def test_equal_prompts_that_begin_together_are_read_once(monkeypatch):
    read: list[int] = []
    model = made("llama")
    embed = model.model.embed_tokens
    embed.register_forward_pre_hook(lambda module, given: read.append(given[0].numel()))
    one = engine(model, 8)
    one.generate([[1]], Sampling(1))
    read.clear()
    one.generate([PROMPTS[3]] * 8, Sampling(1))
    assert read == [len(PROMPTS[3])]


def test_a_hooked_llama_takes_the_long_way_and_says_the_same():
    model, sampling = made("llama"), Sampling(20, seed=4)
    short = engine(model, 5).generate(PROMPTS, sampling)
    observed = []
    model.model.layers[0].register_forward_hook(lambda *given: observed.append(1))
    assert llama_step(model) is None
    long = engine(model, 5).generate(PROMPTS, sampling)
    assert len(observed) > 20
    assert [c.ids for c in long] == [c.ids for c in short]


def test_weights_may_change_between_calls():
    model, sampling = made("llama"), Sampling(20, seed=4)
    old = engine(model, 5)
    before = old.generate(PROMPTS, sampling)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.1)
    after = old.generate(PROMPTS, sampling)
    assert after != before
    assert after == engine(model, 5).generate(PROMPTS, sampling)
