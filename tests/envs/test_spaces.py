"""The text space, alone and through vector environments with their default settings."""

import string
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

from helpers.teller import Teller
from zerogym.envs.spaces import Utf8Text

TEXTS = ("Żółw – 1", "", "日本語 \U0001f600", "\x00\ud800", " " * 50, "x" * 60)
PLAIN = ("alpha", "be", "gamma3", "d", "epsilon5", "zeta")


def texts_of(
    vector: Callable[..., gym.vector.VectorEnv], space: spaces.Text, texts: Any, in_dict: bool
) -> list[tuple[str, ...]]:
    """Texts of two tellers in a vector environment in four steps, the second one text ahead."""
    envs = vector([partial(Teller, space, texts, in_dict)] * 2)
    try:
        found = [envs.reset(seed=[0, 1])[0]]
        for _ in range(4):
            found.append(envs.step(envs.action_space.sample())[0])
    finally:
        envs.close()
    return [tuple(one["text"] if in_dict else one) for one in found]


def said(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the texts that `texts_of` must give."""
    return [(texts[turn], texts[turn + 1]) for turn in range(5)]


@pytest.mark.parametrize("in_dict", [False, True], ids=["plain", "dict"])
@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
@pytest.mark.parametrize("texts", [TEXTS, PLAIN], ids=["unicode", "ascii"])
def test_texts_pass_through_vector_environments(vector: Any, texts: Any, in_dict: bool) -> None:
    assert texts_of(vector, Utf8Text(60), texts, in_dict) == said(texts)


def test_texts_pass_to_spawned_workers() -> None:
    spawned = partial(AsyncVectorEnv, context="spawn")
    assert texts_of(spawned, Utf8Text(60), TEXTS, False) == said(TEXTS)


@pytest.mark.parametrize("in_dict", [False, True], ids=["plain", "dict"])
def test_this_test_sees_what_the_library_space_loses(in_dict: bool) -> None:
    """When this fails, `Utf8Text` can be deleted."""
    library = spaces.Text(60, charset=string.ascii_lowercase + string.digits)
    assert texts_of(SyncVectorEnv, library, PLAIN, in_dict) == said(PLAIN)
    assert texts_of(AsyncVectorEnv, library, PLAIN, in_dict) != said(PLAIN)


def test_an_old_observation_does_not_change_later() -> None:
    envs = AsyncVectorEnv([partial(Teller, Utf8Text(60), TEXTS, False)] * 2)
    try:
        first, _ = envs.reset(seed=[0, 1])
        kept = tuple(first)
        envs.step(envs.action_space.sample())
        assert tuple(first) == kept == said(TEXTS)[0]
    finally:
        envs.close()


@pytest.mark.parametrize("text", TEXTS)
def test_any_string_belongs(text: str) -> None:
    assert text in Utf8Text(60)


@pytest.mark.parametrize("element", [None, 3, b"text", ["t"], "x" * 61])
def test_nothing_else_belongs(element: Any) -> None:
    assert element not in Utf8Text(60)


def test_samples_are_seeded_members_and_masks_are_refused() -> None:
    space = Utf8Text(5, seed=1)
    samples = [space.sample() for _ in range(50)]
    assert all(sample in space for sample in samples) and len(set(samples)) > 40
    space.seed(1)
    assert [space.sample() for _ in range(50)] == samples
    with pytest.raises(ValueError, match="mask"):
        space.sample(mask=(None, None))


def test_equality_is_by_length() -> None:
    assert Utf8Text(5) == Utf8Text(5) != Utf8Text(6)
    assert Utf8Text(5) != spaces.Text(5)
    assert hash(Utf8Text(5)) == hash(Utf8Text(5))
    assert eval(repr(Utf8Text(5))) == Utf8Text(5)
