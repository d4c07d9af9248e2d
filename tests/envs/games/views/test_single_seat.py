"""One seat of a game as a Gymnasium environment."""

import json
import subprocess
import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import zerogym  # noqa: F401  (registers the ids)
from zerogym.envs.games.board.tic_tac_toe import TicTacToeEnv
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, expected_payoffs
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import best_response
from zerogym.errors import UnknownName

ALL_VIEWS = pytest.mark.parametrize("view", ["text", "numeric"])
ALWAYS_BETS = TabularPolicy(
    KuhnPoker(), {f"{card}:{moves}": (0, 1) for card in "JQK" for moves in ("", "p", "b", "pb")}
)


def play(env: Any, seed: int, oracle: bool = False) -> list[Any]:
    """An episode of random or oracle actions, as JSON values."""
    observation, info = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    record = [str(observation), str(info)]
    while True:
        action = env.unwrapped.oracle_action() if oracle else env.unwrapped.random_action(rng)
        observation, reward, terminated, _, info = env.step(action)
        record += [str(action), str(observation), reward, str(info)]
        if terminated:
            return record


SCRIPT = """
import json, gymnasium as gym, sys
sys.path[:0] = ["tests", "tests/envs/games/views"]
from test_single_seat import episodes
print(json.dumps(episodes()))
"""


def episodes() -> list[Any]:
    """Some episodes of every named opponent."""
    found = []
    for name, opponent in (
        ("KuhnPoker", "cfr"),
        ("TicTacToe", "minimax"),
        ("TicTacToe", "random"),
        ("ConnectFour", "mcts:10"),
        ("LeducPoker", "mcts:10"),
        ("LeducPoker", "scripted+random"),
    ):
        env = gym.make(f"zerogym/{name}-v0", opponent=opponent)
        found += [play(env, seed) for seed in range(5)]
    return found


def test_another_process_plays_the_same_games(pytestconfig: pytest.Config) -> None:
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120,
        cwd=pytestconfig.rootpath,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": str(pytestconfig.rootpath / "src")},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == episodes()


@ALL_VIEWS
@pytest.mark.parametrize("env_class", [KuhnPokerEnv, TicTacToeEnv])
def test_a_snapshot_holds_the_opponents_luck(env_class: Any, view: Any) -> None:
    env = env_class(view=view, opponent="random")
    endings = set()
    for seed in range(20):
        env.reset(seed=seed)
        snapshot = env.get_state()
        futures = []
        for _ in range(2):
            env.set_state(snapshot)
            rng, future = np.random.default_rng(0), []
            terminated = False
            while not terminated:
                observation, reward, terminated, _, _ = env.step(env.random_action(rng))
                future.append((str(observation), reward))
            futures.append((future, str(env.reset()[0])))
        assert futures[0] == futures[1]
        endings.add(str(futures[0]))
    assert len(endings) > 5


def test_the_seat_is_drawn_or_chosen() -> None:
    env = KuhnPokerEnv()
    seats = [env.reset(seed=seed)[1]["seat"] for seed in range(100)]
    assert 25 < sum(seats) < 75
    assert {env.reset(seed=seed, options={"seat": 1})[1]["seat"] for seed in range(10)} == {1}
    assert "You move second" in KuhnPokerEnv(seat=1).reset(seed=0)[0]
    with pytest.raises(ValueError, match="seat"):
        env.reset(options={"seat": 2})


@pytest.mark.parametrize("seat", [0, 1])
def test_the_oracle_has_the_value_of_the_best_response(seat: int) -> None:
    env = KuhnPokerEnv(seat=seat, view="numeric")
    env.reset(seed=0)
    rewards = []
    for _ in range(1500):
        terminated = False
        while not terminated:
            _, reward, terminated, _, _ = env.step(env.oracle_action())
        rewards.append(reward)
        env.reset()
    promised = best_response(KuhnPoker(), seat, uniform_policy(KuhnPoker()))[1]
    error = np.std(rewards) / np.sqrt(len(rewards))
    assert abs(np.mean(rewards) - promised) < 4 * error


def test_the_oracle_never_loses_tic_tac_toe_and_exploits_a_known_opponent() -> None:
    env = TicTacToeEnv(opponent="minimax")
    assert {play(env, seed, oracle=True)[-2] for seed in range(20)} == {0.0}
    maniac = KuhnPokerEnv(seat=0, opponent=ALWAYS_BETS)  # worth 2 chips with K, -1 with J
    for seed in range(20):
        record = play(maniac, seed, oracle=True)
        card = record[0].partition("Your card: ")[2][0]
        if card != "Q":
            assert record[-2] == {"J": -1.0, "K": 2.0}[card]


def test_the_oracle_is_an_equilibrium_against_a_stranger() -> None:
    class Stranger:
        def predict(self, observations: Any, *_: Any) -> tuple[Any, Any]:
            return ["bet" if "bet<" in o else "call" for o in observations], None

    env = KuhnPokerEnv(opponent=Stranger(), seat=0)
    env.reset(seed=0)
    uniform = uniform_policy(KuhnPoker())
    value = expected_payoffs(KuhnPoker(), [env.oracle_policy(), uniform])[0]
    assert -1 / 18 < value < best_response(KuhnPoker(), 0, uniform)[1]
    # The move is mixed: its draws follow the table, though repeated calls give the same.
    bluffs = {"J": 0, "K": 0}
    for seed in range(400):
        card = env.reset(seed=seed)[0].partition("Your card: ")[2][0]
        if card in bluffs:
            bluffs[card] += env.oracle_action() == "<answer>bet</answer>"
        assert env.oracle_action() == env.oracle_action()
    assert 0 < bluffs["J"] < bluffs["K"] < 133


class Recorder:
    """A text policy that keeps what it read, and answers from a list."""

    def __init__(self, replies: list[str]) -> None:
        self.replies = replies

    def predict(
        self, observations: Any, state: Any = None, episode_start: Any = None, *_: Any
    ) -> tuple[Any, Any]:
        assert (state is None) == bool(episode_start[0])
        calls = [] if state is None else state
        return [self.replies[len(calls)]], [*calls, observations[0]]


def test_an_opponent_has_a_conversation_of_its_own() -> None:
    secret = "I have a weak card\n<answer>check</answer>"
    env = KuhnPokerEnv(seat=1, opponent=Recorder([secret, "what?", "<answer>call</answer>"]))
    first, _ = env.reset(seed=0)
    last, reward, terminated, _, _ = env.step("I shall bluff.\n<answer>bet</answer>")
    assert terminated and abs(reward) == 2
    calls = env.get_state()["episode"].memories[0]
    assert [text.partition(".")[0][:10] for text in calls] == [
        "Kuhn poker",
        "Your card:",
        "That reply",
    ]
    assert "opponent bets" in calls[1]
    assert all("bluff" not in text for text in calls)
    assert "weak" not in first + last


@pytest.mark.parametrize("seat", [0, 1])
def test_an_opponent_without_a_legal_move_loses(seat: int) -> None:
    env = KuhnPokerEnv(seat=seat, opponent=Recorder(["?"] * 3))
    observation, _ = env.reset(seed=0)
    if seat == 1:  # it had to move before the learner: reset cannot end an episode, one step can
        assert "An opponent forfeits" in observation
    observation, reward, terminated, _, info = env.step("check")
    assert (reward, terminated, info["success"]) == (2.0, True, True)
    assert info["turn"] == 1 - seat
    assert "An opponent forfeits" in observation


@pytest.mark.parametrize("view", ["text", "numeric"])
def test_a_game_decided_before_the_first_move_takes_any_action(view: Any) -> None:
    env = KuhnPokerEnv(seat=1, opponent=Recorder(["?"] * 3), view=view, opponent_view="text")
    for answer in (env.oracle_action, lambda: env.random_action(np.random.default_rng(0))):
        env.reset(seed=0)
        action = answer()
        assert action in env.action_space
        _, reward, terminated, _, info = env.step(action)
        assert (reward, terminated, info["void_turn"]) == (2.0, True, False)


def test_an_array_policy_plays_against_a_text_learner() -> None:
    class First:
        def predict(self, observations: Any, *_: Any) -> tuple[Any, Any]:
            assert observations.shape == (1, 27)
            return observations[:, 18:].argmax(1), None  # the first empty cell

    env = TicTacToeEnv(seat=1, opponent=First(), opponent_view="numeric")
    assert env.reset(seed=0)[0].splitlines()[1] == "X 2 3"
    assert env.step("5")[0].splitlines()[0] == "X X 3"


def test_constructor_mistakes_are_named() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'random'"):
        KuhnPokerEnv(opponent="randon")
    with pytest.raises(UnknownName, match="minimax"):
        TicTacToeEnv(opponent="cfr")
    with pytest.raises(TypeError, match="predict"):
        KuhnPokerEnv(opponent=3)  # type: ignore[arg-type]
    for bad in ({"view": "pixels"}, {"seat": 2}, {"max_retries": -1}, {"render_mode": "human"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            KuhnPokerEnv(**bad)
    with pytest.raises(TypeError, match=r"'opponnent' \(did you mean 'opponent'\? known: pl"):
        KuhnPokerEnv(opponnent="cfr")
    with pytest.raises(TypeError, match="did you mean 'players'"):
        load_game("kuhn_poker", player=3)
    with pytest.raises(ResetNeeded, match="KuhnPoker"):
        KuhnPokerEnv().step("bet")


def test_a_person_sees_the_position() -> None:
    env = gym.make("zerogym/TicTacToe-v0", seat=0, opponent="minimax", render_mode="ansi")
    env.reset(seed=0)
    env.step("1")
    assert str(env.render()).startswith("X 2 3\n4 O 6\n7 8 9")


def test_retries_are_counted_for_each_move() -> None:
    env = TicTacToeEnv(seat=0, opponent="minimax", max_retries=1)
    env.reset(seed=0)
    for move in (0, 1):
        assert not env.step("?")[2]
        assert not env.step(str(env.game.legal(env.get_state()["episode"].state)[0] + 1))[2], move
