"""The T-maze: its rewards, and the bound on policies without memory."""

import itertools
from functools import partial
from typing import Any

import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.gridworlds.t_maze import EAST, NORTH, SOUTH, WEST
from zerogym.envs.control.tabular.dynamic_programming import finite_horizon_values

BOUND = 1.95  # of policies without memory: half of 4, and half of -0.1


make = partial(bare, "TMaze")


def walk(env: Any, sign: str, moves: list[int]) -> list[tuple[Any, ...]]:
    env.reset(options={"start": sign})
    return [env.step(move) for move in moves]


def observation_kinds(env: Any) -> np.ndarray:
    """Return the number of the observation of each state; (S,)."""
    kinds = {(0, 1, 1): 0, (1, 1, 0): 1, (1, 0, 1): 2, (0, 1, 0): 3}
    return np.array([kinds.get(tuple(int(b) for b in o), 0) for o in env.mdp.observations])


def memoryless_return(env: Any, chosen: np.ndarray) -> float:
    """The mean over the signs of a policy (4, A) of observations, exactly."""
    rewards = env.reward_of(env.tasks["treasure"])
    values = finite_horizon_values(
        env.next_state, rewards, env.horizon, chosen[observation_kinds(env)]
    )
    return float(values[-1, list(env.mdp.starts)].mean())


@pytest.mark.parametrize("sign", ["north", "south"])
@pytest.mark.parametrize("length", [2, 10])
def test_the_treasure_is_where_the_sign_pointed(sign: str, length: int) -> None:
    env = make(task="treasure", length=length)
    turn, wrong = (NORTH, SOUTH) if sign == "north" else (SOUTH, NORTH)
    steps = walk(env, sign, [EAST] * length + [turn])
    assert [step[1] for step in steps] == [0.0] * length + [4.0]
    assert steps[-1][2:4] == (True, False) and steps[-1][4]["success"]
    assert not any(step[2] or step[3] for step in steps[:-1])
    steps = walk(env, sign, [EAST] * length + [wrong])
    assert steps[-1][1:4] == (-0.1, True, False) and not steps[-1][4]["success"]
    with pytest.raises(RuntimeError, match="the episode is over"):
        env.step(EAST)


def test_the_bits_are_the_published_ones() -> None:
    env = make(length=3)
    first = [env.reset(options={"start": sign})[0].tolist() for sign in ("north", "south")]
    assert first == [[0, 1, 1], [1, 1, 0]]
    observed = [step[0].tolist() for step in walk(env, "south", [EAST, EAST, EAST, SOUTH])]
    assert observed == [[1, 0, 1], [1, 0, 1], [0, 1, 0], [1, 1, 1]]
    assert walk(env, "south", [EAST] * 3 + [NORTH])[-1][0].tolist() == [0, 0, 0]
    signs = {tuple(env.reset(seed=seed)[0]) for seed in range(20)}
    assert len(signs) == 2


def test_a_step_that_goes_nowhere_costs_and_others_do_not() -> None:
    env = make(task="treasure", length=2)
    moves = [NORTH, WEST, SOUTH, EAST, NORTH, SOUTH, WEST, EAST, EAST, EAST, WEST, EAST, SOUTH]
    received = [step[1] for step in walk(env, "south", moves)]
    costs = [-0.1, -0.1, -0.1, 0, -0.1, -0.1, 0, 0, 0, -0.1, 0, 0, 4]
    assert received == costs


def test_the_best_return_is_four_by_enumeration() -> None:
    env = make(task="treasure", length=2, horizon=5)
    for sign in ("north", "south"):
        returns = []
        for plan in itertools.product(range(4), repeat=5):
            env.reset(options={"start": sign})
            total, over = 0.0, False
            for move in plan:
                if not over:
                    _, reward, terminated, truncated, _ = env.step(move)
                    total, over = total + reward, terminated or truncated
            returns.append(total)
        assert max(returns) == 4.0
    for seed in range(10):
        episode = play(env, "oracle", seed)
        assert episode.total == 4.0 and episode.info["turn"] == 3


def test_no_certain_policy_without_memory_passes_the_bound() -> None:
    env = make(task="treasure", length=4, horizon=20)
    returns = [
        memoryless_return(env, np.eye(4)[list(actions)])
        for actions in itertools.product(range(4), repeat=4)
    ]
    assert max(returns) == pytest.approx(BOUND)
    assert sum(value == pytest.approx(BOUND) for value in returns) == 2  # either turn


def test_no_random_policy_without_memory_passes_the_bound() -> None:
    rng, found = np.random.default_rng(0), -np.inf
    for length, horizon in ((2, 3), (2, 50), (5, 30)):
        env = make(task="treasure", length=length, horizon=horizon)
        for sharpness in (1.0, 0.3, 0.05):
            for _ in range(100):
                policy = rng.dirichlet(np.full(4, sharpness), size=4)
                found = max(found, memoryless_return(env, policy))
        # Also close to the best ones, where the bound is near.
        for turn in np.linspace(0, 1, 11):
            policy = np.eye(4)[[EAST, EAST, EAST, NORTH]].astype(float)
            policy[3] = [turn, 0, 1 - turn, 0]
            assert memoryless_return(env, policy) == pytest.approx(BOUND)
            mixed = 0.98 * policy + 0.02 * rng.dirichlet(np.ones(4), size=4)
            found = max(found, memoryless_return(env, mixed))
    assert 1.0 < found <= BOUND


def test_a_memory_of_one_sign_is_optimal() -> None:
    env = make(task="treasure", length=30, horizon=31)
    for seed in range(6):
        obs, _ = env.reset(seed=seed)
        turn = NORTH if obs[2] else SOUTH
        over, total = False, 0.0
        while not over:
            obs, reward, terminated, truncated, _ = env.step(
                turn if obs[0] == 0 == obs[2] else EAST
            )
            total, over = total + reward, terminated or truncated
        assert total == 4.0


def test_the_other_task_swaps_the_arms() -> None:
    env = make(task="empty_arm", length=2)
    steps = walk(env, "north", [EAST, EAST, SOUTH])
    assert steps[-1][1] == 4.0 and steps[-1][4]["success"]
    steps = walk(env, "north", [EAST, EAST, NORTH])
    assert steps[-1][1] == -0.1 and not steps[-1][4]["success"]
    goal = make(task=(0, 0, 0))
    assert goal.reset(seed=0)[1]["category"] == "empty_arm"


def test_the_maze_in_words() -> None:
    env = make(task="treasure", length=2, view="text")
    said = [env.reset(options={"start": "north"})[0].split("\n")[1]]
    said += [env.step(f"<answer>{move}</answer>")[0] for move in ("east", "jump", "east", "east")]
    said.append(env.step("north")[0])
    start = "You are at the west end of a corridor. A sign says: north."
    corridor = "You are in a corridor that leads east and west."
    assert said == [
        start,
        corridor,
        f"That is not a move, so you go west. {start}",
        corridor,
        "You are at a junction: one arm leads north, one south, the corridor west.",
        "You found the treasure.",
    ]


def test_a_reward_at_the_end_is_given_once() -> None:
    env = make(length=2, task=lambda obs, action, next_obs: np.ones(len(obs)))
    assert env.reward_of(env.tasks["treasure"]).max() == 4.0
    ends = sorted(env.mdp.terminal)
    env.reset(seed=0)
    assert not env.R[ends].any() and (np.delete(env.R, ends, axis=0) == 1).all()
