"""`explain` on models that are known to be good, blind, or wrong."""

import dataclasses

import numpy as np
import pytest
import torch

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.diagnosis import (
    effective_rank,
    explain,
    log_metrics,
    value_excess,
)
from zerogym.agents.zero_shot.models.model import FBModel

STATES = 6
CONFIG = FBConfig(updates=400, batch_size=64, dim=8, hidden=32, gamma=0.8)


def _ring(times: int = 20) -> Dataset:
    """Every state of a ring, with steps both ways; state 5 is never entered."""
    eye = np.eye(STATES, dtype=np.float32)
    s, a = (index.ravel() for index in np.indices((STATES - 1, 2)))
    after = (s + np.where(a == 0, 1, STATES - 2)) % (STATES - 1)
    rows = np.repeat(np.arange(len(s)), times)
    return Dataset(eye[s][rows], a[rows], eye[after][rows])


@pytest.fixture(scope="module")
def model() -> FBModel:
    agent = DiscreteFB.create(CONFIG, _ring(), actions=2)
    agent.learn(_ring(), CONFIG.updates)
    return agent.model


def test_the_effective_rank_counts_equal_directions() -> None:
    assert effective_rank(torch.eye(5)) == pytest.approx(5)
    assert effective_rank(torch.eye(5)[[0, 0, 0]]) == pytest.approx(1)
    shares = np.array([0.8, 0.2])  # of the squared lengths 4 and 1
    entropy = -(shares * np.log(shares)).sum()
    assert effective_rank(torch.diag(torch.tensor([2.0, 1.0]))) == pytest.approx(np.exp(entropy))


def test_a_known_place_has_no_reason_to_fail(model: FBModel) -> None:
    found = explain(model, np.eye(STATES)[2], CONFIG.gamma)
    assert found.rewarded == 40
    assert found.samples == 200
    assert found.best is None and found.expressed is None
    assert 0.2 < found.excess < 1.5
    assert found.rank < 8
    assert [reason for reason in found.reasons if "dimensions" not in reason] == []


def test_a_place_that_was_never_entered_is_said(model: FBModel) -> None:
    found = explain(model, np.eye(STATES)[5], CONFIG.gamma)
    assert found.rewarded == 0
    assert any("never reach the goal" in reason for reason in found.reasons)
    found = explain(model, lambda obs, action, after: after[:, 5], CONFIG.gamma)
    assert (found.rewarded, found.best) == (0, 0.0)
    assert any("never reach the reward" in reason for reason in found.reasons)


def test_costs_are_rewards_too(model: FBModel) -> None:
    """A reward that is never above 0 is reached where it is largest."""
    found = explain(model, lambda obs, action, after: after[:, 1] - 3, CONFIG.gamma)
    assert found.rewarded == 40
    assert not any("never reach" in reason for reason in found.reasons)
    found = explain(model, lambda obs, action, after: -np.ones(len(after)), CONFIG.gamma)
    assert found.rewarded == 0
    assert any("never reach the reward: it is the same" in reason for reason in found.reasons)


def test_what_cannot_be_explained_says_so(model: FBModel) -> None:
    for task in ("goal_1_1", None):
        with pytest.raises(TypeError, match="infer takes a Task"):
            explain(model, task, CONFIG.gamma)
    for gamma in (-0.1, 1.0, np.nan):
        with pytest.raises(ValueError, match="gamma must be in"):
            explain(model, np.eye(STATES)[2], gamma)


def test_a_rare_reward_is_said() -> None:
    rare = _ring(times=2)
    model = DiscreteFB.create(CONFIG, rare, actions=2).model
    found = explain(model, lambda obs, action, after: 3 * after[:, 1], CONFIG.gamma)
    assert (found.rewarded, found.best) == (4, 3.0)
    assert any("only 4 times" in reason for reason in found.reasons)


def test_what_b_cannot_express_is_said() -> None:
    narrow = dataclasses.replace(CONFIG, dim=1)  # B is a sign
    model = DiscreteFB.create(narrow, _ring(), actions=2).model
    with torch.no_grad():
        signs = model.backward_net(torch.eye(STATES))[:5, 0].numpy()
    alike = np.flatnonzero(signs == signs[0])[:2]  # two states that B takes for one
    found = explain(model, lambda o, a, n: n[:, alike[0]] - n[:, alike[1]], CONFIG.gamma)
    assert found.expressed == pytest.approx(0.0, abs=1e-6)
    assert any("expresses 0%" in reason for reason in found.reasons)
    found = explain(model, lambda o, a, n: n[:, :5] @ signs, CONFIG.gamma)
    assert found.expressed == pytest.approx(1.0)


def test_values_that_are_made_up_are_said(model: FBModel) -> None:
    z = torch.as_tensor(model.infer_goal(np.eye(STATES)[2]))
    before = value_excess(model, z, CONFIG.gamma)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():  # F'z is linear in the last layers
        for name, weights in model.forward_net.named_parameters():
            if name.startswith(("net.out", "net.around")):
                weights.mul_(10)
    assert value_excess(model, z, CONFIG.gamma) == pytest.approx(10 * before, rel=1e-4)
    found = explain(model, np.eye(STATES)[2], CONFIG.gamma)
    model.load_state_dict(state)
    assert any("made up" in reason for reason in found.reasons)


def test_the_log_shows_rank_and_negative_measures(model: FBModel) -> None:
    eye = torch.eye(STATES)[:5]
    z = torch.as_tensor(model.infer_goal(eye[0])).expand(5, -1)
    found = log_metrics(model, eye, z)
    places = model.backward_net(eye).detach()
    least = np.linalg.eigvalsh((places.T @ places / 5).numpy())[0]
    assert float(found["backward/least_eigenvalue"]) == pytest.approx(least, abs=1e-5)
    assert float(found["backward/rank"]) == pytest.approx(effective_rank(places))
    assert 0 <= float(found["measure/negative"]) <= 1
    random = DiscreteFB.create(dataclasses.replace(CONFIG, features="random"), _ring(), actions=2)
    assert "measure/negative" not in log_metrics(random.model, eye, z)
