"""The toy market: its accounts, its filter, and an oracle against brute force."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.exogenous.trading.market import (
    FALL,
    GAIN,
    MOVES,
    NEWEST,
    POSITION,
    STORM,
    TREND,
    WEALTH,
    WORST,
    Market,
)
from zerogym.envs.control.exogenous.trading.planner import TradingPlan
from zerogym.envs.control.exogenous.trading.tasks import AVERSION, TASKS

make = partial(bare, "Trading")
LIVELY = Market(0.6, 0.2, 0.3, 0.5, 2.0, 0.15)


@pytest.mark.parametrize("short", [False, True])
def test_the_accounts_add_up(short: bool) -> None:
    env = make(short=short, task="profit")
    episode = play(env, "random", 3)
    total, rows, costs = episode.total, episode.observations, episode.costs
    held, moves = rows[:, POSITION].astype(float), rows[:, NEWEST].astype(float)
    gains = held[1:] * moves[1:] - 0.1 * np.abs(np.diff(held))
    np.testing.assert_allclose(rows[1:, GAIN], gains, atol=1e-6)
    assert set(held) == ({-1, 0, 1} if short else {0, 1})
    wealth = np.concatenate([[0.0], gains.cumsum()])
    np.testing.assert_allclose(rows[:, WEALTH], wealth, atol=1e-4)
    falls = np.maximum.accumulate(wealth) - wealth
    np.testing.assert_allclose(rows[:, FALL], falls, atol=1e-4)
    np.testing.assert_allclose(rows[:, WORST], np.maximum.accumulate(falls), atol=1e-4)
    assert sum(costs) == pytest.approx(falls.max(), abs=1e-4)
    assert total == pytest.approx(gains.sum(), abs=1e-4)
    features = env.features(rows)
    np.testing.assert_array_equal(features["worst_fall"], rows[:, WORST])
    np.testing.assert_array_equal(features["move"], rows[:, NEWEST])
    np.testing.assert_array_equal(rows[16, NEWEST:], rows[16:0:-1, NEWEST])


def test_the_live_market_follows_its_chances() -> None:
    env = make(horizon=6000, context={"trend_switch": 0.2, "edge": 0.6})
    env.reset(seed=0)
    states, moves = [], []
    for _ in range(6000):
        obs = env.step(0)[0]
        states.append(env._episode.hidden)
        moves.append(obs[NEWEST])
        size = 2.0 if states[-1][1] else 0.5
        assert abs(moves[-1]) in (0.0, size)
        assert obs[STORM] == states[-1][1] and obs[TREND] == 0
    trend, wild = np.array(states).T
    assert (np.diff(trend) != 0).mean() == pytest.approx(0.2, abs=0.02)
    assert (np.diff(wild) != 0).mean() == pytest.approx(0.1, abs=0.02)
    for each in (0, 1):
        share = np.sign(np.array(moves)[trend == each])
        expected = env.market.moves(float(each))
        found = [(share == move).mean() for move in MOVES]
        np.testing.assert_allclose(found, expected, atol=0.03)
    assert env.market.moves(1.0)[2] == pytest.approx(2 / 3 * 0.8)


def test_the_filter_counts_every_path_of_the_trend() -> None:
    moves = [1, 0, -1, -1, 1, -1]
    total = np.zeros(2)
    for path in product((0, 1), repeat=len(moves) + 1):
        chance = 0.5
        for before, after, move in zip(path, path[1:], moves, strict=False):
            turn = LIVELY.trend_switch
            chance *= turn if before != after else 1 - turn
            chance *= LIVELY.moves(float(after))[MOVES.index(move)]
        total[path[-1]] += chance
    up = 0.5
    for move in moves:
        up = float(LIVELY.learnt(up, move))
    assert up == pytest.approx(total[1] / total.sum())


def test_the_belief_of_the_world_is_that_of_its_filter() -> None:
    env = make(task="profit")
    env.reset(seed=1)
    up = 0.5
    for step in range(30):
        rows = env.step(0)[0]
        up = float(env.market.learnt(up, int(np.sign(rows[NEWEST]))))
        if step % 7 == 0:
            assert env.belief() == pytest.approx(up)
    snapshot = env.get_state()
    while env.step(0)[0][NEWEST] == 0:  # a move tells something
        pass
    assert env.belief() != pytest.approx(up)
    env.set_state(snapshot)
    assert env.belief() == pytest.approx(up)
    shown = make(trend_visible=True)
    assert shown.reset(options={"start": (1, 0)})[0][TREND] == 1 and shown.belief() == 1.0
    assert shown.reset(options={"start": (0, 1)})[0][TREND] == -1 and shown.belief() == 0.0


def best(
    exact: Market, task: str, visible: bool, held: tuple[int, ...], up: float, wild: int,
    position: int, left: int,
) -> tuple[float, list[float]]:  # fmt: skip
    """The highest expected return of any policy, and the value of each action."""
    if not left:
        return 0.0, []
    before, worths = up * (1 - exact.trend_switch) + (1 - up) * exact.trend_switch, []
    cases = [(1.0, 1.0, before), (0.0, 0.0, 1 - before)] if visible else [(before, None, 1.0)]
    for action in held:
        worth = 0.0
        for rising, known, likely in cases:
            for move, after in product(MOVES, (0, 1)):
                lean = 1 + exact.edge * move * (2 * rising - 1)
                chance = likely * (1 / 3 * lean if move else 1 / 3)
                chance *= exact.volatility_switch if after != wild else 1 - exact.volatility_switch
                if chance == 0:
                    continue
                one = rising * (1 + exact.edge * move) if move else rising
                believed = known if known is not None else one / lean if move else rising
                gain = action * move * (exact.wild if after else exact.calm)
                gain -= exact.fee * abs(action - position)
                reward = gain - (AVERSION / 2 * gain**2 if task == "risk_adjusted" else 0.0)
                later = best(exact, task, visible, held, believed, after, action, left - 1)[0]
                worth += chance * (reward + later)
        worths.append(worth)
    return max(worths), worths


@pytest.mark.parametrize("task", ["profit", "risk_adjusted"])
@pytest.mark.parametrize("visible", [False, True])
@pytest.mark.parametrize("held", [(0, 1), (0, 1, -1)])
def test_no_policy_beats_the_oracle(task: str, visible: bool, held: tuple[int, ...]) -> None:
    plan = TradingPlan(LIVELY, held, TASKS[task], visible, 3)
    for up, wild, position in ((1.0, 0, 0), (0.0, 1, 1), (0.5, 1, 0), (0.73, 0, 1)):
        if visible and up not in (0.0, 1.0):
            continue
        most, worths = best(LIVELY, task, visible, held, up, wild, position, 3)
        rows = np.zeros(NEWEST + 4, dtype=np.float32)
        rows[POSITION], rows[STORM] = position, wild
        found = plan.worth(up, rows, 3)
        np.testing.assert_allclose(found, worths, atol=1e-6 if visible else 1e-3)
        if up in (0.0, 0.5, 1.0):  # points of the grid
            place = round(200 * up), wild, held.index(position)
            assert plan.values[3][place] == pytest.approx(most, abs=1e-3)


def test_the_oracle_beats_holding_and_than_chance() -> None:
    for kwargs in ({}, {"short": True}, {"trend_visible": True}):
        env = make(task="profit", **kwargs)
        returns = {
            policy: np.mean([play(env, policy, seed).total for seed in range(8)])
            for policy in ("oracle", "buy_and_hold", "random")
        }
        assert returns["oracle"] > 1.0 + max(returns["buy_and_hold"], returns["random"])
    timing = make(task="calm_only", horizon=50)
    assert play(timing, "oracle", 0).total == 50.0
    assert play(timing, "buy_and_hold", 0).total < 50.0


def test_a_falling_market_is_left_or_sold() -> None:
    surely = {"edge": 0.9, "trend_switch": 0.0}
    for short, expected in ((False, 0), (True, 2)):
        env = make(short=short, trend_visible=True, task="profit", context=surely)
        env.reset(seed=0, options={"start": (0, 1)})
        assert int(env.oracle_action()) == expected
        env.reset(seed=0, options={"start": (1, 1)})
        assert int(env.oracle_action()) == 1
    dear = make(task="profit", context={"edge": 0.1, "fee": 1.0})
    assert play(dear, "oracle", 0).total == 0.0, "a fee that no edge earns back"


def test_words_say_what_numbers_do() -> None:
    env = make(view="text", task="profit", short=True, context={"fee": 0.25})
    numeric = make(task="profit", short=True, context={"fee": 0.25})
    text, _ = env.reset(seed=4)
    numeric.reset(seed=4)
    assert "Changing your position costs 0.25 %." in text
    assert text.endswith("Answer with one move: out, long or short.")
    price = 100.0
    for action, word in ((1, "long"), (2, "short"), (0, "out"), (1, "long")):
        words, reward, *_ = env.step(f"So <answer>{word}</answer>")
        rows, same, *_ = numeric.step(action)
        price *= 1 + float(rows[NEWEST]) / 100
        assert reward == same
        assert f"The price is {price:.2f} ({rows[NEWEST]:+.2f} %)" in words
        assert f"the market {'wild' if rows[STORM] else 'calm'}. You are {word}." in words
        assert f"Gain {rows[WEALTH]:+.2f} %" in words
        assert (f"deepest fall {rows[WORST]:.2f} %" in words) == (rows[WORST] > 0)
    words, _, _, _, info = env.step("buy!")
    assert words.startswith("That is no move, so you take `out`. ") and info["void_turn"]
