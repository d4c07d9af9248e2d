"""Layouts of the point maze: walls, shortest paths of the oracle, batches against single runs."""

from collections import deque
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.control.worlds import bare
from zerogym.envs.control.mazes.layouts import CELL, LAYOUTS
from zerogym.envs.control.mazes.physics import Maze, is_free, move, steer
from zerogym.envs.control.mazes.point_maze import wall_distance
from zerogym.envs.control.mazes.shortest_paths import shortest_paths

torch = pytest.importorskip("torch")

make = partial(bare, "PointMaze")
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def free_points(maze: Maze, count: int, seed: int = 0) -> np.ndarray:
    drawn = np.random.default_rng(seed).uniform(maze.low, maze.high, (4 * count, 2))
    points = drawn.astype(np.float32)
    return points[is_free(maze, points)][:count]


def lattice(maze: Maze, spacing: float) -> np.ndarray:
    axis = np.arange(maze.low, maze.high + spacing / 2, spacing)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)  # (n, n, 2)


def slide(maze: Maze, at: float, beside: float, by: float, axis: int) -> float:
    """One leg of a step, wall for wall."""
    behind, ahead = maze.low, maze.high
    for wall in maze.walls:
        low, high, side_low, side_high = wall if axis == 0 else (*wall[2:], *wall[:2])
        if side_low < beside < side_high:
            ahead = min(ahead, low) if at <= low else ahead
            behind = max(behind, high) if at >= high else behind
    return min(max(at + by, behind), ahead)


@each_layout
def test_the_table_says_what_the_walls_say_one_by_one(layout: str) -> None:
    maze, rng = LAYOUTS[layout].maze, np.random.default_rng(0)
    on_faces = lattice(maze, CELL / 4).reshape(-1, 2)
    points = np.concatenate([free_points(maze, 400), on_faces[is_free(maze, on_faces)]])
    actions = rng.uniform(-1, 1, points.shape) * rng.choice([1, 1, 30], (len(points), 1))
    actions = actions.astype(np.float32)
    expected = []
    for (x, y), action in zip(points.astype(float), actions.astype(float), strict=True):
        x = slide(maze, x, y, maze.step * action[0], 0)
        expected.append((x, slide(maze, y, x, maze.step * action[1], 1)))
    after = move(maze, points.astype(np.float32), actions)
    np.testing.assert_array_equal(after, np.array(expected, dtype=np.float32))
    assert is_free(maze, after).all()


@each_layout
def test_there_are_no_slits_between_boxes(layout: str) -> None:
    maze, tiny = LAYOUTS[layout].maze, 1e-3
    points = lattice(maze, CELL / 4)[1:-1, 1:-1].reshape(-1, 2)
    around = [
        is_free(maze, points + tiny * np.array(d)) for d in ((1, 1), (1, -1), (-1, 1), (-1, -1))
    ]
    np.testing.assert_array_equal(is_free(maze, points), np.any(around, axis=0))
    edge = points.copy()
    for axis in (0, 1):
        for end, inwards in ((maze.low, tiny), (maze.high, -tiny)):
            edge[:, axis], near = end, np.zeros(2)
            near[axis], along = inwards, np.array([tiny, tiny])
            along[axis] = 0.0
            inside = is_free(maze, edge + near + along) | is_free(maze, edge + near - along)
            np.testing.assert_array_equal(is_free(maze, edge), inside)


@each_layout
def test_the_way_is_as_short_as_on_a_fine_lattice(layout: str) -> None:
    maze, spacing = LAYOUTS[layout].maze, CELL / 8
    nodes = lattice(maze, spacing)
    between = lattice(maze, spacing / 2)  # the nodes, and the middles of all pairs next to each
    is_open = is_free(maze, between.reshape(-1, 2)).reshape(between.shape[:2]).tolist()
    free = is_free(maze, nodes.reshape(-1, 2)).reshape(nodes.shape[:2])
    goals = np.array(list(LAYOUTS[layout].goals.values()))
    graph = shortest_paths(maze)
    for goal in goals[:4]:
        start = tuple(int(n) for n in np.round((goal - maze.low) / spacing))
        steps, queue = {start: 0}, deque([start])
        while queue:
            x, y = queue.popleft()
            for dx, dy in np.ndindex(3, 3):
                other = (x + dx - 1, y + dy - 1)
                if other in steps or min(other) < 0 or max(other) >= len(free) or not free[other]:
                    continue
                if is_open[x + other[0]][y + other[1]]:
                    steps[other] = steps[x, y] + 1
                    queue.append(other)
        assert len(steps) == free.sum(), "every free place can be reached"
        for place in free_points(maze, 12, seed=1):
            at = tuple(int(n) for n in np.round((place - maze.low) / spacing))
            if at not in steps:
                continue
            here, length, leg = nodes[at], 0.0, 0
            while not np.array_equal(here, nodes[start]):
                target = graph.waypoint(here, nodes[start])
                length, here = length + np.abs(target - here).max(), target
                leg += 1
                assert leg < 40
            # The corners are walked round at a distance, and the lattice has its grain.
            assert abs(length - steps[at] * spacing) <= 0.05 + 0.035 * leg


def walk(maze: Maze, starts: np.ndarray, goals: np.ndarray, horizon: int, how: str) -> np.ndarray:
    """The step at which each pair's goal was reached; -1 if it was not."""
    at, reached = starts.copy(), np.full(len(starts), -1)
    graph = shortest_paths(maze)
    for step in range(1, horizon + 1):
        if how == "oracle":
            pairs = zip(at, goals, reached, strict=True)
            actions = [graph.action(p, g) if r < 0 else np.zeros(2) for p, g, r in pairs]
        else:
            actions = steer(maze, at, goals)
        at = move(maze, at, np.array(actions, dtype=np.float32))
        near = np.hypot(*(at - goals).T) <= maze.goal_radius
        reached[(reached < 0) & near] = step
        if (reached > 0).all():
            break
    return reached


def pairs(layout: str, per_axis: int) -> tuple[np.ndarray, np.ndarray]:
    """A grid of starts, off the faces, with every named goal."""
    maze = LAYOUTS[layout].maze
    axis = np.linspace(maze.low, maze.high, per_axis)
    starts = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2).astype(np.float32)
    starts = starts[is_free(maze, starts)]
    goals = np.array(list(LAYOUTS[layout].goals.values()), dtype=np.float32)
    return np.repeat(starts, len(goals), axis=0), np.tile(goals, (len(starts), 1))


@pytest.mark.parametrize("per_axis", [3, pytest.param(6, marks=pytest.mark.proof)])
@each_layout
def test_the_oracle_reaches_every_goal_with_time_to_stay(layout: str, per_axis: int) -> None:
    maze, horizon = LAYOUTS[layout].maze, LAYOUTS[layout].horizon
    reached = walk(maze, *pairs(layout, per_axis), horizon, "oracle")
    assert (reached > 0).all()
    assert reached.max() <= 0.7 * horizon


@each_layout
def test_the_straight_line_fails_from_two_pairs_in_five(layout: str) -> None:
    maze, horizon = LAYOUTS[layout].maze, LAYOUTS[layout].horizon
    named = walk(maze, *pairs(layout, 20), horizon, "straight")
    anywhere = free_points(maze, 2000)
    drawn = walk(maze, anywhere[:1000], anywhere[1000:], horizon, "straight")
    assert np.mean(named < 0) >= 0.4
    assert np.mean(drawn < 0) >= 0.4
    assert layout != "large" or np.mean(drawn < 0) >= 0.7


@each_layout
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_batch_is_as_many_single_worlds(layout: str, library: Any) -> None:
    task = next(iter(LAYOUTS[layout].goals))
    env = make(layout=layout, task=task, horizon=60)
    world, starts = env.batched(8, library), free_points(env.maze, 8)
    rng = np.random.default_rng(1)
    actions = np.repeat(rng.uniform(-1.5, 1.5, (6, 8, 2)), 10, axis=0).astype(np.float32)
    requested = actions if library == "numpy" else torch.as_tensor(actions)
    world.reset(starts=starts)
    batch = [
        (at, received, over, world.success)
        for at, received, over in (world.step(requested[t]) for t in range(60))
    ]
    assert [over for _, _, over, _ in batch] == [False] * 59 + [True]
    for row, start in enumerate(starts):
        env.reset(options={"start": start})
        for turn, (at, received, _, success) in enumerate(batch):
            obs, reward, _, _, info = env.step(actions[turn, row])
            np.testing.assert_array_equal(np.asarray(at[row]), obs)
            if library == "numpy":
                assert received[row] == reward
            assert float(received[row]) == pytest.approx(reward, abs=2e-5)
            assert bool(success[row]) == info["success"]


def test_batches_draw_free_starts_from_their_seed() -> None:
    world = make(layout="large").batched(500)
    first = world.reset(seed=3)
    assert is_free(world.maze, first).all() and first.dtype == np.float32
    np.testing.assert_array_equal(world.reset(seed=3), first)
    assert not np.array_equal(world.reset(seed=4), first)
    counts, _, _ = np.histogram2d(*first.T, bins=2)
    assert counts.min() > 60
    assert not world.step(np.zeros((500, 2)))[1].any(), "reward-free"


def test_a_batch_refuses_what_it_cannot_simulate() -> None:
    world = make(horizon=2).batched(3)
    before = world.reset(seed=0).copy()
    with pytest.raises(ValueError, match=r"actions must be \(3, 2\) finite numbers"):
        world.step(np.full((3, 2), 1e300))  # more than float32 holds
    np.testing.assert_array_equal(world.positions, before)
    assert world.turn == 0
    for starts in (np.zeros((2, 2)), np.full((3, 2), 1.0), np.full((3, 2), 1e300)):
        with pytest.raises(ValueError, match="starts must be 3 free points"):
            world.reset(starts=starts)


def test_torch_starts_where_numpy_does() -> None:
    env = make(layout="medium", task="peak_2")
    one, other = env.batched(50), env.batched(50, "torch", "cpu")
    np.testing.assert_array_equal(other.reset(seed=1).numpy(), one.reset(seed=1))
    assert other.positions.dtype == torch.float32
    rewards = one.step(np.ones((50, 2)))[1], other.step(torch.ones(50, 2))[1]
    np.testing.assert_allclose(rewards[1].numpy(), rewards[0], atol=1e-5)


@each_layout
def test_every_layout_has_its_tasks_square_and_length(layout: str) -> None:
    env = make(layout=layout)
    assert env.observation_space == gym.spaces.Box(0, LAYOUTS[layout].maze.high, (2,), np.float32)
    assert env.horizon == LAYOUTS[layout].horizon
    assert make(layout=layout, horizon=7).horizon == 7
    assert sum(name.startswith("peak") for name in env.tasks) == 8
    points = free_points(env.maze, 3000)
    for name, task in env.tasks.items():
        reward_of = task.relabel(points, points, points)
        assert reward_of.max() > 0.6, f"{name} can be earned"


def test_walls_must_be_numbers_of_float32() -> None:
    with pytest.raises(ValueError, match="float32"):
        Maze("crooked", ((0.1, 0.2, 0.0, 1.0),), 3.0)


def test_rewards_may_be_of_features() -> None:
    env = make(layout="u", task=lambda features, action: features["wall_distance"] + features["x"])
    env.reset(options={"start": (4.0, 1.0)})
    reward = env.step([0.0, 0.0])[1]
    assert reward == pytest.approx(4.5)  # from the right border
    places = np.array([[1.0, 1.5], [1.0, 3.0], [4.3, 2.25], [0.0, 3.0]])
    expected = [0.5, 0.5, 0.2, 0.0]
    np.testing.assert_allclose(env.features(places)["wall_distance"], expected, atol=1e-12)
    tensors = torch.as_tensor(places)
    np.testing.assert_allclose(wall_distance(env.maze, tensors).numpy(), expected, atol=1e-12)
    walked = free_points(env.maze, 500)
    near = env.features(walked)["wall_distance"] < 0.01
    assert (env.features(walked)["wall_distance"] >= 0).all() and near.any()
