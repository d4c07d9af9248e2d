"""Learning z online: what R makes of a wrong value, where z climbs, and whether returns fall."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.zero_shot.adaptation.residual import ReLA, ReLAConfig, adapt_residual
from zerogym.agents.zero_shot.config import FBConfig, preset
from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.networks import to_sphere
from zerogym.agents.zero_shot.models.reward_scale import reward_scale
from zerogym.agents.zero_shot.training.train import train
from zerogym.envs.control.core.tasks import Task

ENV = "zerogym/PointMaze-v0"
LENGTH = 80  # steps of an episode
QUICK = ReLAConfig(budget=450, warm_up=160, settle=20, every=8, starts=1, noise=0.0)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> FBModel:
    settings = {"exact": False, "batch_size": 32, "dim": 8, "hidden": 16, "anchors": 16, "hold": 4}
    config = FBConfig(env=ENV, updates=20, data_steps=500, lr_actor=1e-2, **settings)  # type: ignore[arg-type]
    return FBModel.load(train(config, tmp_path_factory.mktemp("run")).path)


@pytest.fixture(scope="module")
def task() -> Task:
    world: Any = gym.make(ENV).unwrapped
    return world.tasks["peak_1"]


def _maker(task: Task) -> Callable[[], gym.Env[Any, Any]]:
    return lambda: gym.make(ENV, task=task)


def _learner(model: FBModel, task: Task, config: ReLAConfig = QUICK) -> ReLA:
    return ReLA(model, model.infer(task), gym.make(ENV, task=task), task, config)


def _returns(model: FBModel, z: Any, task: Task, seeds: range) -> NDArray[np.float64]:
    env = gym.make(ENV, task=task)
    return np.array(
        [
            evaluate_returns(lambda observation: model.act(observation[None], z)[0], env, 1, s)
            for s in seeds
        ]
    )


def test_r_corrects_any_f_to_the_exact_value(model: FBModel, task: Task) -> None:
    """Four states visited in turn and a fifth that ends, against their linear equations."""
    settings: dict[str, Any] = {"gamma": 0.8, "tau": 0.5, "lr_critic": 2e-2, "batch_size": 16}
    learner = _learner(model, task, dataclasses.replace(QUICK, **settings))
    states = model.samples.observations[[0, 100, 200, 300, 400]]
    actions = model.act(states, learner.first)  # of the policy that is valued
    follower, reward = [1, 2, 3, 0, 0], np.array([1.0, -2.0, 0.5, 0.0, 3.0])
    learner.rows = [
        (states[i], actions[i], reward[i], states[follower[i]], i == 4) for i in range(5)
    ]
    moves = np.eye(5)[follower]
    moves[4] = 0.0
    exact = np.linalg.solve(np.eye(5) - 0.8 * moves, reward)
    features, acted = model.encoder(torch.as_tensor(states)), torch.as_tensor(actions)
    with torch.no_grad():
        predicted = learner.values(features, acted, learner.critic)
        z = torch.as_tensor(learner.first)
        frozen = model.forward_net(features, acted, z.expand(5, -1)).mean(0) @ z
    scale = reward_scale(model, learner.first, task)
    np.testing.assert_allclose(predicted, scale * frozen, rtol=1e-5)  # R begins at 0
    assert np.abs(predicted.numpy() - exact).max() > 0.5
    for _ in range(500):
        learner.update_critic()
    with torch.no_grad():
        learned = learner.values(features, acted, learner.critic)
    np.testing.assert_allclose(learned, exact, atol=0.05)


def test_z_climbs_the_value_of_its_own_actions(model: FBModel, task: Task) -> None:
    learner = _learner(model, task)
    learner.play(seed=0)
    for _ in range(50):
        learner.update_critic()
    learner.model, learner.critic = _double(model), learner.critic.double()
    learner.aim, learner.z = learner.aim.double(), learner.z.detach().double().requires_grad_()
    places = torch.as_tensor(model.samples.observations[:20]).double()
    features = learner.model.encoder(places)

    def value(z: torch.Tensor) -> float:
        with torch.no_grad():
            action = learner.model.action(features, z.expand(20, -1))
            return float(learner.values(features, action, learner.critic).mean())

    here, size = learner.z.detach().clone(), 1e-5
    ways = size * torch.eye(len(here), dtype=here.dtype)
    numeric = [(value(here + way) - value(here - way)) / (2 * size) for way in ways]
    found = learner.value_gradient(features)
    assert np.abs(numeric).max() > 0
    np.testing.assert_allclose(found, numeric, rtol=1e-4, atol=1e-9)
    learner.adam_z = torch.optim.Adam([learner.z], 1e-3)
    learner.update_z(features)
    expected = to_sphere(here + 1e-3 * found.sign())  # Adam's first step
    np.testing.assert_allclose(learner.z.detach(), expected, rtol=1e-4)


def _double(model: FBModel) -> FBModel:
    copied = FBModel(model.shape, model.samples)
    copied.load_state_dict(model.state_dict())
    return copied.double()


def test_the_first_policy_fills_the_buffer_alone(model: FBModel, task: Task) -> None:
    first, before = model.infer(task), {k: v.clone() for k, v in model.state_dict().items()}
    found = adapt_residual(model, first, _maker(task), task, QUICK)
    # Three episodes, and one of each z in the judgement.
    assert (found.steps, len(found.history)) == (5 * LENGTH, 3)
    np.testing.assert_allclose(found.history[:2], _returns(model, first, task, range(2)))
    assert found.before == pytest.approx(_returns(model, first, task, range(3, 4))[0])
    assert found.after == pytest.approx(_returns(model, found.z, task, range(3, 4))[0])
    assert found.after >= found.before
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert all(leaf.grad is None for leaf in model.parameters())


def test_it_keeps_to_its_seed(model: FBModel, task: Task) -> None:
    noisy = dataclasses.replace(QUICK, noise=0.3)

    def learned(config: ReLAConfig) -> tuple[bytes, tuple[float, ...]]:
        learner = _learner(model, task, config)
        history = learner.run().history
        return learner.z.detach().numpy().tobytes(), history

    torch.manual_seed(1)
    one = learned(noisy)
    torch.manual_seed(2)
    assert learned(noisy) == one
    other = learned(dataclasses.replace(noisy, seed=100))
    assert other[0] != one[0] and other[1] != one[1]
    assert learned(QUICK)[1] != one[1]  # the noise of the warm-up


def test_a_z_without_a_higher_return_is_not_taken(model: FBModel) -> None:
    same = Task("same", "", lambda obs, action, next_obs: np.ones(len(obs)))
    first = model.infer(same)
    found = adapt_residual(model, first, _maker(same), same, QUICK)
    assert found.z.tobytes() == first.tobytes()
    assert found.before == found.after == LENGTH


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"warm_up": 0}, ValueError, "warm_up must be at least 1, got 0"),
        ({"lr_z": -1.0}, ValueError, "lr_z must be at least 0, got -1.0"),
        ({"gamma": 1.0}, ValueError, "gamma must be in .*, got 1.0"),
        ({"tau": 1.5}, ValueError, "tau must be in .*, got 1.5"),
        ({"noise": float("nan")}, ValueError, "noise must be a finite number"),
        ({"budget": 400}, ValueError, "above the 400 steps of the warm-up, got 400"),
        ({"budget": "many"}, TypeError, "budget must be int, got 'many'"),
    ],
)
def test_settings_out_of_range_are_named(wrong: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=f"ReLAConfig.*{words}"):
        ReLAConfig(**wrong)


def test_what_it_cannot_learn_from_says_why(model: FBModel, task: Task) -> None:
    make, z = _maker(task), model.infer(task)
    short = dataclasses.replace(QUICK, budget=300)
    with pytest.raises(ValueError, match="300 steps leaves none to learn in"):
        adapt_residual(model, z, make, task, short)
    with pytest.raises(ValueError, match="8 finite numbers"):
        adapt_residual(model, np.zeros(3), make, task)
    with pytest.raises(ValueError, match="infer z from this task"):
        adapt_residual(model, -z, make, task)
    steps = np.zeros(len(model.samples.actions), dtype=np.int64)
    samples = dataclasses.replace(model.samples, actions=steps)
    discrete = FBModel(dataclasses.replace(model.shape, discrete=True), samples)
    with pytest.raises(ValueError, match="discrete actions have none: search z"):
        adapt_residual(discrete, z, make, task)


@pytest.mark.proof
def test_returns_rise_and_never_fall_far(tmp_path: Path) -> None:
    """A weak model of the maze (500 updates) and 4,000 steps of one given reward.

    Each episode of the learner is compared with one of the first z from the same start. Measured
    on 2026-11-23 on two CPU cores: in no eighth of its episodes did the mean of three seeds fall
    below that, and in the second half it was 19 above its 28; from 20 fresh starts the first z
    has 29, the learned ones 45, 39 and 34.
    """
    model = FBModel.load(train(preset(ENV, updates=500), tmp_path).path)
    world: Any = gym.make(ENV).unwrapped
    task = world.tasks["peak_1"]
    z, gains, found = model.infer(task), [], []
    fresh = range(1_000_000, 1_000_020)
    plain = _returns(model, z, task, fresh).mean()
    for seed in (0, 1_000, 2_000):
        learned = adapt_residual(model, z, _maker(task), task, ReLAConfig(seed=seed))
        starts = range(seed, seed + len(learned.history))
        gains.append(np.array(learned.history) - _returns(model, z, task, starts))
        found.append(_returns(model, learned.z, task, fresh).mean() - plain)
    eighths = np.array([part.mean() for part in np.array_split(np.mean(gains, 0), 8)])
    assert eighths[1:].min() > -5  # the first is the warm-up, which lhas nothing
    assert eighths[4:].mean() > 5
    assert np.mean(found) > 5
