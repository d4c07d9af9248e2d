"""Fixtures of tests of language models: a task, random models and engines of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.small_runs import digits_model, digits_registered


@pytest.fixture
def digits() -> Iterator[str]:
    """The id of `Digits`, registered for one test."""
    with digits_registered() as env_id:
        yield env_id


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model whose tokens suit `Digits`."""
    return digits_model(tmp_path_factory.mktemp("models") / "start")


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """Bytes and the merges of a few words, ` final` among them; with a chat template."""
    from helpers.llm.byte_llama import byte_tokenizer

    return byte_tokenizer()


@pytest.fixture
def generator(tokenizer: Any) -> Any:
    """An engine of a random Llama, sharper than at its start, so that tokens differ."""
    from helpers.llm.byte_llama import build_model
    from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator

    model = build_model(tokenizer, seed=1)
    model.model.embed_tokens.weight.data.mul_(8)
    return TransformersGenerator(model, tokenizer)
