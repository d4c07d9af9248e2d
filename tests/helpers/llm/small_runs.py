"""Environments and models of tests of training: registered for a while, small and random."""

import json
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym

from zerogym.envs.core import TextEnv


@contextmanager
def registered(env_id: str, world: type[gym.Env[Any, Any]]) -> Iterator[str]:
    """A world under an id, inside the block."""
    gym.register(env_id, world)
    try:
        yield env_id
    finally:
        del gym.registry[env_id]


class Digits(TextEnv):
    """Two turns; the reward of each is the share of digits, for some seeds times 0 or NaN."""

    scales: dict[int, float] = {}  # noqa: RUF012 (a test sets it)
    breaks: Container[str] = ()  # replies at which a tool fails

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._episode = [0, self.scales.get(seed or 0, 1.0)]
        return f"digits {seed}", {}

    def step(self, action: str) -> Any:
        self._episode[0] += 1
        share = sum(letter in "0123456789" for letter in action) / max(1, len(action))
        done = self._episode[0] == 2
        reward = share * self._episode[1]
        info: dict[str, Any] = {"success": share > 0.5}
        if action in self.breaks:
            return "", 0.0, False, True, {"unavailable": True}
        return "again", reward, done, False, info


@contextmanager
def digits_registered() -> Iterator[str]:
    """The id of `Digits` inside the block; afterwards its rewards are as before."""
    with registered("tests/Digits-v0", Digits) as env_id:
        yield env_id
    Digits.scales, Digits.breaks = {}, ()


def random_model(directory: Path, texts: list[str], hidden: int) -> Path:
    """A random model of two layers of this width; its tokens are bytes and pieces of the texts."""
    from zerogym.agents.llm.models.loading import save_model
    from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer

    size = TinyConfig(
        vocabulary=270, hidden=hidden, layers=2, heads=2, feed_forward=hidden * 3 // 2, context=128
    )
    tokenizer = build_tokenizer(texts, size)
    return save_model(build_model(tokenizer, size, seed=0), tokenizer, directory)


def digits_model(directory: Path) -> Path:
    """A random model whose tokens suit `Digits`."""
    return random_model(directory, ["digits 0123456789 again"], 64)


def weights_of(directory: Path) -> dict[str, Any]:
    """A copy of a saved model's weights."""
    from zerogym.agents.llm.models.loading import load_model

    return {name: value.clone() for name, value in load_model(directory)[0].state_dict().items()}


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether weights are the same to the bit."""
    names = one.keys() == other.keys()
    return names and all(bool((one[name] == other[name]).all()) for name in one)


def assert_goes_on_exactly(config: Any) -> None:
    """Resume a stopped run: it ends with the weights of one that was never stopped."""
    from zerogym.agents.llm.training.grpo import train

    resumed = train(config, resume=True)
    assert (resumed.status, resumed.step) == ("done", config.steps)
    whole = train(replace(config, out=f"{config.out}-whole"))
    assert equal(weights_of(resumed.model), weights_of(whole.model))


def lines_of(config: Any) -> list[dict[str, Any]]:
    """Return the logged lines of a run."""
    text = (Path(config.out) / "metrics.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def untimed_lines(config: Any) -> list[dict[str, Any]]:
    """Return the logged lines of a run without their times, which no two runs share."""
    return [
        {name: value for name, value in line.items() if not name.startswith("time/")}
        for line in lines_of(config)
    ]
