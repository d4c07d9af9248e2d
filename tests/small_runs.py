"""Worlds and models of tests of training: registered for a while, small, and knowing nothing."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym


@contextmanager
def registered(env_id: str, world: type[gym.Env[Any, Any]]) -> Iterator[str]:
    """A world under an id, inside the block."""
    gym.register(env_id, world)
    try:
        yield env_id
    finally:
        del gym.registry[env_id]


def random_model(directory: Path, texts: list[str], hidden: int) -> Path:
    """A random model of two layers of this width; its tokens are bytes and pieces of the texts."""
    from zerogym.agents.llm.models import save_model
    from zerogym.agents.llm.tiny import TinyConfig, build_model, build_tokenizer

    size = TinyConfig(
        vocabulary=270, hidden=hidden, layers=2, heads=2, feed_forward=hidden * 3 // 2, context=128
    )
    tokenizer = build_tokenizer(texts, size)
    return save_model(build_model(tokenizer, size, seed=0), tokenizer, directory)


def lines_of(config: Any) -> list[dict[str, Any]]:
    """What a run of these settings has logged."""
    text = (Path(config.out) / "metrics.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]
