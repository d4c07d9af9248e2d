"""The toy market: its accounts, its filter, and an oracle against brute force."""

from itertools import product
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
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
from zerogym.errors import NoOracle, UnknownName
from zerogym.wrappers.contexts.context_sampler import ContextSampler

ID = "zerogym/Trading-v0"
LIVELY = Market(0.6, 0.2, 0.3, 0.5, 2.0, 0.15)


def make(**kwargs: Any) -> Any:
    return gym.make(ID, **kwargs).unwrapped


def episode(env: Any, policy: str, seed: int) -> tuple[float, np.ndarray, list[float]]:
    """Return, observations and costs of an episode."""
    obs, _ = env.reset(seed=seed)
    rng, total, seen, costs, truncated = np.random.default_rng(seed), 0.0, [obs], [], False
    act = {
        "oracle": env.oracle_action,
        "random": lambda: env.random_action(rng),
        "hold": env.buy_and_hold_action,
    }[policy]
    while not truncated:
        obs, reward, _, truncated, info = env.step(act())
        assert obs in env.observation_space
        total, seen, costs = total + reward, [*seen, obs], [*costs, info["cost"]]
    return total, np.array(seen), costs


@pytest.mark.parametrize("short", [False, True])
def test_the_accounts_add_up(short: bool) -> None:
    env = make(short=short, task="profit")
    total, seen, costs = episode(env, "random", 3)
    held, moves = seen[:, POSITION].astype(float), seen[:, NEWEST].astype(float)
    gains = held[1:] * moves[1:] - 0.1 * np.abs(np.diff(held))
    np.testing.assert_allclose(seen[1:, GAIN], gains, atol=1e-6)
    assert set(held) == ({-1, 0, 1} if short else {0, 1})
    wealth = np.concatenate([[0.0], gains.cumsum()])
    np.testing.assert_allclose(seen[:, WEALTH], wealth, atol=1e-4)
    falls = np.maximum.accumulate(wealth) - wealth
    np.testing.assert_allclose(seen[:, FALL], falls, atol=1e-4)
    np.testing.assert_allclose(seen[:, WORST], np.maximum.accumulate(falls), atol=1e-4)
    assert sum(costs) == pytest.approx(falls.max(), abs=1e-4)
    assert total == pytest.approx(gains.sum(), abs=1e-4)
    np.testing.assert_array_equal(seen[16, NEWEST:], seen[16:0:-1, NEWEST])


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
        seen = env.step(0)[0]
        up = float(env.market.learnt(up, int(np.sign(seen[NEWEST]))))
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
    """The highest expected return of any policy of what is seen, and what each action is worth."""
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
                paid = gain - (AVERSION / 2 * gain**2 if task == "risk_adjusted" else 0.0)
                later = best(exact, task, visible, held, believed, after, action, left - 1)[0]
                worth += chance * (paid + later)
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
        seen = np.zeros(NEWEST + 4, dtype=np.float32)
        seen[POSITION], seen[STORM] = position, wild
        found = plan.worth(up, seen, 3)
        np.testing.assert_allclose(found, worths, atol=1e-6 if visible else 1e-3)
        if up in (0.0, 0.5, 1.0):  # points of the grid
            place = round(200 * up), wild, held.index(position)
            assert plan.values[3][place] == pytest.approx(most, abs=1e-3)


def test_the_oracle_earns_more_than_holding_and_than_chance() -> None:
    for kwargs in ({}, {"short": True}, {"trend_visible": True}):
        env = make(task="profit", **kwargs)
        returns = {
            policy: np.mean([episode(env, policy, seed)[0] for seed in range(12)])
            for policy in ("oracle", "hold", "random")
        }
        assert returns["oracle"] > 1.0 + max(returns["hold"], returns["random"])
    calm = make(task="calm_only", horizon=50)
    assert episode(calm, "oracle", 0)[0] == 50.0
    assert episode(calm, "hold", 0)[0] < 50.0


def test_a_falling_market_is_left_or_sold() -> None:
    surely = {"edge": 0.9, "trend_switch": 0.0}
    for short, expected in ((False, 0), (True, 2)):
        env = make(short=short, trend_visible=True, task="profit", context=surely)
        env.reset(seed=0, options={"start": (0, 1)})
        assert int(env.oracle_action()) == expected
        env.reset(seed=0, options={"start": (1, 1)})
        assert int(env.oracle_action()) == 1
    dear = make(task="profit", context={"edge": 0.1, "fee": 1.0})
    assert episode(dear, "oracle", 0)[0] == 0.0, "a fee that no edge earns back"


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
        seen, same, *_ = numeric.step(action)
        price *= 1 + float(seen[NEWEST]) / 100
        assert reward == same
        assert f"The price is {price:.2f} ({seen[NEWEST]:+.2f} %)" in words
        assert f"the market {'wild' if seen[STORM] else 'calm'}. You are {word}." in words
        assert f"Gain {seen[WEALTH]:+.2f} %" in words
        assert (f"deepest fall {seen[WORST]:.2f} %" in words) == (seen[WORST] > 0)
    words, _, _, _, info = env.step("buy!")
    assert words.startswith("That is no move, so you take `out`. ") and info["void_turn"]


def test_rewards_of_torch_are_those_of_numpy() -> None:
    env = make()
    _, seen, _ = episode(env, "random", 0)
    obs, after, action = seen[:-1], seen[1:], np.zeros(len(seen) - 1, dtype=np.int64)
    for task in env.tasks.values():
        torched = task.relabel(*map(torch.as_tensor, (obs, action, after)))
        np.testing.assert_allclose(torched.numpy(), task.relabel(obs, action, after), rtol=1e-6)
    assert env.features(after)["worst_fall"].max() == after[:, WORST].max()
    assert (env.features(after)["move"] == after[:, NEWEST]).all()
    make(task=lambda features, action: features["gain"] - features["fall"])


def test_a_context_is_for_one_episode_and_can_be_drawn() -> None:
    env = make()
    first = episode(env, "hold", 2)[1]
    env.reset(seed=2, options={"context": {"wild": 5.0, "edge": 0.0}})
    assert env.market.wild == 5.0 and env.context["edge"] == 0.0
    np.testing.assert_array_equal(episode(env, "hold", 2)[1], first)
    drawn = ContextSampler(make(task="profit"), split="train")
    assert 0.2 <= drawn.reset(seed=0)[1]["context"]["edge"] <= 0.6


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"frames": 0}, ValueError, "frames must be an integer from 1 to 64, got 0"),
        ({"frames": 2.5}, ValueError, "got 2.5"),
        ({"task": "profits"}, UnknownName, "Did you mean 'profit'"),
        ({"task": (1, 2)}, ValueError, "no goals in this world"),
        ({"context": {"fee": -1}}, ValueError, r"fee .* \[0, 1\], got -1"),
        ({"context": {"fees": 0.1}}, UnknownName, "Did you mean 'fee'"),
    ],
)
def test_bad_arguments_are_refused_in_words(kwargs: Any, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        make(**kwargs)


def test_bad_actions_and_starts_are_refused_in_words() -> None:
    env = make()
    env.reset(seed=0)
    for action in (2, -1, np.nan, "long", [1]):
        with pytest.raises(ValueError, match="action must be an integer from 0 to 1"):
            env.step(action)
    for start in ((1,), (2, 0), "up", (0.5, 1), (np.nan, 0)):
        with pytest.raises(ValueError, match=r"start must be \(trend, volatility\)"):
            env.reset(options={"start": start})
    with pytest.raises(NoOracle, match="needs a task"):
        env.oracle_action()
