"""Learners that are not language models: in every game, better than they began, the same again."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zerogym.agents.baselines.game_ppo import OneSeat, learn_ppo
from zerogym.agents.baselines.policy_gradient import PolicyGradient, PolicyGradientConfig
from zerogym.agents.baselines.sb3 import SB3Config, train_sb3
from zerogym.agents.self_play.mirror_descent import MirrorDescent, MirrorDescentConfig
from zerogym.benchmarks.league.game_table import own_games, section
from zerogym.benchmarks.league.held_out import GreedyPlayer, fresh_seeds, play_held_out
from zerogym.benchmarks.league.league import play_league
from zerogym.benchmarks.league.learned_baseline import OPPONENTS, learned, learned_baseline
from zerogym.benchmarks.league.players import named
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.core.game import TERMINAL, deal, load_game
from zerogym.envs.games.core.tabular_policy import expected_payoffs, information_sets
from zerogym.envs.games.opponents.registry import opponent_names, uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability
from zerogym.errors import UnknownName

KUHN = KuhnPoker()

SMALL = {"n_steps": 64, "batch_size": 64, "n_epochs": 1}


@pytest.mark.proof
@pytest.mark.parametrize("name", own_games())
def test_maskable_ppo_learns_in_every_game_without_an_illegal_move(name: str) -> None:
    """Each seat is met, its masks are right, and what is learned is a strategy."""
    game = load_game(name)
    met: set[int] = set()
    illegal: list[Any] = []

    class Watched(OneSeat):
        def step(self, action: Any) -> Any:
            result = super().step(action)
            met.add(result[4]["seat"])
            if "feedback" in result[4]:
                illegal.append(action)
            return result

    config = SB3Config("maskable_ppo", 256, envs=4, settings=SMALL)
    model = train_sb3(config, lambda: Watched(game, "random"))
    assert met == set(range(game.num_seats)) and not illegal
    assert model.num_timesteps == 256
    player = OneSeat(game, "random")
    player.reset(seed=0)
    observation = player.reset(seed=1)[0]
    action, _ = model.predict(observation, action_masks=player.action_masks())
    assert bool(player.action_masks()[int(action)])


def test_a_network_is_a_strategy_that_follows_the_masks() -> None:
    game = load_game("connect_four")
    player, rng = learn_ppo(game, "random", 1024), np.random.default_rng(0)
    state = deal(game, game.initial(), rng)
    while game.to_move(state) != TERMINAL:
        row = player.probabilities(state)
        assert len(row) == len(game.legal(state)) and sum(row) == pytest.approx(1)
        assert player.choose(state, rng, True) == game.legal(state)[int(np.argmax(row))]
        state = game.apply(state, player.choose(state, rng))


def test_training_leaves_the_threads_of_torch_as_they_were() -> None:
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    learn_ppo(KUHN, "random", 1)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)


@pytest.mark.proof
def test_ppo_beats_random_play_at_connect_four() -> None:
    game = load_game("connect_four")
    player = GreedyPlayer(learn_ppo(game, "random", 8192))
    played = play_held_out(game, player, uniform_policy(game), fresh_seeds(0, 100))
    assert played.payoffs.mean() > 0.5


def test_the_policy_gradient_answers_random_play() -> None:
    answer = PolicyGradient(KUHN, PolicyGradientConfig(steps=8192)).learn("random")
    random = uniform_policy(KUHN)
    for seat in range(2):
        profile = [answer if s == seat else random for s in range(2)]
        best = best_response(KUHN, seat, random)[1]
        assert expected_payoffs(KUHN, profile)[seat] > best - 0.03


def test_the_policy_gradient_takes_three_seats_and_sums_that_are_not_zero() -> None:
    game = load_game("public_goods")
    policy = PolicyGradient(game, PolicyGradientConfig(steps=6000)).learn("random")
    assert set(policy.table) <= set(information_sets(game))
    random = uniform_policy(game)
    for seat in range(3):
        profile = [policy if s == seat else random for s in range(3)]
        before = expected_payoffs(game, [random] * 3)[seat]
        best = best_response(game, seat, random)[1]
        assert expected_payoffs(game, profile)[seat] > (before + best) / 2


def test_the_same_seed_learns_the_same() -> None:
    def table(seed: int) -> Any:
        return PolicyGradient(KUHN, PolicyGradientConfig(steps=300, seed=seed)).learn("random")

    assert table(0).table == table(0).table != table(1).table


def test_games_too_large_for_a_table_are_refused() -> None:
    with pytest.raises(ValueError, match="too many states"):
        PolicyGradient(load_game("othello"))


@pytest.mark.proof
def test_longer_self_play_brings_leduc_under_a_fifth() -> None:
    """Uniform play has 2.374."""
    leduc = load_game("leduc_poker")
    long = MirrorDescentConfig(updates=1000, games=4096)
    assert exploitability(leduc, MirrorDescent(long).self_play(leduc)) < 0.2


def test_who_learned_by_self_play_joins_a_league() -> None:
    entrants = named(KUHN, ["self_play:50", "random"])
    first, again = entrants[0].make(0), entrants[0].make(1)
    assert first is again and exploitability(KUHN, first) < 0.2
    match = play_league(KUHN, entrants, pairs=300)[0]
    assert match.players == ("random", "self_play:50")
    assert np.array(match.payoffs)[:, :, 1].mean() > 0
    with pytest.raises(UnknownName, match="ppo:STEPS"):
        named(load_game("othello"), ["self_play"])


def test_a_payoff_is_all_rewards_of_an_episode_not_the_last_one() -> None:
    game = load_game("twenty_questions")
    rule = GreedyPlayer(scripted_policy(game))
    played = play_held_out(game, rule, rule, fresh_seeds(0, 60))
    assert set(played.payoffs.ravel()) == {5.0, 6.0, 7.0}, "10, and -1 for 3 to 5 questions"
    assert played.payoffs.mean() == pytest.approx(5.875, abs=0.15)  # the exact mean


def test_the_baseline_of_a_game() -> None:
    found = learned_baseline(KUHN, steps=2048, rounds=100)
    assert (found["steps"], found["rounds"]) == (2048, 100)
    assert found["self_play"]["exploitability"] < 0.1
    assert found["self_play"]["before"] == pytest.approx(11 / 24)
    random = found["ppo"]["random"]
    assert random["low"] <= random["mean"] <= random["high"] and random["mean"] > 0.1
    assert set(found["ppo"]) == {"random", "scripted"}


def test_every_game_has_a_baseline(root: Path) -> None:
    games = json.loads((root / "docs/games.json").read_text("utf-8"))
    for name in own_games():
        about = games[name]["learned"]
        assert set(about["ppo"]) == set(OPPONENTS) & set(opponent_names(load_game(name)))
        low, high = games[name]["payoff_range"]
        for said in about["ppo"].values():
            assert low <= said["low"] <= said["mean"] <= said["high"] <= high
        assert ("self_play" in about) == load_game(name).enumerable
    assert games["kuhn_poker"]["learned"]["self_play"]["exploitability"] < 0.1
    assert games["connect_four"]["learned"]["ppo"]["random"]["low"] > 0
    assert learned(games) in section(root / "docs/games.json")


def test_the_cells() -> None:
    ppo = {"random": {"mean": -0.001, "low": -0.1, "high": 0.256}}
    both = {**ppo, "scripted": ppo["random"]}
    self_play = {"updates": 300, "exploitability": 0.01239, "before": 0.5}
    games = {
        "small": {"learned": {"steps": 16384, "rounds": 500, "ppo": ppo, "self_play": self_play}},
        "large": {"learned": {"steps": 16384, "rounds": 500, "ppo": both}},
        "new": {},
    }  # fmt: skip
    assert learned(games).splitlines()[-2:] == [
        "| small | 0.00 (-0.10 to 0.26) |  | 0.012 (random 0.500) |",
        "| large | 0.00 (-0.10 to 0.26) | 0.00 (-0.10 to 0.26) |  |",
    ]
    assert "after 16,384 steps" in " ".join(learned(games).split())
    assert learned({"new": {}}) == ""
