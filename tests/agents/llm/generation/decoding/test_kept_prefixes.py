"""Conversations whose keys and values are kept between calls: the same replies, each token once."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from random import Random
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from helpers.llm.byte_llama import build_model  # noqa: E402
from helpers.llm.random_models import LLAMA, Letters, random_model  # noqa: E402
from zerogym.agents.llm.generation.decoding.kept_prefixes import _nearest  # noqa: E402
from zerogym.agents.llm.generation.decoding.slot_cache import SlotKVCache  # noqa: E402
from zerogym.agents.llm.generation.decoding.static_shapes import StaticStep  # noqa: E402
from zerogym.agents.llm.generation.protocol import Completion, Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import (  # noqa: E402
    TransformersGenerator,
)

Talk = list[int]
MODELS: dict[str, dict[str, Any]] = {
    "llama": LLAMA,
    "gpt2": {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512},
    "gemma3_text": LLAMA | {"sliding_window": 6},  # forgets: it keeps nothing
}
SAMPLINGS = (
    Sampling(9, seed=4),
    Sampling(9, temperature=0.7, top_p=0.9, seeds=tuple(range(7))),
    Sampling(9, temperature=0.0),
)


def made(name: str) -> Any:
    return random_model(name, MODELS[name])


def words(rng: Random, count: int) -> Talk:
    return [rng.randrange(22, 60) for _ in range(count)]


def grown(talks: list[Talk], replies: list[Completion], rng: Random) -> list[Talk]:
    """Each with its reply and an observation of its own."""
    return [
        [*talk, *reply.ids, *words(rng, rng.randrange(1, 12))]
        for talk, reply in zip(talks, replies, strict=True)
    ]


def cut(talks: list[Talk], rng: Random) -> list[Talk]:
    """The opening and the end of each, as contexts leave them."""
    return [[*talk[:20], *talk[-12:]] for talk in talks]


def branched(talks: list[Talk], rng: Random) -> list[Talk]:
    """All go on from what the first has said so far; two are equal."""
    siblings = [[*talks[0], *words(rng, 3)] for _ in talks[1:]]
    return [siblings[0], *siblings]


def in_another_order(talks: list[Talk], rng: Random) -> list[Talk]:
    return rng.sample(talks, len(talks))


def played(engine: TransformersGenerator, sampling: Sampling) -> list[list[Completion]]:
    """Seven conversations of many turns, with all that happens to them in between."""
    rng = Random(1)
    opening = words(rng, 18)
    talks = [[*opening, *words(rng, 2 + 5 * place)] for place in range(7)]
    between: tuple[Callable[..., list[Talk]] | None, ...] = (
        None, in_another_order, None, cut, None, branched, None
    )  # fmt: skip
    found = []
    for change in between:
        found.append(engine.generate(talks, sampling))
        talks = grown(talks, found[-1], rng)
        talks = change(talks, rng) if change else talks
    return found


@pytest.mark.parametrize(
    ("name", "fixed"), [("llama", False), ("llama", True), ("gpt2", False), ("gemma3_text", False)]
)
def test_what_is_kept_changes_no_reply(name: str, fixed: bool) -> None:
    """Also where rows and columns are rounded up to fixed shapes."""
    model = made(name)
    static = StaticStep(model, "none", capture=False) if fixed else None
    # all fit; rows join; texts make room
    for (batch_size, most), sampling in zip(((64, 7), (3, 7), (3, 2)), SAMPLINGS, strict=True):
        engine = TransformersGenerator(model, Letters(), batch_size=batch_size, static=static)
        true = played(engine, sampling)
        with engine.keeping(most):
            found = played(engine, sampling)
            assert bool(engine._kept) == (name != "gemma3_text")
        assert len({len(one.ids) for turn in true for one in turn}) > 1
        for turn, expected in zip(found, true, strict=True):
            for one, other in zip(turn, expected, strict=True):
                assert replace(one, logprobs=()) == replace(other, logprobs=())
                assert one.logprobs == pytest.approx(other.logprobs, abs=1e-5)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of tokens in each pass through a model of `made`."""
    sizes: list[int] = []
    embed = torch.nn.Embedding.forward
    monkeypatch.setattr(
        torch.nn.Embedding,
        "forward",
        lambda self, ids: sizes.append(ids.numel()) or embed(self, ids),
    )
    return sizes


@pytest.mark.parametrize(("keep", "share"), [(True, 1), (False, 2)])
def test_each_token_of_a_conversation_is_read_once(
    read: list[int], keep: bool, share: float
) -> None:
    engine, rng = TransformersGenerator(made("llama"), Letters()), Random(2)
    engine.generate([[1]], Sampling(1))  # tests whether slots fit
    read.clear()
    talk = words(rng, 20)
    with engine.keeping(1) if keep else nullcontext():
        for turn in range(5):
            talk += [*engine.generate([talk], Sampling(6, seed=turn))[0].ids, *words(rng, 9)]
    known = len(talk) - 10  # without the last observation and the token before it
    assert sum(read) == known if keep else sum(read) > share * known


def test_new_weights_are_not_read_into_old_texts(tokenizer: Any) -> None:
    model, other = build_model(tokenizer, seed=1), build_model(tokenizer, seed=2)
    engine, sampling = TransformersGenerator(model, tokenizer), Sampling(8, seed=1)
    talk = list(range(20, 50))
    with engine.keeping(4):
        for _ in range(2):
            talk += [*engine.generate([talk], sampling)[0].ids, 60, 61, 62]
        assert engine._kept[()].layers
        engine.update_weights(other, version=1)
        found = engine.generate([talk], sampling)
    assert found == TransformersGenerator(other, tokenizer).generate([talk], sampling)


def test_memory_is_that_of_so_many_texts_and_free_after_the_block(tokenizer: Any) -> None:
    """Two seats of 120 episodes, four at a time: as much as after the first twenty."""
    engine, rng = TransformersGenerator(build_model(tokenizer, seed=1), tokenizer), Random(3)
    sizes = []
    with engine.keeping(8):
        with engine.keeping(3):
            pass  # the larger one counts
        for _ in range(30):
            talks = [words(rng, 24) for _ in range(8)]
            for own in 3 * [slice(0, 4), slice(4, 8)]:
                talks[own] = grown(talks[own], engine.generate(talks[own], Sampling(3)), rng)
            kept = engine._kept[()]
            assert len(kept) == 8
            sizes.append([layer.keys.shape for layer in (*kept.layers, *engine._spare)])
    assert sizes[5] == sizes[-1] and sizes[-1][0][0] == 8
    assert not engine._kept and not engine._spare


def test_no_conversation_makes_room_while_others_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With 12 episodes of two seats, 3 at once, only the first prompts are read whole.

    One row in three joins when another has ended, in its slot.
    """
    whole: list[int] = []
    first = SlotKVCache.read
    monkeypatch.setattr(
        SlotKVCache,
        "read",
        lambda self, prompts: whole.append(len(prompts)) or first(self, prompts),
    )
    engine, rng = TransformersGenerator(made("llama"), Letters(), batch_size=2), Random(5)
    engine.generate([[1]], Sampling(1))
    whole.clear()
    lengths = [rng.randrange(2, 9) for _ in range(12)]  # turns, of both seats together
    waiting = [{"left": left, "seats": [words(rng, 20), words(rng, 20)]} for left in lengths]
    running: list[Any] = []
    with engine.keeping(6):
        while waiting or running:
            while waiting and len(running) < 3:
                running.append(waiting.pop())
            talks = [one["seats"][one["left"] % 2] for one in running]
            replies = engine.generate(talks, Sampling(4, seed=len(waiting)))
            for one, talk in zip(running, grown(talks, replies, rng), strict=True):
                one["seats"][one["left"] % 2] = talk
                one["left"] -= 1
            running = [one for one in running if one["left"]]
    assert sum(whole) == 2 * 12


def test_the_longest_common_start_is_found() -> None:
    rng = Random(4)
    for _ in range(300):
        texts = sorted({tuple(rng.choices((1, 2), k=rng.randrange(1, 40))) for _ in range(9)})
        prompt = tuple(rng.choice(texts) if rng.random() < 0.7 else ()) + tuple(
            rng.choices((1, 2), k=rng.randrange(1, 20))
        )
        found = _nearest(prompt, texts)
        best = max(_shared(text, prompt) for text in texts)
        assert _shared(found, prompt) == best if best >= 16 else found == ()


def _shared(text: tuple[int, ...], prompt: tuple[int, ...]) -> int:
    """By hand; the last token of a prompt does not count."""
    for place, token in enumerate(prompt[:-1]):
        if place >= len(text) or text[place] != token:
            return place
    return len(prompt) - 1
