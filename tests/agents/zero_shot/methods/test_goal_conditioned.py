"""Goal-conditioned agents: goals by enumeration, losses in loops, distances, exact continuation."""

import math
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from helpers.zero_shot.small_runs import chain, random_data
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.agents.zero_shot.data.tensor_dataset import to_tensors
from zerogym.agents.zero_shot.methods.goal_conditioned.crl import contrastive_loss
from zerogym.agents.zero_shot.methods.goal_conditioned.goals import (
    ACTOR_GOALS,
    FUTURE_GOALS,
    VALUE_GOALS,
    draw_goals,
)
from zerogym.agents.zero_shot.methods.goal_conditioned.qrl import (
    IntervalQuasimetric,
    union_lengths,
)

NAMES = ("gcbc", "gcivl", "hiql", "gciql", "crl", "qrl")


def walks(states: int = 6, count: int = 40, length: int = 12, seed: int = 0) -> Dataset:
    """Return random walks on a chain, one-hot."""
    rng, table, eye = np.random.default_rng(seed), chain(states), np.eye(states, dtype=np.float32)
    before, actions, after, starts = [], [], [], []
    for _ in range(count):
        state = int(rng.integers(states))
        for step in range(length):
            action = int(rng.integers(3))
            before.append(state)
            actions.append(action)
            state = int(table[state, action])
            after.append(state)
            starts.append(step == 0)
    return Dataset(eye[before], np.array(actions), eye[after], np.array(starts))


def made(name: str, data: Dataset, **settings):
    discrete = data.actions.ndim == 1
    actions = 3 if discrete else data.actions.shape[1]
    part = AGENTS.make({"part": name, "hidden": 32, "batch_size": 64, **settings})
    return part(Start("", data, actions, discrete, 100, 3))


# --- goals


@pytest.mark.parametrize("mixture", [ACTOR_GOALS, FUTURE_GOALS])
def test_later_goals_have_the_stated_chances(mixture) -> None:
    """Row 1 of a walk of 4 steps, by enumeration: goals are the states that its walk enters."""
    numbers = np.arange(5, dtype=np.float32)[:, None]
    data = Dataset(numbers[:4], np.zeros(4, dtype=np.int64), numbers[1:])
    tensors = to_tensors(data, lambda x: x, exact=False)
    rows = torch.full((40_000,), 1)
    goals = draw_goals(tensors, rows, mixture, 0.5, torch.Generator().manual_seed(0))
    found = [(goals == k).float().mean().item() for k in range(5)]
    chances = [0, 0, 0.5, 0.25, 0.25] if mixture.geometric else [0, 0, 1 / 3, 1 / 3, 1 / 3]
    error = 4 * math.sqrt(0.25 / len(rows))
    assert found == pytest.approx(chances, abs=error)


def test_goals_are_true_of_the_walk() -> None:
    data = walks()
    tensors = to_tensors(data, lambda x: x, exact=False)
    rows = torch.arange(len(data))
    goals = draw_goals(tensors, rows, ACTOR_GOALS, 0.9, torch.Generator().manual_seed(1))
    last = data.ends()
    for row, goal in enumerate(goals.numpy()):
        entered = data.next_observations[row : last[row] + 1]
        assert (entered == goal).all(1).any()


def test_shares_of_the_kinds_of_goals() -> None:
    numbers = np.arange(9001, dtype=np.float32)[:, None]
    each = np.ones(9000, dtype=bool)  # a walk of one step
    data = Dataset(numbers[:-1], np.zeros(9000, dtype=np.int64), numbers[1:], each)
    tensors = to_tensors(data, lambda x: x, exact=False)
    rows = torch.arange(9000)
    goals = draw_goals(tensors, rows, VALUE_GOALS, 0.9, torch.Generator().manual_seed(2))[:, 0]
    now, later = (goals == rows).float().mean(), (goals == rows + 1).float().mean()
    assert (now.item(), later.item()) == pytest.approx((0.2, 0.5), abs=0.025)


# --- losses, in loops


def test_the_implicit_values_by_loops() -> None:
    agent = made("gcivl", walks(), expectile=0.8, gamma=0.9)
    agent.learn(agent.samples, 3)  # so that slow copies differ
    with torch.no_grad():
        # Values at which the sign of an advantage depends on which of the two is taken.
        agent.slow["first"][-1].bias -= 14.0
        agent.slow["second"][-1].bias -= 9.0
    steps = agent.draw(agent.tensors(agent.samples))
    total = 0.0
    for n in range(len(steps.states)):
        state, after, goal = steps.states[n], steps.following[n], steps.value_goals[n]
        there = bool((state == goal).all())
        at = {
            (kind, name, which): nets[name](torch.cat([x, goal]))[0].item()
            for kind, nets in (("slow", agent.slow), ("nets", agent.nets))
            for name in agent.targets
            for which, x in (("state", state), ("after", after))
        }
        reward, on = (0.0, 0.0) if there else (-1.0, 0.9)
        least = min(at["slow", name, "after"] for name in agent.targets)
        mean = sum(at["slow", name, "state"] for name in agent.targets) / 2
        weight = 0.8 if reward + on * least - mean >= 0 else 0.2
        for name in agent.targets:
            aim = reward + on * at["slow", name, "after"]
            total += weight * (aim - at["nets", name, "state"]) ** 2
    assert agent.value_loss(steps).item() == pytest.approx(total / len(steps.states), rel=1e-4)


def test_both_policies_of_hiql_by_loops() -> None:
    """Weights, codes and squared errors one row at a time; the codes have no gradient there."""
    agent = made("hiql", walks(), alpha=2.0, subgoal_steps=3, dim=4)
    agent.learn(agent.samples, 3)
    steps, nets = agent.draw(agent.tensors(agent.samples)), agent.nets

    def code(state: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
        found = nets["code"](torch.cat([state, goal]))
        return 2 * found / found.norm()  # sqrt(4) = 2

    def value(state: torch.Tensor, goal: torch.Tensor) -> float:
        joint = torch.cat([state, code(state, goal)])
        return (nets["first"](joint) + nets["second"](joint)).item() / 2

    high = low = 0.0
    count = len(steps.states)
    for n in range(count):
        s, after, way, goal = (
            x[n] for x in (steps.states, steps.following, steps.waypoints, steps.actor_goals)
        )
        aim = code(s, way)
        gain, near = value(way, goal) - value(s, goal), value(after, way) - value(s, way)
        error = (nets["subgoals"](torch.cat([s, goal])) - aim).square().sum().item()
        high += min(math.exp(2 * gain), 100.0) * error / 2 / count
        log_prob = nets["actor"](torch.cat([s, aim])).log_softmax(-1)[steps.actions[n].argmax()]
        low -= min(math.exp(2 * near), 100.0) * log_prob.item() / count
    agent.adam.zero_grad()
    loss, metrics = agent.losses(steps)
    assert metrics["hiql/high_loss"].item() == pytest.approx(high, rel=1e-4)
    assert metrics["hiql/low_loss"].item() == pytest.approx(low, rel=1e-4)
    (loss - agent.value_loss(steps)).backward()
    assert nets["code"][0].weight.grad.abs().max() < 1e-6  # only the value teaches codes


def test_subgoals_lie_on_the_way() -> None:
    """At most three steps ahead in the walk, and never behind the goal."""
    numbers = np.arange(13, dtype=np.float32)[:, None]
    data = Dataset(numbers[:12], np.zeros(12, dtype=np.int64), numbers[1:])
    agent = made("hiql", data, subgoal_steps=3)
    steps = agent.draw(to_tensors(data, lambda x: x, exact=False))
    at, way, goal = (x[:, 0] for x in (steps.states, steps.waypoints, steps.actor_goals))
    assert torch.equal(way, torch.minimum(at + 3, goal)) and (goal > at).all()


def test_the_implicit_q_values_by_loops() -> None:
    agent = made("gciql", walks(), expectile=0.7, gamma=0.9)
    agent.learn(agent.samples, 3)
    steps = agent.draw(agent.tensors(agent.samples))
    total = 0.0
    for n in range(len(steps.states)):
        state, action, goal = steps.states[n], steps.actions[n], steps.value_goals[n]
        there = bool((state == goal).all())
        joint = torch.cat([state, action, goal])
        least = min(agent.slow[name](joint)[0].item() for name in agent.targets)
        value = agent.nets["value"](torch.cat([state, goal]))[0].item()
        after = agent.nets["value"](torch.cat([steps.following[n], goal]))[0].item()
        u = least - value
        total += (0.7 if u >= 0 else 0.3) * u**2
        aim = 0.0 if there else -1 + 0.9 * after
        total += sum((agent.nets[name](joint)[0].item() - aim) ** 2 for name in agent.targets)
    assert agent.value_loss(steps).item() == pytest.approx(total / len(steps.states), rel=1e-4)


def test_the_contrastive_loss_by_a_loop() -> None:
    scores = torch.randn(5, 5, generator=torch.Generator().manual_seed(0))
    total = 0.0
    for i in range(5):
        for j in range(5):
            p = 1 / (1 + math.exp(-scores[i, j].item()))
            total -= math.log(p if i == j else 1 - p) / 25
    assert contrastive_loss(scores).item() == pytest.approx(total, rel=1e-6)


# --- quasimetrics


def test_the_length_of_a_union_by_counting() -> None:
    rng = np.random.default_rng(0)
    starts = rng.integers(0, 50, (20, 8))
    ends = starts + rng.integers(0, 12, (20, 8))
    for lows, highs in zip(starts, ends, strict=True):
        covered = {n for low, high in zip(lows, highs, strict=True) for n in range(low, high)}
        found = union_lengths(torch.tensor(lows).float(), torch.tensor(highs).float())
        assert found.item() == len(covered)


def test_the_distance_is_a_quasimetric() -> None:
    torch.manual_seed(0)
    distance = IntervalQuasimetric(3, 32)
    x, y, z = torch.randn(3, 500, 3)
    with torch.no_grad():
        assert distance(x, x).abs().max() == 0 and distance(x, y).min() > 0
        assert (distance(x, y) + distance(y, z) - distance(x, z)).min() > -1e-5
        assert (distance(x, y) - distance(y, x)).abs().max() > 1e-2  # and not symmetric


# --- the interface


@pytest.mark.parametrize("name", NAMES)
def test_continuous_actions_and_a_run_in_halves(name: str, tmp_path: Path) -> None:
    data = random_data(discrete=False)
    whole, half = made(name, data), made(name, data)
    metrics = whole.learn(data, 6)
    half.learn(data, 3)
    half.save(tmp_path / "model")
    again = type(half).load(tmp_path / "model")
    assert again.learn(data, 3) == metrics and again.updates == 6
    states, goal = data.observations[:9], data.observations[20]
    first, second = (agent.predict(states, agent.infer(goal))[0] for agent in (whole, again))
    np.testing.assert_array_equal(first, second)
    assert first.shape == data.actions[:9].shape


def test_a_reward_becomes_a_goal_and_bad_tasks_are_refused() -> None:
    data = walks()
    agent = made("gcbc", data)
    goal = agent.infer(lambda obs, action, after: after @ np.arange(6.0))
    assert goal.argmax() == 5
    with pytest.raises(ValueError, match="everywhere"):
        agent.infer(lambda obs, action, after: np.zeros(len(obs)))
    with pytest.raises(ValueError, match="a goal must be finite numbers"):
        agent.infer(np.zeros(2))
    with pytest.raises(TypeError):
        agent.infer("goal_1_1")
    with pytest.raises(ValueError, match="6"):
        agent.check_env(gym.make("zerogym/FourRooms-v0"))
    with pytest.raises(ValueError, match="another environment"):
        agent.learn(random_data(True), 1)


def test_settings_are_checked() -> None:
    for wrong in ({"gamma": 1.0}, {"expectile": 0.0}, {"hidden": 0}):
        with pytest.raises(ValueError, match="gcivl"):
            made("gcivl", walks(), **wrong)


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    agent = made("qrl", walks())
    agent.save(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(NotAModel):
        type(agent).load(tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_agents_go_straight_for_goals_on_a_chain(name: str) -> None:
    """On random walks; values that are distances have the order of the true ones."""
    data = walks(states=8, count=100)
    agent = made(name, data, hidden=64, batch_size=128, alpha=10.0)
    agent.learn(data, 800)
    eye, right = np.eye(8, dtype=np.float32), 0
    for goal in range(8):
        moves, _ = agent.predict(eye, agent.infer(eye[goal]))
        best = np.sign(goal - np.arange(8))  # 1 up, -1 down
        meant = np.where(best > 0, 1, np.where(best < 0, 2, 0))
        right += int((moves == meant)[np.arange(8) != goal].sum())
    assert right / 56 > 0.8
    if name in ("gcivl", "qrl"):
        first, second = (n.ravel() for n in np.indices((8, 8)))
        states, goals = (agent.encode(torch.as_tensor(eye[n])) for n in (first, second))
        with torch.no_grad():
            if name == "qrl":
                found = agent.nets["distance"](states, goals)
            else:
                found = -agent.values(agent.nets, states, goals).mean(0)
        ranks = [np.unique(x, return_inverse=True)[1] for x in (found.numpy(), abs(first - second))]
        assert np.corrcoef(*ranks)[0, 1] > 0.9
