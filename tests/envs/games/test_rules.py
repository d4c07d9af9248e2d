"""Rules of the games: what each promises, and counts and moves of others."""

import dataclasses
import json
from fractions import Fraction
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.episodes import installed
from helpers.games.positions import HERE, positions
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnState
from zerogym.envs.games.core.game import (
    CHANCE,
    TERMINAL,
    Game,
    _drawn,
    draw,
    equally_likely,
    forfeit,
    load_game,
    make_game,
)
from zerogym.envs.games.core.seat_views import MAX_OBSERVATION, first_message, retry_message
from zerogym.envs.games.core.tabular_policy import information_sets, layers, moves
from zerogym.envs.pages import page
from zerogym.envs.registry import TASKS, Task
from zerogym.errors import UnknownName

NAMES = [game.name for game in HERE]
GAME_TASKS = [task for task in TASKS if task.family == "games" and installed(task)]


@cache
def histories(game: Game[Any], state: Any) -> int:
    """Ways to play on from a state to an end."""
    following = moves(game, state)
    return sum(histories(game, game.apply(state, action)) for action in following) or 1


def test_numbers_of_histories_are_those_of_the_literature() -> None:
    assert histories(TicTacToe(), TicTacToe().initial()) == 255_168
    assert sum(map(len, layers(TicTacToe()))) == 5478
    assert histories(KuhnPoker(), KuhnPoker().initial()) == 6 * 5
    assert len(information_sets(KuhnPoker())) == 12


@pytest.mark.parametrize("name", NAMES)
def test_every_state_obeys_the_protocol(name: str) -> None:
    game = load_game(name)
    low, high = game.payoff_range
    payoffs: set[float] = set()
    keys: dict[Any, Any] = {}
    arrays: dict[Any, Any] = {}
    texts: dict[Any, Any] = {}
    for number, state in enumerate(positions(game)):
        mover = game.to_move(state)
        assert bool(game.legal(state)) == (mover >= 0)
        assert list(game.legal(state)) == sorted(set(game.legal(state)))
        assert set(game.legal(state)) <= set(range(game.num_actions))
        if mover == CHANCE:
            assert sum(probability for _, probability in game.chance(state)) == 1
        if mover == TERMINAL:
            assert len(game.payoff(state)) == game.num_seats
            assert not game.zero_sum or abs(sum(game.payoff(state))) < 1e-9
            payoffs |= set(game.payoff(state))
        for seat in range(game.num_seats):
            if seat != mover and number % 20:
                continue
            vector = game.observe(state, seat)
            assert vector.shape == (game.observation_size,)
            assert vector.dtype == np.float32
            assert vector.min() >= 0 and vector.max() <= 1
            if mover != CHANCE and number % 20 == 0:
                whole = (first_message(game, state, seat), retry_message(game, state, seat))
                assert max(len(text.encode()) for text in whole) <= MAX_OBSERVATION
            if mover == seat:  # key, array and text are equal for the same states
                key = (seat, game.info_key(state, seat))
                assert keys.setdefault(key[1], key) == key
                assert arrays.setdefault(vector.tobytes(), key) == key
                assert texts.setdefault(game.describe(state, seat), key) == key
    assert len(keys) == len(arrays) == len(texts)
    assert low <= min(payoffs) and max(payoffs) <= high
    if game.enumerable:
        assert (min(payoffs), max(payoffs)) == (low, high)


@pytest.mark.parametrize("name", NAMES)
def test_a_forfeit_has_the_worst_payoff_and_no_joint_gain(name: str) -> None:
    game = load_game(name)
    low, high = game.payoff_range
    for loser in range(game.num_seats):
        payoffs = forfeit(game, loser)
        assert payoffs[loser] == low
        if game.zero_sum:
            assert sum(payoffs) == pytest.approx(0)
            assert max(payoffs) <= high
        else:
            assert set(payoffs) == {low}


@pytest.mark.parametrize("name", NAMES)
def test_rules_are_values(name: str) -> None:
    game = load_game(name)
    assert game.name == name
    assert game == load_game(name) and hash(game) == hash(load_game(name))
    assert not (game.simultaneous and game.perfect_information)
    fields = {field.name: getattr(game, field.name) for field in dataclasses.fields(game)}
    through_json = json.loads(json.dumps(fields))
    assert make_game(type(game), **through_json) == game


@pytest.mark.parametrize("name", [name for name in NAMES if load_game(name).simultaneous])
def test_in_a_round_every_seat_moves_once_and_sees_nothing_of_it(name: str) -> None:
    game = load_game(name)
    for state in positions(game):
        if game.to_move(state) != 0:
            continue
        reached = [state]
        for seat in range(1, game.num_seats):
            reached = [game.apply(s, action) for s in reached for action in game.legal(s)]
            assert {game.to_move(s) for s in reached} == {seat}
            assert len({game.info_key(s, seat) for s in reached}) == 1
            assert len({game.describe(s, seat) for s in reached}) == 1
            assert len({game.observe(s, seat).tobytes() for s in reached}) == 1
            assert len({game.legal(s) for s in reached}) == 1
        for done in (game.apply(s, action) for s in reached for action in game.legal(s)):
            assert game.to_move(done) in (CHANCE, TERMINAL, 0)


@pytest.mark.parametrize("name", NAMES)
def test_every_legal_move_is_understood_under_its_name(name: str) -> None:
    game = load_game(name)
    decisions = [state for state in positions(game) if game.to_move(state) >= 0]
    for state in decisions[:: max(1, len(decisions) // 60)]:
        for action in game.legal(state):
            reply = f"<answer>{game.action_name(state, action)}</answer>"
            assert game.parse(state, reply) == action, reply


@pytest.mark.parametrize("task", GAME_TASKS, ids=lambda task: task.name)
def test_parameters_of_the_rules_are_documented_and_taken(task: Task) -> None:
    env: Any = gym.make(task.id).unwrapped
    document = page(type(env))
    for field in dataclasses.fields(env.game):
        if field.name in task.kwargs:
            continue
        assert f"{field.name}:" in document, field.name
        value = json.loads(json.dumps(getattr(env.game, field.name)))
        assert gym.make(task.id, **{field.name: value}).unwrapped.game == env.game  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="unheard_of"):
        gym.make(task.id, unheard_of=1)


def test_a_wrong_game_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="kuhn_poker"):
        load_game("kuhn_pocker")


def test_parameters_of_a_call_go_before_those_of_the_registry() -> None:
    assert load_game("rock_paper_scissors").num_seats == 2
    assert [load_game("rock_paper_scissors", **k).rounds for k in ({}, {"rounds": 1})] == [3, 1]


def test_a_showdown_is_described() -> None:
    text = KuhnPoker().describe(KuhnState((0, 2), "bb"), 0)
    assert text == (
        "Your card: J. Moves: you bet, opponent calls.\nOpponent's card: K. You lose 2 chips."
    )


def test_outcomes_of_chance_are_those_of_one_number_whatever_is_kept_of_them() -> None:
    """The sooner way of `deal` picks what the sums from left to right pick."""
    counts = [[int(n) for n in np.random.default_rng(3).integers(0, 9, size)] for size in (5, 34)]
    several = [tuple((i, Fraction(n, sum(own))) for i, n in enumerate(own)) for own in counts]
    for outcomes in (*several, *(equally_likely(tuple(range(n))) for n in (1, 3, 27))):
        one, other = np.random.default_rng(1), np.random.default_rng(1)
        plain = [float(probability) for _, probability in outcomes]
        for _ in range(300):
            assert _drawn(outcomes, one) == draw(plain, other)

    class Edge:
        """A generator whose number is a bound, up to rounding."""

        def __init__(self, number: float) -> None:
            self.number = number

        def random(self) -> float:
            return self.number

    for outcomes in several:
        plain = [float(probability) for _, probability in outcomes]
        for number in np.cumsum(plain)[:-1]:
            for ulps in range(-4, 5):
                rng: Any = Edge(float(number + ulps * np.spacing(number)))
                assert _drawn(outcomes, rng) == draw(plain, rng)
