"""A whole update against the loss written out in loops, and inference against exact values."""

import dataclasses

import numpy as np
import pytest
import torch
from torch import Tensor

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset
from zerogym.agents.zero_shot.models import inference
from zerogym.agents.zero_shot.representations.conservative import value_penalty
from zerogym.envs.control.tabular.dynamic_programming import (
    evaluate_policy,
    policy_matrix,
    successor_measure,
)

GAMMA = 0.9
NEXT_STATE = np.array([[1, 2], [2, 0], [3, 1], [3, 0]])  # (S, A)
CONFIG = FBConfig(updates=10, batch_size=6, dim=3, hidden=8, gamma=GAMMA, temperature=2.0)


def _data() -> Dataset:
    """Every state and action, some of them more often."""
    s, a = (index.ravel() for index in np.indices(NEXT_STATE.shape))
    s, a = np.append(s, [0, 0, 2]), np.append(a, [1, 1, 0])
    eye = np.eye(len(NEXT_STATE), dtype=np.float32)
    return Dataset(eye[s], a, eye[NEXT_STATE[s, a]])


def _agent(**changes: object) -> tuple[DiscreteFB, TensorDataset]:
    config = dataclasses.replace(CONFIG, **changes)  # type: ignore[arg-type]
    agent = DiscreteFB.create(config, _data(), actions=2)
    with torch.no_grad():  # targets that are no copies: what is taken from which shows
        for net in (agent.target_forward, agent.target_backward):
            for weights in net.parameters():
                weights += 0.1 * torch.randn(weights.shape, generator=agent.generator)
    return agent, agent.to_tensors(_data())


def _drawn(agent: DiscreteFB, tensors: TensorDataset) -> tuple[Batch, Tensor]:
    """Return the batch and z of the next update."""
    state = agent.generator.get_state()
    drawn = agent.draw(len(tensors.transitions.actions))
    found = agent.sample(tensors, drawn), agent.sample_z(tensors, drawn)
    agent.generator.set_state(state)
    return found


def _enumerated(agent: DiscreteFB, batch: Batch, z: Tensor) -> Tensor:
    """The measure loss and the orthonormality loss, one state, action and head at a time."""
    rho = torch.as_tensor(_data().next_observations.mean(0))  # (S,)
    eye, model = torch.eye(len(NEXT_STATE)), agent.model
    places, slow = model.backward_net(eye), agent.target_backward(eye)  # (S, d) each
    forward = model.forward_net(batch.features, z)  # (H, n, A, d)
    after = agent.target_forward(batch.next_features, z)
    loss = torch.zeros(())
    for i in range(len(z)):
        weights = torch.stack([(after[:, i, a] @ z[i]).mean() for a in range(2)])
        policy = (weights / CONFIG.temperature).softmax(0)
        entered = int(batch.next_features[i].argmax())
        for head in range(2):
            own = forward[head, i, int(batch.actions[i])]
            for x in range(len(NEXT_STATE)):
                following = sum(
                    policy[a] * (after[other, i, a] @ slow[x]) / 2
                    for a in range(2)
                    for other in range(2)
                )
                error = own @ places[x] - GAMMA * following.detach()  # type: ignore[union-attr]
                loss = loss + 0.5 * rho[x] * error**2 / len(z)
            loss = loss - own @ places[entered] / len(z)
    for x in range(len(NEXT_STATE)):
        loss = loss - rho[x] * places[x] @ places[x]
        for y in range(len(NEXT_STATE)):
            loss = loss + 0.5 * rho[x] * rho[y] * (places[x] @ places[y]) ** 2
    return loss


def test_the_gradient_of_an_update_is_that_of_the_loss_written_out() -> None:
    agent, tensors = _agent()
    batch, z = _drawn(agent, tensors)
    nets = (agent.model.forward_net, agent.model.backward_net)
    weights = [each for net in nets for each in net.parameters()]
    expected = torch.autograd.grad(_enumerated(agent, batch, z), weights)
    agent.update(tensors)
    for each, gradient in zip(weights, expected, strict=True):
        torch.testing.assert_close(each.grad, gradient, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["value", "measure"])
def test_the_penalty_of_an_update_is_that_of_its_networks(kind: str) -> None:
    agent, tensors = _agent(conservative=kind)
    batch, z = _drawn(agent, tensors)
    rho = _data().next_observations.mean(0)
    with torch.no_grad():
        forward = agent.model.forward_net(batch.features, z).numpy()  # (H, n, A, d)
        places = agent.model.backward_net(torch.eye(len(NEXT_STATE))).numpy()  # (S, d)
    expected, points = (
        0.0,
        [(1.0, None)] if kind == "value" else list(zip(rho, places, strict=True)),
    )
    for i, task in enumerate(z.numpy()):
        for head in forward:
            for share, place in points:
                worth = head[i] @ (task if place is None else place)  # (A,)
                excess = np.log(np.exp(worth).sum()) - worth[int(batch.actions[i])]
                expected += share * excess / len(z)
    assert float(agent.update(tensors)["penalty/value"]) == pytest.approx(expected, rel=1e-4)


def test_a_penalty_of_one_action_is_nothing() -> None:
    values = torch.tensor([[[2.0], [-1.0]]])  # one head, two transitions, one candidate
    assert float(value_penalty(values, values[..., 0])) == 0


def _exact() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rho (S,), and F (S, A, S) and B (S, S) of the uniform policy."""
    rho = _data().next_observations.mean(0).astype(np.float64)
    visits = successor_measure(policy_matrix(NEXT_STATE, np.full((4, 2), 0.5)), GAMMA)
    return rho, visits[NEXT_STATE] / np.sqrt(rho), np.diag(rho**-0.5)


@pytest.mark.parametrize("seed", range(3))
def test_with_exact_f_and_b_the_z_of_a_reward_gives_its_values(seed: int) -> None:
    """F'z are the values of the policy, but for the length of z, for any reward."""
    rho, forward, backward = _exact()
    reward = np.random.default_rng(seed).normal(size=4)
    entered = _data().next_observations.argmax(1)
    places = torch.as_tensor(backward[entered])
    z = inference.of_rewards(places, torch.as_tensor(reward[entered])).numpy()
    values = evaluate_policy(NEXT_STATE, np.full((4, 2), 0.5), reward, GAMMA)
    exact = reward[NEXT_STATE] + GAMMA * values[NEXT_STATE]  # (S, A)
    length = np.linalg.norm(np.sqrt(rho) * reward) / np.sqrt(len(z))
    np.testing.assert_allclose(forward @ z * length, exact, rtol=1e-6)


def test_with_exact_f_and_b_the_z_of_a_goal_gives_its_discounted_visits() -> None:
    _, forward, backward = _exact()
    visits = successor_measure(policy_matrix(NEXT_STATE, np.full((4, 2), 0.5)), GAMMA)[NEXT_STATE]
    for goal in range(4):
        found = forward @ inference.of_mean(torch.as_tensor(backward[[goal]])).numpy()  # (S, A)
        np.testing.assert_allclose(found / found.max(), visits[..., goal] / visits[..., goal].max())


def test_with_exact_successor_features_the_fit_of_a_reward_gives_its_values() -> None:
    """Features are the states themselves: the fitted weights are the reward of each."""
    visits = successor_measure(policy_matrix(NEXT_STATE, np.full((4, 2), 0.5)), GAMMA)[NEXT_STATE]
    reward, entered = np.array([0.5, -1.0, 0.0, 2.0]), _data().next_observations.argmax(1)
    z = inference.of_regression(torch.eye(4).double()[entered], torch.as_tensor(reward[entered]))
    values = evaluate_policy(NEXT_STATE, np.full((4, 2), 0.5), reward, GAMMA)
    exact = reward[NEXT_STATE] + GAMMA * values[NEXT_STATE]
    length = np.linalg.norm(reward) / 2
    np.testing.assert_allclose(visits @ z.numpy() * length, exact, rtol=1e-6)
