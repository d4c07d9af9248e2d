"""All MuJoCo worlds: rewards without a simulator, and snapshots that go on bit for bit."""

import numpy as np
import pytest
from bodies import OTHERS, PLANAR, make, rollout, seeded, transitions

each = pytest.mark.parametrize("id", (*PLANAR, *OTHERS))


@each
def test_relabelled_rewards_equal_streamed_ones_exactly(id: str) -> None:
    check_relabelling(id, 10_000)


@pytest.mark.slow
@each
def test_relabelled_rewards_equal_streamed_ones_on_a_hundred_thousand(id: str) -> None:
    check_relabelling(id, 100_000)


def check_relabelling(id: str, count: int) -> None:
    """Every task pays the live world, along one stream of transitions, what it pays stored ones."""
    env, paid = make(id), []
    tasks = env.tasks

    def every(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
        if len(obs) == 1:  # a live step
            paid.append([task.relabel(obs, action, next_obs)[0] for task in tasks.values()])
        return np.zeros(len(obs))

    obs, action, next_obs, _ = transitions(env, count, every)
    streamed = np.array(paid)
    assert streamed.shape == (count, len(tasks))
    for index, task in enumerate(tasks.values()):
        stored = task.relabel(obs, action, next_obs)
        np.testing.assert_array_equal(stored, streamed[:, index], err_msg=task.name)
        assert stored.min() >= 0 and stored.max() <= 1


@each
def test_the_task_does_not_touch_the_physics(id: str) -> None:
    env = make(id)
    free = transitions(env, 50)
    assert not free[3].any(), "the world itself is reward-free"
    for task in env.tasks.values():
        stored = transitions(make(id), 50, task.name)
        for one, other in zip(free[:3], stored[:3], strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(task.relabel(*free[:3]), stored[3])


@each
def test_a_snapshot_continues_bit_for_bit(id: str) -> None:
    env = seeded(make(id))
    rollout(env, 100)
    state = env.get_state()
    first = rollout(env, 300)
    env.set_state(state)
    np.testing.assert_array_equal(rollout(env, 300), first)
    other = seeded(make(id, context={"mass": 2.0}))
    other.set_state(state)
    assert other.context["mass"] == 1.0
    np.testing.assert_array_equal(rollout(other, 300), first)
