"""Two rooms: the door is where the context says, the picture shows it, the oracle finds it."""

from functools import partial

import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.core.contexts import SPLITS, Split
from zerogym.envs.control.mazes.physics import is_free, move
from zerogym.envs.control.mazes.two_rooms import CONSTANTS, two_rooms
from zerogym.errors import UnknownName

make = partial(bare, "TwoRooms")
CORNERS = [{"door": door, "wall": wall} for door in (10.0, 53.0) for wall in (20.0, 43.0)]


def contexts(split: Split, count: int) -> list[dict[str, float]]:
    rng = np.random.default_rng(0)
    return [{name: c.draw(rng, split) for name, c in CONSTANTS.items()} for _ in range(count)]


@pytest.mark.parametrize("context", CORNERS + contexts("train", 4), ids=str)
def test_one_passes_the_door_and_nothing_else(context: dict[str, float]) -> None:
    rooms = two_rooms(**context)
    ys = np.linspace(4.5, 58.5, 217)
    at = np.stack([np.full_like(ys, context["wall"] - 10), ys], axis=1).astype(np.float32)
    for _ in range(20):
        at = move(rooms, at, np.tile([1.0, 0.0], (len(at), 1)))
        assert is_free(rooms, at).all()
    through = at[:, 0] > context["wall"]
    np.testing.assert_array_equal(through, np.abs(ys - context["door"]) <= 4.5)
    stopped = at[~through, 0]
    np.testing.assert_array_equal(stopped, np.float32(context["wall"] - 1.5))


def test_walls_stop_a_point_of_any_speed_and_the_border_too() -> None:
    rng, rooms = np.random.default_rng(0), two_rooms(20.0, 31.7)
    before = rng.uniform(4.5, 58.5, (4000, 2)).astype(np.float32)
    before = before[is_free(rooms, before)]
    after = move(rooms, before, rng.uniform(-40, 40, before.shape))
    assert is_free(rooms, after).all()
    crossed = (before[:, 0] < 31.7) != (after[:, 0] < 31.7)
    assert crossed.any() and (np.abs(before[crossed, 1] - 20) <= 4.5).all()


def test_the_context_of_an_episode_ends_with_it() -> None:
    env = make(context={"door": 40})
    own, other = {"door": 40.0, "wall": 32.0}, {"door": 10.0, "wall": 25.5}
    assert env.context == own
    track = [(0.9, 0.3)] * 40

    def trace() -> list[list[float]]:
        return [env.step(action)[0].tolist() for action in track]

    env.reset(options={"start": (10, 10)})
    first, snapshot = trace(), env.get_state()
    env.reset(options={"start": (10, 10), "context": {"wall": 25.5}})
    assert env.context == other
    changed = trace()
    assert changed != first and max(x for x, _ in changed) > 30, "through the door at 10"
    env.set_state(snapshot)
    assert env.context == own
    env.reset(options={"start": (10, 10)})
    assert env.context == own and trace() == first


def test_a_refused_reset_leaves_the_episode_as_it_was() -> None:
    env = make()
    env.reset(seed=0, options={"start": (10, 10)})
    for options in ({"context": {"wall": 19}}, {"context": {"wall": 25}, "start": (25, 30)}):
        with pytest.raises(ValueError, match=r"TwoRooms-v0: (wall|start)"):
            env.reset(options=options)
        assert env.context == {"door": 10.0, "wall": 32.0}
        assert env.step([0, 0])[0].tolist() == [10, 10]


def test_bad_arguments_are_refused() -> None:
    env = make(task=(25, 30))  # free, as long as the wall is not there
    with pytest.raises(ValueError, match=r"goal must be .* in no wall"):
        env.reset(options={"context": {"wall": 25}})
    env.reset(options={"context": {"wall": 25}, "task": (32, 30)})
    with pytest.raises(UnknownName, match=r"Known.*context"):
        env.reset(options={"contexts": {}})
    with pytest.raises(ValueError, match="'cross' draws a task for each episode"):
        make(task="cross").batched(4)


@pytest.mark.parametrize("context", CORNERS, ids=str)
def test_named_goals_are_free_and_reached_wherever_the_wall_is(context: dict[str, float]) -> None:
    env = make()
    for task in env.tasks:
        for seed in range(3):
            assert play(env, "oracle", seed, True, task=task, context=context).reached


@pytest.mark.parametrize("split", SPLITS)
def test_the_oracle_crosses_and_the_straight_line_often_fails(split: Split) -> None:
    env, reached = make(task="cross"), {}
    for policy in ("oracle", "straight_line"):
        reached[policy] = [
            play(env, policy, seed, True, context=context).reached
            for seed, context in enumerate(contexts(split, 40))
        ]
    assert max(reached["oracle"]) <= 50, "each goal is reached"
    assert np.mean([steps is None for steps in reached["straight_line"]]) >= 0.4


def test_cross_draws_start_and_goal_in_different_rooms() -> None:
    env, sides = make(task="cross", context={"wall": 25}), []
    for seed in range(200):
        start, info = env.reset(seed=seed)
        goal = env._episode.task.goal
        assert (start[0] < 25) != (goal[0] < 25)
        assert info["category"] == f"goal({goal[0]:.2f}, {goal[1]:.2f})"
        sides.append(start[0] < 25)
    assert 0.35 < np.mean(sides) < 0.65
    env.reset(seed=7)
    free = make(context={"wall": 25})
    pinned = env.reset(seed=7, options={"start": (50, 50)})[0]
    assert pinned.tolist() == [50, 50]
    assert not np.array_equal(free.reset(seed=7)[0], env.reset(seed=7)[0])


def test_the_picture_shows_the_point_and_the_walls() -> None:
    env = make(view="image", context={"door": 20, "wall": 30})
    image, info = env.reset(options={"start": (12.25, 40.5)})
    assert (image.shape, image.dtype) == ((2, 64, 64), np.uint8)
    dot, walls = image.astype(np.float64)
    rows, columns = np.mgrid[:64, :64]
    assert (dot * columns).sum() / dot.sum() == pytest.approx(12.25, abs=0.05)
    assert 63 - (dot * rows).sum() / dot.sum() == pytest.approx(40.5, abs=0.05), "y points up"
    assert dot.max() == pytest.approx(255 * np.exp(-(0.25**2 + 0.5**2) / (2 * 1.3**2)), abs=1)
    np.testing.assert_array_equal(info["position"], np.float32([12.25, 40.5]))
    assert set(np.unique(walls)) == {0, 255}
    across = walls[:, 30] > 0
    door = [63 - row for row in range(5, 59) if not across[row]]
    assert sorted(door) == list(range(16, 25))
    assert [x for x in range(5, 59) if walls[10, x]] == [29, 30, 31]
    assert all(walls[line].all() and walls[:, line].all() for line in (4, 59))
    assert np.count_nonzero(walls) == 4 * 64 - 4 + 3 * (54 - 9)


def test_pictures_differ_by_context_and_position_alone() -> None:
    env = make(view="image")
    env.reset(seed=0)
    places = np.array([[10.0, 10.0], [50.0, 33.3], [32.0, 10.0]])
    here = env.images(places)
    env.reset(seed=0, options={"context": {"door": 50}})
    there = env.images(places)
    np.testing.assert_array_equal(here[:, 0], there[:, 0])
    assert (here[:, 1] != there[:, 1]).any()
    for place, image in zip(places, there, strict=True):
        options = {"context": {"door": 50}, "start": place}
        if is_free(two_rooms(50.0, 32.0), place[None])[0]:
            np.testing.assert_array_equal(env.reset(options=options)[0], image)


def test_both_views_are_one_world_and_rewards_are_of_positions() -> None:
    envs = [make(view=view, task="goal_left_top") for view in ("numeric", "image")]
    rng, rows = np.random.default_rng(2), []
    at = [env.reset(seed=3) for env in envs]
    np.testing.assert_array_equal(at[0][0], at[1][1]["position"])
    before, over = at[0][0], False
    while not over:
        action = rng.uniform(-1, 1, 2).astype(np.float32)
        (obs, received, _, over, _), (image, other, *_, info) = (env.step(action) for env in envs)
        assert received == other
        np.testing.assert_array_equal(info["position"], obs)
        np.testing.assert_array_equal(envs[0].images(obs[None])[0], image)
        rows.append((before, action, obs, received))
        before = obs
    *transitions, rewards = (np.array(column) for column in zip(*rows, strict=True))
    np.testing.assert_array_equal(envs[1].tasks["goal_left_top"].relabel(*transitions), rewards)


def test_a_batch_walks_through_the_same_door() -> None:
    env = make(task="goal_right", context={"door": 30, "wall": 22})
    world, rng = env.batched(16), np.random.default_rng(0)
    starts = world.reset(seed=1).copy()
    actions = np.repeat(rng.uniform(-1, 1, (10, 16, 2)), 8, axis=0).astype(np.float32)
    batch = [world.step(action)[:2] for action in actions]
    for row, start in enumerate(starts):
        env.reset(options={"start": start})
        for (at, received), action in zip(batch, actions[:, row], strict=True):
            obs, reward, *_ = env.step(action)
            np.testing.assert_array_equal(at[row], obs)
            assert received[row] == reward
