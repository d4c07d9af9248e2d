"""Planning with latent dynamics: the loss in loop form, no collapse, exact plans."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.agents import PLDMSettings, Start
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, to_tensors
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular
from zerogym.agents.zero_shot.methods.pldm import PLDM

SMALL: dict[str, Any] = {"dim": 3, "hidden": 8, "batch_size": 6, "ahead": 2}


def _data() -> Dataset:
    """Two walks of five steps."""
    rng = np.random.default_rng(0)
    walks = rng.normal(size=(2, 6, 4)).astype(np.float32)
    before, after = (walks[:, part].reshape(10, 4) for part in (slice(5), slice(1, 6)))
    return Dataset(before, rng.integers(3, size=10), after)


def _new(data: Dataset | None = None, actions: int = 3, **changes: Any) -> PLDM:
    start = Start("", _data() if data is None else data, actions, True, 0, 5)
    model: PLDM = PLDMSettings(**{**SMALL, **changes})(start)
    return model


def test_each_term_is_that_of_a_loop_and_stops_where_a_walk_ends() -> None:
    model, data = _new(variance=2.0, covariance=3.0, closeness=0.5, inverse=0.25), _data()
    tensors = to_tensors(data, torch.nn.Identity(), exact=False)
    rows = torch.tensor([0, 3, 4, 6, 9])  # the third and the last are the ends of the walks
    batch = Batch(*(column[rows] for column in tensors.transitions))
    loss, metrics = model.losses(tensors, batch)
    missed, moved, wrong = [], [], []
    with torch.no_grad():
        before = model.encoder(torch.as_tensor(data.observations))
        after = model.encoder(torch.as_tensor(data.next_observations))
        for row in rows.tolist():
            state = before[row]
            for at in (row, row + 1)[: 1 if row in (4, 9) else 2]:
                action = torch.eye(3)[data.actions[at]]
                state = state + model.dynamics(torch.cat([state, action])[None])[0]
                missed.append(float((state - after[at]).square().mean()))
                moved.append(float((before[at] - after[at]).square().mean()))
                read = model.reader(torch.cat([before[at], after[at]])[None])[0].softmax(-1)
                wrong.append(-np.log(float(read[data.actions[at]])))
        covariance = np.cov(before[rows].numpy().T)
    deviations = np.sqrt(np.diag(covariance) + 1e-4)
    expected = {
        "prediction": np.mean(missed),
        "time": np.mean(moved),
        "inverse": np.mean(wrong),
        "variance": np.mean([max(0.0, 1 - each) for each in deviations]),
        "covariance": sum(covariance[i, j] ** 2 for i in range(3) for j in range(3) if i != j) / 6,
    }
    for name, value in expected.items():
        assert float(metrics[f"pldm/{name}"]) == pytest.approx(value, rel=1e-4), name
    weighted = {"prediction": 1, "variance": 2, "covariance": 3, "time": 0.5, "inverse": 0.25}
    whole = sum(weight * expected[name] for name, weight in weighted.items())
    assert float(loss.detach()) == pytest.approx(whole, rel=1e-4)


def test_the_latent_shrinks_without_the_term_of_variance() -> None:
    spread = []
    for weight in (1.0, 0.0):
        model = _new(variance=weight, inverse=0.0, covariance=0.0, closeness=0.1, lr=1e-2)
        spread.append(float(model.learn(_data(), 100)["pldm/spread"]))
    assert spread[0] > 0.4 and spread[1] < 0.01


class _Chain(torch.nn.Module):
    """The exact change of a one-hot state of a chain by: stay, left, right."""

    def forward(self, known: torch.Tensor) -> torch.Tensor:
        state, action = known[:, :5], known[:, 5:]
        left = torch.cat([state[:, :1] + state[:, 1:2], state[:, 2:], state[:, :1] * 0], 1)
        right = torch.cat([state[:, :1] * 0, state[:, :3], state[:, 3:4] + state[:, 4:]], 1)
        return action[:, :1] * state + action[:, 1:2] * left + action[:, 2:] * right - state


def test_plans_in_an_exact_model_are_the_shortest_ways() -> None:
    eye = np.eye(5, dtype=np.float32)
    model = _new(Dataset(eye, np.zeros(5, np.int64), eye), dim=5, horizon=4, plans=128, gamma=0.9)
    model.encoder, model.dynamics = torch.nn.Identity(), _Chain()  # type: ignore[assignment]
    towards = [2, 2, 2, 0, 1]
    assert model.predict(eye, model.infer(eye[3]))[0].tolist() == towards
    # A reward that falls with the distance: its fit to a one-hot state is exact.
    prompt = model.infer(lambda o, a, n: -np.abs(n.argmax(1) - 3.0))
    fitted = prompt.weights[:-1] + prompt.weights[-1]
    np.testing.assert_allclose(fitted, [-3, -2, -1, 0, -1], atol=1e-5)
    assert model.predict(eye, prompt)[0].tolist() == towards


def test_settings_out_of_range_are_refused() -> None:
    for name in ("dim", "hidden", "ahead", "horizon", "rounds"):
        with pytest.raises(ValueError, match=f"{name} must be at least 1"):
            _new(**{name: 0})
    for name in ("batch_size", "plans"):
        with pytest.raises(ValueError, match=f"{name} must be at least 2"):
            _new(**{name: 1})
    with pytest.raises(ValueError, match="inverse must be at least 0"):
        _new(inverse=-1.0)
    with pytest.raises(ValueError, match="temperature above 0"):
        _new(temperature=0.0)


@pytest.mark.proof
def test_goals_of_the_u_map_are_reached() -> None:
    """20,000 random steps; the random policy scores 0."""
    env: Any = gym.make("zerogym/UMap-v0", task=None)
    data = collect(env, 20_000, seed=1)
    model: PLDM = PLDMSettings()(Start("", data, 5, True, 1_500, 0))
    model.learn(data, 1_500)
    goals = [task for task in env.unwrapped.tasks.values() if task.goal is not None]
    assert np.mean(list(evaluate_tabular(model, env, goals).values())) > 0.4
