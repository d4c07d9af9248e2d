"""The game above a population: payoffs by matches against those by enumeration."""

import numpy as np
import pytest

from zerogym.agents.self_play.matrix_equilibrium import matrix_equilibrium
from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.match import Entrant, LeagueError, Match
from zerogym.benchmarks.league.meta_game import MetaGame, meta_game
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import TabularPolicy, expected_payoffs
from zerogym.envs.games.economic.matrix import MatrixGame

KUHN = KuhnPoker()
CARDS = [f"{card}:{path}" for path in ("", "p", "b", "pb") for card in "JQK"]
# Who always folds loses to who always bets, who loses to who only calls with the king.
FIXED = {
    "bets": TabularPolicy(KUHN, dict.fromkeys(CARDS, (0, 1))),
    "folds": TabularPolicy(KUHN, dict.fromkeys(CARDS, (1, 0))),
    "king": TabularPolicy(KUHN, {key: (key[0] != "K", key[0] == "K") for key in CARDS}),
    "mixes": TabularPolicy(KUHN, {}),
}


def played(game: Game[object], players: dict[str, object], pairs: int) -> MetaGame:
    entrants = [Entrant(name, lambda _, own=own: own) for name, own in players.items()]
    names = list(players)
    return meta_game(game, names, play_league(game, entrants, pairs=pairs, seed=4))


def test_payoffs_of_matches_are_those_of_enumeration() -> None:
    found = played(KUHN, FIXED, pairs=300)
    exact = np.zeros((len(FIXED), len(FIXED)))
    for i, one in enumerate(FIXED.values()):
        for j, other in enumerate(FIXED.values()):
            first, second = (
                expected_payoffs(KUHN, [one, other]),
                expected_payoffs(KUHN, [other, one]),
            )
            exact[i, j] = (first[0] + second[1]) / 2
    assert exact == pytest.approx(-exact.T)
    for i, j in np.ndindex(exact.shape):
        estimate = found.payoffs[i][j]
        assert estimate.low <= exact[i, j] <= estimate.high
        assert estimate.high - estimate.low < 0.5
    shares, _ = matrix_equilibrium(exact)
    for share, estimate in zip(shares, found.shares, strict=True):
        assert estimate.low - 1e-9 <= share <= estimate.high + 1e-9
    assert sum(estimate.value for estimate in found.shares) == pytest.approx(1)
    assert max(estimate.value for estimate in found.against) == pytest.approx(0, abs=1e-9)


def test_rock_paper_and_scissors_share_the_equilibrium() -> None:
    """Pure strategies need no luck: each match is exact, whatever the seed."""
    game = MatrixGame("rock_paper_scissors", rounds=1)
    names = ("rock", "paper", "scissors")
    rows = np.eye(3).tolist()
    pure = {
        name: TabularPolicy(game, dict.fromkeys(("0:", "1:"), row))
        for name, row in zip(names, rows, strict=True)
    }
    found = played(game, pure, pairs=2)
    assert [[estimate.value for estimate in row] for row in found.payoffs] == [
        [0, -1, 1], [1, 0, -1], [-1, 1, 0],
    ]  # fmt: skip
    assert [estimate.value for estimate in found.shares] == pytest.approx([1 / 3] * 3)


def test_only_zero_sums_have_an_equilibrium() -> None:
    match = Match(("a", "b"), (((1.0, 1.0), (1.0, 1.0)),) * 2)
    with pytest.raises(LeagueError, match="zero-sum"):
        meta_game(MatrixGame("stag_hunt"), ["a", "b"], [match])
