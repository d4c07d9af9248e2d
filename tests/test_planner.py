"""Planning in MuJoCo bodies: it must use the simulator and the reward, and be the same twice."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.baselines.bounds import RandomPolicy
from zerogym.agents.baselines.planner import HORIZON, PlannerPolicy
from zerogym.benchmarks.baselines.measure import CannotMeasure, Request, control_worlds, measure
from zerogym.benchmarks.baselines.scores import Gap, references
from zerogym.benchmarks.episodes import play
from zerogym.envs.control.mujoco_rollout import rollout
from zerogym.envs.control.tasks import Task

STEPS = 60


def reacher(task: Any) -> gym.Env[Any, Any]:
    return gym.make("zerogym/Reacher-v0", task=task, horizon=STEPS)


def earned(env: gym.Env[Any, Any], policy: Any) -> float:
    return float(np.mean([episode.value for episode in play([env], policy, [0, 1])]))


@pytest.mark.parametrize("task", ["spin", "0.5 * spin"])
def test_a_plan_earns_far_more_than_chance(task: str) -> None:
    env = reacher(task)
    best = STEPS * (0.5 if "*" in task else 1.0)
    assert earned(env, PlannerPolicy([env], task)) > 0.6 * best
    assert earned(env, RandomPolicy([env])) < 0.2 * best


def test_the_opposite_reward_turns_the_plan_around() -> None:
    """A reward of the user's own: the first joint's speed, and minus it."""

    def turning(sign: float) -> float:
        def reward(observation: Any, action: Any, after: Any) -> Any:
            return sign * after[:, -2]

        env = gym.make("zerogym/Reacher-v0", task=None, horizon=STEPS)
        planner, state = PlannerPolicy([env], reward), None
        seen, _ = env.reset(seed=0)
        for _ in range(20):
            (action,), state = planner.predict([seen], state)
            seen = env.step(action)[0]
        return float(seen[-2])

    assert turning(1.0) > 1.0
    assert turning(-1.0) < -1.0


def test_the_same_seed_plans_the_same() -> None:
    runs = []
    for seed in (0, 0, 1):
        env = reacher("spin")
        seen, _ = env.reset(seed=3)
        (action,), _ = PlannerPolicy([env], "spin", seed).predict([seen])
        runs.append(action)
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_a_new_plan_is_the_weighed_mean_of_what_was_tried() -> None:
    """With a reward of actions alone, the plan moves to what pays, on every step ahead."""

    def pushed(observation: Any, action: Any, after: Any) -> Any:
        return action[:, 0]

    env: Any = gym.make("zerogym/Reacher-v0", task=None)
    seen, _ = env.reset(seed=0)
    planner = PlannerPolicy([env], pushed)
    plan = np.zeros((HORIZON, 2))
    world, task = env.unwrapped, Task("pushed", "", pushed)
    for _ in range(30):
        plan = planner.improved(world, task, plan, seen)
    assert plan[:, 0].min() > 0.6
    assert np.abs(plan[:, 1]).mean() < 0.5
    before = world.data.qpos.copy()
    rollout(env, plan[None], np.concatenate([world.data.qpos, world.data.qvel])[None])
    assert np.array_equal(world.data.qpos, before)  # planning does not move the body


def test_no_plan_without_a_simulator() -> None:
    with pytest.raises(TypeError, match="MuJoCo world"):
        PlannerPolicy([gym.make("zerogym/Chain-v0")], "far_end")


def test_the_command_refuses_other_worlds_and_asks_for_it_in_bodies(tmp_path: Any) -> None:
    entries = {entry.name: entry for entry in control_worlds()}
    with pytest.raises(CannotMeasure, match="planner needs a MuJoCo body, Chain"):
        measure(Request(entries["Chain"], agents=("planner",)), tmp_path, "")
    request = Request(entries["Reacher"], ("spin",), ("random",), episodes=2)
    measure(request, tmp_path, "")
    env: Any = gym.make("zerogym/Reacher-v0").unwrapped
    gap = references(entries["Reacher"], env, ["spin"], [tmp_path])["spin"]
    assert isinstance(gap, Gap)
    assert "--agent planner" in str(gap)
