"""Opponents by name: which there are, that the seed decides all, and mixtures."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import OURS, random_move
from zerogym.envs.games.board.connect_four import ConnectFour
from zerogym.envs.games.board.tic_tac_toe import TicTacToe, TicTacToeEnv
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import TERMINAL, load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.past_selves import save_strategy
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names, uniform_policy
from zerogym.envs.games.opponents.scripted import Scripted
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.envs.games.views.single_seat import SingleSeatEnv
from zerogym.errors import UnknownName

NAMES = [game.name for game in OURS]
KUHN, TOE = KuhnPoker(), TicTacToe()


def env_of(name: str, opponent: Any, **arguments: Any) -> SingleSeatEnv:
    """One seat of any registered game."""

    class Env(SingleSeatEnv):
        rules_class = partial(load_game, name)  # type: ignore[assignment]

    return Env(opponent=opponent, **arguments)


def play(env: SingleSeatEnv, seed: int | None) -> list[str]:
    """An episode of random moves, with all observations."""
    observation, info = env.reset(seed=seed)
    rng, record, over = np.random.default_rng(0), [str(observation), str(info)], False
    while not over:
        observation, reward, over, _, info = env.step(env.random_action(rng))
        record += [str(observation), str(reward), str(info)]
    return record


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.proof] if n == "liars_dice" else []) for n in NAMES],
)
def test_every_named_opponent_plays_and_the_seed_decides_all(name: str) -> None:
    game = load_game(name)
    names = [each for each in opponent_names(game) if each != "mcts"]
    assert names[0] == "random"
    searched = "mcts" in opponent_names(game)
    mixed = "+".join([*names, *(["mcts:2"] if searched else [])])
    for opponent in (*names, *(["mcts:3"] if searched else []), mixed):
        first, second = (env_of(name, opponent) for _ in range(2))
        assert play(first, 1) == play(second, 1), opponent
        snapshot = (first.reset(seed=3), first.get_state())[1]
        futures = []
        for _ in range(2):
            first.set_state(snapshot)
            futures.append(play(first, None))
        assert futures[0] == futures[1]


@pytest.mark.parametrize("name", [n for n in NAMES if "scripted" in opponent_names(load_game(n))])
def test_a_scripted_player_gives_probabilities_and_looks_at_nothing_hidden(name: str) -> None:
    game, rng = load_game(name), np.random.default_rng(0)
    player, rows = Scripted(game), {}
    for _ in range(10):
        state = game.initial()
        while (mover := game.to_move(state)) != TERMINAL:
            if mover >= 0:
                row = player.probabilities(state)
                assert len(row) == len(game.legal(state)) and min(row) >= 0
                assert sum(row) == pytest.approx(1)
                key = (mover, game.info_key(state, mover))
                assert rows.setdefault(key, row) == row
                assert player.choose(state, rng) in game.legal(state)
            state = game.apply(state, random_move(game, state, rng))


def test_names_are_those_that_the_game_has() -> None:
    assert set(opponent_names(TOE)) >= {"random", "minimax", "mcts"}
    assert set(opponent_names(KUHN)) >= {"random", "cfr", "mcts"}
    assert "minimax" not in opponent_names(KUHN) and "cfr" not in opponent_names(TOE)
    assert not {"minimax", "cfr"} & set(opponent_names(ConnectFour()))
    assert isinstance(make_opponent(TOE, "minimax"), TabularPolicy)
    found = make_opponent(TOE, "mcts:7")
    assert isinstance(found, MCTS) and found.simulations == 7


@pytest.mark.parametrize(
    "wrong", ["mctss", "mcts:0", "mcts:x", "mcts:", "mcts:1.5", "random:3", "", "random+", "+"]
)
def test_an_unknown_name_says_what_there_is(wrong: str) -> None:
    with pytest.raises(UnknownName, match=r"mcts, mcts:N, minimax, module:Name, past:FOLDER"):
        make_opponent(TOE, wrong)


@pytest.mark.parametrize("wrong", [3, None, object(), 1.5])
def test_what_is_no_player_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="predict"):
        make_opponent(TOE, wrong)


@pytest.mark.parametrize(
    "wrong", [{}, [], {"random": 0}, {"random": -1}, {"random": float("nan")}, {"random": True}]
)
def test_weights_are_positive_numbers(wrong: Any) -> None:
    with pytest.raises(ValueError, match="weights"):
        make_opponent(TOE, wrong)


def test_without_a_rule_of_thumb_there_is_no_scripted_player() -> None:
    class Bare:
        name = "bare"

    with pytest.raises(ValueError, match="bare has no scripted player"):
        Scripted(Bare())  # type: ignore[arg-type]


class First:
    """A policy object: the first empty cell; it counts its calls."""

    def predict(
        self, observations: Any, state: Any = None, episode_start: Any = None, *_: Any
    ) -> tuple[Any, Any]:
        assert (state is None) == bool(episode_start[0])
        assert observations.shape == (1, 27)
        return observations[:, 18:].argmax(1), (state or 0) + 1


LAST = TabularPolicy(TOE, {"." * 9: (0,) * 8 + (1,)})


def test_one_of_a_mixture_is_drawn_for_each_episode() -> None:
    env = TicTacToeEnv(seat=1, view="numeric", opponent=[LAST, First()], max_retries=0)
    assert isinstance(env.opponent, Mixture)
    counts: Counter[int] = Counter()
    for seed in range(200):
        observation, _ = env.reset(seed=seed)
        opened = int(observation[9:18].argmax())
        counts[opened] += 1
        if opened == 0:  # the same one goes on, with its memory
            observation, *_ = env.step(8)
            assert observation[9:18].tolist() == [1, 1, 0, 0, 0, 0, 0, 0, 0]
            assert env.get_state()["episode"].memories == {0: 2}
    assert set(counts) == {0, 8} and 70 < counts[0] < 130


def test_a_mixture_has_weights_and_is_flat() -> None:
    env = TicTacToeEnv(opponent={"random": 0.9, "minimax": 0.1})
    drawn = Counter(env.opponent.draw(np.random.default_rng(seed)) for seed in range(1000))
    assert set(drawn) == {0, 1} and 870 < drawn[0] < 930
    nested = make_opponent(TOE, ["random", ["minimax", "mcts:5", "random"]])
    assert isinstance(nested, Mixture)
    assert nested.weights == pytest.approx((1, 1 / 3, 1 / 3, 1 / 3))
    assert [type(member) for member in nested.members[1:3]] == [TabularPolicy, MCTS]


def test_a_plus_separates_names_but_not_in_a_path(tmp_path: Path) -> None:
    folder = tmp_path / "c++" / "a+b"
    save_strategy(uniform_policy(TOE), folder / "first.json")
    for name, members in (
        (f"past:{tmp_path / 'c++'}/a+b/", 1),
        (f"random+past:{folder}/+mcts:3", 3),
        ("random+random+mcts", 3),
    ):
        found = make_opponent(TOE, name)
        assert isinstance(found, Mixture) and len(found.members) == members
    with pytest.raises(UnknownName, match="Did you mean 'random'"):
        make_opponent(TOE, "mcts+randon")
