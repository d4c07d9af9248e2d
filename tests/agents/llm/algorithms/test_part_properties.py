"""Properties of every advantage in the table: a new one is in here without a test of its own."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from helpers.llm.samples import sample
from zerogym.agents.llm.algorithms.advantage_tables import ADVANTAGES, SIGNALS, Advantage, weigh
from zerogym.agents.llm.algorithms.batch import Batch, Floats, Sample
from zerogym.agents.llm.grpo_config import GRPOConfig

NAMES = ADVANTAGES.names()


def drawn(part: Advantage, rewards: Sequence[float], seed: int = 0) -> list[Sample]:
    """A group with these rewards: replies of one to four tokens of three, with random signals."""
    rng, rubrics = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    group = []
    for reward in rewards:
        ids = rng.integers(3, size=rng.integers(1, 5)).tolist()
        signals = {name: rng.random(len(ids)).tolist() for name in SIGNALS}
        known = {name: signals[name] for name in part.signals}
        group.append(sample(reward, ids, signals=known, info={"rubric": float(rubrics.random())}))
    return group


def grouped(part: Advantage, *groups: list[Sample], state: Any = None) -> list[Floats]:
    return weigh(part, Batch(list(groups), {} if state is None else state))


def least(part: Advantage, *rewards: float) -> list[float]:
    """These rewards, repeated until the group is as large as the part needs."""
    return [rewards[i % len(rewards)] for i in range(max(len(rewards), part.minimum_group))]


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is(name: str) -> None:
    part = ADVANTAGES[name]
    first = (part.__doc__ or "").partition("\n")[0]
    assert first.endswith(".") and "arXiv" in part.source and part.version >= 1
    assert set(part.signals) <= set(SIGNALS)


@pytest.mark.parametrize("name", NAMES)
def test_settings_go_through_json(name: str) -> None:
    part = ADVANTAGES.make(name)
    assert ADVANTAGES.make(json.loads(json.dumps(part.record()))) == part
    config = GRPOConfig(advantage=part, group_size=8)
    record = json.loads(json.dumps(config.record()))
    assert record["advantage"]["part"] == name
    again = GRPOConfig(**(config.record() | {"advantage": record["advantage"]}))
    assert again.algorithm.estimator == part


@pytest.mark.parametrize("name", NAMES)
def test_permuting_a_group_permutes_the_result(name: str) -> None:
    part = ADVANTAGES.make(name)
    one, other = drawn(part, least(part, 1.0, 0.0, 0.3, 1.0, -2.0)), drawn(part, [1.0, 0.0] * 4, 1)
    before = grouped(part, one, other)
    order = np.random.default_rng(3).permutation(len(one)).tolist()
    after = grouped(part, other, [one[i] for i in order])
    for place, i in enumerate(order):
        assert after[len(other) + place] == pytest.approx(before[i], abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_equal_rewards_have_no_weight_unless_it_says_so(name: str) -> None:
    part = ADVANTAGES.make(name)
    used = False
    for reward in (0.0, 0.1 + 0.2, 1.0, -7.1):
        rewards = least(part, reward, reward, reward)
        alone = grouped(part, drawn(part, rewards))
        beside = grouped(part, drawn(part, rewards), drawn(part, [5.0, 0.0] * 4, 1))
        group_only = name != "reinforce_pp"  # its baseline is that of the batch
        for own in alone + (beside[: len(rewards)] if group_only else []):
            used |= bool(own.any())
    assert used == part.uses_equal_groups


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_weights_are_finite(name: str, scale: float) -> None:
    """There may be one token, no token, the smallest group, an empty batch, or large rewards."""
    part = ADVANTAGES.make(name)
    empty = {signal: list[float]() for signal in part.signals}
    for rewards in (least(part, scale, 0.0), least(part, -scale, scale)):
        group = drawn(part, rewards)
        short = [sample(r, 1, signals={s: [0.5] for s in part.signals}) for r in rewards]
        silent = [sample(r, 0, signals=empty) for r in rewards]
        for own in grouped(part, group, short, silent):
            assert np.isfinite(own).all()
        assert [own.size for own in grouped(part, silent)] == [0] * len(rewards)
    assert grouped(part) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_halved_run_equals_a_whole_one(name: str) -> None:
    """The state goes through JSON between two updates."""
    part = ADVANTAGES.make(name)
    first, second = (drawn(part, least(part, 1.0, 0.0, 0.5), seed) for seed in (0, 1))
    whole: dict[str, Any] = {}
    grouped(part, first, state=whole)
    halved = json.loads(json.dumps(whole))
    assert halved == whole
    expected = grouped(part, second, state=whole)
    for own, other in zip(grouped(part, second, state=halved), expected, strict=True):
        assert own.tolist() == other.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_inputs_are_left_as_they_are(name: str) -> None:
    part = ADVANTAGES.make(name)
    group = drawn(part, least(part, 1.0, 0.0))
    kept = [(each.penalty.copy(), {k: v.copy() for k, v in each.signals.items()}) for each in group]
    grouped(part, group)
    for each, (penalty, signals) in zip(group, kept, strict=True):
        assert (each.penalty == penalty).all()
        assert all((each.signals[k] == v).all() for k, v in signals.items())


def test_no_part_imports_torch() -> None:
    code = (
        "import sys; from zerogym.agents.llm.algorithms.tables import TABLES;"
        "[table.names() for table in TABLES.values()]; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
