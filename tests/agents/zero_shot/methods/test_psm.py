"""Proto successor measures against value iteration, closed forms and enumeration."""

from itertools import product
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import AGENTS, PSMSettings, Start
from zerogym.agents.zero_shot.evaluation.returns import policy_score
from zerogym.agents.zero_shot.methods.psm import PSM
from zerogym.envs.control.tabular.dynamic_programming import evaluate_policy, value_iteration

pytest.importorskip("scipy")
PLACES = np.arange(3, dtype=np.float32)[:, None]  # the observations
AFTER = np.array([[1, 2], [2, 0], [2, 1]])  # three states, two actions


def _start(data: Dataset, actions: int, gamma: float = 0.9) -> PSM:
    model: PSM = PSMSettings(gamma=gamma)(Start("", data, actions, True, 0, 0))
    return model


def _small(rows: Any = range(6), **more: Any) -> Dataset:
    states, actions = np.divmod(np.array(list(rows)), 2)
    return Dataset(PLACES[states], actions, PLACES[AFTER[states, actions]], **more)


def _every_pair(world: Any) -> Dataset:
    here, actions, after = world.mdp.transitions()
    return Dataset(here, actions, after)


def test_visits_are_the_discounted_sum_of_steps() -> None:
    model = _start(_small(), 2, gamma=0.5)
    policy = np.array([[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]])
    state, total = np.full(3, 1 / 3), np.zeros((3, 2))
    for step in range(60):
        pairs = state[:, None] * policy
        total += 0.5 * 0.5**step * pairs
        state = np.zeros(3)
        for s, a in product(range(3), range(2)):
            state[AFTER[s, a]] += pairs[s, a]
    np.testing.assert_allclose(model.visits(policy), total.ravel(), atol=1e-12)


def test_random_policies_span_every_policy() -> None:
    model = _start(_small(), 2)
    model.learn(_small(), 12)
    assert model.basis.shape == (3, 6)  # S (A - 1)
    assert model.bias is not None
    for actions in product(range(2), repeat=3):
        rest = model.visits(np.eye(2)[list(actions)]) - model.bias
        np.testing.assert_allclose(model.basis.T @ (model.basis @ rest), rest, atol=1e-9)


def test_the_program_equals_value_iteration_and_few_policies_do_not_suffice() -> None:
    world: Any = gym.make("zerogym/UMap-v0", task=None).unwrapped
    data, starts = _every_pair(world), range(world.num_states)
    model = _start(data, 5, gamma=0.95)
    names = ("goal_7_8", "multi_goal_0", "goal_penalty_0", "smooth_0")
    tasks = [world.tasks[name] for name in names]

    def scores() -> list[float]:
        here = world.observation_of(np.arange(world.num_states))
        policies = [model.predict(here, model.infer(task))[0] for task in tasks]
        return [policy_score(world, t, p, 0.95) for t, p in zip(tasks, policies, strict=True)]

    model.learn(data, 90)
    assert len(model.basis) == 89 and max(scores()) < 0.9
    model.learn(data, world.num_states * 4 + 1 - 90)
    assert len(model.basis) == world.num_states * 4
    assert scores() == pytest.approx([1] * 4, abs=1e-6)
    for task in tasks[1:]:
        best = value_iteration(world.next_state, world.reward_of(task), 0.95)[0][starts].mean()
        assert model.infer(task).value == pytest.approx(best, rel=1e-6)


def test_there_is_no_reward_after_an_end_and_nothing_outside_of_the_data_is_done() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        rows = rng.permutation(6)[:4]
        ends = rng.random(4) < 0.5
        data = _small(rows, terminated=ends)
        reward = rng.normal(size=6)
        model = _start(data, 2)
        model.learn(data, 20)
        labels = dict(zip(map(tuple, np.stack([rows // 2, rows % 2], 1)), reward, strict=False))
        plan = model.infer(
            lambda o, a, n, labels=labels: np.array(
                [labels[int(s[0]), int(x)] for s, x in zip(o, a, strict=True)]
            )
        )
        # Every policy on the data's pairs by hand; a fourth state is the end.
        known = [[a for a in (0, 1) if 2 * s + a in rows] or [0] for s in range(3)]
        begins = np.array([np.isin(rows, (2 * s, 2 * s + 1)).mean() for s in range(3)])
        found = []
        for actions in product(*known):
            after, gained = np.full((4, 1), 3), np.zeros((4, 1))
            for s, a in enumerate(actions):
                if 2 * s + a in rows:
                    end = ends[list(rows).index(2 * s + a)]
                    after[s, 0] = 3 if end else AFTER[s, a]
                    gained[s, 0] = labels[s, a]
            values = evaluate_policy(after, np.zeros(4, np.int64), gained, 0.9)
            found.append(begins @ values[:3])
        assert plan.value == pytest.approx(max(found), abs=1e-9)


def test_bad_input_is_one_clear_line() -> None:
    model = _start(_small(), 2)
    with pytest.raises(ValueError, match="not learnt"):
        model.infer(PLACES[0])
    model.learn(_small(), 3)
    for task, says in (
        (np.array([7.0]), "never reach the goal"),
        (np.ones(2), "shape"),
        (lambda o, a, n: np.full(len(o), np.nan), "nan"),
    ):
        with pytest.raises(ValueError, match=says):
            model.infer(task)
    with pytest.raises(ValueError, match="started with"):
        model.learn(_small(range(4)), 1)
    with pytest.raises(ValueError, match="discrete"):
        AGENTS.make("psm")(Start("", _small(), 2, False, 0, 0))
    with pytest.raises(ValueError, match="gamma"):
        _start(_small(), 2, gamma=1.0)
    wide = np.random.default_rng(0).normal(size=(400, 2)).astype(np.float32)
    with pytest.raises(ValueError, match="at most 600 states"):
        _start(Dataset(wide, np.zeros(400, np.int64), wide + 1), 2)
