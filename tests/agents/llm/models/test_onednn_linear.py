"""Linear layers by oneDNN: the numbers and gradients that torch's own have."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch.nn.functional import linear as plain

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.packing import packed_attention
from zerogym.agents.llm.learner.rows import Rows, token_logprobs
from zerogym.agents.llm.models import onednn_linear
from zerogym.agents.llm.models.gradient_checkpointing import checkpointed, layers_of
from zerogym.agents.llm.training.starting_model import model_of_run
from zerogym.agents.trajectory import Flat

pytestmark = pytest.mark.skipif(not onednn_linear.has_onednn(), reason="this torch has no oneDNN")
CPU = torch.device("cpu")
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture
def everywhere(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Whatever the processor and however small: by oneDNN. The weights of all products."""
    weights: list[tuple[int, ...]] = []
    product = onednn_linear._product

    def deferred_interrupts(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        weights.append(tuple(weight.shape))
        return product(x, weight)

    monkeypatch.setattr(onednn_linear, "other_maker", lambda: True)
    monkeypatch.setattr(onednn_linear, "LARGE", 1)
    monkeypatch.setattr(onednn_linear, "_product", deferred_interrupts)
    return weights


def drawn(*shape: int, learned: bool = False) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).requires_grad_(
        learned
    )


@pytest.mark.parametrize("shape", [(7, 20), (3, 5, 20), (1, 20)])
@pytest.mark.parametrize("bias", [False, True])
def test_values_and_gradients_are_those_of_torch(
    everywhere: list[tuple[int, ...]], shape: tuple[int, ...], bias: bool
) -> None:
    x, weight = drawn(*shape, learned=True), drawn(9, 20, learned=True)
    given = (x, weight, drawn(9, learned=True)) if bias else (x, weight)
    upstream = drawn(*shape[:-1], 9)

    def computed(linear: Callable[..., torch.Tensor]) -> tuple[torch.Tensor, ...]:
        y = linear(*given)
        return (y, *torch.autograd.grad(y, given, upstream))

    for own, true in zip(computed(onednn_linear.linear), computed(plain), strict=True):
        torch.testing.assert_close(own, true, **CLOSE)
    assert (9, 20) in everywhere


@pytest.mark.parametrize("learned", ["x", "weight"])
def test_only_the_required_gradient_is_computed(
    everywhere: list[tuple[int, ...]], learned: str
) -> None:
    x, weight = drawn(6, 20, learned=learned == "x"), drawn(9, 20, learned=learned == "weight")
    target = x if learned == "x" else weight
    (own,) = torch.autograd.grad(onednn_linear.linear(x, weight).sum(), target)
    assert len(everywhere) == 2  # the product and one gradient
    (true,) = torch.autograd.grad(plain(x, weight).sum(), target)
    torch.testing.assert_close(own, true, **CLOSE)


def test_a_view_that_is_not_in_one_piece(everywhere: list[tuple[int, ...]]) -> None:
    x, weight = drawn(20, 6).T, drawn(40, 20)[::2]
    torch.testing.assert_close(onednn_linear.linear(x, weight), plain(x, weight), **CLOSE)
    assert everywhere


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_precisions_are_left_to_torch(
    everywhere: list[tuple[int, ...]], dtype: torch.dtype
) -> None:
    x, weight = drawn(6, 20).to(dtype), drawn(9, 20).to(dtype)
    assert onednn_linear.linear(x, weight).equal(plain(x, weight))
    assert not everywhere


def test_small_products_are_left_to_torch(
    everywhere: list[tuple[int, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onednn_linear, "LARGE", 6 * 20 * 9)
    onednn_linear.linear(drawn(5, 20), drawn(9, 20))
    assert not everywhere
    onednn_linear.linear(drawn(6, 20), drawn(9, 20))
    assert everywhere == [(9, 20)]


def test_few_numbers_of_tokens_come_often(everywhere: list[tuple[int, ...]]) -> None:
    assert [onednn_linear.often(count, CPU) for count in (1, 15, 16, 17, 1000, 1152)] == [
        1, 15, 16, 18, 1024, 1152
    ]  # fmt: skip
    found = {onednn_linear.often(count, CPU) for count in range(512, 1024)}
    assert len(found) == 9
    assert all(
        count <= onednn_linear.often(count, CPU) <= count * 9 / 8 for count in range(1, 3000)
    )


def test_shapes_are_what_they_are_where_torch_multiplies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onednn_linear, "other_maker", lambda: False)
    assert [onednn_linear.often(count, CPU) for count in (1, 17, 1001)] == [1, 17, 1001]


def test_shapes_are_what_they_are_on_a_gpu(everywhere: list[tuple[int, ...]]) -> None:
    assert onednn_linear.often(1001, torch.device("cuda")) == 1001


def test_rows_that_are_filled_up_have_the_same_probabilities_and_gradients(
    everywhere: list[tuple[int, ...]],
) -> None:
    model, _ = model_of_run(GRPOConfig(device="cpu"), None)
    flats = []
    for number in range(5):
        ids = tuple(range(3, 12)) + tuple(range(20 + number, 27 + 2 * number))
        mask = (0,) * 9 + (1,) * (len(ids) - 9)
        flats.append(Flat(ids, mask, (0.0,) * len(ids), (0,) * len(ids)))
    rows = Rows.make(flats, [[1.0] * sum(flat.mask) for flat in flats])
    reported = []
    for packed in (False, True):
        with packed_attention(model) if packed else nullcontext():
            own = token_logprobs(model, rows, 1.0, packed)[rows.mask == 1]
            learned = torch.autograd.grad(own.sum(), list(model.parameters()))
        reported.append([own.detach(), *learned])
    count = len(rows.packed[1])
    assert len(rows.packed[0].ids) > 9 + count, "nothing was filled up"
    assert onednn_linear.often(count, CPU) > count
    for one, other in zip(*reported, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def gradients(model: Any, ids: torch.Tensor, layers: list[Any]) -> list[torch.Tensor]:
    """Gradients of all trained parameters, for the tokens' own log-probabilities."""
    learned = [p for p in model.parameters() if p.requires_grad]
    with checkpointed(layers):
        logits = model(input_ids=ids, use_cache=False).logits
        loss = plain_loss(logits, ids)
        return [loss.detach(), *torch.autograd.grad(loss, learned)]


def plain_loss(logits: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


@pytest.mark.parametrize("kind", ["weights", "adapters", "computed again"])
def test_a_model_inside_the_block_learns_the_same(
    everywhere: list[tuple[int, ...]], kind: str
) -> None:
    rank = 4 if kind == "adapters" else 0
    model, _ = model_of_run(GRPOConfig(device="cpu", lora_rank=rank), None)
    layers = layers_of(model) if kind == "computed again" else []
    ids = torch.arange(3, 51).view(2, 24)
    true = gradients(model, ids, layers)
    assert not everywhere
    with onednn_linear.fast_products(model):
        own = gradients(model, ids, layers)
    assert (384, 128) in everywhere, "the block changed nothing"
    for one, other in zip(own, true, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    count = len(everywhere)
    gradients(model, ids, layers)
    assert len(everywhere) == count, "the block is over"
