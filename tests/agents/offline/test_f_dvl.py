"""f-DVL: its loss against convex programs, its values against the linear program of visits."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog, minimize, minimize_scalar

torch = pytest.importorskip("torch")

from zerogym.agents.offline import OfflineAgent, OfflineConfig, Transitions  # noqa: E402
from zerogym.agents.offline.method import Update  # noqa: E402
from zerogym.agents.offline.methods.f_dvl import FDVL, dual_loss  # noqa: E402

GAMMA = 0.9
TABLE: dict[str, Any] = {"layers": 0, "lr": 0.05, "gamma": GAMMA, "tau": 1.0}
# A way 0 -> 1 -> 2, where 20 ends it: the best action is the rarer one in states 0 and 2.
WAY = [
    (0, 0, 0.0, 1, True), (0, 0, 0.0, 1, True), (0, 1, 1.0, 0, True), (0, 1, 1.0, 0, True),
    (0, 1, 1.0, 0, True), (1, 0, 0.5, 0, True), (1, 1, 0.0, 2, True), (1, 1, 0.0, 2, True),
    (2, 0, 20.0, 2, False), (2, 1, -1.0, 2, False), (2, 1, -1.0, 2, False),
]  # fmt: skip


def way() -> Transitions:
    eye = torch.eye(3)
    s, a, r, after, on = (torch.tensor(column) for column in zip(*WAY, strict=True))
    return Transitions(eye[s], a, r.float(), eye[after], on.float())


def loss_of(v: float, q: Any, divergence: Any, weight: float) -> float:
    return float(dual_loss(torch.as_tensor(q) - v, divergence, weight))


@pytest.mark.parametrize(("divergence", "raised"), [("chi2", 3 + 9 / 4), ("tv", 3.0)])
def test_one_difference_at_a_time(divergence: Any, raised: float) -> None:
    """-3, -5 and -10 have the linear term alone, 3 has both."""
    found = [loss_of(-d, [0.0], divergence, 0.8) for d in (-3.0, -5.0, -10.0, 3.0)]
    assert found == pytest.approx([0.6, 1.0, 2.0, 0.8 * raised - 0.6])


@pytest.mark.parametrize("weight", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("divergence", ["chi2", "tv"])
def test_the_least_loss_is_the_best_weighting_of_the_data(divergence: Any, weight: float) -> None:
    """The dual program: weights w of the actions with mean 1 - lambda, near those of the data.

    It maximises E[w q] - lambda E[g(w / lambda)], where g, whose conjugate is f, is
    max(t - 1, 0)^2 with chi2, and with total variation 0 for t up to 1 and else infinite.
    """
    q = np.array([0.3, -1.0, 2.5, 1.1])
    share = np.array([0.4, 0.3, 0.1, 0.2])
    sample = np.repeat(q, [4, 3, 1, 2])
    primal = minimize_scalar(
        lambda v: loss_of(v, sample, divergence, weight), bounds=(-20, 20), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    # E[u] has the part of q beside that of v.
    least = float(primal.fun) + (1 - weight) * float(share @ q)
    if divergence == "tv":
        best = -linprog(-share * q, A_eq=share[None], b_eq=[1 - weight], bounds=(0, weight)).fun
    else:
        best = -minimize(
            lambda w: -share @ (w * q - weight * np.maximum(w / weight - 1, 0) ** 2),
            np.full(4, 1 - weight), bounds=[(0, None)] * 4, method="SLSQP",
            constraints={"type": "eq", "fun": lambda w: share @ w - (1 - weight)},
            options={"ftol": 1e-14, "maxiter": 500},
        ).fun  # fmt: skip
    assert least == pytest.approx(best, abs=1e-5)


def visits_program() -> list[float]:
    """Each state's value as the largest reward of discounted visits, over actions of the data."""
    pairs = sorted({(s, a, r, after, on) for s, a, r, after, on in WAY})
    flow = np.zeros((3, len(pairs)))
    for column, (s, _, _, after, on) in enumerate(pairs):
        flow[s, column] += 1
        flow[after, column] -= GAMMA * on
    rewards = np.array([r for _, _, r, _, _ in pairs])
    return [-linprog(-rewards, A_eq=flow, b_eq=np.eye(3)[start]).fun for start in range(3)]


def sampled_q(values: Any) -> Any:
    """Q of each step of the data for these values of states."""
    return np.array([r + GAMMA * values[after] * on for _, _, r, after, on in WAY])


def put(module: Any, table: Any) -> None:
    with torch.no_grad():
        module[0].weight.copy_(torch.tensor(table, dtype=torch.float32).T)
        module[0].bias.zero_()


def iterated(weight: float) -> list[float]:
    """V by iteration for chi2: each state's root of the loss's derivative, by bisection."""
    values, states = [0.0] * 3, np.array([s for s, *_ in WAY])
    for _ in range(120):
        every = sampled_q(values)
        for state in range(3):
            q = every[states == state]
            low, high = q.min() - 30, q.max()
            for _ in range(45):
                v = (low + high) / 2
                slope = np.mean(np.where(q > v, 1 + (q - v) / 2, 0.0))
                low, high = (v, high) if weight * slope > 1 - weight else (low, v)
            values[state] = float(low)
    return values


@pytest.mark.parametrize("divergence", ["chi2", "tv"])
def test_large_weights_rest_exactly_at_the_program_of_visits(divergence: Any) -> None:
    """The best actions have shares of 2/5, 2/3 and 1/3; (1 - 0.8) / 0.8 is less than all."""
    values = visits_program()
    assert values == pytest.approx([16.2, 18.0, 20.0])
    assert_rest(FDVL(divergence=divergence, weight=0.8), values)
    ends = sampled_q(values)[[s == 2 for s, *_ in WAY]]
    lower, best = (loss_of(one, ends, divergence, 0.7) for one in (19.9, 20.0))
    assert lower < best, "(1 - 0.7) / 0.7 is above 1/3: the rare end is not reached"


@pytest.mark.parametrize("weight", [0.52, 0.7])
def test_chi2_rests_at_values_by_bisection(weight: float) -> None:
    assert_rest(FDVL(weight=weight), iterated(weight))


def test_chi2_goes_to_the_program_of_visits() -> None:
    best = np.array(visits_program())
    off = [float(np.abs(iterated(one) - best).max()) for one in (0.52, 0.6, 0.7, 0.8)]
    assert off == sorted(off, reverse=True) and off[0] > 5 and off[2] > 0.1
    assert off[3] < 1e-3


def assert_rest(method: FDVL, values: list[float]) -> None:
    """Assert that with Q of these values each of them is where the loss of the agent is least."""
    data = way()
    agent = OfflineAgent(OfflineConfig(method=method, **TABLE), data, actions=2)
    nets, q = agent.networks, np.zeros((3, 2))
    for (s, a, *_), one in zip(WAY, sampled_q(values), strict=True):
        q[s, a] = one
    for critic in (*nets.critic, *nets.target_critic):
        put(critic, q)

    def loss(state: int, change: float) -> float:
        put(nets.value, (np.array(values) + change * (np.arange(3) == state))[:, None])
        update = Update(data, GAMMA, 1, torch.Generator())
        name, found = next(agent.method.losses(nets, update))
        assert name == "value"
        return float(found.detach())

    for state in range(3):
        assert loss(state, 0.0) < min(loss(state, -0.1), loss(state, 0.1))


@pytest.mark.parametrize("divergence", ["chi2", "tv"])
def test_actions_that_the_data_do_not_have_change_nothing(divergence: Any) -> None:
    config = OfflineConfig(method=FDVL(divergence=divergence), **TABLE)
    agents = [OfflineAgent(config, way(), 3) for _ in range(2)]
    with torch.no_grad():
        for one in (*agents[1].networks.critic, *agents[1].networks.target_critic):
            one[0].bias[2] += 1e6
    assert agents[0].learn(way(), 20) == agents[1].learn(way(), 20)


def test_wrong_settings_have_one_line() -> None:
    for settings, error, word in (
        ({"weight": 0.5}, ValueError, "weight"), ({"weight": 1.0}, ValueError, "weight"),
        ({"divergence": "kl"}, ValueError, "divergence"), ({"largest": 0.0}, ValueError, "largest"),
        ({"temperature": -1.0}, ValueError, "temperature"),
    ):  # fmt: skip
        with pytest.raises(error, match=word):
            FDVL(**settings)
