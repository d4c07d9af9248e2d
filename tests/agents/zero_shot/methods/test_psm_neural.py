"""Proto successor measures by networks: loops, visits by series, and value iteration."""

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import NeuralPSMSettings, Start
from zerogym.agents.zero_shot.data.tensor_dataset import Batch
from zerogym.agents.zero_shot.methods.psm_neural import NeuralPSM, actions_of, keys_of
from zerogym.envs.control.tabular.dynamic_programming import value_iteration

PLACES = np.eye(3, dtype=np.float32)  # the observations of three states
AFTER = np.array([[1, 2], [2, 0], [2, 1]])  # with two actions
PAIRS = np.array(list(product(range(3), range(2))))
GAMMA = 0.8
SMALL: dict[str, Any] = {"dim": 2, "rank": 3, "hidden": 8, "batch_size": 5, "policies": 4}


def _world(**more: Any) -> Dataset:
    states, actions = PAIRS.T
    return Dataset(PLACES[states], actions, PLACES[AFTER[states, actions]], **more)


def _new(**changes: Any) -> NeuralPSM:
    model: NeuralPSM = NeuralPSMSettings(gamma=GAMMA, **{**SMALL, **changes})(
        Start("", _world(), 2, True, 0, 5)
    )
    return model


def _visits(policy: Any) -> Any:
    """Return the discounted visits of pairs that follow each pair, (6, 6), by the series.

    Args:
        policy: Actions (3,), or chances (3, 2).
    """
    chances = np.eye(2)[policy] if np.ndim(policy) == 1 else policy
    steps = np.zeros((6, 6))
    for row, (s, a) in enumerate(PAIRS):
        after = AFTER[s, a]
        steps[row, 2 * after : 2 * after + 2] = chances[after]
    return sum(GAMMA**t * np.linalg.matrix_power(steps, t) for t in range(150))


def test_the_loss_is_that_of_a_loop() -> None:
    model = _new()
    with torch.no_grad():
        for slow, _ in model.pairs:
            next(iter(slow.parameters())).add_(0.1)
    rng = np.random.default_rng(0)
    here, after = (torch.as_tensor(rng.normal(size=(5, 3)), dtype=torch.float32) for _ in "ab")
    actions, following, codes = (torch.as_tensor(rng.integers(n, size=5)) for n in (2, 2, 4))
    goes_on, rows = torch.tensor([1.0, 1, 0, 1, 1]), torch.arange(5)
    batch = Batch(here, actions, after, rows, rows, rows, rows, goes_on)
    loss, _ = model.visits_loss(batch, codes, following)

    def density(nets: Any, code: Any, x: Any, y: Any) -> float:
        start, visit, table = nets
        with torch.no_grad():
            parts = start(pair(*x)).reshape(3, 3)
            weights = torch.cat([torch.ones(1), table(code)])
            return float((weights[:, None] * parts).sum(0) @ visit(pair(*y)))

    def pair(state: Any, action: Any) -> Any:
        return torch.cat([state, torch.eye(2)[action]])

    fast = model.start_net, model.visit_net, model.codebook
    slow = model.slow_start, model.slow_visit, model.slow_codebook
    expected = 0.0
    for i in range(5):
        x, then = (here[i], actions[i]), (after[i], following[i])
        expected -= 2 * density(fast, codes[i], x, x) / 5
        for j in set(range(5)) - {i}:
            y = here[j], actions[j]
            target = 0 if i == 2 else GAMMA * density(slow, codes[i], then, y)
            expected += (density(fast, codes[i], x, y) - target) ** 2 / 20
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-4)


def test_policies_are_those_of_the_published_hash() -> None:
    """The first outputs of splitmix64 with the seed 1234567, as its author's code prints them."""
    seed = np.full(3, 1234567, np.uint64)
    outputs = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    for actions in (5, 7, 1_000_003):
        found = actions_of(seed, np.arange(3), actions)
        assert found.tolist() == [each % actions for each in outputs]
    keys = keys_of(PLACES)
    assert len(set(keys.tolist())) == 3
    np.testing.assert_array_equal(keys, keys_of(np.where(PLACES == 0, -0.0, PLACES)))
    every = {tuple(actions_of(keys, np.full(3, code), 2)) for code in range(64)}
    assert len(every) == 8  # all deterministic policies


@pytest.mark.proof
def test_visits_are_those_of_the_codebook_and_tasks_are_solved() -> None:
    settings = {"dim": 7, "rank": 6, "hidden": 32, "policies": 32, "batch_size": 64, "tau": 0.05}
    model, data = _new(**settings, pairs=6, rounds=400), _world()
    model.learn(data, 3_000)
    with torch.no_grad():
        pairs = model.pairs_of(torch.as_tensor(data.observations), torch.as_tensor(data.actions))
        starts = model.slow_start(pairs).unflatten(-1, (-1, 6))
        visits = (starts @ model.slow_visit(pairs).T).numpy()  # (6, 8, 6)
    table, keys = model.slow_codebook.weight.detach().numpy(), keys_of(PLACES)
    found = (visits[:, 0] + np.einsum("cd,xdy->cxy", table, visits[:, 1:])) / 6  # (32, 6, 6)
    own = np.array([_visits(actions_of(keys, np.full(3, code), 2)) for code in range(32)])
    variance = np.square(own - own.mean(axis=0)).sum()
    assert np.square(found - own).sum() < 0.15 * variance
    rng, regrets = np.random.default_rng(1), []
    for _ in range(20):
        reward = rng.normal(size=6)
        random = _visits(np.full((3, 2), 0.5)) @ reward
        prompt = model.infer(lambda o, a, n, r=reward: r[2 * o.argmax(1) + a])
        best = value_iteration(AFTER, reward.reshape(3, 2), GAMMA)[0]  # (3,)
        policies = model.predict(PLACES, prompt)[0], random.reshape(3, 2).argmax(axis=1)
        regrets.append([(best - gained(each, reward)).mean() / np.ptp(reward) for each in policies])
    mine, greedy = np.mean(regrets, axis=0)
    assert mine < 0.03 and mine < greedy / 2


def gained(policy: Any, reward: Any) -> Any:
    """Return the values of three states, (3,)."""
    return (_visits(policy) @ reward)[2 * np.arange(3) + policy]


def test_the_cost_of_negative_visits_makes_the_program_exact() -> None:
    policies = [np.array(each) for each in product(range(2), repeat=3)]
    exact = [_visits(each) for each in policies]
    visits = np.stack([exact[0]] + [each - exact[0] for each in exact[1:]])  # b and seven Phi
    model = _new(dim=7, rounds=3_000)
    rng = np.random.default_rng(2)
    for _ in range(2):
        reward = rng.uniform(-1, 1, size=6)
        reward /= np.abs(reward).max()
        returns = (visits @ reward).mean(axis=1)
        flat = torch.as_tensor(6 * visits.reshape(8, -1), dtype=torch.float32)  # densities
        w = model.best(torch.as_tensor(returns, dtype=torch.float32), flat).numpy()
        best = np.mean([value_of(reward)[s] for s in range(6)])
        assert returns[0] + returns[1:] @ w == pytest.approx(best, abs=0.02)
        assert (visits[0] + np.tensordot(w, visits[1:], 1)).min() > -0.05


def value_of(reward: Any) -> Any:
    """Return the optimal Q of each pair, by value iteration."""
    values = value_iteration(AFTER, reward.reshape(3, 2), GAMMA)[0]
    return reward + GAMMA * values[AFTER[PAIRS[:, 0], PAIRS[:, 1]]]


def test_goals_are_entered_and_others_refused() -> None:
    model = _new()
    model.learn(_world(), 1)
    entered = model.infer(PLACES[2])
    same = model.infer(lambda o, a, n: n[:, 2])
    np.testing.assert_allclose(entered.task, same.task, atol=1e-6)
    with pytest.raises(ValueError, match="never reach the goal"):
        model.infer(np.ones(3))
    for name in ("policies", "rank", "pairs", "rounds"):
        with pytest.raises(ValueError, match=f"agent psm_neural: {name} must be at least 1"):
            NeuralPSMSettings(**{name: 0})
    with pytest.raises(ValueError, match="tau must be between 0 and 1"):
        NeuralPSMSettings(tau=1.0)


def test_a_goal_that_is_rarely_entered_is_kept() -> None:
    states, actions = np.tile(PAIRS[:4], (20_000, 1)).T  # the first two states, which are left
    after = np.where(np.arange(80_000) == 7_003, 2, 0)
    data = Dataset(PLACES[states], actions, PLACES[after])
    model = NeuralPSMSettings(**SMALL)(Start("", data, 2, True, 0, 5))
    assert model.infer(PLACES[2]).task.any()
