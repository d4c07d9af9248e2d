"""The best known player of a game: exact where it can be, else strong."""

from typing import Any

import pytest

from zerogym.envs.games.board.connect_four import ConnectFour, ConnectFourEnv
from zerogym.envs.games.board.tic_tac_toe import TicTacToe
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.core.tree import compiled
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names, uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.alpha_beta import AlphaBeta
from zerogym.envs.games.solvers.best_response import exploitability
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.envs.games.solvers.oracle import SEARCH_SIMULATIONS, best_known_player
from zerogym.errors import NoOracle

KUHN, TOE = KuhnPoker(), TicTacToe()


def test_the_best_known_player_is_exact_where_it_can_be() -> None:
    class Stranger:
        def predict(self, *_: Any) -> tuple[Any, Any]:
            raise AssertionError("the truth asks nobody")

    assert isinstance(best_known_player(KUHN, 0, Stranger()), TabularPolicy)
    assert isinstance(best_known_player(TOE, 0, MCTS(TOE)), TabularPolicy)
    if "scripted" in opponent_names(TOE):
        assert isinstance(best_known_player(TOE, 0, scripted_policy(TOE)), TabularPolicy)
    large = best_known_player(ConnectFour(), 0, uniform_policy(ConnectFour()))
    assert isinstance(large, MCTS) and large.simulations == SEARCH_SIMULATIONS

    class Searchable(ConnectFour):
        searchable = True

    assert isinstance(best_known_player(Searchable(), 0, Stranger()), AlphaBeta)
    assert isinstance(make_opponent(Searchable(), "minimax"), AlphaBeta)

    class General(ConnectFour):
        zero_sum = False

    with pytest.raises(NoOracle, match="depends"):
        best_known_player(General(), 0, Stranger())


@pytest.mark.parametrize(
    ("name", "parameters", "states"),
    [
        pytest.param("kuhn_match", {"rounds": 3}, 53_068, marks=pytest.mark.proof),
        ("goofspiel", {"num_cards": 5}, 26_931),
        pytest.param(
            "goofspiel",
            {"num_cards": 4, "points_order": "random"},
            26_773,
            marks=pytest.mark.proof,
        ),
    ],
)
def test_searchable_games_that_hide_something_are_solved(
    name: str, parameters: dict[str, Any], states: int
) -> None:
    game = load_game(name, **parameters)
    assert compiled(game).size == states and not game.enumerable
    equilibrium = make_opponent(game, "cfr")
    assert isinstance(equilibrium, TabularPolicy)
    assert best_known_player(game, 0, MCTS(game)) is equilibrium
    assert exploitability(game, equilibrium) < 2e-3


def test_the_oracle_of_a_large_game_is_strong_and_repeats_itself() -> None:
    env = ConnectFourEnv(seat=0, opponent="random")
    for seed in range(2):
        env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            action = env.oracle_action()
            assert action == env.oracle_action()
            _, reward, over, _, _ = env.step(action)
        assert reward == 1


def test_the_oracle_answers_the_drawn_member_of_a_mixture() -> None:
    maniac = TabularPolicy(KUHN, {f"{c}:{m}": (0, 1) for c in "JQK" for m in ("p", "b", "pb")})
    timid = TabularPolicy(KUHN, {f"{c}:{m}": (1, 0) for c in "JQK" for m in ("p", "b", "pb")})
    env = KuhnPokerEnv(seat=0, opponent=[maniac, timid])
    openings = {}
    for seed in range(40):
        env.reset(seed=seed)
        card = "JQK"[env.get_state()["episode"].state.cards[0]]
        openings[env.get_state()["episode"].member, card] = env.oracle_action()
    assert openings[1, "J"] == "<answer>bet</answer>"  # who always folds can be bluffed
    assert openings[0, "J"] == "<answer>check</answer>"
