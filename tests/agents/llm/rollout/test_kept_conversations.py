"""Rollouts whose engine reads each conversation once: the episodes are those of one that does not.

With several turns, seats, contexts, branches, players of one engine, and each at its own pace.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.generation.decoding.slot_cache import SlotKVCache
from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.generation.transformers_backend import (
    TransformersGenerator,
)
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.rollout.branching import branch
from zerogym.agents.llm.rollout.context_window import Markovian, Truncate
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player, rollout
from zerogym.agents.trajectory import Trajectory

GAME, ALONE = "zerogym/tic_tac_toe-v0", "zerogym/TicTacToe-v0"
DIVERSE = Sampling(8, temperature=2.0, seed=3)  # the tiny model plays one game at 1


@pytest.fixture(scope="module")
def tiny() -> tuple[Any, Any]:
    return load_model("tiny", "cpu", "float32")


@pytest.fixture
def went_on(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of rows that went on from what was kept, in each call."""
    rows: list[int] = []
    go_on = SlotKVCache.go_on

    def counted(self: SlotKVCache, prompts: Sequence[Sequence[int]], *given: Any) -> Any:
        rows.append(len(prompts))
        return go_on(self, prompts, *given)

    monkeypatch.setattr(SlotKVCache, "go_on", counted)
    return rows


@contextmanager
def nothing_kept() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransformersGenerator, "keeping", lambda self, most: nullcontext())
        yield


def assert_alike(found: list[Trajectory], true: list[Trajectory]) -> None:
    assert len(found) == len(true)
    for one, other in zip(found, true, strict=True):
        for turn, same in zip(one.turns, other.turns, strict=True):
            assert replace(turn, logprobs=same.logprobs) == same
            assert turn.logprobs == pytest.approx(same.logprobs, abs=1e-4)


@pytest.mark.parametrize(
    ("env", "context", "settings"),
    [
        (ALONE, {}, {}),
        (GAME, {}, {}),
        (GAME, {}, {"asynchronous": True}),
        (GAME, {}, {"concurrent": 2}),
        (ALONE, {"context": Truncate()}, {}),
        (ALONE, {"context": Markovian(carry=20, chunks=2)}, {}),
    ],
)
def test_episodes_are_those_of_an_engine_that_keeps_nothing(
    tiny: tuple[Any, Any],
    went_on: list[int],
    env: str,
    context: dict[str, Any],
    settings: dict[str, Any],
) -> None:
    limit = 130 if context else None  # an opening and two turns, or so
    engine = TransformersGenerator(*tiny, context_length=limit)
    player = Player(engine, DIVERSE, **context)
    with Environments(env) as envs:
        with nothing_kept():
            true = rollout(envs, range(4), player, **settings)
        went_on.clear()  # a model is tested for it once
        assert_alike(rollout(envs, range(4), player, **settings), true)
    turns = sum(len(item.turns) for item in true)
    assert sum(went_on) >= (turns - len(true)) / 2 > 4
    assert len({tuple(turn.action_ids for turn in item.turns) for item in true}) > len(true) / 2
    assert not engine._kept


def test_branches_go_on_as_they_did(tiny: tuple[Any, Any], went_on: list[int]) -> None:
    player = Player(TransformersGenerator(*tiny), DIVERSE)
    with Environments(GAME) as envs:
        trunk = rollout(envs, [5], player)
        with nothing_kept():
            true = branch(envs, trunk, 2, player, count=4)
        went_on.clear()
        assert_alike(branch(envs, trunk, 2, player, count=4), true)
    assert sum(went_on) > 8


def test_two_players_may_have_one_engine(tiny: tuple[Any, Any], went_on: list[int]) -> None:
    engine = TransformersGenerator(*tiny)
    players = {
        "player_0": Player(engine, DIVERSE, system="Play well."),
        "player_1": Player(engine, replace(DIVERSE, seed=9, top_k=30)),
    }
    with Environments(GAME) as envs:
        with nothing_kept():
            true = rollout(envs, range(4), players)
        assert_alike(rollout(envs, range(4), players), true)
    assert sum(went_on) > 8
