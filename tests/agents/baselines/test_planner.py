"""Planning in MuJoCo bodies: it must use the simulator and the reward, and be the same twice."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.baselines import planner as planner_module
from zerogym.agents.baselines.planner import HOLD, HORIZON, PlannerPolicy
from zerogym.agents.baselines.random_and_oracle import RandomPolicy
from zerogym.benchmarks.baselines.measure import CannotMeasure, Request, control_worlds, measure
from zerogym.benchmarks.baselines.scores import Gap, references
from zerogym.benchmarks.suites.episodes import play
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mujoco.rollout import rollout

STEPS = 60


def reacher(task: Any) -> gym.Env[Any, Any]:
    return gym.make("zerogym/Reacher-v0", task=task, horizon=STEPS)


def rewards(env: gym.Env[Any, Any], policy: Any) -> float:
    return float(np.mean([episode.value for episode in play([env], policy, [0, 1])]))


@pytest.mark.proof
@pytest.mark.parametrize("task", ["spin", "0.5 * spin"])
def test_a_plan_beats_random_actions_by_far(task: str) -> None:
    env = reacher(task)
    best = STEPS * (0.5 if "*" in task else 1.0)
    assert rewards(env, PlannerPolicy([env], task)) > 0.6 * best
    assert rewards(env, RandomPolicy([env])) < 0.2 * best


def test_the_opposite_reward_turns_the_plan_around() -> None:
    """A reward of the user's own: the first joint's speed, and minus it."""

    def turning(sign: float) -> float:
        def reward(observation: Any, action: Any, after: Any) -> Any:
            return sign * after[:, -2]

        env = gym.make("zerogym/Reacher-v0", task=None, horizon=STEPS)
        planner, state = PlannerPolicy([env], reward), None
        observed, _ = env.reset(seed=0)
        for _ in range(20):
            (action,), state = planner.predict([observed], state)
            observed = env.step(action)[0]
        return float(observed[-2])

    assert turning(1.0) > 1.0
    assert turning(-1.0) < -1.0


def test_the_same_seed_plans_the_same() -> None:
    runs = []
    for seed in (0, 0, 1):
        env = reacher("spin")
        observed, _ = env.reset(seed=3)
        (action,), _ = PlannerPolicy([env], "spin", seed).predict([observed])
        runs.append(action)
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_a_new_plan_is_the_weighed_mean_of_what_was_tried() -> None:
    """With a reward of actions alone, the plan moves to the best action, on every step ahead."""

    def pushed(observation: Any, action: Any, after: Any) -> Any:
        return action[:, 0]

    env: Any = gym.make("zerogym/Reacher-v0", task=None)
    observed, _ = env.reset(seed=0)
    planner = PlannerPolicy([env], pushed)
    plan = np.zeros((HORIZON, 2))
    world, task = env.unwrapped, Task("pushed", "", pushed)
    for _ in range(30):
        plan = planner.improved(world, task, plan, observed)
    assert plan[:, 0].min() > 0.6
    assert np.abs(plan[:, 1]).mean() < 0.5
    before = world.data.qpos.copy()
    rollout(env, plan[None], np.concatenate([world.data.qpos, world.data.qvel])[None])
    assert np.array_equal(world.data.qpos, before)  # planning does not move the body


class Spied(PlannerPolicy):
    """Plans step 0.00, 0.01, 0.02, ... ahead, and records its arguments."""

    def improved(self, world: Any, task: Any, plan: Any, observed: Any) -> Any:
        self.requests.append((world, task, plan, observed))
        return np.repeat(np.arange(HORIZON)[:, None] / 100, 2, axis=1)

    requests: list[Any]


def test_a_plan_is_followed_for_two_steps_and_an_episode_begins_without_one() -> None:
    envs = [reacher("spin"), reacher("spin")]
    planner, state, done = Spied(envs, "spin"), None, []
    planner.requests = []
    for step in range(4):
        observed = [np.full(3, step), np.full(3, -step)]
        actions, state = planner.predict(observed, state, [False, step == 3])
        done.append([round(float(action[0]), 2) for action in actions])
    assert done == [[0.0, 0.0], [0.01, 0.01], [0.0, 0.0], [0.01, 0.0]]
    worlds = [env.unwrapped for env in envs]
    assert [(worlds.index(one[0]), one[3][0]) for one in planner.requests] == [
        *((0, 0), (1, 0)),
        *((0, 2), (1, -2)),
        (1, -3),
    ]
    assert all(one[1] is planner.tasks[worlds.index(one[0])] for one in planner.requests)
    assert planner.tasks[0] is not planner.tasks[1]
    last, fresh = planner.requests[3][2], planner.requests[4][2]
    ahead = np.append(np.arange(2, HORIZON), [HORIZON - 1] * 2) / 100
    np.testing.assert_allclose(last[:, 0], ahead)
    assert not fresh.any()


def test_samples_and_their_rewards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan itself, held noise, actions of the box; each transition follows on the last."""
    tried, columns = [], []

    def watched(world: Any, actions: Any, *given: Any, **more: Any) -> Any:
        tried.append(actions)
        return rollout(world, actions, *given, **more)

    def reward(observation: Any, action: Any, after: Any) -> Any:
        columns.append((observation, action, after))
        return after[:, -1]

    monkeypatch.setattr(planner_module, "rollout", watched)
    env: Any = reacher(None)
    observed, _ = env.reset(seed=0)
    plan = np.linspace(-0.5, 0.5, HORIZON)[:, None].repeat(2, axis=1)
    planner = PlannerPolicy([env], reward)
    columns.clear()  # what only looked whether it is a reward
    planner.improved(env.unwrapped, Task("paid", "", reward), plan, observed)
    [actions], [(before, done, after)] = tried, columns
    np.testing.assert_array_equal(actions[0], plan)
    assert np.abs(actions).max() == 1
    noise = (actions - plan)[1:].reshape(-1, HORIZON // HOLD, HOLD, 2)
    inside = (np.abs(actions[1:]) < 1).reshape(noise.shape).all(axis=(2, 3))
    np.testing.assert_allclose(np.ptp(noise[inside], axis=1), 0, atol=1e-12)
    assert noise[inside].std() > 0.3
    rows = len(actions)
    before, after = (each.reshape(rows, HORIZON, -1) for each in (before, after))
    np.testing.assert_array_equal(before[:, 0], np.tile(observed, (rows, 1)))
    np.testing.assert_array_equal(before[:, 1:], after[:, :-1])
    np.testing.assert_array_equal(done, actions.reshape(-1, 2).astype(np.float32))


def test_the_unit_of_a_reward_does_not_matter() -> None:
    env: Any = reacher(None)
    observed, _ = env.reset(seed=0)
    plans = [
        PlannerPolicy([env], "spin").improved(env.unwrapped, task, np.zeros((HORIZON, 2)), observed)
        for task in (
            Task("plain", "", lambda observation, action, after: after[:, -1]),
            Task("large", "", lambda observation, action, after: 1024 * after[:, -1]),
        )
    ]
    np.testing.assert_allclose(plans[0], plans[1], atol=1e-6)


def test_a_simulation_that_breaks_leaves_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **more: Any) -> Any:
        raise FloatingPointError

    monkeypatch.setattr(planner_module, "rollout", broken)
    env: Any = reacher("spin")
    observed, _ = env.reset(seed=0)
    (action,), _ = PlannerPolicy([env], "spin").predict([observed])
    assert not action.any()


def test_no_plan_without_a_simulator() -> None:
    with pytest.raises(TypeError, match="MuJoCo world"):
        PlannerPolicy([gym.make("zerogym/Chain-v0", task=None)], "far_end")


def test_the_command_takes_bodies_only(tmp_path: Any) -> None:
    entries = {entry.name: entry for entry in control_worlds()}
    with pytest.raises(CannotMeasure, match="planner needs a MuJoCo body, Chain"):
        measure(Request(entries["Chain"], agents=("planner",)), tmp_path, "")
    request = Request(entries["Reacher"], ("spin",), ("random",), episodes=2)
    measure(request, tmp_path, "")
    env: Any = gym.make("zerogym/Reacher-v0", task=None).unwrapped
    gap = references(entries["Reacher"], env, ["spin"], [tmp_path])["spin"]
    assert isinstance(gap, Gap)
    assert "--agent planner" in str(gap)
