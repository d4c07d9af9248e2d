"""Tasks with constants of the physics: as argument, in `reset`, composed, refused."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.control.worlds import bare
from zerogym.errors import UnknownName

# A constant of each kind of world, and a value that is not its default.
WORLDS = {
    "Pendulum": ("gravity", 1.62),
    "CartPole": ("track", 1.6),
    "Acrobot": ("dt", 0.15),
    "MountainCar": ("force", 0.0008),
    "Walker": ("gravity", 1.62),
    "TwoRooms": ("door", 45.0),
    "Quadrotor": ("gravity", 3.7),
    "RacingRing": ("power", 30.0),
    "Trading": ("fee", 0.2),
    "CognitiveRadio": ("switch", 0.9),
}


def first_task(name: str) -> Any:
    return next(iter(bare(name).tasks.values()))


def played(env: Any, seed: int, **options: Any) -> list[np.ndarray]:
    """Return the observations of five random steps."""
    rng = np.random.default_rng(0)
    rows = [env.reset(seed=seed, options=options)[0]]
    return rows + [env.step(env.random_action(rng))[0] for _ in range(5)]


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_made_with_such_a_task_has_its_constants(name: str) -> None:
    constant, value = WORLDS[name]
    task = replace(first_task(name), context={constant: value})
    env, plain = bare(name, task=task), bare(name, task=task.name, context={constant: value})
    for ours, theirs in zip(played(env, 3), played(plain, 3), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert env.context == plain.context and env.context[constant] == value


@pytest.mark.parametrize("name", WORLDS)
def test_given_to_reset_they_are_for_one_episode(name: str) -> None:
    constant, value = WORLDS[name]
    task, env = replace(first_task(name), context={constant: value}), bare(name)
    before = dict(env.context)
    env.reset(seed=1, options={"task": task})
    assert env.context == before | {constant: value}
    own = bare(name).constants[constant].default
    env.reset(seed=1, options={"task": task, "context": {constant: own}})
    assert env.context == before, "what is pinned by hand is pinned"
    env.reset(seed=1)
    assert env.context == before


@pytest.mark.parametrize("name", WORLDS)
def test_another_physics_is_forgotten_exactly(name: str) -> None:
    constant, value = WORLDS[name]
    env = bare(name, task=next(iter(bare(name).tasks)))
    first = played(env, 5)
    played(env, 5, context={constant: value})
    np.testing.assert_array_equal(played(env, 5), first)


def test_only_the_named_constants_are_the_tasks() -> None:
    task = replace(first_task("Pendulum"), context={"gravity": 1.62})
    env = bare("Pendulum", task=task, context={"gravity": 3.7, "mass": 1.5})
    env.reset(seed=0)
    assert (env.context["gravity"], env.context["mass"]) == (1.62, 1.5)


def test_vehicles_stepped_together_have_them_too() -> None:
    task = replace(first_task("Quadrotor"), context={"gravity": 3.7})
    ours = bare("Quadrotor", task=task).batched(4)
    theirs = bare("Quadrotor", task=task.name, context={"gravity": 3.7}).batched(4)
    ends = []
    for worlds in (ours, theirs):
        worlds.reset(seed=0)
        ends.append(worlds.step(np.zeros((4, 4), np.float32))[0])
    np.testing.assert_array_equal(*ends)


def test_composed_tasks_keep_them_and_may_not_differ() -> None:
    env = bare("Walker")
    moon, stand = replace(env.tasks["run"], context={"gravity": 1.62}), env.tasks["stand"]
    heavy = replace(stand, context={"mass": 1.5})
    for task in (moon + stand, stand + moon, 2 * moon, moon - 1, moon * stand, -moon):
        assert task.context == {"gravity": 1.62}
    assert (moon + heavy).context == {"gravity": 1.62, "mass": 1.5}
    assert (stand + 1).context is None
    with pytest.raises(ValueError, match=r"one task has gravity = 1.62, the other 3.7"):
        moon * replace(stand, context={"gravity": 3.7})
    assert pickle.loads(pickle.dumps(moon)).context == {"gravity": 1.62}


def test_constants_that_the_world_does_not_have_are_refused() -> None:
    run = bare("Walker").tasks["run"]
    wrong = replace(run, context={"gravty": 1.62})
    with pytest.raises(UnknownName, match=r"'gravty'. Did you mean 'gravity'"):
        bare("Walker", task=wrong)
    far = replace(run, context={"gravity": 500.0})
    with pytest.raises(ValueError, match=r"gravity .* must lie in \[1, 20\], got 500"):
        bare("Walker", task=far)
    with pytest.raises(ValueError, match=r"got 500"):
        bare("Walker").reset(options={"task": far})
    goal = bare("FourRooms").tasks["goal_1_1"]
    with pytest.raises(UnknownName, match="no constant of FourRoomsEnv 'gravity'"):
        bare("FourRooms", task=replace(goal, context={"gravity": 1.62}))
