"""Many games at once, against the rules one by one."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import OURS, positions
from zerogym.envs.games.batched.base import Batch, Games
from zerogym.envs.games.batched.games import BatchedGame, make_batched
from zerogym.envs.games.batched.tables import compiled
from zerogym.envs.games.board.connect_four import ConnectFour
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, forfeit, load_game
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.economic.matrix import MatrixGame
from zerogym.envs.games.opponents.registry import uniform_policy

SMALL = [entry.name for entry in OURS if load_game(entry.name).enumerable]
BATCHED = [*SMALL, "connect_four"]


def after_chance(game: Game[Any], state: Any) -> dict[Any, float]:
    """All states after chance, with probabilities."""
    if game.to_move(state) != CHANCE:
        return {state: 1.0}
    found: Counter[Any] = Counter()
    for outcome, probability in game.chance(state):
        for each, part in after_chance(game, game.apply(state, outcome)).items():
            found[each] += float(probability) * part
    return dict(found)


def check(game: Game[Any], games: Games, batch: Batch) -> None:
    """The batch agrees with its states."""
    vectors = games.observe()
    for lane, state in enumerate(games.states()):
        seat = game.to_move(state)
        assert batch.movers[lane] == seat
        assert tuple(batch.masks[lane].nonzero()[0].tolist()) == game.legal(state)
        assert np.array_equal(vectors[lane], game.observe(state, seat))


@pytest.mark.parametrize("name", BATCHED)
def test_it_plays_by_the_rules(name: str) -> None:
    game = load_game(name)
    games = make_batched(game, n=64, seed=0)
    beginnings = after_chance(game, game.initial())
    batch = games.reset()
    assert not batch.done.any() and not batch.payoffs.any()
    check(game, games, batch)
    ended = 0
    while ended < 300:
        before, actions = games.states(), games.random_actions()
        batch = games.step(actions)
        check(game, games, batch)
        after = games.states()
        for lane, (state, action) in enumerate(zip(before, actions.tolist(), strict=True)):
            assert action in game.legal(state)
            possible, now = after_chance(game, game.apply(state, action)), after[lane]
            if batch.done[lane]:
                ended += 1
                ends = [game.payoff(s) for s in possible if game.to_move(s) == TERMINAL]
                won = batch.payoffs[lane].tolist()
                assert any(won == pytest.approx(payoff, abs=1e-5) for payoff in ends)
                assert now in beginnings
            else:
                assert now in possible
                assert not batch.payoffs[lane].any()
    if game.enumerable:
        assert {*compiled(game).states} == {s for s in positions(game) if game.to_move(s) >= 0}


@pytest.mark.parametrize("name", BATCHED)
def test_tensors_are_had_without_a_copy_and_are_the_callers(name: str) -> None:
    torch = pytest.importorskip("torch")
    games, other = (make_batched(load_game(name), n=8, seed=0) for _ in range(2))
    batch, same = games.reset(), other.reset()
    for _ in range(30):
        actions = other.random_actions()
        assert np.array_equal(games.random_actions(), actions)
        for array in (games.observe(), *batch):
            assert array.flags.c_contiguous and array.flags.writeable
            tensor = torch.from_numpy(array)
            assert tensor.data_ptr() == array.ctypes.data
            tensor.fill_(1)  # what the caller does with it changes no game
        batch, same = games.step(torch.from_numpy(actions)), other.step(actions)
        assert games.states() == other.states()
        for ours, theirs in zip(batch, same, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_chance_has_its_probabilities(name: str) -> None:
    game, count = load_game(name), 60_000
    observed = Counter(BatchedGame(game, count, seed=0).states())
    expected = after_chance(game, game.initial())
    assert observed.keys() == expected.keys()
    for state, p in expected.items():
        assert abs(observed[state] / count - p) < 5 * np.sqrt(p * (1 - p) / count)


@pytest.mark.parametrize("game", [KuhnPoker(), TicTacToe()])
def test_random_play_has_the_exact_mean_payoff(game: Any) -> None:
    games, total, ended = BatchedGame(game, 4096, seed=0), np.zeros(2), 0
    for _ in range(200):
        batch = games.step(games.random_actions())
        total += batch.payoffs.sum(axis=0)
        ended += int(batch.done.sum())
    expected = expected_payoffs(game, [uniform_policy(game)] * 2)
    assert total / ended == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("action", [-1, 9, 4, 2**40, np.iinfo(np.int64).min])
def test_an_illegal_action_forfeits(action: int) -> None:
    games = BatchedGame(TicTacToe(), 2, seed=0)
    games.step(np.array([4, 4]))
    batch = games.step(np.array([action, 0]))
    assert batch.done.tolist() == [True, False]
    assert tuple(batch.payoffs[0]) == forfeit(TicTacToe(), 1) == (1.0, -1.0)
    assert games.states() == [".........", "O...X...."]


@pytest.mark.parametrize("action", [-1, 7, 0, 2**40])
def test_an_illegal_column_forfeits(action: int) -> None:
    games = make_batched(ConnectFour(), 2, seed=0)
    for _ in range(5):
        games.step(np.array([0, 1]))
    batch = games.step(np.array([0, 1]))
    assert batch.masks[0].tolist() == [False] + [True] * 6
    batch = games.step(np.array([action, 2]))
    assert batch.done.tolist() == [True, False]
    assert batch.payoffs.tolist() == [[-1.0, 1.0], [0.0, 0.0]]
    assert batch.movers.tolist() == [0, 1]
    assert games.states()[0] == ConnectFour().initial()


def test_every_end_of_connect_four_agrees_with_the_rules() -> None:
    game, games = ConnectFour(), make_batched(ConnectFour(), 256, seed=1)
    payoffs = Counter[tuple[float, ...]]()
    for _ in range(200):
        before, actions = games.states(), games.random_actions()
        batch = games.step(actions)
        for lane in batch.done.nonzero()[0]:
            end = game.apply(before[lane], int(actions[lane]))
            assert tuple(batch.payoffs[lane]) == game.payoff(end)
            payoffs[game.payoff(end)] += 1
        for state, action, done in zip(before, actions.tolist(), batch.done, strict=True):
            assert done == (game.to_move(game.apply(state, action)) == TERMINAL)
    assert len(payoffs) == 3, "wins of both and draws"


@pytest.mark.parametrize("name", BATCHED)
def test_the_seed_and_a_snapshot_decide_everything(name: str) -> None:
    game = load_game(name)

    def future(games: Games) -> list[str]:
        return [str((games.step(games.random_actions()), games.states())) for _ in range(20)]

    first, other = make_batched(game, 8, seed=3), make_batched(game, 8, seed=3)
    assert future(first) == future(other)
    snapshot = first.get_state()
    futures = [future(first)]
    for games in (first, make_batched(game, 8, seed=99)):
        games.set_state(snapshot)
        futures.append(future(games))
    assert futures[0] == futures[1] == futures[2]
    first.reset(seed=3)
    again = make_batched(game, 8)
    again.reset(seed=3)
    assert future(first) == future(again)


class Brim:
    """A generator at the end of its range."""

    def random(self, count: int) -> Any:
        return np.full(count, 1 - 2**-53)


def test_a_ticket_that_is_rounded_up_stays_in_its_lottery() -> None:
    game = load_game("leduc_poker")
    games = BatchedGame(game, 64, seed=0)
    drawn = 0
    for _ in range(30):
        before, actions, rng = games.states(), games.random_actions(), games._rng
        games._rng = Brim()  # type: ignore[assignment]
        batch = games.step(actions)
        games._rng = rng
        for lane, (state, action) in enumerate(zip(before, actions.tolist(), strict=True)):
            possible = after_chance(game, game.apply(state, action))
            drawn += len(possible) > 1
            assert batch.done[lane] or games.states()[lane] in possible
    assert drawn > 100


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="too many states"):
        BatchedGame(MatrixGame(rounds=9), 4)
    with pytest.raises(ValueError, match="n must be"):
        BatchedGame(KuhnPoker(), 0)
    games = BatchedGame(KuhnPoker(), 4)
    for wrong in (np.zeros(3, dtype=int), np.zeros(4), np.zeros((4, 1), dtype=int)):
        with pytest.raises(ValueError, match="4 integers"):
            games.step(wrong)
