"""Self-play: drivers, meta-solvers and learners, against known equilibria."""

from typing import Any

import numpy as np
import pytest

from zerogym.agents.self_play.episodes import play
from zerogym.agents.self_play.exact_best_response import BestResponse
from zerogym.agents.self_play.matrix_equilibrium import matrix_equilibrium
from zerogym.agents.self_play.meta_solvers import latest, nash, uniform
from zerogym.agents.self_play.mirror_descent import MirrorDescent, MirrorDescentConfig
from zerogym.agents.self_play.psro import SelfPlay
from zerogym.agents.self_play.sequence_form import exact_payoff, mixed
from zerogym.envs.games.batched.games import BatchedGame
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import Game, load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, expected_payoffs, information_sets
from zerogym.envs.games.economic.matrix import MatrixGame
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability

KUHN = KuhnPoker()
RPS = MatrixGame("rock_paper_scissors", rounds=1)
EDGES = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def pure(action: int) -> TabularPolicy:
    """Rock, paper or scissors, whichever seat."""
    row = np.eye(3)[action]
    return TabularPolicy(RPS, dict.fromkeys(information_sets(RPS), row))


def arbitrary(game: Game[Any], seed: int) -> TabularPolicy:
    """Any strategy, with zeros."""
    rng = np.random.default_rng(seed)
    table = {}
    for key, states in information_sets(game).items():
        row = rng.random(len(game.legal(states[0]))) * (rng.random() < 0.8)
        row[rng.integers(len(row))] += 0.1
        table[key] = row / row.sum()
    return TabularPolicy(game, table)


def gaps(driver: SelfPlay, steps: int) -> list[float]:
    """Exploitability after each step."""
    found = []
    for _ in range(steps):
        driver.step()
        found.append(exploitability(driver.game, driver.strategy()))
    return found


# The drivers.


def test_naive_self_play_goes_in_circles_in_rock_paper_scissors() -> None:
    driver = SelfPlay(RPS, BestResponse(), latest, start=pure(0))
    assert gaps(driver, 9) == pytest.approx([1.0] * 9)
    state = RPS.initial()
    played = [int(np.argmax(member.probabilities(state))) for member in driver.members[0]]
    assert played == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


def test_psro_finds_a_third_each_in_rock_paper_scissors() -> None:
    driver = SelfPlay(RPS, BestResponse(), nash, start=pure(0))
    assert gaps(driver, 3) == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)
    for row in driver.strategy().table.values():
        assert row == pytest.approx([1 / 3] * 3)


def test_psro_solves_kuhn_poker() -> None:
    driver = SelfPlay(KUHN, BestResponse())
    assert min(gaps(driver, 5)) > 0.01
    assert gaps(driver, 3) == pytest.approx([0, 0, 0], abs=1e-9)
    strategy = driver.strategy()
    assert expected_payoffs(KUHN, [strategy, strategy])[0] == pytest.approx(-1 / 18)


def test_fictitious_play_falls_in_kuhn_poker() -> None:
    found = gaps(SelfPlay(KUHN, BestResponse(), uniform), 100)
    assert found[0] > 0.3 > 0.1 > found[9] > found[49] > found[99]
    assert found[99] < 0.04


def test_fictitious_play_averages_all_selves_alike() -> None:
    driver = SelfPlay(RPS, BestResponse(), uniform, start=pure(0))
    for _ in range(4):  # answers paper, paper (tie with scissors: the first), scissors, scissors
        driver.step()
    counts = sum(np.array(member.probabilities(())) for member in driver.members[0])
    assert driver.strategy().probabilities(()) == pytest.approx(counts / 5)


class Counting:
    """A learner whose policies are plain numbers: what beats most of what it is shown."""

    def learn(self, game: Game[Any], seat: int, opponents: Mixture) -> int:
        return int(np.argmax(np.array(EDGES)[:, list(opponents.members)] @ opponents.weights))


def test_any_policies_can_play_if_they_can_be_evaluated() -> None:
    pairs = []

    def evaluate(game: Game[Any], first: int, second: int) -> float:
        pairs.append((first, second))
        return EDGES[first][second]

    driver = SelfPlay(RPS, Counting(), start=0, evaluate=evaluate)
    for _ in range(2):
        driver.step()
    for mixture in driver.mixtures():
        assert mixture.members == (0, 1, 2)
        assert mixture.weights == pytest.approx([1 / 3] * 3)
    assert sorted(pairs) == [(a, b) for a in range(3) for b in range(3)]  # each once


def test_psro_over_a_learner_from_samples() -> None:
    config = MirrorDescentConfig(updates=60, games=1024, temperature=0.1)
    driver = SelfPlay(KUHN, MirrorDescent(config))
    found = gaps(driver, 10)
    assert found[0] > 0.2 and found[-1] < 0.05


@pytest.mark.parametrize("game", [KuhnPoker(players=3), load_game("first_sealed_auction")])
def test_games_of_other_kinds_are_refused(game: Game[Any]) -> None:
    with pytest.raises(ValueError, match="two seats and zero sums"):
        SelfPlay(game, BestResponse())


# The equilibrium of the meta-game.


@pytest.mark.parametrize(
    ("payoffs", "rows", "columns"),
    [
        (EDGES, [1 / 3] * 3, [1 / 3] * 3),
        ([[2, -1], [-1, 1]], [2 / 5, 3 / 5], [2 / 5, 3 / 5]),
        ([[3, 0], [1, -7]], [1, 0], [0, 1]),  # a saddle point
        ([[0, 1], [2, 0], [-1, -1]], [2 / 3, 1 / 3, 0], [1 / 3, 2 / 3]),  # never the last row
        ([[5]], [1], [1]),
    ],
)
def test_equilibria_by_hand(payoffs: Any, rows: list[float], columns: list[float]) -> None:
    found = matrix_equilibrium(payoffs)
    assert found[0] == pytest.approx(rows)
    assert found[1] == pytest.approx(columns)


def test_no_row_and_no_column_beats_an_equilibrium() -> None:
    rng = np.random.default_rng(0)
    for case in range(300):
        shape = rng.integers(1, 25, 2)
        table = rng.normal(size=shape) * 1e6 if case % 2 else rng.integers(-1, 2, shape)
        rows, columns = matrix_equilibrium(table)
        assert min(rows.min(), columns.min()) >= 0
        assert [rows.sum(), columns.sum()] == pytest.approx([1, 1])
        gap = (table @ columns).max() - (rows @ table).min()
        assert abs(gap) <= 1e-9 * max(np.ptp(table), 1), case


@pytest.mark.parametrize("kind", ["any", "signs"])
def test_large_matrices_are_solved(kind: str) -> None:
    table = np.random.default_rng(0).normal(size=(220, 220))
    table = np.sign(table) if kind == "signs" else table
    rows, columns = matrix_equilibrium(table)
    assert abs((table @ columns).max() - (rows @ table).min()) < 1e-8


@pytest.mark.parametrize("payoffs", [[], [[]], [1, 2], [[np.nan]], [[np.inf, 0]]])
def test_what_is_no_matrix_is_refused(payoffs: Any) -> None:
    with pytest.raises(ValueError, match="matrix of finite numbers"):
        matrix_equilibrium(payoffs)


# Mixtures of strategies.

MIXED = [KUHN, RPS, load_game("goofspiel"), load_game("matching_pennies")]


@pytest.mark.parametrize("game", MIXED, ids=lambda game: game.name)
def test_a_mixture_has_the_mean_payoff_of_its_members(game: Game[Any]) -> None:
    members, weights = [arbitrary(game, seed) for seed in range(3)], [0.5, 0.0, 1.5]
    other = arbitrary(game, 3)
    for seat in (0, 1):
        merged = mixed(game, seat, members, weights)
        profiles = [[each, other] if seat == 0 else [other, each] for each in (*members, merged)]
        *payoffs, together = (expected_payoffs(game, profile)[0] for profile in profiles)
        assert together == pytest.approx(np.average(payoffs, weights=weights))
        for profile, payoff in zip(profiles, [*payoffs, together], strict=True):
            assert exact_payoff(game, *profile) == pytest.approx(payoff)


class Forgetful(MatrixGame):
    """Only the number of the round is known."""

    def info_key(self, state: tuple[int, ...], seat: int) -> str:
        return f"{seat}:{len(state) // 2}"


def test_what_cannot_be_mixed_is_refused() -> None:
    board, three = TicTacToe(), KuhnPoker(players=3)
    with pytest.raises(ValueError, match="tic_tac_toe does not tell seats their past moves"):
        mixed(board, 0, [uniform_policy(board)], [1])
    forgetful = Forgetful("matching_pennies", rounds=2)
    with pytest.raises(ValueError, match="matching_pennies does not tell seats their past moves"):
        mixed(forgetful, 0, [uniform_policy(forgetful)], [1])
    with pytest.raises(ValueError, match="kuhn_poker has 3"):
        mixed(three, 0, [uniform_policy(three)], [1])


# Learning from samples.


def test_every_episode_is_counted_once_and_in_whole() -> None:
    games = BatchedGame(KUHN, 20_000, seed=0)
    tables = games.tables
    rows = tables.masks / tables.counts[:, None]
    zeros = np.zeros(games.n, dtype=np.int64)
    for _ in range(2):
        visits = play(games, rows[None].astype(float), zeros, np.random.default_rng(1))
        keys = [KUHN.info_key(state, KUHN.to_move(state)) for state in tables.states]
        opening = np.isin(visits.codes, [i for i, key in enumerate(keys) if key.endswith(":")])
        third = np.isin(visits.codes, [i for i, key in enumerate(keys) if key.endswith(":pb")])
        assert opening.sum() == games.n
        assert len(visits.codes) == 2 * games.n + third.sum()
        assert third.sum() / games.n == pytest.approx(1 / 4, abs=0.02)
        assert visits.returns[opening].mean() == pytest.approx(1 / 8, abs=0.04)
        answers = visits.returns[~opening & ~third]
        assert answers.mean() == pytest.approx(-1 / 8, abs=0.04)


def test_rows_that_do_not_quite_sum_to_one_let_no_illegal_action_through() -> None:
    games = BatchedGame(KUHN, 20_000, seed=0)
    rows = games.tables.masks / games.tables.counts[:, None] * (1 - 1e-3)
    zeros = np.zeros(games.n, dtype=np.int64)
    assert play(games, rows[None], zeros, np.random.default_rng(1)).actions.max() == 1


def test_one_update_by_hand() -> None:
    config = MirrorDescentConfig(updates=1, games=64, step=2.0, temperature=0.5)
    found = MirrorDescent(config).learn(RPS, 0, Mixture((pure(0),), (1,)))
    powers = np.exp([0.0, 1.0, -1.0])  # 2 q / (1 + 2 * 0.5) with q = 0, 1 and -1 against rock
    assert found.probabilities(()) == pytest.approx(powers / powers.sum())
    assert list(found.table) == [RPS.info_key((), 0)]


def test_one_episode_says_nothing_about_what_was_not_tried() -> None:
    for seed in range(5):
        config = MirrorDescentConfig(updates=1, games=1, seed=seed)
        found = MirrorDescent(config).learn(RPS, 0, Mixture((pure(0),), (1,)))
        assert found.probabilities(()) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(("weights", "answer"), [((3, 1), 1), ((1, 3), 2)])
def test_a_learner_meets_opponents_by_their_weights(weights: tuple[int, int], answer: int) -> None:
    opponents = Mixture((pure(0), pure(1)), weights)
    for seat in (0, 1):
        found = MirrorDescent(MirrorDescentConfig(updates=60)).learn(RPS, seat, opponents)
        (row,) = found.table.values()
        assert row[answer] > 0.9


def test_a_learner_finds_the_best_response_to_a_mixture() -> None:
    members, weights = (arbitrary(KUHN, 5), arbitrary(KUHN, 6)), (1.0, 2.0)
    for seat in (0, 1):
        found = MirrorDescent().learn(KUHN, seat, Mixture(members, weights))
        other = mixed(KUHN, 1 - seat, members, weights)
        profile = [found, other] if seat == 0 else [other, found]
        best = best_response(KUHN, seat, other)[1]
        assert expected_payoffs(KUHN, profile)[seat] > best - 0.02


def test_self_play_from_samples_brings_kuhn_poker_near_an_equilibrium() -> None:
    found = MirrorDescent().self_play(KUHN)
    assert exploitability(KUHN, found) < 0.05


@pytest.mark.proof
@pytest.mark.parametrize(
    ("name", "before", "after"), [("goofspiel", 0.7, 0.2), ("leduc_poker", 2.3, 0.6)]
)
def test_self_play_from_samples_in_larger_games(name: str, before: float, after: float) -> None:
    game = load_game(name)
    assert exploitability(game, uniform_policy(game)) > before
    assert exploitability(game, MirrorDescent().self_play(game)) < after


def test_without_the_pull_the_last_policy_stays_away() -> None:
    config = MirrorDescentConfig(temperature=0.0)
    assert exploitability(KUHN, MirrorDescent(config).self_play(KUHN)) > 0.1


class Flat(MatrixGame):
    """Nobody ever wins anything."""

    payoff_range = (0.0, 0.0)

    def payoff(self, state: tuple[int, ...]) -> tuple[float, ...]:
        return (0.0, 0.0)


def test_self_play_takes_any_number_of_seats_and_payoffs_that_never_differ() -> None:
    three = KuhnPoker(players=3)
    quick = MirrorDescentConfig(updates=100)
    found = MirrorDescent(quick).self_play(three)
    assert exploitability(three, found) < exploitability(three, uniform_policy(three)) / 3
    found = MirrorDescent(quick).self_play(Flat("rock_paper_scissors", rounds=1))
    assert found.probabilities(()) == pytest.approx([1 / 3] * 3)


def test_the_same_seed_learns_the_same() -> None:
    quick = MirrorDescentConfig(updates=5, games=64, seed=3)
    first, second = (MirrorDescent(quick).self_play(KUHN).table for _ in range(2))
    assert first == second
    other = MirrorDescentConfig(updates=5, games=64, seed=4)
    assert MirrorDescent(other).self_play(KUHN).table != first


def test_games_too_large_to_enumerate_are_refused() -> None:
    with pytest.raises(ValueError, match="too many states"):
        MirrorDescent().self_play(load_game("liars_dice"))
