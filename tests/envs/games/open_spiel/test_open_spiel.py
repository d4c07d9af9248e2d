"""Games of OpenSpiel by name: what we say of them is what it says, and its defects are refused."""

import copy
import inspect
import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

from zerogym.envs.games.core.determinization import resample
from zerogym.envs.games.core.game import CHANCE, TERMINAL, deal, load_game
from zerogym.envs.games.core.seat_views import first_message, retry_message
from zerogym.envs.games.open_spiel.determinization import REDRAWN
from zerogym.envs.games.open_spiel.open_spiel import OpenSpiel
from zerogym.envs.games.open_spiel.text import MAX_TEXT
from zerogym.envs.games.opponents.registry import opponent_names, uniform_policy
from zerogym.envs.games.solvers.best_response import nash_conv
from zerogym.envs.games.solvers.mcts import MCTS
from zerogym.errors import NoOracle, UnknownName

pyspiel = pytest.importorskip("pyspiel")
with warnings.catch_warnings():  # importing the checks imports PettingZoo's own deprecated modules
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

GAMES = (
    "kuhn_poker(players=3)",  # three seats, hidden cards
    "backgammon",  # dice, many moves
    "checkers",
    "go(board_size=5)",
    "mancala",  # numbers above 1
    "dark_hex(num_rows=3,num_cols=3)",  # hidden moves
    "hanabi",  # all seats have the same payoffs
    "gin_rummy",  # long
    "liars_dice",  # no observation in words, only the information state
    "blotto(coins=5,fields=2)",  # simultaneous, once
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",  # simultaneous, in rounds
    "crazy_eights",  # five seats; deals cards until none is dealt twice
    "catch",  # one seat
    "kriegspiel",  # texts that are too long
)
each_game = pytest.mark.parametrize("game", GAMES)
both_views = pytest.mark.parametrize("view", ["text", "numeric"])


def theirs_of(game: str) -> Any:
    """OpenSpiel's game, in turns."""
    loaded = pyspiel.load_game(game)
    simultaneous = pyspiel.GameType.Dynamics.SIMULTANEOUS
    if loaded.get_type().dynamics == simultaneous:
        return pyspiel.convert_to_turn_based(loaded)
    return loaded


@each_game
def test_playouts_are_openspiel_s(game: str) -> None:
    rules, theirs, rng = OpenSpiel(game), theirs_of(game), np.random.default_rng(0)
    low, high = rules.payoff_range
    assert rules.num_actions == theirs.num_distinct_actions()
    assert rules.num_seats == theirs.num_players()
    for _ in range(3):
        state, other = rules.initial(), theirs.new_initial_state()
        while not other.is_terminal():
            if other.is_chance_node():
                assert rules.to_move(state) == CHANCE and rules.legal(state) == ()
                ours = rules.chance(state)
                assert sum(weight for _, weight in ours) == 1
                assert {a: float(w) for a, w in ours} == pytest.approx(
                    dict(other.chance_outcomes())
                )
            else:
                assert rules.to_move(state) == other.current_player()
                assert list(rules.legal(state)) == other.legal_actions()
            action = int(rng.choice(other.legal_actions()))
            assert other.action_to_string(action).split()[0] in rules.action_name(state, action)
            state = rules.apply(state, action)
            other.apply_action(action)
            assert list(state.history) == other.history()
        assert rules.to_move(state) == TERMINAL
        assert list(rules.payoff(state)) == other.returns()
        assert low <= min(rules.payoff(state)) and max(rules.payoff(state)) <= high
        assert not rules.zero_sum or abs(sum(rules.payoff(state))) < 1e-9


@each_game
def test_what_a_seat_sees_is_in_its_space_and_every_move_is_understood(game: str) -> None:
    rules, rng = OpenSpiel(game), np.random.default_rng(1)
    state = deal(rules, rules.initial(), rng)
    for _ in range(40):
        mover = rules.to_move(state)
        for seat in range(rules.num_seats):
            vector = rules.observe(state, seat)
            assert vector.shape == (rules.observation_size,) and vector.dtype == np.float32
            assert vector.min() >= 0 and vector.max() <= 1
            for text in (first_message, retry_message):
                assert len(text(rules, state, seat)) <= MAX_TEXT
        if mover == TERMINAL:
            assert "Your payoff is" in rules.describe(state, 0)
            break
        for action in rules.legal(state)[:8]:
            name = rules.action_name(state, action)
            for reply in (f"I think.\n<answer>{name}</answer>", name.upper(), f"`{name}`."):
                assert rules.parse(state, reply) == action
        state = deal(rules, rules.apply(state, int(rng.choice(rules.legal(state)))), rng)


@both_views
@each_game
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action space for each agent probably should be")
def test_the_api_checks_pass(game: str, view: str) -> None:
    def make() -> Any:
        return pettingzoo.make("aec", "zerogym/open_spiel-v0", game=game, view=view)

    api_test(make(), num_cycles=20)
    seed_test(make, num_cycles=10)
    check_env(gym.make("zerogym/OpenSpiel-v0", game=game, view=view).unwrapped)


@each_game
def test_states_are_values(game: str) -> None:
    rules, rng = OpenSpiel(game), np.random.default_rng(2)
    state = rules.initial()
    observed = {state}
    for _ in range(12):
        if rules.to_move(state) == TERMINAL:
            break
        before = str(state.inner)
        child = rules.apply(state, int(rng.choice(state.inner.legal_actions())))
        assert str(state.inner) == before
        assert child not in observed
        observed.add(child)
        state = child
    for twin in (copy.deepcopy(state), copy.copy(state), pickle.loads(pickle.dumps(state))):
        assert twin == state and hash(twin) == hash(state)
        assert str(twin.inner) == str(state.inner) and rules.legal(twin) == rules.legal(state)
    assert state != state.history and OpenSpiel(game).initial() != OpenSpiel("nim").initial()


def test_no_seat_sees_a_simultaneous_move_of_the_round() -> None:
    rules = OpenSpiel("blotto(coins=5,fields=2)")
    first = rules.initial()
    after = [rules.apply(first, action) for action in rules.legal(first)]
    assert len(after) > 3 and not rules.perfect_information
    for view in (rules.describe, rules.info_key, lambda s, seat: rules.observe(s, seat).tobytes()):
        assert len({view(state, 1) for state in after}) == 1


def test_our_solvers_solve_small_games_of_theirs() -> None:
    for game, value in (("kuhn_poker", 11 / 12), ("leduc_poker", 4.747222)):
        rules = OpenSpiel(game)
        assert rules.enumerable and "cfr" in opponent_names(rules)
        assert nash_conv(rules, uniform_policy(rules)) == pytest.approx(value, abs=1e-6)
    assert "minimax" in opponent_names(OpenSpiel("nim(pile_sizes=2;2)"))
    assert not OpenSpiel("tic_tac_toe").enumerable and not OpenSpiel("shogi").enumerable


@pytest.mark.parametrize(
    "game", [*sorted(set(REDRAWN) - {"kuhn_poker"}), "goofspiel", "oshi_zumo", "snake(players=4)"]
)
def test_what_is_hidden_is_redrawn_for_search_without_a_look_at_it(game: str) -> None:
    rules, rng = OpenSpiel(game), np.random.default_rng(0)
    assert rules.redrawn and "mcts" in opponent_names(rules)
    others = 0
    for _ in range(3):
        state = deal(rules, rules.initial(), rng)
        for _ in range(60):
            seat = rules.to_move(state)
            if seat == TERMINAL:
                break
            twin = resample(rules, state, rng)
            assert rules.info_key(twin, seat) == rules.info_key(state, seat)
            assert rules.describe(twin, seat) == rules.describe(state, seat)
            assert rules.legal(twin) == rules.legal(state) and rules.to_move(twin) == seat
            restored = pickle.loads(pickle.dumps(twin))
            assert str(restored.inner) == str(twin.inner)
            same = [resample(rules, each, np.random.default_rng(5)) for each in (state, twin)]
            assert same[0] == same[1]
            others += twin != state
            state = deal(rules, rules.apply(state, int(rng.choice(rules.legal(state)))), rng)
    assert others > 0
    MCTS(rules, 3).choose(deal(rules, rules.initial(), rng), rng)


def test_search_is_refused_where_nothing_can_be_redrawn() -> None:
    for game in ("dark_chess", "hanabi", "bridge", "gin_rummy"):
        rules = OpenSpiel(game)
        assert not rules.redrawn and opponent_names(rules) == ("random",)
        with pytest.raises(UnknownName, match=r"Known: .*random"):
            gym.make("zerogym/OpenSpiel-v0", game=game, opponent="mcts")
        with pytest.raises(NoOracle, match="cannot be redrawn"):
            gym.make("zerogym/OpenSpiel-v0", game=game, opponent="mcts:5")
    env: Any = gym.make("zerogym/OpenSpiel-v0", game="skat").unwrapped
    env.reset(seed=0)
    with pytest.raises(NoOracle, match="cannot be redrawn"):
        env.oracle_policy()
    assert OpenSpiel("checkers").redrawn and OpenSpiel("kuhn_poker").redrawn


def test_numbers_beyond_one_are_scaled_and_stay_different() -> None:
    rules = OpenSpiel("mancala")
    state = rules.initial()
    theirs = state.inner.observation_tensor(0)
    ours = rules.observe(state, 0)
    assert max(theirs) > 1
    assert np.array_equal(np.argsort(ours, kind="stable"), np.argsort(theirs, kind="stable"))
    assert len(set(ours.tolist())) == len(set(theirs))
    flags = OpenSpiel("checkers").initial()
    assert OpenSpiel("checkers").observe(flags, 0).tolist() == flags.inner.observation_tensor(0)


@pytest.mark.parametrize(
    "game",
    [
        "matrix_pd",
        "matching_pennies_3p",
        "goofspiel(num_cards=4)",
        "oshi_zumo(coins=8,size=1)",
        "markov_soccer",  # chance between rounds
        "snake(players=4)",
        "pathfinding",  # one seat
    ],
)
@both_views
def test_games_at_once_are_parallel_environments(game: str, view: str) -> None:
    def make() -> Any:
        return pettingzoo.make("parallel", "zerogym/open_spiel-v0", game=game, view=view)

    parallel_api_test(make(), num_cycles=50)
    parallel_seed_test(make, num_cycles=20)
    env, theirs, rng = make(), pyspiel.load_game(game), np.random.default_rng(0)
    env.reset(seed=0)
    other = theirs.new_initial_state()
    while True:
        while other.is_chance_node():  # as ours drew it
            done = len(other.full_history())
            other.apply_action(env.get_state()["attributes"]["_match"].state.history[done])
        if not env.agents:
            break
        legal = [other.legal_actions(seat) for seat in range(theirs.num_players())]
        moves = [int(rng.choice(each)) for each in legal]
        answers = {
            f"player_{seat}": move
            if view == "numeric"
            else f"<answer>{other.action_to_string(seat, move)}</answer>"
            for seat, move in enumerate(moves)
        }
        _, rewards, _, _, infos = env.step(answers)
        assert not any(info["void_turn"] for info in infos.values())
        other.apply_actions(moves)
    assert list(rewards.values()) == other.returns() and other.is_terminal()


def test_chance_of_many_outcomes_is_exact_and_quick() -> None:
    rules = OpenSpiel("yacht")
    state = rules.initial()
    while rules.to_move(state) != CHANCE or len(rules.chance(state)) < 1000:
        moves = rules.legal(state) or [a for a, _ in rules.chance(state)]
        state = rules.apply(state, moves[-1])
    assert len(rules.chance(state)) == 6**5
    assert sum(weight for _, weight in rules.chance(state)) == 1


def test_a_snapshot_replays_a_game_with_dice() -> None:
    env: Any = gym.make("zerogym/OpenSpiel-v0", game="backgammon").unwrapped
    env.reset(seed=0)
    env.step(env.random_action(np.random.default_rng(0)))
    snapshots = [env.get_state(), pickle.loads(pickle.dumps(env.get_state()))]
    futures = []
    for snapshot in snapshots:
        env.set_state(snapshot)
        rng, future, over = np.random.default_rng(3), [], False
        while not over:
            observation, reward, over, _, _ = env.step(env.random_action(rng))
            future.append((observation, reward))
        futures.append(future)
    assert futures[0] == futures[1]


def test_the_rules_are_loaded_by_name() -> None:
    assert load_game("open_spiel", game="hex(board_size=4)").num_actions == 16
    assert "game" in inspect.signature(OpenSpiel).parameters
