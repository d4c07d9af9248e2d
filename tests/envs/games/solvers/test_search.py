"""Monte Carlo tree search, against exact solutions, chance and itself."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from helpers.games.matches import chance_of_so_many, play
from helpers.games.positions import OURS
from zerogym.envs.games.board.connect_four import ConnectFour
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnState
from zerogym.envs.games.core.determinization import can_redraw, resample
from zerogym.envs.games.core.game import TERMINAL, deal, load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, expected_payoffs, information_sets
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import best_response
from zerogym.envs.games.solvers.mcts import MCTS, sample
from zerogym.envs.games.solvers.minimax import minimax_policy, solve
from zerogym.errors import NoOracle

TOE, KUHN, FOUR = TicTacToe(), KuhnPoker(), ConnectFour()


@pytest.mark.parametrize(
    ("position", "move"), [("XX.OO....", 2), ("XX..O....", 2), ("X.O.XO...", 8), ("X.O.X....", 8)]
)
def test_tree_search_wins_and_blocks(position: str, move: int) -> None:
    player = MCTS(TOE, 300)
    assert {player.choose(position, np.random.default_rng(seed)) for seed in range(20)} == {move}


def test_tree_search_comes_to_the_value_of_minimax() -> None:
    exact, table, rng = solve(TOE), minimax_policy(TOE), np.random.default_rng(0)
    states = [state for state in exact if TOE.to_move(state) != TERMINAL]
    for index in rng.choice(len(states), 100, replace=False):
        state = states[index]
        player = MCTS(TOE, 1500)
        best = player.choose(state, np.random.default_rng(0))
        found = player.search(state, np.random.default_rng(0))
        assert table.probabilities(state)[list(found).index(best)] > 0, state
        mover = TOE.to_move(state)
        assert found[best].value == pytest.approx(exact[state][mover], abs=0.2), state


def test_proofs_of_tree_search_are_those_of_minimax() -> None:
    """Every proven value is exact, and with simulations enough all positions are proven."""
    for game in (TOE, load_game("dots_and_boxes", num_rows=1, num_cols=3, utility_margin=True)):
        exact, rng, proven = solve(game), np.random.default_rng(0), 0
        states = [state for state in exact if game.to_move(state) != TERMINAL]
        for index in rng.choice(len(states), 150, replace=False):
            state = states[index]
            mover, found = game.to_move(state), MCTS(game, 60).search(state, rng)
            for action, each in found.items():
                value = exact[game.apply(state, action)][mover]
                if each.proven:
                    assert each.value == pytest.approx(value), (state, action)
                    proven += 1
        assert proven > 100
    for state in ("XO..X....", "X.O.O..X.", "XOX.O...."):  # won, won, held
        player = MCTS(TOE, 5000)
        found = player.search(state, np.random.default_rng(0))
        assert sum(each.visits for each in found.values()) < 5000, "it stops when it knows"
        value = solve(TOE)[state][TOE.to_move(state)]
        assert found[player.choose(state, np.random.default_rng(0))].value == value


def test_nothing_is_proven_across_chance_or_in_the_dark() -> None:
    pig, rng = load_game("pig"), np.random.default_rng(0)
    state = pig.apply(pig.initial(), pig.legal(pig.initial())[-1])
    state = deal(pig, state, rng)
    for game, start in ((pig, state), (KUHN, KuhnState((0, 2), "pb"))):
        found = MCTS(game, 300).search(start, rng)
        assert not any(each.proven for each in found.values())


def test_tree_search_grows_stronger_with_simulations() -> None:
    """Against random play in connect four, then more against fewer simulations."""
    rng = np.random.default_rng(0)
    for game, strong, weak, games in (
        (FOUR, MCTS(FOUR, 20), uniform_policy(FOUR), 40),
        (FOUR, MCTS(FOUR, 80), MCTS(FOUR, 8), 20),
        (TOE, MCTS(TOE, 100), MCTS(TOE, 5), 60),
    ):
        payoffs = []
        for index in range(games):
            seats = (strong, weak) if index % 2 else (weak, strong)
            payoffs.append(play(game, seats, rng)[1 - index % 2])
        wins, losses = payoffs.count(1.0), payoffs.count(-1.0)
        assert chance_of_so_many(wins, wins + losses) < 1e-3, (wins, losses)


def test_a_search_draws_one_number_and_repeats_itself() -> None:
    for game, state in ((TOE, "X........"), (KUHN, KuhnState((1, 2), "p"))):
        first, second, other = (np.random.default_rng(3) for _ in range(3))
        found = MCTS(game, 40).search(state, first)
        assert found == MCTS(game, 40).search(state, second)
        other.integers(2**63)
        assert first.random() == second.random() == other.random()
        assert sum(each.visits for each in found.values()) == 40
        assert tuple(found) == game.legal(state)


def test_chance_is_drawn_by_its_probabilities() -> None:
    rng, outcomes = np.random.default_rng(0), KUHN.chance(KuhnState((1,)))
    drawn = [sample(outcomes, rng.random()) for _ in range(2000)]
    assert abs(drawn.count(0) - 1000) < 100 and drawn.count(0) + drawn.count(2) == 2000
    assert sample(outcomes, 1 - 2**-53) == 2


@pytest.mark.parametrize("many_observers", [False, True])
def test_hidden_cards_are_never_used(many_observers: bool) -> None:
    player = MCTS(KUHN, 60, many_observers=many_observers)
    for states in information_sets(KUHN).values():
        assert len(states) == 2
        for seed in range(10):
            found = [player.search(state, np.random.default_rng(seed)) for state in states]
            assert found[0] == found[1]


@pytest.mark.parametrize("many_observers", [False, True])
def test_information_set_search_beats_random_play(many_observers: bool) -> None:
    """The search at each information set as a table, whose payoff is computed exactly."""
    player, rng = MCTS(KUHN, 400, many_observers=many_observers), np.random.default_rng(0)
    table = {}
    for key, states in information_sets(KUHN).items():
        move = player.choose(states[0], rng)
        table[key] = (float(move == 0), float(move == 1))
    profile, rewards = [uniform_policy(KUHN)] * 2, []
    for seat in (0, 1):
        mine = [*profile]
        mine[seat] = TabularPolicy(KUHN, table)
        rewards.append(expected_payoffs(KUHN, mine)[seat])
        assert rewards[seat] <= best_response(KUHN, seat, profile[seat])[1] + 1e-9
    assert min(rewards) > 0.1 and sum(rewards) > 0.4  # a best response has 1/2 and 5/12
    assert table["K:b"] == table["K:pb"] == (0, 1)
    assert table["J:b"] == table["J:pb"] == (1, 0)


def test_opponents_in_the_search_know_their_cards() -> None:
    """To bet with Q is called by K and folded by J; who thinks that both do the same likes it."""
    queen, bets = KuhnState((1, 0)), []
    for player in (MCTS(KUHN, 1000), MCTS(KUHN, 1000, many_observers=False)):
        bets.append(sum(player.choose(queen, np.random.default_rng(s)) for s in range(20)))
    assert bets[0] <= 5 and bets[1] >= 15


def test_states_are_drawn_from_the_information_set() -> None:
    rng = np.random.default_rng(0)
    for states in information_sets(KUHN).values():
        drawn = [resample(KUHN, states[0], rng) for _ in range(400)]
        assert set(drawn) == set(states)
        assert abs(drawn.count(states[0]) - 200) < 50
    assert resample(TOE, "X........", rng) == "X........"


class Loaded(KuhnPoker):
    """The last card that can be dealt is dealt nine times of ten."""

    def chance(self, state: KuhnState) -> tuple[tuple[int, Fraction], ...]:
        cards = [card for card, _ in super().chance(state)]
        rest = Fraction(1, 10 * (len(cards) - 1))
        return tuple((card, Fraction(9, 10) if card == cards[-1] else rest) for card in cards)


def test_states_are_drawn_as_often_as_chance_and_random_moves_lead_to_them() -> None:
    game, rng = Loaded(), np.random.default_rng(0)
    drawn = [resample(game, KuhnState((1, 0)), rng).cards for _ in range(400)]
    assert set(drawn) == {(1, 0), (1, 2)}
    assert abs(drawn.count((1, 2)) - 360) < 30


HIDING = [
    game.name
    for game in OURS
    if not load_game(game.name).perfect_information and can_redraw(load_game(game.name))
]


LARGE: list[tuple[str, dict[str, Any]]] = [
    ("goofspiel", {"num_cards": 7}),
    ("goofspiel", {"num_cards": 6, "points_order": "random"}),
    ("prisoners_dilemma", {"rounds": 12}),
    ("liars_dice", {"dice_sides": 9}),
]


@pytest.mark.parametrize(("name", "parameters"), [*((name, {}) for name in HIDING), *LARGE])
@pytest.mark.parametrize("many_observers", [False, True])
def test_no_search_of_any_game_sees_what_is_hidden(
    name: str, parameters: dict[str, Any], many_observers: bool
) -> None:
    """From two states of one information set it starts, and chooses, alike."""
    game, rng = load_game(name, **parameters), np.random.default_rng(0)
    player, differed = MCTS(game, 6, many_observers=many_observers), 0
    for seed in range(16):
        state, plies = deal(game, game.initial(), rng), int(rng.integers(4))
        while game.to_move(state) != TERMINAL and plies >= 0:
            twin = resample(game, state, rng)
            if plies == 0 and twin != state:
                differed += 1
                starts = [resample(game, s, np.random.default_rng(seed)) for s in (state, twin)]
                assert starts[0] == starts[1]
                found = [player.search(s, np.random.default_rng(seed)) for s in (state, twin)]
                assert found[0] == found[1]
            plies -= 1
            state = deal(game, game.apply(state, int(rng.choice(game.legal(state)))), rng)
    assert differed > 1


class Unlisted(KuhnPoker):
    """Kuhn poker that says it is too large to enumerate."""

    enumerable = False


def test_without_a_list_random_play_finds_the_information_set() -> None:
    game, rng = Unlisted(), np.random.default_rng(0)
    for state in (KuhnState((1, 2), "pb"), KuhnState((0, 2), "")):
        drawn = {resample(game, state, rng) for _ in range(60)}
        seat = game.to_move(state)
        assert {game.info_key(each, seat) for each in drawn} == {game.info_key(state, seat)}
        assert len(drawn) == 2
    for seed in range(5):
        found = [
            MCTS(game, 20).search(KuhnState(cards, "p"), np.random.default_rng(seed))
            for cards in ((0, 1), (2, 1))
        ]
        assert found[0] == found[1]
    with pytest.raises(NoOracle, match="resample"):
        resample(game, KuhnState((1, 1), "ppppp"), rng)


class Sighted(Unlisted):
    """It draws states by itself."""

    def resample(self, state: KuhnState, seat: int, rng: np.random.Generator) -> KuhnState:
        own = state.cards[seat]
        other = [card for card in range(3) if card != own][int(rng.integers(2))]
        return KuhnState((own, other) if seat == 0 else (other, own), state.moves)


def test_rules_may_draw_states_by_themselves() -> None:
    rng = np.random.default_rng(0)
    drawn = {resample(Sighted(), KuhnState((1, 2), "pb"), rng) for _ in range(60)}
    assert drawn == {KuhnState((1, 2), "pb"), KuhnState((1, 0), "pb")}


def test_a_search_needs_a_simulation() -> None:
    with pytest.raises(ValueError, match="simulations"):
        MCTS(TOE, 0)
