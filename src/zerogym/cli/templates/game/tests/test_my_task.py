"""The rules are solved exactly, and perfect play wins from the seat that can win."""

from my_task import MyTask, State

import zerogym
from zerogym.envs.games import solve


def test_the_first_player_wins_unless_the_goal_is_a_multiple_of_four() -> None:
    assert solve(MyTask(goal=5))[State()] == (1.0, -1.0)
    assert solve(MyTask(goal=8))[State()] == (-1.0, 1.0)


def test_perfect_play_wins_against_a_perfect_opponent() -> None:
    env = zerogym.make("my_task/MyTask-v0", opponent="minimax", seat=0)
    env.reset(seed=0)
    over, reward = False, 0.0
    while not over:
        action = env.unwrapped.oracle_action()  # type: ignore[attr-defined]
        _, reward, over, _, _ = env.step(action)  # type: ignore[assignment]
    assert reward == 1.0


def test_an_illegal_move_may_be_repeated_and_loses_in_the_end() -> None:
    env = zerogym.make("my_task/MyTask-v0", seat=0, max_retries=1)
    env.reset(seed=0)
    _, reward, over, _, info = env.step("<answer>9</answer>")
    assert (reward, over, info["void_turn"]) == (0.0, False, True)
    assert env.step("<answer>9</answer>")[1:3] == (-1.0, True)
