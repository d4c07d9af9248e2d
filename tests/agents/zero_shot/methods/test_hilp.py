"""Hilbert foundation policies: the loss in loop form, distances, and goals reached."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.agents import HILPSettings, Start
from zerogym.agents.zero_shot.data.tensor_dataset import Batch
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular
from zerogym.agents.zero_shot.methods.hilp import HILP, Direction, midpoints, value
from zerogym.agents.zero_shot.models.networks import to_sphere
from zerogym.errors import UnknownName

SMALL: dict[str, Any] = {"dim": 3, "hidden": 8, "batch_size": 6, "gamma": 0.9}


def _data(seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(13, 2)).astype(np.float32)
    return Dataset(states[:-1], rng.integers(3, size=12), states[1:])


def _new(**changes: Any) -> HILP:
    model: HILP = HILPSettings(**{**SMALL, **changes})(Start("", _data(), 3, True, 0, 5))
    return model


def _batch(ends: Any = ()) -> tuple[Batch, torch.Tensor]:
    """Six transitions with a goal each: the third is at its goal, the fourth enters it."""
    data = _data()
    here, after = (torch.as_tensor(x[:6]) for x in (data.observations, data.next_observations))
    goals = torch.as_tensor(data.observations[6:12]).clone()
    goals[2], goals[3] = here[2], after[3]
    goes_on = torch.ones(6)
    goes_on[list(ends)] = 0
    rows = torch.arange(6)
    actions = torch.as_tensor(data.actions[:6])
    return Batch(here, actions, after, rows, rows, rows, rows, goes_on), goals


@pytest.mark.parametrize("ends", [(), (3, 4)])
def test_the_distance_loss_is_that_of_a_loop(ends: tuple[int, ...]) -> None:
    model = _new(expectile=0.8)
    with torch.no_grad():
        for parameter in (*model.slow_one.parameters(), *model.slow_two.parameters()):
            parameter.add_(0.1)
    batch, goals = _batch(ends)
    loss, _ = model.distance_loss(batch, goals)

    def distance(net: Any, one: Any, other: Any) -> float:
        with torch.no_grad():
            return float((net(one[None]) - net(other[None])).norm().clamp(min=1e-3))

    expected = 0.0
    for n in range(6):
        s, after, goal = batch.features[n], batch.next_features[n], goals[n]
        reward, mask = (0.0, 0.0) if n == 2 else (-1.0, 1.0)
        slow = (model.slow_one, model.slow_two)
        following = [-distance(net, after, goal) for net in slow]
        if n in ends and n != 3:  # it has ended elsewhere, and never arrives
            following = [-10.0, -10.0]
        here = sum(-distance(net, s, goal) for net in slow) / 2
        weight = 0.8 if reward + 0.9 * mask * min(following) >= here else 0.2
        for net, v in zip((model.one, model.two), following, strict=True):
            error = reward + 0.9 * mask * v + distance(net, s, goal)
            expected += weight * error**2 / 6
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-5)


def test_values_of_tasks_are_those_of_a_loop() -> None:
    model = _new()
    with torch.no_grad():
        next(iter(model.slow_q.parameters())).add_(0.1)
    batch, _ = _batch(ends=(1,))
    z, rewards = torch.randn(6, 3, generator=torch.Generator().manual_seed(1)), torch.arange(6.0)
    loss = model.value_loss(batch, rewards, z)
    expected = 0.0
    with torch.no_grad():
        for n in range(6):
            after = model.slow_q(batch.next_features[n : n + 1], z[n : n + 1])[:, 0]  # (2, A)
            best = max(min(float(after[0, a]), float(after[1, a])) for a in range(3))
            target = float(rewards[n]) + (0 if n == 1 else 0.9 * best)
            found = model.q(batch.features[n : n + 1], z[n : n + 1])[:, 0, int(batch.actions[n])]
            expected += sum((float(q) - target) ** 2 for q in found) / 6
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-5)


def test_prompts_are_places_and_directions() -> None:
    model, data = _new(convention="difference"), _data()
    with torch.no_grad():
        phi = model.one(torch.as_tensor(data.observations)).numpy()
        after = model.one(torch.as_tensor(data.next_observations)).numpy()
    place = model.infer(data.observations[4])
    np.testing.assert_allclose(place.place.numpy(), phi[4], atol=1e-6)  # type: ignore[union-attr]
    w = np.array([1.0, -2.0, 0.5])
    rewards = {tuple(o): (b - a) @ w for o, a, b in zip(data.observations, phi, after, strict=True)}
    found = model.infer(lambda o, a, n: np.array([rewards[tuple(row)] for row in o]))
    expected = np.sqrt(3) * w / np.linalg.norm(w)
    np.testing.assert_allclose(found.z.numpy(), expected, atol=1e-3)  # type: ignore[union-attr]
    # At a goal there is no direction, in batches of any size: the first action.
    rows = np.repeat(data.observations[4:5], 7, axis=0)
    for count in (1, 7):
        assert (model.predict(rows[:count], place)[0] == 0).all()
    away = Direction(place=torch.full((3,), 9.0))
    with torch.no_grad():
        z = np.sqrt(3) * (9.0 - phi) / np.linalg.norm(9.0 - phi, axis=1, keepdims=True)
        best = (
            model.q(torch.as_tensor(data.observations), torch.as_tensor(np.float32(z)))
            .mean(0)
            .argmax(-1)
        )
    np.testing.assert_array_equal(model.predict(data.observations, away)[0], best.numpy())


def test_the_next_aim_is_a_midpoint_of_a_midpoint() -> None:
    angles = np.linspace(0, np.pi, 9)
    arc = 5 * np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)  # 0.98 apart
    data, points = Dataset(arc, np.zeros(9, np.int64), arc), torch.as_tensor(arc)
    halves = {  # of each start the aim: the goal, the midpoint on the way there, ...
        0: (8, 4, 2, 1), 1: (8, 4, 2, 2), 2: (8, 5, 3, 3), 3: (8, 5, 4, 4),
        4: (8, 6, 5, 5), 5: (8, 6, 6, 6), 6: (8, 7, 7, 7), 7: (8, 8, 8, 8),
    }  # fmt: skip
    for start, aims in halves.items():
        goal = points[8:]
        for aim in aims[1:]:
            goal = midpoints(points[start : start + 1], goal, points)
            assert torch.equal(goal[0], points[aim])
    model, taken = _new(dim=2), []
    model.one = torch.nn.Identity()  # type: ignore[assignment]  # phi is the place
    assert model.infer(arc[8], data).between is None
    for depth in range(4):
        object.__setattr__(model.settings, "midpoints", depth)
        goal_or_way = model.infer(arc[8], data)
        here = list(halves)
        ahead = points[[halves[start][depth] for start in here]] - points[here]
        with torch.no_grad():
            best = model.q(points[here], to_sphere(ahead)).mean(0).argmax(-1)
        actions = model.predict(arc[here], goal_or_way)[0]
        np.testing.assert_array_equal(actions, best.numpy())
        taken.append(tuple(actions))
    assert len(set(taken)) == 3  # the last two are alike
    assert model.infer(lambda o, a, n: n[:, 0], data).between is None


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(UnknownName, match="mean 'state'"):
        _new(convention="stat")
    for wrong, says in (
        ({"expectile": 1.0}, "expectile"),
        ({"dim": 0}, "dim"),
        ({"gamma": 1.0}, "gamma"),
        ({"batch_size": 1}, "batch_size"),
        ({"random_goals": 1.5}, "random_goals"),
    ):
        with pytest.raises(ValueError, match=says):
            _new(**wrong)
    with pytest.raises(ValueError, match="discrete actions"):
        HILPSettings()(Start("", _data(), 3, False, 0, 0))


@pytest.mark.proof
def test_distances_are_those_of_the_map_and_goals_are_reached() -> None:
    """UMap, 20,000 random steps."""
    env = gym.make("zerogym/UMap-v0", task=None)
    world: Any = env.unwrapped
    data = collect(env, 20_000, seed=1)
    model: HILP = HILPSettings()(Start("", data, 5, True, 2_000, 0))
    model.learn(data, 2_000)
    states = world.num_states
    steps = np.full((states, states), np.inf)
    np.fill_diagonal(steps, 0)
    for _ in range(states):  # breadth-first: one step more in each round
        steps = np.minimum(steps, 1 + steps[world.next_state].min(axis=1))
    with torch.no_grad():
        phi = model.one(torch.as_tensor(world.observation_of(np.arange(states))))
        far = np.stack([-value(phi, phi[g : g + 1]).numpy() for g in range(states)], axis=1)
    ranks = [np.argsort(np.argsort(each.ravel(), kind="stable")) for each in (steps, far)]
    assert np.corrcoef(*ranks)[0, 1] >= 0.95  # ties in an arbitrary order: below Spearman's
    here, goal = np.nonzero(steps >= 4)
    with torch.no_grad():
        middle = midpoints(phi[here], phi[goal], phi)
        between = (middle[:, None] - phi).square().sum(-1).argmin(1).numpy()
    longer = np.maximum(steps[here, between], steps[between, goal])
    assert (longer / np.ceil(steps[here, goal] / 2)).mean() < 1.1  # 1: halfway on a shortest way
    goals = [task for task in world.tasks.values() if task.goal is not None]
    assert np.mean(list(evaluate_tabular(model, env, goals).values())) > 0.75
