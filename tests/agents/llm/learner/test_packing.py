"""Packing: episodes in one row give the numbers that they give one by one, or are padded."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.tiny_llamas import SIZES, episodes, gradients, llama

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from zerogym.agents.llm.algorithms.presets import PRESETS  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.learner.packed_row import Block, PackedRow  # noqa: E402
from zerogym.agents.llm.learner.packing import (  # noqa: E402
    by_length,
    by_prompt,
    packed_attention,
    why_not_packed,
)
from zerogym.agents.llm.learner.ppo import make_learner  # noqa: E402
from zerogym.agents.llm.learner.rows import (  # noqa: E402
    Rows,
    token_logprobs,
    token_logprobs_and_entropy,
)
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.models.onednn_linear import often  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import Flat, Trajectory  # noqa: E402


def gpt2() -> Any:
    """Random, with learned positions."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 50, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}
    config = transformers.GPT2Config(**sizes, initializer_range=0.3)
    return transformers.GPT2LMHeadModel(config).eval()


def rows_of(groups: list[list[Trajectory]]) -> Rows:
    flats = [item.flatten() for group in groups for item in group]
    return Rows.make(flats, [[0.0] * sum(flat.mask) for flat in flats])


@pytest.mark.parametrize("source", ["tiny", "gpt2", "llama"])
def test_packed_is_padded(source: str) -> None:
    """Log-probabilities, entropies and the gradient of both."""
    model = {"tiny": lambda: load_model("tiny", "cpu")[0], "gpt2": gpt2, "llama": llama}[source]()
    assert why_not_packed(model) is None
    rows = rows_of(episodes())
    weights = torch.randn(rows.mask.shape, generator=torch.Generator().manual_seed(1)) * rows.mask
    found = []
    for packed in (False, True):
        model.zero_grad()
        before = model.config._attn_implementation
        if packed:
            with packed_attention(model):
                logprobs, entropy = token_logprobs_and_entropy(model, rows, 0.7, packed)
                assert torch.equal(logprobs, token_logprobs(model, rows, 0.7, packed))
        else:
            logprobs, entropy = token_logprobs_and_entropy(model, rows, 0.7)
        assert model.config._attn_implementation == before
        ((logprobs + 0.5 * entropy) * weights).sum().backward()
        gradient = torch.cat([p.grad.flatten() for p in model.parameters()])
        found.append(((logprobs * rows.mask).detach(), (entropy * rows.mask).detach(), gradient))
    for one, other in zip(*found, strict=True):
        assert float(one.abs().max()) > 0.1
        assert float((one - other).abs().max()) < 1e-5 * max(1.0, float(one.abs().max()))


@pytest.mark.parametrize(
    "preset",
    [pytest.param(p, marks=pytest.mark.proof if n % 3 else ()) for n, p in enumerate(PRESETS)],
)
def test_neither_packing_nor_micro_batches_change_a_step(preset: str) -> None:
    """All that a loss can hold, at several sizes, packed and padded: one loss, one gradient."""
    settings = GRPOConfig(
        preset=preset, kl=0.1, entropy=0.01, correction="token_truncate", max_grad_norm=1e9,
        overlong=0.5, max_new_tokens=8, passes=2,
    )  # fmt: skip
    same = [replace(item, reward=0.2) for item in episodes(1)[0]]  # an equal group among others
    groups, results = [*episodes(), same], []
    for packing, tokens in ((False, 0), (False, 60), (True, 60)):
        config = replace(settings, packing=packing, micro_tokens=tokens)
        learner = make_learner(llama(), config, llama(1))
        # Adam's first step has one length wherever a gradient is not nought, if only by rounding
        learner.optimizer.adamw = torch.optim.SGD(learner.parameters, lr=0.01)
        metrics = learner.update(groups)
        results.append((metrics["actor/loss"], metrics["actor/kl"], gradients(learner)))
    assert float(results[0][2].abs().max()) > 1e-3
    for loss, distance, gradient in results[1:]:
        assert loss == pytest.approx(results[0][0], abs=1e-5, rel=1e-5)
        assert distance == pytest.approx(results[0][1], rel=1e-4)
        assert torch.allclose(gradient, results[0][2], atol=1e-5, rtol=1e-4)


def test_a_row_holds_each_prompt_once() -> None:
    """By hand: the second episode begins as the first does, the third only nearly."""
    row = PackedRow.make([[7, 8, 1, 2], [7, 8, 3], [7, 9, 4, 5, 6]], [2, 2, 2])
    assert row.ids.tolist() == [7, 8, 1, 2, 3, 7, 9, 4, 5, 6]
    assert row.positions.tolist() == [0, 1, 2, 3, 2, 0, 1, 2, 3, 4]
    places = [[0, 1, 2, 3], [0, 1, 4], [5, 6, 7, 8, 9]]
    assert [own.tolist() for own in row.places] == places
    assert row.blocks == [Block(2, 2, 0), Block(2, 5, 2), Block(1, 3, 2)]
    assert row.keys.tolist() == [0, 1, 5, 6, *places[2], *places[0], 0, *places[1]]
    assert row.queries.tolist() == [0, 1, 5, 6, *places[2][2:], *places[0][2:], 0, *places[1][2:]]
    assert torch.equal(row.queries[row.back], torch.arange(10))


def test_a_row_is_filled_up_with_what_nothing_attends_to() -> None:
    given = [[7, 8, 1, 2], [7, 8, 3]], [2, 2]
    plain, filled = PackedRow.make(*given), PackedRow.make(*given, length=lambda count: count + 3)
    assert filled.ids.tolist() == [*plain.ids.tolist(), 0, 0, 0]
    assert filled.positions.tolist() == [*plain.positions.tolist(), 0, 0, 0]
    assert filled.back.tolist() == [*plain.back.tolist(), 0, 0, 0]
    assert filled.blocks == plain.blocks
    for name in ("keys", "queries"):
        assert torch.equal(getattr(filled, name), getattr(plain, name))


def test_a_model_reads_each_prompt_once() -> None:
    model, rows, read = llama(), rows_of(episodes()), []
    model.get_input_embeddings().register_forward_hook(lambda _, given, __: read.append(given[0]))
    with packed_attention(model):
        token_logprobs(model, rows, 1.0, packed=True)
    spared = sum(3 * len(group[0].turns[0].prompt_ids) for group in episodes())
    assert spared > 20
    count = int(rows.attention.sum()) - spared
    assert [ids.numel() for ids in read] == [often(count, rows.ids.device)]


def test_groups_hold_so_many_tokens() -> None:
    assert by_length([5, 1, 9, 2, 2, 30, 4], 10) == [[1, 3, 4], [6, 0], [2], [5]]
    assert by_length([], 10) == []


def test_rows_hold_so_many_tokens_and_keep_equal_prompts_together() -> None:
    def flat(prompt: str, reply: int) -> Flat:
        ids, mask = (*map(ord, prompt), *[0] * reply), (*[0] * len(prompt), *[1] * reply)
        return Flat(ids, mask, (0.0,) * len(ids), (0,) * len(ids))

    flats = [flat("aaa", 2), flat("b", 1), flat("aaa", 4), flat("aab", 1), flat("aaa", 2)]
    assert by_prompt(flats, 9, 0) == [[0, 2, 4, 1, 3]]
    assert by_prompt(flats, 2, 0) == [[0, 2], [4, 1], [3]]
    assert by_prompt(flats, 1, 11) == [[0, 2, 4], [1, 3]]  # 3 + 2 + 4 + 2 = 11
    assert by_prompt(flats, 1, 10) == [[0, 2], [4, 1], [3]]  # it is read again: 3 + 2 + 2 = 7
    assert by_prompt(flats, 9, 1) == [[0], [2], [4], [1], [3]]
    assert by_prompt([], 9, 10) == []


def windowed(**more: Any) -> Any:
    return transformers.MistralForCausalLM(transformers.MistralConfig(**SIZES, **more))


def recurrent() -> Any:
    sizes = {"vocab_size": 50, "hidden_size": 16, "state_size": 4, "num_hidden_layers": 1}
    return transformers.MambaForCausalLM(transformers.MambaConfig(**sizes))


def sloped() -> Any:
    sizes = {"vocab_size": 50, "hidden_size": 16, "n_layer": 1, "n_head": 2}
    return transformers.BloomForCausalLM(transformers.BloomConfig(**sizes))


def capped() -> Any:
    return transformers.Gemma2ForCausalLM(
        transformers.Gemma2Config(**SIZES, head_dim=8, layer_types=["full_attention"] * 2)
    )


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: windowed(sliding_window=4), "sliding_window"), (recurrent, "linear_attention"),
        (sloped, "no exchangeable attention"), (capped, "softcap"),
    ],
)  # fmt: skip
def test_models_for_which_it_is_wrong_are_padded_with_a_warning(make: Any, reason: str) -> None:
    model = make().eval()
    with pytest.warns(UserWarning, match=f"padded and not packed: .*{reason}"):
        learner = Learner(model, GRPOConfig(packing=True))
    assert not learner.packed
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # without the setting there is no warning
        assert not Learner(model, GRPOConfig()).packed
    assert why_not_packed(windowed(sliding_window=None).eval()) is None


def test_positions_that_do_not_start_again_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = gpt2()
    forward = type(model.transformer).forward

    def counting(self: Any, *args: Any, position_ids: Any = None, **more: Any) -> Any:
        return forward(self, *args, **more)

    monkeypatch.setattr(type(model.transformer), "forward", counting)
    assert "apart differ" in str(why_not_packed(model))


def test_a_run_that_packs(tmp_path: Path) -> None:
    config = GRPOConfig(
        out=str(tmp_path), steps=1, prompts_per_step=2, group_size=4, max_new_tokens=8,
        micro_tokens=256, eval_episodes=2,
    )  # fmt: skip
    assert train(config).status == "done"
