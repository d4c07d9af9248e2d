"""Intrinsic rewards against hand-computed values, and their learners."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from zerogym.agents.explore.config import LEARNED, CollectConfig
from zerogym.agents.explore.learners.ddpg import DDPG
from zerogym.agents.explore.learners.dqn import DQN
from zerogym.agents.explore.policies import POLICIES
from zerogym.agents.explore.replay_buffer import ReplayBuffer
from zerogym.agents.explore.rewards.aps import APS, NEIGHBOURS
from zerogym.agents.explore.rewards.base import Batch, Intrinsic, Metrics, RunningMoments, Shape
from zerogym.agents.explore.rewards.diayn import DIAYN, SKILLS
from zerogym.agents.explore.rewards.disagreement import MODELS, Disagreement
from zerogym.agents.explore.rewards.icm import BETA, ICM
from zerogym.agents.explore.rewards.max_info import NOISE, MaxInfo
from zerogym.agents.explore.rewards.proto import NEIGHBOURS as PROTO_NEIGHBOURS
from zerogym.agents.explore.rewards.proto import QUEUE, ROUNDS, Proto, sinkhorn
from zerogym.agents.explore.rewards.rnd import RND

SHAPE = Shape(observations=2, actions=2, discrete=False, hidden=32)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def _batch(n: int = 64, skills: int = 0) -> Batch:
    """Return transitions of a deterministic environment: the action is added."""
    here, action = torch.randn(n, 2), torch.rand(n, 2) * 2 - 1
    return Batch(here, action, here + action, torch.randn(n, skills))


def _train(intrinsic: Intrinsic, batch: Batch, steps: int) -> None:
    weights = [w for w in intrinsic.parameters() if w.requires_grad]
    optimiser = torch.optim.Adam(weights, lr=3e-3)
    for _ in range(steps):
        optimiser.zero_grad()
        intrinsic.loss(batch)[0].backward()
        optimiser.step()
        intrinsic.after_update()


class _Fixed(nn.Module):
    """A network that computes a given function."""

    def __init__(self, rule: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.rule = rule

    def forward(self, values: Tensor) -> Tensor:
        return self.rule(values)


def _five_models(given: Tensor) -> Tensor:
    """Return predictions of five models: 0, 1, 2, 3, 4 of the first number, 0 of the second."""
    first = torch.arange(MODELS).float()[:, None].expand(MODELS, len(given))
    return torch.stack([first, torch.zeros_like(first)], dim=2)


def test_rnd_falls_on_visited_states_only() -> None:
    rnd, known = RND(SHAPE), _batch()
    elsewhere = known._replace(next_observations=known.next_observations + 6)
    before, far_before = rnd.reward(known).mean(), rnd.reward(elsewhere).mean()
    target = [weight.clone() for weight in rnd.target.parameters()]
    _train(rnd, known, 300)
    after, far_after = rnd.reward(known).mean(), rnd.reward(elsewhere).mean()
    assert after < before / 20
    assert far_after / far_before > 10 * after / before
    assert all(torch.equal(*pair) for pair in zip(target, rnd.target.parameters(), strict=True))


def test_disagreement_and_information_gain_by_hand() -> None:
    # Predictions of the first number have variance 2, of the second 0: the mean is 1.
    for intrinsic, by_hand in (
        (Disagreement(SHAPE), 1.0), (MaxInfo(SHAPE), math.log(1 + 2 / NOISE**2) / 2),
    ):  # fmt: skip
        intrinsic.models = _Fixed(_five_models)
        torch.testing.assert_close(intrinsic.reward(_batch(3)), torch.full((3,), by_hand))


def test_disagreement_vanishes_on_known_deterministic_transitions() -> None:
    intrinsic, known = Disagreement(SHAPE), _batch(256)
    elsewhere = known._replace(observations=known.observations + 8)
    before = intrinsic.reward(known).mean()
    _train(intrinsic, known, 600)
    assert intrinsic.reward(known).mean() < before / 20
    assert intrinsic.reward(elsewhere).mean() > 5 * intrinsic.reward(known).mean()


def test_diayn_is_log_q_less_log_p() -> None:
    intrinsic = DIAYN(SHAPE)
    chances = torch.tensor([0.7, *[0.3 / (SKILLS - 1)] * (SKILLS - 1)])
    intrinsic.classifier = _Fixed(lambda obs: chances.log().expand(len(obs), SKILLS) + 5)
    skills = torch.eye(SKILLS)[:2]  # the likely skill, an unlikely one
    batch = _batch(2)._replace(skills=skills)
    by_hand = [math.log(0.7) - math.log(1 / SKILLS), math.log(0.02) - math.log(1 / SKILLS)]
    torch.testing.assert_close(intrinsic.reward(batch), torch.tensor(by_hand))
    drawn = [intrinsic.draw_skill(torch.Generator().manual_seed(i)) for i in range(200)]
    assert torch.stack(drawn).sum(dim=1).eq(1).all()
    assert len({int(skill.argmax()) for skill in drawn}) == SKILLS


def test_aps_is_particle_entropy_plus_alignment_with_the_skill() -> None:
    intrinsic, batch = APS(SHAPE), _batch(40, skills=APS.skill_size)
    with torch.no_grad():
        phi = intrinsic.features(batch.next_observations).double().numpy()
        found = intrinsic.reward(batch).numpy()
    np.testing.assert_allclose(np.linalg.norm(phi, axis=1), 1, rtol=1e-5)
    for row in range(40):
        apart = sorted(float(np.linalg.norm(phi[row] - other)) for other in phi)  # itself first
        by_hand = math.log(1 + sum(apart[:NEIGHBOURS]) / NEIGHBOURS)
        by_hand += float(phi[row] @ batch.skills[row].numpy())
        assert found[row] == pytest.approx(by_hand, abs=2e-3)  # cdist is in float32
    _, metrics = intrinsic.loss(batch)
    before = metrics["aps/along"]
    _train(intrinsic, batch, 50)
    assert intrinsic.loss(batch)[1]["aps/along"] > before
    assert intrinsic.draw_skill(torch.Generator()).norm().item() == pytest.approx(1)


def test_icm_is_half_the_squared_error_and_learns_from_both_models() -> None:
    intrinsic, batch = ICM(SHAPE), _batch(8)
    intrinsic.encoder = _Fixed(lambda obs: obs)
    intrinsic.forward_model = _Fixed(lambda given: given[:, :2])  # nothing moves
    intrinsic.inverse_model = _Fixed(lambda given: given[:, 2:] - given[:, :2] + 1)  # off by one
    by_hand = batch.actions.square().sum(dim=1) / 2
    torch.testing.assert_close(intrinsic.reward(batch), by_hand)
    loss, _ = intrinsic.loss(batch)
    torch.testing.assert_close(loss, (1 - BETA) * 1.0 + BETA * by_hand.mean())


def test_icm_predicts_discrete_actions() -> None:
    intrinsic = ICM(SHAPE._replace(discrete=True, actions=3))
    actions = torch.arange(60) % 3
    moves = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[actions]
    here = torch.randn(60, 2)
    batch = Batch(here, torch.eye(3)[actions], here + moves, torch.zeros(60, 0))
    first = intrinsic.loss(batch)[1]["icm/inverse"]
    _train(intrinsic, batch, 200)
    assert intrinsic.loss(batch)[1]["icm/inverse"] < first / 5


def test_sinkhorn_balances_prototypes() -> None:
    lopsided = torch.cat([torch.full((48, 1), 3.0), torch.zeros(48, 7)], dim=1)
    assert sinkhorn(lopsided).sum(dim=0).sub(6).abs().max() < 1e-3


def test_proto_is_the_distance_to_the_queue() -> None:
    intrinsic, batch = Proto(SHAPE), _batch()
    intrinsic.loss(batch)
    held = int(intrinsic.filled)
    assert 0 < held <= QUEUE
    with torch.no_grad():
        points = intrinsic.project(batch.next_observations).numpy()
        found = intrinsic.reward(batch).numpy()
    queue = intrinsic.queue[:held].numpy()
    for row in range(len(points)):
        apart = np.sort(np.linalg.norm(queue - points[row], axis=1))
        assert found[row] == pytest.approx(float(apart[PROTO_NEIGHBOURS - 1]), abs=2e-3)
    for _ in range(40):
        intrinsic.loss(batch)
    assert intrinsic.filled > QUEUE  # it wraps around
    assert intrinsic.queue.norm(dim=1).sub(1).abs().max() < 1e-5


def test_running_moments_are_those_of_all_values() -> None:
    parts = [torch.randn(n, 3) * 4 + 7 for n in (5, 1, 40)]
    moments = RunningMoments(3)
    for part in parts:
        moments.update(part)
    whole = torch.cat(parts)
    torch.testing.assert_close(moments.mean, whole.mean(dim=0))
    torch.testing.assert_close(moments.variance, whole.var(dim=0, correction=0))
    normal = moments.normalise(whole, clip=1.0)
    assert normal.abs().max() == 1
    forgetful = RunningMoments(1, horizon=10)
    for value in [0.0] * 50 + [1.0] * 50:
        forgetful.update(torch.tensor([[value]]))
    assert forgetful.mean.item() > 0.98


class _ActionReward(Intrinsic):
    """The first number of the action, or the second of the discrete ones."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.weight = nn.Parameter(torch.zeros(()))

    def reward(self, batch: Batch) -> Tensor:
        return batch.actions[:, 1 if self.shape.discrete else 0]

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        return self.weight.square(), {}


def _buffer(discrete: bool, skills: int = 0, n: int = 500) -> ReplayBuffer:
    rng, buffer = np.random.default_rng(0), ReplayBuffer(n)
    for _ in range(n):
        here, there = rng.normal(size=(2, 2)).astype(np.float32)
        action = rng.integers(3) if discrete else rng.uniform(-1, 1, 2).astype(np.float32)
        buffer.append(
            observations=here,
            actions=action,
            next_observations=there,
            terminated=np.bool_(False),
            skills=rng.normal(size=skills).astype(np.float32),
        )
    return buffer


@pytest.mark.parametrize("discrete", [False, True])
def test_the_agent_maximises_the_intrinsic_reward(discrete: bool) -> None:
    config = CollectConfig(waves=4, epsilon=0.0, noise=0.0, lr=3e-3)
    shape = Shape(10, 3 if discrete else 2, discrete, 32)
    agent = (DQN if discrete else DDPG)(config, 2, shape, _ActionReward(shape))
    buffer, rng = _buffer(discrete), np.random.default_rng(1)
    for _ in range(150):
        agent.update(buffer, rng)
    nothing = np.zeros(0, np.float32)
    states = rng.normal(size=(30, 2)).astype(np.float32)
    actions = [agent.act(obs, nothing, rng) for obs in states]
    if discrete:
        assert np.mean(np.array(actions) == 1) > 0.95
    else:
        assert np.mean([action[0] for action in actions]) > 0.9


class _Twins(nn.Module):
    """Two critics that are linear in the action: slope * action + offset."""

    def __init__(self, slopes: list[float], offsets: list[float]) -> None:
        super().__init__()
        self.slopes, self.offsets = (nn.Parameter(torch.tensor(n)) for n in (slopes, offsets))

    def forward(self, given: Tensor) -> Tensor:
        return (self.slopes[:, None] * given[:, -1] + self.offsets[:, None])[..., None]


@pytest.mark.parametrize("order", [1, -1])
def test_ddpg_takes_the_minimum_of_both_critics(order: int) -> None:
    shape = Shape(2, 1, False, 8)
    agent = DDPG(CollectConfig(waves=0, noise=0.0, tau=0.0), 2, shape, _ActionReward(shape))
    nn.init.zeros_(agent.actor[-1].weight)
    nn.init.zeros_(agent.actor[-1].bias)  # the action is 0
    agent.critics = _Twins([1.0, -1.0][::order], [0.0, 1.0][::order])
    agent.targets = _Twins([0.0, 0.0], [3.0, 5.0][::order]).requires_grad_(False)
    agent.optimisers["critics"] = torch.optim.SGD(agent.critics.parameters(), lr=0.0)
    agent.optimisers["actor"] = torch.optim.SGD(agent.actor.parameters(), lr=1.0)
    batch = Batch(torch.zeros(2, 2), torch.zeros(2, 1), torch.zeros(2, 2), torch.zeros(2, 0))
    metrics = agent._learn(batch, torch.tensor([1.0, 2.0]), torch.tensor([0.5, 0.0]))
    # Targets are 1 + 0.5 * 3 and 2; the critics' values of both rows are 0 and 1.
    by_hand = np.mean([2.5**2, 1.5**2, 2.0**2, 1.0**2])
    assert metrics["critic/loss"].item() == pytest.approx(by_hand)
    # At action 0 the smaller critic has slope 1, so the actor's output rises by tanh'(0) = 1.
    assert agent.actor[-1].bias.item() == pytest.approx(1.0)


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("name", LEARNED)
def test_an_explorer_resumes_exactly_from_its_tensors(name: str, discrete: bool) -> None:
    config, part = CollectConfig(waves=4, hidden=16, batch_size=32), POLICIES.make(name)
    buffer = _buffer(discrete, part(Shape(10, 2, False, 16)).skill_size)
    shape = Shape(10, 3 if discrete else 2, discrete, 16)

    def make() -> DDPG | DQN:
        return (DQN if discrete else DDPG)(config, 2, shape, part(shape))

    def learn(agent: DDPG | DQN) -> dict[str, float]:
        agent.begin_shard(5)
        rng = np.random.default_rng(5)
        return {n: float(v) for _ in range(3) for n, v in agent.update(buffer, rng).items()}

    first = make()
    learn(first)
    second = make()  # other weights
    second.load_tensors({name: value.clone() for name, value in first.tensors().items()})
    metrics = learn(first)
    assert metrics == learn(second)
    assert all(math.isfinite(value) for value in metrics.values())
    assert all(torch.equal(v, second.tensors()[n]) for n, v in first.tensors().items())


def test_sinkhorn_is_the_plain_loop() -> None:
    scores = torch.randn(24, 6, dtype=torch.float64)
    shares = np.exp(scores.numpy())
    shares /= shares.sum()
    for _ in range(ROUNDS):  # each prototype gets a sixth, then each state a twenty-fourth
        for prototype in range(6):
            shares[:, prototype] *= (1 / 6) / shares[:, prototype].sum()
        for state in range(24):
            shares[state] *= (1 / 24) / shares[state].sum()
    by_hand = shares / shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(sinkhorn(scores).numpy(), by_hand, rtol=1e-9)


def test_diayn_is_on_average_the_information_of_a_state_about_the_skill() -> None:
    intrinsic = DIAYN(SHAPE)
    places = torch.tensor([[-2.0, 0.0], [2.0, 0.0]])
    # Two skills, and each is on its own side in three of four transitions.
    skills, at = torch.arange(64) % 2, (torch.arange(64) // 2 % 4 == 0).long()
    at = (skills + at) % 2
    batch = _batch()._replace(next_observations=places[at], skills=torch.eye(SKILLS)[skills])
    _train(intrinsic, batch, 400)
    left_over = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))  # entropy given the side
    information = math.log(SKILLS) - left_over
    assert intrinsic.reward(batch).mean().item() == pytest.approx(information, abs=0.02)
    assert intrinsic.reward(batch).mean() <= information + 1e-4  # a bound, whatever was learned
