"""Losses of offline methods: in loops, at their minima, by enumeration."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from zerogym.agents.offline import OfflineAgent, OfflineConfig, Transitions  # noqa: E402
from zerogym.agents.offline.method import Update  # noqa: E402
from zerogym.agents.offline.methods.bc import BC  # noqa: E402
from zerogym.agents.offline.methods.cql import CQL  # noqa: E402
from zerogym.agents.offline.methods.iql import IQL  # noqa: E402
from zerogym.agents.offline.methods.td3_bc import TD3BC  # noqa: E402

GAMMA = 0.9
TABLE = {"layers": 0, "lr": 0.05, "gamma": GAMMA, "tau": 1.0}  # one-hot states: every table


def rows(steps: Sequence[tuple[int, int, float, int, bool]], states: int) -> Transitions:
    """Steps (state, action, reward, next state, whether it goes on) with one-hot states."""
    eye = torch.eye(states)
    s, a, r, after, on = (torch.tensor(column) for column in zip(*steps, strict=True))
    return Transitions(eye[s], a, r.float(), eye[after], on.float())


def noise(discrete: bool, n: int = 7, k: int = 3, seed: int = 0) -> Transitions:
    """Random transitions, some of which end."""
    draw = torch.Generator().manual_seed(seed)
    observations, following = torch.randn(2, n, k, generator=draw)
    actions = (
        torch.randint(4, (n,), generator=draw)
        if discrete
        else torch.rand(n, 2, generator=draw) * 2 - 1
    )
    rewards = torch.randn(n, generator=draw)
    goes_on = torch.tensor([1.0, 0, 1, 1, 0, 1, 1])[:n]
    return Transitions(observations, actions, rewards, following, goes_on)


def made(method: Any, data: Transitions, **settings: Any) -> OfflineAgent:
    """An agent whose targets differ from its networks."""
    config = OfflineConfig(method=method, **{"hidden": 8, "gamma": GAMMA, "lr": 1e-2, **settings})
    agent = OfflineAgent(config, data, 4 if data.discrete else None)
    agent.learn(data, 3)
    return agent


def losses(agent: OfflineAgent, data: Transitions, number: int = 2) -> dict[str, float]:
    """The losses of an update, with the networks as they are."""
    update = Update(data, GAMMA, number, torch.Generator().manual_seed(5))
    found = agent.method.losses(agent.networks, update)
    return {name: float(loss.detach()) for name, loss in found}


def net(module: Any, *parts: Any) -> Any:
    """A network's row of outputs for one row of inputs."""
    with torch.no_grad():
        return module(torch.cat([torch.atleast_1d(part) for part in parts])[None])[0]


def single(data: Transitions) -> list[tuple[Any, ...]]:
    return list(zip(*data[:5], strict=True))


# --- in loops

LARGEST = {True: 1.05, False: 0.95}  # weights of which some are larger


@pytest.mark.parametrize("discrete", [True, False])
def test_implicit_q_learning_is_its_loops(discrete: bool) -> None:
    data = noise(discrete)
    agent = made(IQL(expectile=0.8, temperature=2.0, largest=LARGEST[discrete]), data)
    nets, sums = agent.networks, {"value": 0.0, "actor": 0.0, "critic": 0.0}
    clipped = 0
    for s, a, r, after, on in single(data):
        read = (s,) if discrete else (s, a)
        place = int(a) if discrete else 0
        q = min(float(net(one, *read)[place]) for one in nets.target_critic)
        v = float(net(nets.value, s))
        sums["value"] += (0.8 if q > v else 0.2) * (q - v) ** 2 / 7
        clipped += math.exp(2.0 * (q - v)) > LARGEST[discrete]
        weight = min(LARGEST[discrete], math.exp(2.0 * (q - v)))
        out = net(nets.actor["net"], s)
        if discrete:
            log_prob = math.log(math.exp(float(out[place])) / sum(map(math.exp, out.tolist())))
        else:
            stds = nets.actor["log_std"][0].detach().exp().tolist()
            log_prob = sum(
                -((x - math.tanh(mean)) ** 2) / (2 * std**2)
                - math.log(std * math.sqrt(2 * math.pi))
                for x, mean, std in zip(a.tolist(), out.tolist(), stds, strict=True)
            )
        sums["actor"] -= weight * log_prob / 7
        target = float(r) + GAMMA * float(on) * float(net(nets.value, after))
        for one in nets.critic:
            sums["critic"] += (float(net(one, *read)[place]) - target) ** 2 / 7
    assert 0 < clipped < 7
    assert losses(agent, data) == pytest.approx(sums, rel=1e-5)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_conservative_q_learning_is_its_loop(alpha: float) -> None:
    data = noise(True)
    agent = made(CQL(alpha=alpha), data)
    (critic,), (target_critic,) = agent.networks.critic, agent.networks.target_critic
    total, differing = 0.0, 0
    for s, a, r, after, on in single(data):
        q, best = net(critic, s).tolist(), int(net(critic, after).argmax())
        later = net(target_critic, after).tolist()
        differing += later[best] != max(later)
        target = float(r) + GAMMA * float(on) * later[best]
        total += (q[int(a)] - target) ** 2 / 7
        total += alpha * (math.log(sum(map(math.exp, q))) - q[int(a)]) / 7
    assert losses(agent, data) == pytest.approx({"critic": total}, rel=1e-5)


def test_td3_with_imitation_is_its_loops() -> None:
    data = noise(False)
    agent = made(TD3BC(alpha=1.5, policy_noise=0.6), data)
    nets = agent.networks
    draws = torch.randn(7, 2, generator=torch.Generator().manual_seed(5)) * 0.6
    assert (draws.abs() > 0.5).any(), "some of the noise is clipped"
    mean, scale = data.observations.mean(0), data.observations.std(0, unbiased=False) + 1e-3
    critic, rated, imitation = 0.0, [], 0.0
    for (s, a, r, after, on), draw in zip(single(data), draws, strict=True):
        here, there = (s - mean) / scale, (after - mean) / scale
        chosen = torch.tanh(net(nets.target_actor["net"], there)) + draw.clamp(-0.5, 0.5)
        later = min(float(net(one, there, chosen.clamp(-1, 1))) for one in nets.target_critic)
        target = float(r) + GAMMA * float(on) * later
        critic += sum((float(net(one, here, a)) - target) ** 2 / 7 for one in nets.critic)
        own = torch.tanh(net(nets.actor["net"], here))
        rated.append(float(net(nets.critic[0], here, own)))
        imitation += float(((own - a) ** 2).sum()) / 14
    actor = -1.5 / np.mean(np.abs(rated)) * np.mean(rated) + imitation
    assert losses(agent, data) == pytest.approx({"critic": critic, "actor": actor}, rel=1e-5)
    assert list(losses(agent, data, number=3)) == ["critic"], "the actor moves at every second"


# --- minima


def test_cloned_behaviour_is_the_frequencies_of_the_data() -> None:
    counts = [[3, 1, 4], [1, 1, 2]]
    steps = [
        (state, act, float(act), state, True)
        for state, row in enumerate(counts)
        for act, count in enumerate(row)
        for _ in range(count)
    ]
    data = rows(steps, 2)
    agent = OfflineAgent(OfflineConfig(method="bc", **TABLE), data)
    found = agent.learn(data, 400)
    shares = np.array(counts) / np.sum(counts, axis=1, keepdims=True)
    assert np.allclose(agent.probabilities(np.eye(2)), shares, atol=1e-4)
    entropy = -np.sum(np.array(counts) * np.log(shares)) / np.sum(counts)
    assert found["loss/actor"] == pytest.approx(entropy, abs=1e-6), "conditional entropy"


def test_cloned_actions_are_the_means_of_the_data() -> None:
    data = rows([(0, 0, 0.0, 0, True)] * 3 + [(1, 0, 0.0, 1, True)] * 2, 2)
    actions = torch.tensor([[0.1, -0.5], [0.4, 0.5], [0.1, 0.9], [-0.8, 0.0], [-0.4, 0.2]])
    data = data._replace(actions=actions)
    agent = OfflineAgent(OfflineConfig(method="bc", **TABLE), data)
    agent.learn(data, 400)
    found, _ = agent.predict(np.eye(2), deterministic=True)
    assert np.allclose(found, [[0.2, 0.3], [-0.6, 0.1]], atol=1e-3)


# A way 0 -> 1 -> 2; what ends there counts. Action 2 is best everywhere, and not in the data.
WAY = [
    (0, 0, 0.0, 1, True), (0, 0, 0.0, 1, True), (0, 1, 1.0, 0, True), (0, 1, 1.0, 0, True),
    (0, 1, 1.0, 0, True), (1, 0, 0.5, 0, True), (1, 1, 0.0, 2, True), (1, 1, 0.0, 2, True),
    (2, 0, 20.0, 2, False), (2, 1, -1.0, 2, False), (2, 1, -1.0, 2, False),
]  # fmt: skip


def in_sample(expectile: float) -> list[float]:
    """V by iteration: the expectile of the returns of each state's steps, by bisection."""
    values = [0.0, 0.0, 0.0]
    for _ in range(300):
        for state in range(3):
            q = [r + GAMMA * values[after] * on for s, _, r, after, on in WAY if s == state]
            low, high = min(q), max(q)
            for _ in range(60):
                v = (low + high) / 2
                pull = sum((expectile if one > v else 1 - expectile) * (one - v) for one in q)
                low, high = (v, high) if pull > 0 else (low, v)
            values[state] = low
    return values


def test_values_are_expectiles_and_near_one_the_maximum_of_the_data() -> None:
    best = [0.0, 0.0, 0.0]  # by value iteration over the steps of the data
    for _ in range(300):
        best = [
            max(r + GAMMA * best[after] * on for s, _, r, after, on in WAY if s == state)
            for state in range(3)
        ]
    assert best == pytest.approx([16.2, 18.0, 20.0])
    off = [abs(in_sample(e)[0] - best[0]) for e in (0.7, 0.9, 0.99, 0.9999)]
    assert off == sorted(off, reverse=True) and off[-1] < 0.02


def put(module: Any, table: Any) -> None:
    """Make a linear network of one-hot states this table (S, outputs)."""
    with torch.no_grad():
        module[0].weight.copy_(torch.tensor(table, dtype=torch.float32).T)
        module[0].bias.zero_()


def gradients(agent: OfflineAgent, data: Transitions) -> dict[str, Any]:
    """The gradient of each loss in the tables of its networks (outputs, S), as they are."""
    found = {}
    update = Update(data, GAMMA, 2, torch.Generator())
    for name, loss in agent.method.losses(agent.networks, update):
        tables = [t for n, t in agent.networks.named_parameters() if t.ndim == 2 and name in n]
        used = [table for table in tables if table.requires_grad]
        found[name] = torch.autograd.grad(loss, used, retain_graph=True)
    return found


@pytest.mark.parametrize("expectile", [0.7, 0.99])
def test_the_iterated_values_are_where_implicit_q_learning_rests(expectile: float) -> None:
    """And so are the policies in proportion to the weights of each action."""
    data, temperature = rows(WAY, 3), 0.5
    method = IQL(expectile=expectile, temperature=temperature)
    agent = OfflineAgent(OfflineConfig(method=method, **TABLE), data, actions=2)
    nets, values = agent.networks, in_sample(expectile)
    q = np.zeros((3, 2))
    for s, a, r, after, on in WAY:
        q[s, a] = r + GAMMA * values[after] * on
    weights = np.zeros((3, 2))
    for s, a, *_ in WAY:
        weights[s, a] += min(100.0, math.exp(temperature * (q[s, a] - values[s])))
    policy = weights / weights.sum(1, keepdims=True)
    put(nets.value, np.array(values)[:, None])
    put(nets.actor["net"], np.log(policy))
    for one in (*nets.critic, *nets.target_critic):
        put(one, q)
    found = gradients(agent, data)
    assert sorted(found) == ["actor", "critic", "value"]
    assert all(float(g.abs().max()) < 2e-5 for own in found.values() for g in own)
    assert np.allclose(agent.probabilities(np.eye(3)), policy, atol=1e-6)
    put(nets.value, np.array(values)[:, None] + 0.1)
    moved = gradients(agent, data)
    assert all(float(g.abs().max()) > 1e-3 for g in (*moved["value"], *moved["critic"]))


def test_actions_that_the_data_do_not_have_change_nothing_of_implicit_q_learning() -> None:
    data = rows(WAY, 3)
    agents = [OfflineAgent(OfflineConfig(method="iql", **TABLE), data, 3) for _ in range(2)]
    with torch.no_grad():
        for one in (*agents[1].networks.critic, *agents[1].networks.target_critic):
            one[0].bias[2] += 1e6
    assert agents[0].learn(data, 20) == agents[1].learn(data, 20)
    a, b = (agent.networks.values(torch.eye(3)).tolist() for agent in agents)
    assert a == b


@pytest.mark.parametrize("alpha", [0.0, 0.5, 3.0])
def test_the_penalty_pulls_values_from_what_the_data_do_not_have(alpha: float) -> None:
    """The gradient of each action is that of its error and alpha (softmax - share in the data)."""
    data = rows([(0, 0, 1.0, 0, False), (0, 0, 1.0, 0, False), (0, 1, 2.0, 0, False)], 1)
    agent = OfflineAgent(OfflineConfig(method=CQL(alpha=alpha), **TABLE), data, actions=3)
    q, share, target = np.array([0.3, -0.2, 0.7]), np.array([2, 1, 0]) / 3, np.array([1, 2, 0])
    put(agent.networks.critic[0], q[None])
    expected = 2 * share * (q - target) + alpha * (np.exp(q) / np.exp(q).sum() - share)
    (found,) = gradients(agent, data)["critic"]
    assert found[:, 0].tolist() == pytest.approx(expected.tolist(), abs=1e-6)
    agent.learn(data, 60)
    before, after = q[2], float(agent.networks.all_q(torch.eye(1))[0, 0, 2].detach())
    assert after < before - 0.5 if alpha else after == pytest.approx(before)


def test_climbing_q_moves_a_cloned_actor_by_its_weight() -> None:
    """Rewards rise with the action: with weight 0 the actor is the data's mean, with it higher."""
    draw = torch.Generator().manual_seed(0)
    actions = torch.rand(200, 1, generator=draw) * 1.2 - 0.6
    one = torch.ones(200, 1)
    data = Transitions(one, actions, actions[:, 0], one, torch.zeros(200))
    means = []
    for alpha in (0.0, 2.5):
        config = OfflineConfig(method=TD3BC(alpha=alpha), layers=0, lr=1e-2, tau=0.1)
        agent = OfflineAgent(config, data)
        agent.learn(data, 240)
        means.append(float(agent.predict(np.ones((1, 1)))[0][0, 0]))
    assert means[0] == pytest.approx(float(actions.mean()), abs=0.02)
    assert means[0] < means[1] - 0.2


def test_methods_are_listed_and_name_their_papers() -> None:
    from zerogym.agents.offline import METHODS

    sequences = ["constrained_decision_transformer", "decision_transformer"]
    assert sorted(METHODS) == sorted(["bc", "cql", "f_dvl", "iql", "td3_bc", *sequences])
    assert all(METHODS[name].source for name in METHODS)
    assert METHODS.make("bc") == BC()
