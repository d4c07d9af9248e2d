"""The point maze: walls hold, the oracle reaches its goals, the straight line does not."""

import hashlib
import heapq
import re
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.mazes import physics, tasks
from zerogym.envs.control.mazes.layouts import LAYOUTS

ID = "zerogym/PointMaze-v0"
make = partial(bare, "PointMaze")
S = LAYOUTS["s"].maze
SIZE, STEP, WALLS = S.high, S.step, S.walls
is_free, move, steer = (
    partial(function, S) for function in (physics.is_free, physics.move, physics.steer)
)
draw_free = partial(tasks.draw_free, maze=S)
DIGEST = "e43c65459a07663c74edfa00bf0d3ebf460aca8ddfa41fb12ac9599e8c6f5fa0"
GOALS = [name for name in gym.make(ID).unwrapped.tasks if name.startswith("goal")]
CORNERS = [(0.875, 2.5), (1.125, 2.5), (1.875, 0.5), (2.125, 0.5)]  # the free ends of the walls


def free_points(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([draw_free(rng) for _ in range(count)])


def segment_is_free(a: Any, b: Any) -> bool:
    points = np.linspace(a, b, 400)
    return bool(is_free(points).all())


def shortest_way(start: np.ndarray, goal: np.ndarray) -> float:
    """Length of the shortest way in the larger of |dx|, |dy|: Dijkstra over the walls' corners."""
    nodes = [tuple(map(float, p)) for p in (start, goal, *CORNERS)]
    best, queue = {nodes[0]: 0.0}, [(0.0, nodes[0])]
    while queue:
        length, node = heapq.heappop(queue)
        if node == nodes[1]:
            return length
        for other in nodes:
            longer = length + max(abs(node[0] - other[0]), abs(node[1] - other[1]))
            if longer < best.get(other, np.inf) and segment_is_free(node, other):
                best[other] = longer
                heapq.heappush(queue, (longer, other))
    raise AssertionError("there is no way")


def test_a_random_walk_is_never_in_a_wall() -> None:
    rng, positions = np.random.default_rng(0), free_points(500)
    for _ in range(400):
        positions = move(positions, rng.uniform(-1, 1, size=(500, 2)))
        assert positions.dtype == np.float32
        assert is_free(positions).all()
    assert {min(int(x), 2) for x in positions[:, 0]} == {0, 1, 2}, "the walk has been everywhere"


def test_no_action_however_large_passes_through_a_wall() -> None:
    rng, before = np.random.default_rng(1), free_points(5000)
    after = move(before, rng.uniform(-30, 30, size=before.shape))
    assert is_free(after).all()
    for x0, x1, y0, y1 in WALLS:
        middle = (x0 + x1) / 2
        crossed = (before[:, 0] < middle) != (after[:, 0] < middle)
        # Motion along x comes first, at the old y.
        assert not (crossed & (before[:, 1] > y0) & (before[:, 1] < y1)).any()
        assert crossed.any()


def test_walls_stop_and_let_slide() -> None:
    cases = [  # position, action, where it ends
        ((0.5, 1.0), (1.0, 0.5), (0.7, 1.1)),  # free
        ((0.8, 1.0), (1.0, 1.0), (0.875, 1.2)),  # slides up the wall
        ((0.875, 1.0), (1.0, -1.0), (0.875, 0.8)),  # along its face
        ((0.1, 0.1), (-1.0, -1.0), (0.0, 0.0)),  # the border
        ((1.0, 2.6), (0.0, -1.0), (1.0, 2.5)),  # down on the wall's end
        ((0.8, 2.5), (1.0, 0.0), (1.0, 2.5)),  # along its end
        ((0.875, 0.0), (1.0, -1.0), (0.875, 0.0)),  # no slit between wall and border
    ]
    positions, actions, ends = (np.array(column) for column in zip(*cases, strict=True))
    np.testing.assert_allclose(move(positions, actions), ends, atol=1e-6)
    np.testing.assert_array_equal(
        np.concatenate([move(p[None], a[None]) for p, a in zip(positions, actions, strict=True)]),
        move(positions, actions),
    )


def test_the_oracle_is_within_five_steps_of_the_shortest_way() -> None:
    env, points = make(), free_points(160, seed=3)
    spare = []
    for start, goal in zip(points[:80], points[80:], strict=True):
        reached = play(env, "oracle", start=start, task=goal).reached
        assert reached is not None
        # A goal is reached 0.2 before its centre. The two legs of a step go round a corner that
        # the straight line between its ends would cut: that may save a part of a step.
        shortest = (shortest_way(start, goal) - 0.2) / STEP
        assert reached > shortest - 1
        spare.append(reached - shortest)
    assert max(spare) <= 5
    assert np.mean(spare) < 2


def test_the_oracle_reaches_every_goal_and_the_straight_line_less_than_half() -> None:
    env = make()
    rate, returns = {}, {}
    for policy in ("oracle", "straight_line", "random"):
        played = [play(env, policy, seed, task=name) for name in GOALS for seed in range(6)]
        rate[policy] = np.mean([episode.reached is not None for episode in played])
        returns[policy] = np.mean([episode.total for episode in played])
    assert rate["oracle"] == 1.0
    assert rate["straight_line"] < 0.55
    assert returns["random"] < 0.1 * returns["oracle"]
    assert returns["straight_line"] < 0.55 * returns["oracle"]


def test_on_smooth_rewards_the_oracle_goes_to_the_peak() -> None:
    env = make()
    for name in [name for name in env.tasks if name.startswith("peak")]:
        oracle, straight = (
            sum(play(env, policy, seed, task=name).total for seed in range(4))
            for policy in ("oracle", "straight_line")
        )
        assert oracle >= straight
        points = free_points(2000)
        reward_of = env.tasks[name].relabel(points, points, points)
        assert reward_of.min() >= -0.5 and reward_of.max() <= 1.0
        env.reset(seed=0, options={"task": name})
        best = env._episode.best[None]
        assert env.tasks[name].relabel(best, best, best)[0] > reward_of.max() - 0.02


def test_a_goal_reward_is_one_within_the_radius_and_falls_off() -> None:
    env = make(task=(0.4375, 1.5))
    rewards = []
    for away in (0.0, 0.19, 0.3, 0.4):
        env.reset(options={"start": (0.4375, 1.5 - away)})
        rewards.append(env.step([0.0, 0.0])[1])
    assert rewards[:2] == [1.0, 1.0]
    assert rewards[2:] == pytest.approx([0.1**0.25, 0.1], abs=1e-5)


def test_the_reward_is_for_the_place_entered() -> None:
    env = make(task=(0.4375, 1.5))
    env.reset(options={"start": (0.4375, 1.2)})
    assert [env.step([0.0, up])[1] for up in (1.0, -1.0)] == pytest.approx([1.0, 0.1**0.25])


def test_a_peak_task_rewards_the_peak_and_costs_on_the_hill() -> None:
    task = make().tasks["peak_0"]
    numbers = [float(n) for n in re.findall(r"\d\.\d\d", task.text)]  # peak x, y, hill x, y
    assert len(numbers) == 4
    peak, hill = np.array(numbers[:2]), np.array(numbers[2:])
    between = (peak + hill) / 2
    half = np.linalg.norm(peak - hill) / 2
    expected = []
    for to_peak, to_hill in ((0, 2 * half), (2 * half, 0), (half, half)):
        up = 0.1 ** (max(to_peak - 0.2, 0) ** 2)
        down = 0.1 ** ((max(to_hill - 0.2, 0) / 0.6) ** 2)
        expected.append(up - 0.5 * down)
    places = np.array([peak, hill, between])
    # The sentence rounds to centimetres.
    np.testing.assert_allclose(task.relabel(places, places, places), expected, atol=0.03)


def test_success_is_kept_and_the_episode_goes_on() -> None:
    env = make(task="goal_left", horizon=3)
    env.reset(options={"start": (0.4375, 1.5)})
    infos = [env.step(action) for action in ([0, 0], [0, 1], [0, 1])]
    assert [step[4]["success"] for step in infos] == [True] * 3
    assert [step[3] for step in infos] == [False, False, True]
    assert infos[2][1] < 1.0


def test_steer_goes_no_faster_than_allowed_and_stops_at_the_target() -> None:
    assert steer(np.zeros(2), np.array([0.1, 2.0])).tolist() == [0.5, 1.0]
    assert steer(np.ones(2), np.ones(2)).tolist() == [0.0, 0.0]


def test_starts_are_spread_over_the_free_square() -> None:
    env = make()
    starts = np.array([env.reset(seed=seed)[0] for seed in range(500)])
    assert is_free(starts).all()
    counts, _, _ = np.histogram2d(*starts.T, bins=3, range=[[0, SIZE], [0, SIZE]])
    assert counts.min() > 20


def test_larger_actions_are_clipped() -> None:
    env = make()
    env.reset(options={"start": (0.5, 0.5)})
    np.testing.assert_allclose(env.step([-9.0, 9.0])[0], [0.3, 0.7], atol=1e-6)
    np.testing.assert_allclose(env.step([1e300, -1e300])[0], [0.5, 0.5], atol=1e-6)


def test_pictures_show_walls_goal_and_point() -> None:
    env = make(render_mode="rgb_array", task="goal_right_top")
    assert env.render() is None
    env.reset(options={"start": (0.4375, 0.375)})
    image = env.render()
    assert (image.shape, image.dtype) == ((240, 240, 3), np.uint8)

    def colour(x: float, y: float) -> tuple[int, ...]:
        return tuple(int(v) for v in image[int((SIZE - y) * 80), int(x * 80)])

    assert colour(1.0, 1.0) == colour(2.0, 2.0) == (90, 90, 90)
    assert colour(1.0, 2.8) == colour(2.0, 0.2) == (245, 245, 245)
    assert colour(2.5625, 2.625) == (120, 200, 120)
    assert colour(0.4375, 0.375) == (210, 50, 50)
    env = make(render_mode="ansi", task="goal_right_top")
    env.reset(options={"start": (0.46, 0.45)})
    lines = env.render().split("\n")
    assert {len(line) for line in lines} == {48} and len(lines) == 24
    assert lines[20][7] == "@" and lines[3][41] == "." and lines[12][16] == "#"


def test_the_maze_of_published_numbers_has_not_changed() -> None:
    env, found = make(), hashlib.sha256()
    for policy in ("oracle", "straight_line", "random"):
        for seed, name in enumerate(env.tasks):
            found.update(play(env, policy, seed, task=name).observations[1:].tobytes())
    assert found.hexdigest() == DIGEST
