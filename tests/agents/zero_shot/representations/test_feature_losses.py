"""Successor features: their sums and phi against exact values, and the z of rewards."""

import dataclasses
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from helpers.zero_shot.small_runs import chain, everywhere, random_data
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig, preset
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular
from zerogym.agents.zero_shot.features import FEATURES
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.representations.fb_losses import batch_contrast, lower_head
from zerogym.agents.zero_shot.representations.feature_losses import (
    TEMPERATURE,
    Contrastive,
    GeometricLatent,
    InverseModel,
    Latent,
    SummedLatent,
)
from zerogym.agents.zero_shot.representations.representations import (
    FeatureLoss,
    SuccessorFeatures,
)
from zerogym.agents.zero_shot.training.train import train
from zerogym.envs.control.tabular.dynamic_programming import policy_matrix, successor_measure

STATES = 8
SMALL = FBConfig(features="laplacian", updates=20, batch_size=32, dim=4, hidden=16)


CHAIN = chain(STATES)
DATA = everywhere(CHAIN)


def _agent(**changes: Any) -> Any:
    return DiscreteFB.create(dataclasses.replace(SMALL, **changes), DATA, actions=3)


@pytest.mark.proof
def test_psi_is_the_discounted_sum_of_phi_under_its_own_policy() -> None:
    sizes = {"batch_size": 64, "dim": 5, "hidden": 64}
    agent = _agent(features="random", updates=1000, gamma=0.8, temperature=5, **sizes)
    agent.learn(DATA, 1000)
    eye = torch.eye(STATES)
    with torch.no_grad():
        phi = agent.model.backward_net(eye).numpy()  # (S, d)
    for row in (0, 6):
        z = torch.as_tensor(agent.model.infer_goal(eye[row])).expand(STATES, -1)
        with torch.no_grad():
            psi = agent.model.forward_net(eye, z).mean(0).numpy()  # (S, A, d)
            policy = agent.target_policy(agent.model.values(eye, z)).double().numpy()
        policy /= policy.sum(1, keepdims=True)
        visits = successor_measure(policy_matrix(CHAIN, policy), 0.8)[CHAIN]  # (S, A, S)
        assert np.abs(psi - visits @ phi).mean() < 0.05 * np.abs(visits @ phi).mean()


@pytest.mark.proof
def test_laplacian_features_span_the_smooth_eigenvectors() -> None:
    """The Laplacian of a symmetric chain, in two dimensions: phi has a fixed length."""
    agent = _agent(updates=1000, batch_size=64, dim=2, hidden=8, orthonormality=0.05)
    agent.learn(DATA, 1000)
    with torch.no_grad():
        phi = agent.model.backward_net(torch.eye(STATES)).double().numpy()  # (S, 2)
    steps = DATA.observations - DATA.next_observations  # (N, S)
    smooth = np.linalg.eigh(steps.T @ steps)[1][:, :2]  # (S, 2)
    span = np.linalg.qr(phi)[0]
    assert np.linalg.svd(span.T @ smooth)[1].min() > 0.9  # cosine of the largest angle between


@pytest.mark.parametrize("features", [name for name in FEATURES if name != "fb"])
def test_each_learns_what_it_may_and_nothing_else(features: str) -> None:
    agent = _agent(features=features)
    before = [p.clone() for p in agent.model.backward_net.parameters()]
    forward = [p.clone() for p in agent.model.forward_net.parameters()]
    metrics = agent.learn(DATA, 5)
    assert _moved(before, agent.model.backward_net) == (features not in ("random", "identity"))
    assert _moved(forward, agent.model.forward_net)
    assert all(torch.isfinite(value) for value in metrics.values())


def _moved(before: list[torch.Tensor], net: torch.nn.Module) -> bool:
    return any(not torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True))


def test_phi_is_not_trained_by_the_error_of_its_sums() -> None:
    """Else it would shrink to what is easily predicted."""
    agent = _agent(features="random")
    agent.learn(DATA, 1)
    assert all(p.grad is None for p in agent.model.backward_net.parameters())


def test_inverse_model_reads_the_action() -> None:
    agent = _agent(features="icm", updates=400, batch_size=64)
    first = float(agent.learn(DATA, 1)["features/loss"])
    last = float(agent.learn(DATA, 399)["features/loss"])
    # Staying and a step against the wall look alike: 2 of 24 transitions, at best ln 2 each.
    assert last < 0.25 < 1.0 < first


@pytest.mark.proof
def test_low_rank_features_give_the_transition_probabilities() -> None:
    agent = _agent(features="svd", updates=1000, batch_size=64, dim=STATES, hidden=64)
    agent.learn(DATA, 1000)
    rho = DATA.next_observations.mean(0)  # (S,)
    loss: Any = agent.representation.features
    coded = torch.nn.functional.one_hot(torch.as_tensor(DATA.actions)).float()
    with torch.no_grad():
        mu = loss.mu(torch.cat([torch.as_tensor(DATA.observations), coded], -1))  # (N, d)
        predicted = (mu @ agent.model.backward_net(torch.eye(STATES)).T).numpy() * rho  # (N, S)
    assert np.abs(predicted - DATA.next_observations).mean() < 0.02


def _step(**parts: Any) -> Any:
    """A `Step` of five transitions with only the parts of a feature loss."""
    torch.manual_seed(1)
    inputs = {name: torch.randn(5, 3) for name in ("here", "there", "later")}
    nets = {name: torch.nn.Linear(3, 4) for name in ("backward", "target_backward")}
    return SimpleNamespace(**inputs, **nets, **parts)


def test_the_contrastive_loss_by_hand() -> None:
    step, loss = _step(), Contrastive(3, 4)
    with torch.no_grad():
        phi, mu = step.backward(step.here).numpy(), loss.mu(step.later).numpy()
    expected = 0.0
    for i in range(5):
        cosines = [p @ phi[i] / np.linalg.norm(p) / np.linalg.norm(phi[i]) for p in mu]
        others = [math.exp(cosine / TEMPERATURE) for cosine in cosines[:i] + cosines[i + 1 :]]
        expected += (math.log(sum(others)) - cosines[i] / TEMPERATURE) / 5
    assert loss.loss(step)[0].item() == pytest.approx(expected, rel=1e-5)


def test_the_latent_loss_by_hand() -> None:
    """The target is the slow copy's phi of the next state, without a gradient."""
    step, loss = _step(actions=torch.randn(5, 2)), Latent(4, 2, 8)
    value, _ = loss.loss(step)
    predicted = loss.model(torch.cat([step.backward(step.here), step.actions], -1))
    error = (predicted - step.target_backward(step.there)).detach().numpy()
    assert value.item() == pytest.approx((error**2).mean(), rel=1e-5)
    value.backward()
    assert all(p.grad is None for p in step.target_backward.parameters())
    assert all(p.grad is not None for p in step.backward.parameters())


def _apart(step: Any) -> float:
    """The orthonormality loss of the five next states, each against the four others."""
    phi = step.backward(step.there).detach().numpy().astype(float)
    own = [-np.dot(row, row) for row in phi]
    others = [np.dot(phi[i], phi[j]) ** 2 for i in range(5) for j in range(5) if i != j]
    return float(np.mean(own) + np.mean(others) / 2)


def _predicting(loss: Any, expected: Any) -> None:
    """Compare a loss that predicts slow copies with the errors (n, d) it should have, halved."""
    config = SimpleNamespace(gamma=0.9, orthonormality=0.7)
    step = _step(
        actions=torch.randn(5, 2),
        z=torch.randn(5, 4),
        following=torch.randn(2, 5, 4),
        config=config,
        contrast=batch_contrast(5, torch.device("cpu")),
    )
    step.points = step.there
    value, _ = loss.loss(step)
    squares = [np.mean(np.square(error.detach().numpy())) / 2 for error in expected(step)]
    assert value.item() == pytest.approx(sum(squares) + 0.7 * _apart(step), rel=1e-5)
    value.backward()
    assert all(p.grad is None for p in step.target_backward.parameters())
    nets = (step.backward, *loss.children())
    assert all(p.grad is not None for net in nets for p in net.parameters())


def test_the_loss_of_geometric_steps_by_hand() -> None:
    loss = GeometricLatent(4, 2, 8)

    def errors(step: Any) -> Any:
        known = torch.cat([step.backward(step.here), step.actions], -1)
        yield loss.ahead(known) - step.target_backward(step.later)
        yield loss.back(step.backward(step.later)) - step.target_backward(step.here)

    _predicting(loss, errors)


def test_the_loss_of_discounted_sums_by_hand() -> None:
    loss = SummedLatent(4, 2, 8)

    def errors(step: Any) -> Any:
        known = torch.cat([step.backward(step.here), step.actions, step.z], -1)
        summed = (step.following[0] + step.following[1]) / 2
        yield loss.model(known) - (step.target_backward(step.there) + 0.9 * summed)

    _predicting(loss, errors)


def test_the_inverse_model_of_continuous_actions_by_hand() -> None:
    step, loss = _step(actions=torch.rand(5, 2)), InverseModel(4, 2, 8, discrete=False)
    both = torch.cat([step.backward(step.here), step.backward(step.there)], -1)
    error = (torch.tanh(loss.reader(both)) - step.actions).detach().numpy()
    assert loss.loss(step)[0].item() == pytest.approx((error**2).mean(), rel=1e-5)


def test_contrastive_looks_at_later_states_of_the_same_walk() -> None:
    eye = np.eye(6, dtype=np.float32)
    walks = Dataset(eye[[0, 1, 3, 4]], np.zeros(4, dtype=np.int64), eye[[1, 2, 4, 5]])
    assert walks.ends().tolist() == [1, 1, 3, 3]
    config = dataclasses.replace(SMALL, features="contrastive", batch_size=512, exact=False)
    agent = DiscreteFB.create(config, walks, actions=1)
    tensors = agent.to_tensors(walks)
    drawn = agent.draw(len(walks))
    batch = agent.sample(tensors, drawn)
    later = agent.later(batch, tensors, drawn).argmax(-1)
    start = batch.features.argmax(-1)
    assert set(zip(start.tolist(), later.tolist(), strict=True)) == {
        (0, 1),
        (0, 2),
        (1, 2),
        (3, 4),
        (3, 5),
        (4, 5),
    }
    share = float((later[start == 0] == 1).float().mean())
    assert share == pytest.approx(1 - config.gamma, abs=0.08)  # one step on


def test_the_lower_head_is_taken_whole() -> None:
    forward = torch.tensor([[[1.0, 5.0], [0.0, 9.0]], [[2.0, 0.0], [3.0, 0.0]]])  # (H, n, d)
    z = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    assert lower_head(forward, z).tolist() == [[1.0, 5.0], [3.0, 0.0]]


def test_a_pessimistic_target_mixes_the_mean_and_the_lower_head_by_hand() -> None:
    following = torch.tensor([[[1.0, 0.0]], [[0.0, 3.0]]])  # (H, n, d); F'z is 1 and 3
    step: Any = SimpleNamespace(
        config=FBConfig(features="random", gamma=0.5, pessimism=0.5),
        z=torch.ones(1, 2),
        there=torch.tensor([[0.2, 0.4]]),
        forward=torch.zeros(2, 1, 2),
        following=following,
        backward=torch.nn.Identity(),
    )
    loss, _ = SuccessorFeatures(FeatureLoss()).loss(step)
    # Half the mean (0.5, 1.5) and half the lower head (1, 0): (0.75, 0.75).
    target = np.array([0.2 + 0.5 * 0.75, 0.4 + 0.5 * 0.75])
    assert loss.item() == pytest.approx(2 * (target**2).mean())


def test_goals_of_successor_features_are_the_fit_of_their_indicator() -> None:
    """E[phi phi']^-1 phi(g) is what least squares gives the reward of being at g."""
    agent = _agent(features="random")
    goal = np.eye(STATES, dtype=np.float32)[5]
    fitted = agent.model.infer_labelled(DATA.next_observations, DATA.next_observations[:, 5])
    np.testing.assert_allclose(agent.model.infer_goal(goal), fitted, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("exact", [True, False])
def test_goals_of_training_are_those_of_inference(exact: bool) -> None:
    """Also where fewer goals are drawn than phi has dimensions: the covariance is not theirs."""
    size = 32 if exact else 512
    agent = _agent(features="random", goal_share=0.1, exact=exact, batch_size=size)
    tensors = agent.to_tensors(DATA)
    drawn = agent.draw(len(DATA))
    drawn["goals"] = drawn["goals"][:3]
    z = agent.sample_z(tensors, drawn)
    assert z.shape == (size, SMALL.dim)
    expected = [agent.model.infer_goal(DATA.next_observations[row]) for row in drawn["goals"]]
    # A batch of 512 has the law of the data but for chance.
    np.testing.assert_allclose(z[:3], expected, atol=1e-3 if exact else 0.3)
    np.testing.assert_allclose(z.norm(dim=1), 2.0, rtol=1e-5)


def test_continuous_actions_have_successor_features_too() -> None:
    data = random_data(discrete=False, size=200)
    for features in ("icm", "latent", "svd", "contrastive", "byol_gamma", "td_jepa"):
        config = dataclasses.replace(SMALL, features=features, exact=False, q_loss=1.0)
        agent = ContinuousFB.create(config, data, 2)
        metrics = agent.learn(data, 5)
        assert all(torch.isfinite(value) for value in metrics.values())
        assert agent.model.infer(lambda o, a, n: n[:, 0]).shape == (4,)


@pytest.mark.proof
def test_contrastive_features_reach_the_goals_of_the_u_map(tmp_path: Path) -> None:
    """Without the temperature phi has three dimensions here, and the score is near 0."""
    env: Any = gym.make("zerogym/UMap-v0", task=None)
    model = FBModel.load(train(preset("zerogym/UMap-v0", features="contrastive"), tmp_path).path)
    goals = [task for task in env.unwrapped.tasks.values() if task.goal is not None]
    assert np.mean(list(evaluate_tabular(model, env, goals).values())) > 0.5
