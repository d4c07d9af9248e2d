"""Weights of trajectories: softmax by hand, frequencies of batches, what imitation then learns."""

import math
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zerogym.agents.datasets.dataset import Dataset  # noqa: E402
from zerogym.agents.offline import (  # noqa: E402
    DRAWS,
    OfflineAgent,
    OfflineConfig,
    Transitions,
    relabelled,
)
from zerogym.agents.offline.draws import AdvantageWeighted, ReturnWeighted, Uniform  # noqa: E402
from zerogym.errors import UnknownName  # noqa: E402

TABLE: dict[str, Any] = {"method": "bc", "layers": 0, "lr": 0.05}
LENGTHS = [2, 1, 3]
# Three trajectories in two states; returns 4, 2 and 0 scale to 1, 1/2 and 0.
STATES, ACTIONS = [0, 1, 0, 1, 0, 1], [0, 1, 1, 0, 1, 1]
REWARDS = [1.0, 3.0, 2.0, 0.5, -1.0, 0.5]
OF_ROW = [0, 0, 1, 2, 2, 2]


def data_of() -> Transitions:
    eye = torch.eye(2)[torch.tensor(STATES)]
    ends = torch.tensor([1, 1, 2, 5, 5, 5])
    return Transitions(eye, torch.tensor(ACTIONS), torch.tensor(REWARDS), eye, torch.ones(6), ends)


def by_hand(scores: list[float], temperature: float) -> list[float]:
    """The chance of each transition by the formula of the paper, over its trajectories."""
    low, high = min(scores), max(scores)
    weights = [math.exp((one - low) / (high - low) / temperature) for one in scores]
    whole = sum(count * weight for count, weight in zip(LENGTHS, weights, strict=True))
    return [weights[one] / whole for one in OF_ROW]


@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_chances_are_the_softmax_of_scaled_returns(temperature: float) -> None:
    found = ReturnWeighted(temperature).chances(data_of())
    assert found.tolist() == pytest.approx(by_hand([4.0, 2.0, 0.0], temperature), rel=1e-12)
    assert float(found.sum()) == pytest.approx(1.0, abs=1e-12)
    assert Uniform().chances(data_of()) is None


def test_advantages_leave_out_what_the_first_state_gives() -> None:
    """First states 0, 0 and 1: V is the mean return of each, 3, 3 and 0."""
    found = AdvantageWeighted(0.5).chances(data_of())
    assert found.tolist() == pytest.approx(by_hand([1.0, -1.0, 0.0], 0.5), rel=1e-9)
    assert found[3] > found[2], "the poor start with its usual return is above a poor choice"
    by_return = ReturnWeighted(0.5).chances(data_of())
    assert by_return[3] < by_return[2]


def test_equal_returns_are_drawn_alike_and_huge_ones_are_finite() -> None:
    alike = ReturnWeighted().chances(data_of()._replace(rewards=torch.zeros(6)))
    assert alike.tolist() == pytest.approx([1 / 6] * 6)
    huge = ReturnWeighted(1e-3).chances(data_of()._replace(rewards=torch.tensor(REWARDS) * 1e9))
    assert huge.tolist() == pytest.approx([0.5, 0.5, 0, 0, 0, 0])


def test_batches_have_these_frequencies() -> None:
    data = data_of()
    data = data._replace(observations=torch.arange(6.0)[:, None].expand(6, 2))
    config = OfflineConfig(draw=ReturnWeighted(1.0), batch_size=60_000, **TABLE)
    agent = OfflineAgent(config, data)
    batch = agent._draw(data, agent._bounds(data))
    shares = np.bincount(batch.observations[:, 0].long(), minlength=6) / 60_000
    expected = np.array(by_hand([4.0, 2.0, 0.0], 1.0))
    assert (np.abs(shares - expected) < 4 * np.sqrt(expected / 60_000)).all()
    assert np.abs(shares - 1 / 6).max() > 0.05, "they are not uniform"
    assert batch.actions.tolist() == [ACTIONS[int(i)] for i in batch.observations[:, 0]]


def test_imitation_of_weighted_data_is_the_weighted_frequency() -> None:
    data, chances = data_of(), by_hand([4.0, 2.0, 0.0], 0.5)
    table = np.zeros((2, 2))
    for state, act, chance in zip(STATES, ACTIONS, chances, strict=True):
        table[state, act] += chance
    expected = table / table.sum(1, keepdims=True)
    plain = np.array([[1 / 3, 2 / 3], [1 / 3, 2 / 3]])
    assert np.abs(expected - plain).max() > 0.2
    config = OfflineConfig(draw=ReturnWeighted(0.5), batch_size=20_000, **TABLE)
    agent = OfflineAgent(config, data)
    agent.learn(data, 250)
    assert np.allclose(agent.probabilities(np.eye(2)), expected, atol=0.02)
    alike = OfflineAgent(OfflineConfig(batch_size=20_000, **TABLE), data)
    alike.learn(data, 250)
    assert np.allclose(alike.probabilities(np.eye(2)), plain, atol=1e-3)


@pytest.mark.parametrize("method", ["bc", "iql", "cql"])
def test_every_method_draws_by_the_setting_and_its_files_keep_it(
    method: str, tmp_path: Any
) -> None:
    data, found = data_of(), []
    for draw in ("uniform", "return", "return"):
        config = OfflineConfig(method=method, draw=draw, batch_size=4, hidden=4)
        agent = OfflineAgent(config, data)
        found.append(agent.learn(data, 5))
    assert found[0] != found[1] == found[2]
    agent.save(tmp_path)
    loaded = OfflineAgent.load(tmp_path)
    assert DRAWS.make(loaded.config.draw) == ReturnWeighted()


def test_trajectories_end_where_the_data_or_the_task_do() -> None:
    places = np.arange(8, dtype=np.float32)[:, None]
    starts = np.isin(np.arange(8), [0, 5])
    dataset = Dataset(places, np.zeros(8, np.int64), places + 1, starts)

    def over(obs: Any, action: Any, after: Any) -> Any:
        return after[:, 0] == 3

    assert relabelled(dataset, lambda obs, *_: obs[:, 0], over).ends.tolist() == [2] * 3 + [
        4, 4, 7, 7, 7,
    ]  # fmt: skip


def test_wrong_settings_and_data_without_trajectories_have_one_line() -> None:
    with pytest.raises(UnknownName, match="return"):
        OfflineConfig(draw="returns")
    with pytest.raises(ValueError, match="temperature"):
        ReturnWeighted(0.0)
    agent = OfflineAgent(OfflineConfig(draw="advantage", **TABLE), data_of())
    with pytest.raises(ValueError, match=r"`ends`, as `relabelled` does"):
        agent.learn(data_of()._replace(ends=None), 1)
