"""The warm start: traces, tokenizer, the ids it learns from, its loss, and its reproducibility."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch
from torch.nn.functional import log_softmax

import zerogym  # noqa: F401 (registers the tasks)
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.models.directories import TINY_DIRECTORY
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer
from zerogym.agents.llm.policy import LLMPolicy
from zerogym.agents.llm.supervised.model_card import (
    Measurement,
    Result,
    is_readable,
    measure,
    table,
)
from zerogym.agents.llm.supervised.oracle_traces import Source, Trace, record_all
from zerogym.agents.llm.supervised.sft import (
    Encoded,
    SFTConfig,
    collate,
    encode_all,
    fine_tune,
    prompt_labels,
    reply_loss,
    schedule,
    shuffled_batches,
)
from zerogym.agents.llm.supervised.warm_start import MEASUREMENTS, SOURCES, WarmStart, warm_start

SMALL = TinyConfig(
    vocabulary=300, merge_count=2, hidden=16, layers=2, heads=2, feed_forward=32, context=512
)
FEW = tuple(replace(source, episodes=6) for source in SOURCES)


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    return record_all(FEW, seed=1)


@pytest.fixture(scope="module")
def tokenizer(traces: list[Trace]):
    return build_tokenizer([m["content"] for t in traces for m in t.messages], SMALL)


class Scripted:
    """An engine with given replies, which keeps its prompts."""

    context_length = 10_000
    weight_version = 0

    def __init__(self, tokenizer, replies: list[str]) -> None:
        self.tokenizer, self.replies = tokenizer, replies
        self.prompts: list[list[int]] = []
        self.ids: list[tuple[int, ...]] = []

    def generate(self, prompts, sampling: Sampling) -> list[Completion]:
        (prompt,) = prompts
        self.prompts.append(list(prompt))
        text = self.replies[len(self.ids)]
        ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        self.ids.append((*ids, self.tokenizer.eos_token_id))
        return [Completion(text, self.ids[-1], (0.0,) * len(self.ids[-1]), "stop")]

    def update_weights(self, weights, version: int) -> None:
        raise AssertionError


def test_every_source_of_the_recipe_is_recorded_with_its_oracle(traces: list[Trace]) -> None:
    by_source = [traces[k : k + 6] for k in range(0, len(traces), 6)]
    assert [group[0].env_id for group in by_source] == [source.env_id for source in SOURCES]
    assert any(len(trace.turns) > 1 for trace in traces)


def test_traces_have_full_scores_in_their_environment() -> None:
    for source in (SOURCES[0], SOURCES[1], SOURCES[2]):
        env = gym.make(source.env_id, **source.kwargs)
        (trace,) = record_all([replace(source, episodes=1, worked=1.0)], seed=4)
        rng = np.random.default_rng(np.random.SeedSequence(4).spawn(1)[0])
        observation, _ = env.reset(seed=int(rng.integers(2**31)))
        total = 0.0
        for said, reply in trace.turns:
            assert said == observation
            observation, reward, over, _, _ = env.step(reply)
            total += float(reward)
        assert over and total == 1.0
        env.close()


def test_traces_are_reproducible_and_change_with_the_seed(traces: list[Trace]) -> None:
    assert record_all(FEW, seed=1) == traces
    assert record_all(FEW, seed=2) != traces


def test_the_test_side_is_never_recorded() -> None:
    source = Source("zerogym/RandomCalculation-v0", 1, {"split": "test"})
    with pytest.raises(ValueError, match="train side"):
        record_all([source], seed=0)
    observed = {
        observation
        for trace in record_all([Source("zerogym/RandomCalculation-v0", 300)], seed=0)
        for observation, _ in trace.turns
    }
    env = gym.make("zerogym/RandomCalculation-v0", split="test")
    assert not observed & {env.reset(seed=seed)[0] for seed in range(300)}
    assert all(task.kwargs.get("split", "test") == "test" for task in MEASUREMENTS)


def test_a_numeric_environment_is_refused() -> None:
    with pytest.raises(ValueError, match="not a text environment"):
        record_all([Source("zerogym/FourRooms-v0", 1, {"task": "goal_1_1"})], seed=0)


def test_short_traces_lack_the_last_call_and_know_no_answer() -> None:
    plain = Source("zerogym/Search-v0", 40, {"difficulty": 0.0, "category": "plain"})
    whole, lacking, mixed = (
        record_all([replace(plain, short=share)], seed=5) for share in (0.0, 1.0, 0.5)
    )
    for trace in whole:
        assert [reply.partition(">")[0] for _, reply in trace.turns] == [
            "<search",
            "<open",
            "<answer",
        ]
    for trace in lacking:
        assert [reply.partition(">")[0] for _, reply in trace.turns] == ["<search", "<answer"]
        assert trace.turns[-1][1] == "<answer>unknown</answer>"
    lengths = [len(trace.turns) for trace in mixed]
    assert {2, 3} == set(lengths) and 10 < lengths.count(2) < 30  # of 40, four deviations
    with pytest.raises(ValueError, match="no plan of calls"):
        record_all([Source("zerogym/ChainSum-v0", 1, short=0.5)], seed=5)


def test_worked_traces_end_with_the_same_answer() -> None:
    plain = Source("zerogym/RandomCalculation-v0", 20, {"difficulty": 1.0})
    short = record_all([plain], seed=5)
    long = record_all([replace(plain, worked=1.0)], seed=5)
    for (posed, answer), (posed_again, work) in zip(
        (t.turns[0] for t in short), (t.turns[0] for t in long), strict=True
    ):
        assert posed == posed_again
        assert work.endswith(f"\n{answer}") and " = " in work.removesuffix(answer)


def test_training_ids_are_what_the_policy_feeds_and_samples(traces, tokenizer) -> None:
    for trace, row in zip(traces, encode_all(traces, tokenizer), strict=True):
        engine = Scripted(tokenizer, [reply for _, reply in trace.turns])
        policy = LLMPolicy(engine)
        state = None
        for observation, reply in trace.turns:
            replies, state = policy.predict([observation], state)
            assert replies == [reply]
        assert list(state[0].ids) == list(row.ids)
        end = 0
        for prompt, sampled in zip(engine.prompts, engine.ids, strict=True):
            assert list(row.ids[: len(prompt)]) == prompt
            assert not any(row.mask[end : len(prompt)])
            end = len(prompt) + len(sampled)
            assert all(row.mask[len(prompt) : end])
        assert end == len(row.ids) == len(row.mask)


def test_any_text_survives_the_tokenizer(tokenizer) -> None:
    for text in ("Żółw 東京 🐢\u200d\x00\t end", "  two  blanks \n\n", "١٢٣ ½ ", "1234567890", ""):
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert tokenizer.decode(ids, skip_special_tokens=False) == text


def test_digits_are_single_tokens_however_often_they_stand_together() -> None:
    tokenizer = build_tokenizer(["12345 x 12 34 1.25 + 999"] * 100, SMALL)
    for text in ("12345", "x 12 34", "1.25 + 999"):
        pieces = [tokenizer.decode([i]) for i in tokenizer(text)["input_ids"]]
        assert "".join(pieces) == text
        assert all(piece.isdigit() == (len(piece) == 1) for piece in pieces if piece[0].isdigit())
        assert not any(any(c.isdigit() for c in piece) and len(piece) > 1 for piece in pieces)


def test_lines_that_texts_share_are_single_tokens() -> None:
    size = replace(SMALL, merge_count=100, line_count=3)  # no merges
    texts = [f"Find {name}.\nSay it  in tags.\nquestion\nDo it." for name in ("Ae", "Bü", "Co")]
    tokenizer = build_tokenizer([*texts, "Find Ae.\nOf two  texts.", "Of two  texts."], size)

    def pieces(text: str) -> list[str]:
        return [tokenizer.decode([number]) for number in tokenizer(text)["input_ids"]]

    assert pieces("Say it  in tags.\n") == ["Say it  in tags.", "\n"]
    assert "Do it." in pieces("x\nDo it.")
    assert "Of two  texts." not in pieces("Of two  texts.")  # two texts are too few
    assert "question" not in pieces("question")  # one word is no line of several
    for text in (*texts, "Say it  in tags.Do it. Say it  in tags"):
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_tokenizer_training_is_deterministic(traces, tokenizer) -> None:
    again = build_tokenizer([m["content"] for t in traces for m in t.messages], SMALL)
    assert again.backend_tokenizer.to_str() == tokenizer.backend_tokenizer.to_str()


def test_loss_is_the_mean_over_reply_tokens_only(tokenizer) -> None:
    model = build_model(tokenizer, SMALL, seed=1)
    rows = [Encoded((9, 8, 7, 6), (0, 0, 1, 1)), Encoded((5, 4, 3), (0, 1, 0))]
    ids, labels = collate(rows, "cpu")
    loss, metrics = reply_loss(model, ids, labels)
    expected = []
    for row in rows:  # one at a time, without padding
        with torch.no_grad():
            logprobs = log_softmax(model(torch.tensor([row.ids])).logits[0], -1)
        expected += [
            -logprobs[place - 1, row.ids[place]].item() for place, on in enumerate(row.mask) if on
        ]
    assert loss.item() == pytest.approx(np.mean(expected), abs=1e-5)
    assert metrics == {"sft/loss": loss.item()}


def test_prompts_have_a_loss_of_their_own_weight(tokenizer) -> None:
    model = build_model(tokenizer, SMALL, seed=1)
    rows = [Encoded((9, 8, 7, 6), (0, 0, 1, 1)), Encoded((5, 4, 3), (0, 1, 0))]
    ids, labels = collate(rows, "cpu")
    replies, metrics = reply_loss(model, ids, labels)
    both, same = reply_loss(model, ids, labels, prompt_labels(rows, "cpu"), 0.25)
    read = []
    for row in rows:  # one at a time, without padding
        with torch.no_grad():
            logprobs = log_softmax(model(torch.tensor([row.ids])).logits[0], -1)
        read += [
            -logprobs[place - 1, row.ids[place]].item() for place in (1, 2) if not row.mask[place]
        ]
    assert len(read) == 2  # the 8 of the first row and the 3 of the second
    assert (both - replies).item() == pytest.approx(0.25 * np.mean(read), abs=1e-5)
    assert same == metrics == {"sft/loss": replies.item()}
    with pytest.raises(ValueError, match="prompt_weight must be 0 or more, got -1"):
        SFTConfig(prompt_weight=-1.0)


def test_training_on_prompts_learns_to_continue_them(tokenizer) -> None:
    data = [Encoded((9, 8, 7, 6, 5, 4), (0, 0, 0, 0, 0, 1))]
    losses = []
    for weight in (0.0, 1.0):
        model = build_model(tokenizer, SMALL, seed=2)
        config = SFTConfig(
            steps=60, batch_tokens=16, learning_rate=1e-2, warmup=2, prompt_weight=weight
        )
        fine_tune(model, data, config)
        with torch.no_grad():
            losses.append(
                reply_loss(model, torch.tensor([data[0].ids]), prompt_labels(data, "cpu"))
            )
    assert losses[1][0] < losses[0][0] / 2


def test_batches_hold_each_row_once_a_pass_and_fit() -> None:
    rng = np.random.default_rng(0)
    data = [Encoded((1,) * n, (1,) * n) for n in rng.integers(5, 60, size=2000)]
    observed: list[int] = []
    for batch in shuffled_batches(data, 256, np.random.default_rng(1)):
        assert max(len(data[i].ids) for i in batch) * len(batch) <= 256
        observed += batch
        if len(observed) >= len(data):
            break
    assert sorted(observed) == list(range(len(data)))


def test_schedule_warms_up_and_comes_down() -> None:
    config = SFTConfig(steps=100, warmup=10, final_share=0.1)
    rates = [schedule(step, config) for step in range(1, 101)]
    assert rates[0] < 0.11 and max(rates) == max(rates[8:12])
    assert rates[-1] == pytest.approx(0.1)
    assert all(a > b for a, b in pairwise(rates[10:]))


def test_training_learns_its_traces_and_is_deterministic(traces, tokenizer) -> None:
    data = encode_all(traces[:12], tokenizer)
    config = SFTConfig(steps=60, batch_tokens=400, learning_rate=1e-2, warmup=5)
    weights, losses = [], []
    for _ in range(2):
        model = build_model(tokenizer, SMALL, seed=2)
        losses.clear()
        fine_tune(model, data, config, lambda step, metrics: losses.append(metrics["sft/loss"]))
        weights.append(model.state_dict())
    assert np.mean(losses[-10:]) < 0.5 * losses[0]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    with pytest.raises(ValueError, match="no traces"):
        fine_tune(model, [], config)


def test_a_warm_start_writes_a_loadable_model_and_its_card(tmp_path: Path) -> None:
    task = Measurement(
        "zerogym/RandomCalculation-v0", {"difficulty": 0.0, "split": "test"}, episodes=4
    )
    recipe = WarmStart(FEW[:2], (task,), SMALL, SFTConfig(steps=3, batch_tokens=200))
    lines: list[str] = []
    directory = warm_start(recipe, tmp_path / "made", lines.append)
    model, _ = load_model(directory, "cpu")
    assert model.config.hidden_size == SMALL.hidden
    card = (directory / "README.md").read_text(encoding="utf-8")
    assert "not a reasoner" in card and card.count("| zerogym/RandomCalculation-v0 |") == 2
    assert any(line.startswith("step 3 of 3") for line in lines)


def test_result_table_and_interval() -> None:
    task = Measurement("zerogym/X-v0", {"split": "test"}, 100)
    result = Result(task, True, np.array([1.0] * 30 + [0.0] * 70), 0.5)
    low, high = result.interval()
    # The normal approximation: 0.3 -+ 1.96 * sqrt(0.3 * 0.7 / 100).
    assert low == pytest.approx(0.21, abs=0.015) and high == pytest.approx(0.39, abs=0.015)
    assert "| greedy | 0.30 [" in table([result]) and "| 50% |" in table([result])


def test_readable_means_the_requested_form() -> None:
    assert is_readable({"answer_format": "tag"}) and is_readable({"void_turn": False})
    assert not is_readable({"answer_format": "line"}) and not is_readable({"void_turn": True})


def test_the_shipped_model_is_small_plain_and_in_float32() -> None:
    weights = TINY_DIRECTORY / "model.safetensors"
    assert weights.stat().st_size <= 6_000_000
    config = json.loads((TINY_DIRECTORY / "config.json").read_text())
    assert config["architectures"] == ["LlamaForCausalLM"]
    assert config["max_position_embeddings"] >= 1024
    model, tokenizer = load_model("tiny", "cpu")
    assert 500_000 <= model.num_parameters() <= 3_000_000
    assert model.get_input_embeddings().num_embeddings == len(tokenizer)
    assert model.dtype == torch.float32


def test_the_shipped_model_knows_the_form_and_is_neither_hopeless_nor_perfect() -> None:
    generator = TransformersGenerator(*load_model("tiny", "cpu"))
    kwargs = {"difficulty": 0.5, "split": "test"}
    task = Measurement("zerogym/RandomCalculation-v0", kwargs, episodes=100)
    result = measure(generator, task, deterministic=False)
    assert result.readable >= 0.95
    assert 0.1 < result.mean < 0.9
