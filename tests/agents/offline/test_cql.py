"""Conservative Q-learning of continuous actions: its integral, its loops, what it does to Q."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

torch = pytest.importorskip("torch")

from torch import distributions  # noqa: E402

from zerogym.agents.offline import OfflineAgent, OfflineConfig, Transitions  # noqa: E402
from zerogym.agents.offline.method import Update  # noqa: E402
from zerogym.agents.offline.methods.cql import CQL  # noqa: E402

GAMMA, N, K, M = 0.9, 7, 3, 2


@pytest.fixture
def double() -> Iterator[None]:
    """Networks and draws in double precision."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def rows() -> Transitions:
    """Random transitions, some of which end."""
    draw = torch.Generator().manual_seed(0)
    observations, following = torch.randn(2, N, K, generator=draw)
    actions = torch.rand(N, M, generator=draw) * 2 - 1
    rewards = torch.randn(N, generator=draw)
    goes_on = torch.tensor([1.0, 0, 1, 1, 0, 1, 1])
    return Transitions(observations, actions, rewards, following, goes_on)


def made(method: CQL) -> OfflineAgent:
    """An agent whose targets differ from its networks."""
    data = rows()
    agent = OfflineAgent(OfflineConfig(method=method, hidden=8, gamma=GAMMA, lr=1e-2), data)
    agent.learn(data, 3)
    return agent


def gradients(agent: OfflineAgent, losses: dict[str, Any]) -> dict[str, list[Any]]:
    return {
        name: list(torch.autograd.grad(loss, list(getattr(agent.networks, name).parameters())))
        for name, loss in losses.items()
    }


def own_losses(agent: OfflineAgent, data: Transitions) -> dict[str, Any]:
    """The losses of an update of the agent, with the networks as they are."""
    update = Update(data, GAMMA, 2, torch.Generator().manual_seed(5))
    return dict(agent.method.losses(agent.networks, update))


def by_hand(agent: OfflineAgent, data: Transitions, alpha: float, samples: int) -> dict[str, Any]:
    """The same in loops, with the densities of `torch.distributions` and no shared code."""
    nets, draw = agent.networks, torch.Generator().manual_seed(5)

    def policy(state: Any) -> Any:
        out = nets.actor["net"](state[None])[0]
        normal = distributions.Normal(out[:M], out[M:].clamp(-5, 2).exp())
        squash = distributions.TanhTransform(cache_size=1)
        return distributions.TransformedDistribution(normal, [squash]), normal

    def act(state: Any, noise: Any) -> tuple[Any, Any]:
        squashed, normal = policy(state)
        before = normal.loc + normal.scale * noise
        action = squashed.transforms[0](before)  # keeps `before`, so that no atanh is taken
        return action, squashed.log_prob(action).sum()

    def q(net: Any, state: Any, action: Any) -> Any:
        return net(torch.cat([state, action])[None])[0, 0]

    first = torch.randn(N, M, generator=draw)
    if alpha:
        uniform = torch.rand(samples, N, M, generator=draw) * 2 - 1
        here, there = (torch.randn(samples, N, M, generator=draw) for _ in range(2))
    last = torch.randn(N, M, generator=draw)
    critic, actor, entropy = torch.zeros(3)
    for i, (s, a, r, after, on) in enumerate(zip(*data[:5], strict=True)):
        with torch.no_grad():
            chosen = act(after, first[i])[0]
            target = r + GAMMA * on * min(q(net, after, chosen) for net in nets.target_critic)
        for net in nets.critic:
            rated = q(net, s, a)
            critic = critic + (rated - target) ** 2 / N
            if not alpha:
                continue
            integrand = torch.zeros(())
            for j in range(samples):
                integrand = integrand + q(net, s, uniform[j, i]).exp() / 0.5**M
                for state, noise in ((s, here[j, i]), (after, there[j, i])):
                    with torch.no_grad():
                        action, log_density = act(state, noise)
                    integrand = integrand + q(net, s, action).exp() / log_density.exp()
            critic = critic + alpha * ((integrand / (3 * samples)).log() - rated) / N
        own, log_density = act(s, last[i])
        least = torch.stack([q(net, s, own) for net in nets.critic]).min()
        actor = actor + (nets.temperature[0].detach().exp() * log_density - least) / N
        entropy = entropy - log_density.detach() / N
    return {"critic": critic, "temperature": nets.temperature[0] * (entropy + M), "actor": actor}


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize(("alpha", "samples"), [(0.0, 4), (0.7, 1), (3.0, 4)])
def test_losses_and_gradients_are_those_of_loops(alpha: float, samples: int) -> None:
    agent, data = made(CQL(alpha=alpha, samples=samples)), rows()
    found, expected = own_losses(agent, data), by_hand(agent, data, alpha, samples)
    assert list(found) == ["critic", "temperature", "actor"]
    for name, loss in expected.items():
        assert float(found[name].detach()) == pytest.approx(float(loss.detach()), rel=1e-9)
    ours, theirs = gradients(agent, found), gradients(agent, expected)
    for name in ours:
        for mine, its in zip(ours[name], theirs[name], strict=True):
            assert torch.allclose(mine, its, rtol=1e-8, atol=1e-10)
            assert its.any()


def test_without_the_penalty_it_is_soft_actor_critic_to_the_bit() -> None:
    """The same update with the penalty left out of the formula, on the same draws."""
    agent, data = made(CQL(alpha=0.0)), rows()
    nets, draw = agent.networks, torch.Generator().manual_seed(5)
    with torch.no_grad():
        chosen, _ = nets.sampled(data.next_observations, torch.randn(N, M, generator=draw))
        later = nets.q(data.next_observations, chosen, target=True).amin(0)
        target = data.rewards + GAMMA * data.goes_on * later
    off = nets.q(data.observations, data.actions) - target
    own, log_density = nets.sampled(data.observations, torch.randn(N, M, generator=draw))
    weight = nets.temperature[0].detach().exp()
    plain = {
        "critic": (off**2).mean(1).sum(),
        "actor": (weight * log_density - nets.q(data.observations, own).amin(0)).mean(),
    }
    found = own_losses(agent, data)
    ours, theirs = gradients(agent, found), gradients(agent, plain)
    for name in plain:
        assert torch.equal(found[name], plain[name])
        assert all(map(torch.equal, ours[name], theirs[name]))


class Quadratic(torch.nn.Module):
    """Q(s, a) = height - curve (a - middle)^2 for any state of one number."""

    def __init__(self, height: float, curve: float, middle: float) -> None:
        super().__init__()
        self.height, self.curve, self.middle = height, curve, middle

    def of(self, action: Any) -> Any:
        return self.height - self.curve * (action - self.middle) ** 2

    def forward(self, read: Any) -> Any:
        return self.of(read[:, 1:])


def density(mean: float) -> Callable[[float], float]:
    """The density of tanh(mean + a standard normal number)."""

    def of(action: float) -> float:
        off = math.atanh(action) - mean
        return math.exp(-(off**2) / 2) / math.sqrt(2 * math.pi) / (1 - action**2)

    return of


FAR = 5.5  # deviations: one of 80,000 draws is beyond with a chance of 0.3 %, here none is


def test_the_penalty_estimates_the_log_of_the_integral() -> None:
    """Within five standard errors, plus what lies where no draw of the actor is.

    The estimate is the mean of independent terms exp(Q) / density, a third of them of each kind, so
    its variance is the mean of theirs over their number, and the logarithm divides the error by the
    integral. Terms of the actor have no finite variance, but they have one up to `FAR`, and what
    they leave out beyond is less than 0.0002 of an integral.
    """
    count, means = 40_000, (0.4, -0.7)  # of the actor in s and in s', before tanh
    one = torch.ones(2, 1)
    data = Transitions(one, 0.25 * one, torch.tensor([0.0, 2.0]), -one, torch.zeros(2))
    agent = OfflineAgent(OfflineConfig(method=CQL(alpha=1.0, samples=count), layers=0), data)
    critics = [Quadratic(1.0, 3.0, 0.3), Quadratic(-2.0, 1.5, -0.8)]
    agent.networks.critic = torch.nn.ModuleList(critics)
    line = agent.networks.actor["net"][0]
    with torch.no_grad():  # in s, which is 1, and in s', which is -1; a deviation of 1
        line.weight.copy_(torch.tensor([[(means[0] - means[1]) / 2], [0.0]]))
        line.bias.copy_(torch.tensor([(means[0] + means[1]) / 2, 0.0]))
    update = Update(data, GAMMA, 1, torch.Generator().manual_seed(2))
    loss = float(next(agent.method.losses(agent.networks, update))[1])
    expected, error = 0.0, 0.0
    for q in critics:
        whole = quad(lambda a, q=q: math.exp(q.of(a)), -1, 1)[0]
        variances = [quad(lambda a, q=q: 2 * math.exp(2 * q.of(a)), -1, 1)[0] - whole**2]
        for mean in means:
            ends = math.tanh(mean - FAR), math.tanh(mean + FAR)
            inside = quad(lambda a, q=q: math.exp(q.of(a)), *ends)[0]
            assert 0 <= 1 - inside / whole < 2e-4
            drawn = density(mean)
            assert quad(drawn, *ends)[0] == pytest.approx(1.0, abs=1e-6)
            square = quad(lambda a, q=q, p=drawn: math.exp(2 * q.of(a)) / p(a), *ends)[0]
            variances.append(square - inside**2)
        expected += math.log(whole) - q.of(0.25)
        expected += sum((q.of(0.25) - reward) ** 2 / 2 for reward in (0.0, 2.0))
        # Two rows of the same state, each with draws of its own.
        error += math.sqrt(sum(variances) / 3 / (3 * count * 2)) / whole
    assert 0 < error < 0.005
    assert abs(loss - expected) < 5 * error + 2 * 2e-4


def bandit(alpha: float) -> tuple[Any, Any, float]:
    """Q of actions in the data and outside of them, and the actor, for one step that ends."""
    draw = torch.Generator().manual_seed(0)
    actions = -torch.rand(64, 1, generator=draw)
    one = torch.ones(64, 1)
    data = Transitions(one, actions, 1 + actions[:, 0], one, torch.zeros(64))
    config = OfflineConfig(method=CQL(alpha=alpha), hidden=32, layers=1, lr=2e-2)
    agent = OfflineAgent(config, data)
    agent.learn(data, 100)
    grid = torch.linspace(-0.9, 0.9, 19)[:, None]
    with torch.no_grad():
        q = agent.networks.q(torch.ones(19, 1), grid).amin(0)
    action = agent.predict(np.ones((1, 1)), deterministic=True)[0]
    return q[grid[:, 0] < -0.05], q[grid[:, 0] > 0.15], float(action[0, 0])


def test_actions_outside_of_the_data_get_lower_values_than_those_inside() -> None:
    """Rewards 1 + a of actions in [-1, 0]: without the penalty Q goes on rising beyond them."""
    inside, outside, action = bandit(0.0)
    assert outside.min() > inside.max() and action > 0.15
    inside, outside, action = bandit(1.0)
    assert outside.max() < inside.min() and -1 < action < 0
