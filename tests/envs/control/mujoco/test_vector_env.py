"""Bodies in one vector environment: bit for bit what Gymnasium's makes of single ones."""

import copy
import gc
import pickle
import threading
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode

import zerogym  # noqa: F401 (registers the ids)
from helpers.control.vector_steps import same, walk
from zerogym.envs.control.mujoco import threads as mujoco_threads
from zerogym.envs.control.mujoco.vector_env import MujocoVectorEnv
from zerogym.errors import UnknownName

pytest.importorskip("mujoco", reason="these worlds are simulated by MuJoCo")

TASKS = {
    "Walker": "run",
    "Cheetah": "run",
    "Hopper": "stand + 0.1 * speed",
    "PointMassMaze": "0.5 * speed_x",
    "Reacher": "spin",
    "Ant": "walk",
}
COUNT, HORIZON = 3, 7
each = pytest.mark.parametrize("body", TASKS)


def both(body: str, **kwargs: Any) -> tuple[MujocoVectorEnv, gym.vector.VectorEnv]:
    """Ours and Gymnasium's."""
    made = {"task": None, "horizon": HORIZON, **kwargs}
    ours = gym.make_vec(f"zerogym/{body}-v0", num_envs=COUNT, threads=2, **made)
    assert isinstance(ours, MujocoVectorEnv)
    return ours, gym.make_vec(f"zerogym/{body}-v0", COUNT, "sync", **made)


@each
def test_several_episodes_are_those_of_single_bodies(body: str) -> None:
    ours, theirs = both(body, task=TASKS[body], horizon=50)
    for name in ("single_observation_space", "observation_space", "action_space", "metadata"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    same(ours.reset(seed=5), theirs.reset(seed=5))
    found = walk(ours, theirs, 130)
    assert [n for n, step in enumerate(found) if step[3].all()] == [49, 100]
    assert found[50][4]["turn"].tolist() == [0] * COUNT, "begun anew"
    assert any(step[1].all() for step in found)


@each
def test_a_goal_is_reached_in_the_same_step(body: str) -> None:
    single: Any = gym.make(f"zerogym/{body}-v0").unwrapped
    start = single.reset(seed=1)[0]
    if body == "Cheetah":
        start[1:3] = 0.0, -1.0  # upside down: not near any other start
    ours, theirs = both(body, task=start)
    options = {"start": start}
    same(ours.reset(seed=[4, None, 9], options=dict(options)),
         theirs.reset(seed=[4, None, 9], options=dict(options)))  # fmt: skip
    still = np.zeros(ours.action_space.shape, dtype=np.float32)
    found = ours.step(still)
    same(found, theirs.step(still))
    assert found[4]["success"].all()
    for env in (ours, theirs):
        env.reset(seed=2)
    found = walk(ours, theirs, HORIZON)
    assert found[0][4]["_success"].all() and not found[0][4]["success"].all()


@pytest.mark.parametrize(
    "task",
    [
        None,
        "0.5 * run + upright",
        lambda obs, action, next_obs: (next_obs[:, 0] - obs[:, 0]) * action[:, 0],
        lambda features, action: features["speed"] - 0.1 * (action**2).sum(axis=1),
    ],
)
def test_any_reward_works(task: Any) -> None:
    ours, theirs = both("Walker", task=task)
    same(ours.reset(seed=0), theirs.reset(seed=0))
    walk(ours, theirs, HORIZON + 3)


def test_some_may_begin_anew_with_another_task_and_other_constants() -> None:
    ours, theirs = both("Hopper", task="hop", context={"mass": 1.5})
    same(ours.reset(seed=0), theirs.reset(seed=0))
    walk(ours, theirs, 3)
    mask = np.array([False, True, False])
    for task in ("stand", None, np.asarray(ours.reset(seed=3)[0][0])):
        same(ours.reset(seed=3), theirs.reset(seed=3))
        options = {"reset_mask": mask, "task": task, "context": {"gravity": 5.0}}
        same(ours.reset(seed=8, options=dict(options)), theirs.reset(seed=8, options=dict(options)))
        found = walk(ours, theirs, 2 * HORIZON)
        assert found[HORIZON - 1][4]["turn"].tolist() == [HORIZON] * COUNT
    assert mask.tolist() == [False, True, False]


def test_each_body_may_have_its_own_constants() -> None:
    contexts = [{}, {"gravity": 4.0}, {"mass": 2.0, "gain": 0.5}]
    id = "zerogym/Walker-v0"
    ours = gym.make_vec(id, num_envs=3, task="walk", horizon=HORIZON, context=contexts)
    theirs = gym.vector.SyncVectorEnv(
        [
            lambda context=context: gym.make(id, task="walk", horizon=HORIZON, context=context)
            for context in contexts
        ]
    )
    same(ours.reset(seed=0), theirs.reset(seed=0))
    walk(ours, theirs, 2 * HORIZON)


@each
def test_threads_change_no_bit(body: str) -> None:
    id, returned = f"zerogym/{body}-v0", []
    for threads in (1, 2, 5):
        envs = gym.make_vec(id, num_envs=5, threads=threads, task=None, horizon=HORIZON)
        rng = np.random.default_rng(0)
        found: list[Any] = [envs.reset(seed=0)]
        found += [envs.step(rng.uniform(-1, 1, envs.action_space.shape)) for _ in range(HORIZON)]
        returned.append(found)
        envs.close()
    same(returned[1], returned[0])
    same(returned[2], returned[0])


def test_what_was_returned_stays_as_it_was() -> None:
    task = lambda obs, action, next_obs: obs[:, 0]  # noqa: E731
    ours, _ = both("Hopper", task=task)
    first, infos = ours.reset(seed=0)
    kept = first.copy()
    first[:], infos["_turn"][:] = 0.0, False  # nor does it matter what becomes of it
    again, _ = both("Hopper", task=task)
    same(again.reset(seed=0)[0], kept)
    actions = np.full(ours.action_space.shape, 0.3)
    same(ours.step(actions), again.step(actions))


def test_those_who_begin_anew_are_not_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, _ = both("Reacher", horizon=1)
    ours.reset(seed=0)
    actions = np.zeros(ours.action_space.shape)
    assert ours.step(actions)[3].all()
    moved: list[Any] = []
    with monkeypatch.context() as patch:
        patch.setattr(ours._bodies, "_mj_step", lambda model, data, substeps: moved.append(data))
        assert not ours.step(actions + np.nan)[3].any()
    assert not moved
    with pytest.raises(ValueError, match="finite numbers"):
        ours.step(actions + np.nan)


def test_misuse_is_refused_in_words() -> None:
    ours, _ = both("Reacher")
    zeros = np.zeros(ours.action_space.shape)
    with pytest.raises(ResetNeeded, match="zerogym/Reacher-v0: call reset"):
        ours.step(zeros)
    with pytest.raises(ResetNeeded, match="without a mask first"):
        ours.reset(options={"reset_mask": np.array([True, False, False])})
    ours.reset(seed=0)
    for bad in (zeros[:2], zeros[:, :1], "left", zeros + np.inf, zeros + 1j, None):
        with pytest.raises(ValueError, match=r"actions must be \(3, 2\) finite numbers"):
            ours.step(bad)
    for mask in ([True], [0, 1, 1], [False] * 3, "all"):
        with pytest.raises(ValueError, match="reset_mask must be 3 truth values"):
            ours.reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="2 seeds for 3 worlds"):
        ours.reset(seed=[1, 2])
    with pytest.raises(UnknownName, match="no such"):
        ours.reset(options={"no such": 1})
    id = "zerogym/Reacher-v0"
    for wrong, words in (
        ({"num_envs": 0}, "num_envs must be an integer >= 1, got 0"),
        ({"threads": 1.5}, "threads must be an integer >= 1, got 1.5"),
        ({"num_envs": 3, "context": [{}]}, "1 contexts for 3 worlds"),
        ({"task": "rech_top_left"}, "reach_top_left"),
    ):
        with pytest.raises(ValueError, match=words):
            gym.make_vec(id, **wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="max_episode_steps"):
        gym.make_vec(id, num_envs=2, max_episode_steps=5)


def test_an_unstable_simulation_ends_all_until_they_begin_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log
    ours, theirs = both("Ant", task="walk")
    ours.reset(seed=0)
    ours.worlds[1].data.qvel[-3:] = 1e9
    actions = np.zeros(ours.action_space.shape, dtype=np.float32)
    with pytest.raises(FloatingPointError, match="body 1 has become unstable"):
        ours.step(actions)
    with pytest.raises(ResetNeeded):
        ours.step(actions)
    same(ours.reset(seed=1), theirs.reset(seed=1))
    walk(ours, theirs, 3)


def test_wrappers_of_batches_take_it() -> None:
    envs = gym.wrappers.vector.RecordEpisodeStatistics(both("Walker", task="stand")[0])
    envs.reset(seed=0)
    actions = np.zeros(envs.action_space.shape)
    infos = [envs.step(actions)[4] for _ in range(HORIZON)][-1]
    assert infos["episode"]["l"].tolist() == [HORIZON] * COUNT
    assert (infos["episode"]["r"] > 0).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_a_copy_goes_on_by_itself_as_the_original_would(copied: Any, threads: int) -> None:
    ours = gym.make_vec("zerogym/Walker-v0", num_envs=COUNT, threads=threads, task="run")
    ours.reset(seed=0)
    actions = np.full(ours.action_space.shape, 0.3)
    ours.step(actions)
    other = copied(ours)
    found = [other.step(actions) for _ in range(3)]
    same([ours.step(actions) for _ in range(3)], found)
    assert not np.array_equal(found[0][0], found[1][0])


def test_nobody_moves_a_body_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, _ = both("Walker")
    ours.reset(seed=0)
    moving, release = threading.Event(), threading.Event()
    moved: list[Any] = []
    wait = mujoco_threads.wait

    def slow(model: Any, data: Any, substeps: int) -> None:
        moving.set()
        assert release.wait(60)
        moved.append(data)

    def interrupted(running: Any) -> Any:
        monkeypatch.setattr(mujoco_threads, "wait", wait)
        assert moving.wait(60)
        threading.Timer(0.05, release.set).start()
        raise KeyboardInterrupt

    monkeypatch.setattr(ours._bodies, "_mj_step", slow)
    monkeypatch.setattr(mujoco_threads, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ours.step(np.zeros(ours.action_space.shape))
    assert len(moved) == COUNT
    with pytest.raises(ResetNeeded):
        ours.step(np.zeros(ours.action_space.shape))


def test_threads_end_when_it_is_closed_or_forgotten() -> None:
    def ours_alive() -> int:
        return sum(each not in before for each in threading.enumerate())

    before = threading.enumerate()
    for end in (lambda envs: envs.close(), lambda envs: None):
        envs = both("Walker")[0]
        envs.reset(seed=0)
        envs.step(np.zeros(envs.action_space.shape))
        assert ours_alive() in (1, 2), "the second begins where the first is busy"
        end(envs)
        del envs
        gc.collect()
        for thread in threading.enumerate():
            if thread not in before:
                thread.join(60)
        assert ours_alive() == 0


def test_after_close_nothing_begins() -> None:
    ours, _ = both("Walker")
    ours.reset(seed=0)
    ours.close()
    ours.close()
    with pytest.raises(ResetNeeded):
        ours.step(np.zeros(ours.action_space.shape))
    with pytest.raises(ClosedEnvironmentError, match="zerogym/Walker-v0: it has been closed"):
        ours.reset(seed=0)


def test_a_step_that_resets_has_no_reward() -> None:
    """The reward may divide by the way gone: no way is gone where an episode begins."""

    def per_way(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
        return 1 / np.abs(next_obs - obs).sum(-1)

    ours = gym.make_vec("zerogym/Walker-v0", num_envs=3, threads=1, task=per_way, horizon=4)
    ours.reset(seed=0)
    actions = np.ones(ours.action_space.shape or ())
    for _ in range(2):
        ours.step(actions)
    ours.reset(seed=7, options={"reset_mask": np.array([True, False, True])})
    rewards = [ours.step(actions)[1] > 0 for _ in range(5)]
    begun = [[False] * 3, [False] * 3, [False, True, False], [False] * 3, [True, False, True]]
    np.testing.assert_array_equal(rewards, ~np.array(begun))
