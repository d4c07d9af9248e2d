"""Stored starts, guides and demonstrations: where episodes begin, and what is left of them."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import FrameStackObservation, TimeLimit

import zerogym  # noqa: F401 (registers the ids)
from zerogym import wrappers as ours

DOWN = np.array([0.0, 1.0], dtype=np.float32)


def make(name: str = "PointMaze", **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{name}-v0", **kwargs)


def test_episodes_begin_at_rows_of_a_data_set() -> None:
    rows = np.array([[0.5, 0.5], [2.5, 2.5], [1.5, 0.2]], dtype=np.float32)
    env = ours.SnapshotStart(make(), rows, probability=0.75)
    found = [env.reset(seed=seed) for seed in range(1000)]
    numbers = [info["start"] for _, info in found]
    assert 0.72 < np.mean([number is not None for number in numbers]) < 0.78
    for obs, info in found:
        if info["start"] is not None:
            np.testing.assert_array_equal(obs, rows[info["start"]])
        assert info["turn"] == 0
    assert all(200 < numbers.count(number) < 300 for number in range(3)), "evenly"
    others = [obs for obs, info in found if info["start"] is None]
    assert len({tuple(obs) for obs in others}) == len(others), "the rest begin anywhere"


def test_a_body_begins_in_a_stored_state_of_the_simulator() -> None:
    world = make("Walker", task="stand")
    inside = world.unwrapped
    world.reset(seed=0)
    states = []
    for _ in range(5):
        world.step(np.full(6, 0.5, dtype=np.float32))
        states.append((inside.data.qpos.copy(), inside.data.qvel.copy()))
    qpos, qvel = (np.array(part) for part in zip(*states, strict=True))
    env = ours.SnapshotStart(make("Walker", task="stand"), inside.observations(qpos, qvel))
    for seed in range(6):
        obs, info = env.reset(seed=seed)
        number = info["start"]
        np.testing.assert_allclose(env.unwrapped.data.qvel, qvel[number], atol=1e-5)
        np.testing.assert_allclose(env.unwrapped.data.qpos[1:], qpos[number, 1:], atol=1e-5)
        np.testing.assert_allclose(obs, inside.observations(qpos, qvel)[number], atol=1e-6)


def test_an_episode_goes_on_where_it_was() -> None:
    def stack() -> Any:
        return FrameStackObservation(make("Pendulum", task="upright", horizon=30), 3)

    env = stack()
    env.reset(seed=5, options={"context": {"mass": 1.5}})
    for _ in range(10):
        obs, *_, info = env.step([0.5])
    moment = ours.Moment.of(env, obs, info)
    expected = [env.step([-0.5]) for _ in range(20)]
    again = ours.SnapshotStart(stack(), [moment])
    for seed in (1, 2):
        start, rows = again.reset(seed=seed)
        np.testing.assert_array_equal(start, obs)
        assert rows == info | {"start": 0}
        for row in expected:
            found = again.step([-0.5])
            np.testing.assert_array_equal(found[0], row[0])
            assert found[1:4] == row[1:4]
        assert expected[-1][3], "the steps that were left"
        assert again.unwrapped.context["mass"] == 1.5
    whole = ours.SnapshotStart(stack(), [moment], probability=0.0).reset(seed=1)[1]
    assert whole["turn"] == 0 and whole["start"] is None


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_chance_goes_on_and_is_not_repeated(noise: float) -> None:
    world = ours.NoisyObservation(make("SlipperyGrid", slip=0.5, task="goal_7_7"), noise)
    obs, info = world.reset(seed=0, options={"start": (2, 2)})
    env = ours.SnapshotStart(world, [ours.Moment.of(world, obs, info)])

    def way(seed: int | None) -> tuple[int, ...]:
        env.reset(seed=seed)
        return tuple(int(env.step(action)[0].argmax()) for action in (3, 3, 2, 2, 1, 4))

    assert len({way(seed) for seed in range(12)}) > 6
    assert len({way(None) for _ in range(12)}) > 6
    assert way(3) == way(3), "but it follows from the seed"


def test_a_pool_may_grow_while_it_is_used() -> None:
    pool: list[Any] = []
    env = ours.SnapshotStart(make(), pool)
    with pytest.raises(ValueError, match="no starts to draw from yet"):
        env.reset(seed=0)
    pool.append([0.5, 0.5])
    assert env.reset()[0].tolist() == [0.5, 0.5]
    pool.extend([[0.6, 0.5]] * 50)
    assert max(env.reset()[1]["start"] for _ in range(5)) > 10
    assert env.reset(options={"start": (2.5, 2.5)})[1]["start"] is None, "what is pinned stays"


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"start must be a point .* got \[9\. 9\.\]"):
        ours.SnapshotStart(make(), [[9.0, 9.0]]).reset(seed=0)
    world = make(horizon=1)
    world.reset(seed=0)
    obs, *_, info = world.step(DOWN)
    with pytest.raises(ValueError, match="start 0 is the end of an episode"):
        ours.SnapshotStart(world, [ours.Moment.of(world, obs, info)]).reset(seed=0)
    walk = {"actions": [DOWN] * 4}
    for share, rate in (((-0.1, 1.0), 1.0), ((0.8, 0.2), 1.0), ((0.0, 1.1), 1.0), ((0, 1), 1.1)):
        with pytest.raises(ValueError, match=r"PrefixStart: (share|rate) must lie in"):
            ours.PrefixStart(make(), [walk], share, rate)
    for none in ([], [walk, {"actions": []}], [{"acts": [DOWN]}]):
        with pytest.raises(ValueError, match="no actions in demonstrations"):
            ours.PrefixStart(make(), none)
    for stages, window in (([], 1), ([1, 1], 1), ([1, 2], 1), ([2, -1], 1), ([2, 0], 0)):
        with pytest.raises(ValueError, match=r"fewer and fewer steps|must be a whole number"):
            ours.JumpStartCurriculum(make(), stages, 1.0, window)


def test_a_demonstration_is_played_up_to_a_drawn_share() -> None:
    actions = np.random.default_rng(0).uniform(-1, 1, (10, 2)).astype(np.float32)
    walks = [{"options": {"start": (x, 0.4)}, "actions": actions} for x in (0.4, 2.6)]
    env, plain = ours.PrefixStart(make(), walks, (0.2, 0.9), rate=0.8), make()
    jumps, demonstrations = [], []
    for seed in range(150):
        obs, info = env.reset(seed=seed)
        jumps.append(info["jump"])
        demonstrations.append(info["demonstration"])
        if info["demonstration"] is None:
            assert info["jump"] == info["turn"] == 0
            continue
        expected, _ = plain.reset(options=walks[info["demonstration"]]["options"])
        for action in actions[: info["jump"]]:
            expected = plain.step(action)[0]
        np.testing.assert_array_equal(obs, expected)
        assert info["turn"] == info["jump"]
    played = [jump for jump in jumps if jump]
    assert set(played) == set(range(2, 9))
    assert 0.72 < len(played) / 150 < 0.88
    assert 0.4 < np.mean([one == 1 for one in demonstrations if one is not None]) < 0.6


def test_a_demonstration_that_ends_the_episode_is_dropped() -> None:
    env = ours.PrefixStart(make(horizon=3), [{"actions": [DOWN] * 9}], (1.0, 1.0))
    _, info = env.reset(seed=0)
    assert (info["jump"], info["demonstration"], info["turn"]) == (0, None, 0)


def rewarded_one(env: Any) -> Any:
    """Return an environment whose every step has the reward 1."""
    return gym.wrappers.TransformReward(env, lambda reward: 1.0)


def rest(env: Any) -> int:
    """Plays an episode to its end; the number of steps that were left."""
    steps, over = 0, False
    while not over:
        _, _, _, over, _ = env.step(DOWN)
        steps += 1
    return steps


def test_the_guide_plays_less_as_soon_as_both_do_well() -> None:
    env = ours.JumpStartCurriculum(
        rewarded_one(make(horizon=10)), [6, 3, 0], 10.0, 2, lambda obs: DOWN
    )
    rows = []
    for _ in range(6):
        _, info = env.reset(seed=0)
        rows.append((info["stage"], info["jump"], rest(env)))
    assert rows == [(0, 6, 4)] * 2 + [(1, 3, 7)] * 2 + [(2, 0, 10)] * 2, "its rewards count, too"
    hard = ours.JumpStartCurriculum(
        rewarded_one(make(horizon=10)), [6, 0], 10.5, 1, lambda obs: DOWN
    )
    for _ in range(3):
        assert hard.reset(seed=0)[1]["stage"] == 0
        rest(hard)


def test_only_the_last_episodes_of_a_stage_count() -> None:
    rewards = [0.0, 0.0, 8.0, 8.0, 0.0, 8.0]
    world = gym.wrappers.TransformReward(TimeLimit(make(horizon=50), 1), lambda _: rewards.pop(0))
    env = ours.JumpStartCurriculum(world, [0], 8.0, 2)
    stages = ours.JumpStartCurriculum(world, [1, 0], 8.0, 2, lambda obs: DOWN)
    assert env.stages == [0] and stages.stages == [1, 0]
    env.stages = [1, 0]  # so that there is a second stage, without a guide in the first
    observed = []
    for _ in range(6):
        env._memory["paid"] = 0.0
        world.reset(seed=0)
        env.step(DOWN)
        observed.append(env._memory["stage"])
    assert observed == [0, 0, 0, 1, 1, 1]


def test_an_episode_that_the_guide_ends_does_not_count() -> None:
    env = ours.JumpStartCurriculum(rewarded_one(make(horizon=5)), [9, 0], 1.0, 1, lambda obs: DOWN)
    for _ in range(3):
        _, info = env.reset(seed=0)
        assert (info["jump"], info["stage"]) == (0, 0)
        rest(env)


def test_jumps_are_drawn_evenly() -> None:
    env = ours.JumpStart(make(), (2, 5), lambda obs: DOWN)
    jumps = [env.reset(seed=seed)[1]["jump"] for seed in range(200)]
    assert set(jumps) == {2, 3, 4, 5} and min(map(jumps.count, (2, 3, 4, 5))) > 30


def test_stored_starts_do_not_undo_a_curriculum() -> None:
    world = gym.make("zerogym/CartPole-v0", task="balance", horizon=4)
    inside = ours.JumpStartCurriculum(world, [2, 1, 0], 4.0, 1, lambda obs: [0.0])
    early = ours.Moment.of(inside, *inside.reset(seed=0))
    env = ours.SnapshotStart(inside, [early])

    def played() -> tuple[int, list[float]]:
        _, info = env.reset()
        assert info["start"] == 0 and info["turn"] == 2
        while not env.step([0.0])[3]:
            pass
        return inside.progress

    assert played() == (1, []), "an episode of this stage, and good enough"
    assert played() == (1, []), "an episode of another stage is not judged"
    inside.progress = (2, [1.0])
    assert played() == (2, [1.0])
