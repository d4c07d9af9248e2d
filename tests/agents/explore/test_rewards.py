"""What explorers are paid: against numbers worked out by hand, and that it does what it is for."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.learners.ddpg import DDPG
from zerogym.agents.explore.learners.dqn import DQN
from zerogym.agents.explore.learners.registry import EXPLORERS
from zerogym.agents.explore.replay_buffer import ReplayBuffer
from zerogym.agents.explore.rewards.aps import APS, NEIGHBOURS
from zerogym.agents.explore.rewards.base import Batch, Intrinsic, Metrics, Moments, Shape
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
    """Made-up transitions of a deterministic world: the action is added."""
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
    """A network that says what a function says."""

    def __init__(self, rule: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.rule = rule

    def forward(self, values: Tensor) -> Tensor:
        return self.rule(values)


def _said(given: Tensor) -> Tensor:
    """What five models say: of the first number 0, 1, 2, 3, 4, of the second 0."""
    first = torch.arange(MODELS).float()[:, None].expand(MODELS, len(given))
    return torch.stack([first, torch.zeros_like(first)], dim=2)


def test_rnd_pays_less_where_it_has_been_and_more_elsewhere() -> None:
    rnd, seen = RND(SHAPE), _batch()
    elsewhere = seen._replace(next_observations=seen.next_observations + 6)
    before, far_before = rnd.reward(seen).mean(), rnd.reward(elsewhere).mean()
    target = [weight.clone() for weight in rnd.target.parameters()]
    _train(rnd, seen, 300)
    after, far_after = rnd.reward(seen).mean(), rnd.reward(elsewhere).mean()
    assert after < before / 20
    assert far_after / far_before > 10 * after / before
    assert all(torch.equal(*pair) for pair in zip(target, rnd.target.parameters(), strict=True))


def test_disagreement_is_the_variance_of_the_models() -> None:
    paid = Disagreement(SHAPE)
    paid.models = _Fixed(_said)
    # The first number is said to be 0, 1, 2, 3, 4: variance 2; the second 0 by all. The mean is 1.
    torch.testing.assert_close(paid.reward(_batch(3)), torch.ones(3))


def test_information_gain_by_hand() -> None:
    paid = MaxInfo(SHAPE)
    paid.models = _Fixed(_said)
    assert paid.reward(_batch(1)).item() == pytest.approx(math.log(1 + 2 / NOISE**2) / 2, rel=1e-5)


def test_disagreement_vanishes_where_a_deterministic_world_is_known() -> None:
    paid, seen = Disagreement(SHAPE), _batch(256)
    elsewhere = seen._replace(observations=seen.observations + 8)
    before = paid.reward(seen).mean()
    _train(paid, seen, 600)
    assert paid.reward(seen).mean() < before / 20
    assert paid.reward(elsewhere).mean() > 5 * paid.reward(seen).mean()


def test_diayn_pays_log_q_less_log_p() -> None:
    paid = DIAYN(SHAPE)
    chances = torch.tensor([0.7, *[0.3 / (SKILLS - 1)] * (SKILLS - 1)])
    paid.classifier = _Fixed(lambda seen: chances.log().expand(len(seen), SKILLS) + 5)
    skills = torch.eye(SKILLS)[:2]  # the likely skill, an unlikely one
    batch = _batch(2)._replace(skills=skills)
    by_hand = [math.log(0.7) - math.log(1 / SKILLS), math.log(0.02) - math.log(1 / SKILLS)]
    torch.testing.assert_close(paid.reward(batch), torch.tensor(by_hand))
    drawn = [paid.draw_skill(torch.Generator().manual_seed(i)) for i in range(200)]
    assert torch.stack(drawn).sum(dim=1).eq(1).all()
    assert len({int(skill.argmax()) for skill in drawn}) == SKILLS


def test_diayn_learns_to_tell_skills_apart() -> None:
    paid = DIAYN(SHAPE)
    wanted = torch.arange(64) % 2
    places = torch.stack([wanted * 4.0 - 2, torch.zeros(64)], dim=1)
    batch = _batch()._replace(next_observations=places, skills=torch.eye(SKILLS)[wanted])
    _train(paid, batch, 300)
    assert paid.reward(batch).min() > 0.95 * math.log(SKILLS)


def test_aps_is_particle_entropy_and_the_way_of_the_skill() -> None:
    paid, batch = APS(SHAPE), _batch(40, skills=APS.skill_size)
    with torch.no_grad():
        phi = paid.features(batch.next_observations).double().numpy()
        found = paid.reward(batch).numpy()
    np.testing.assert_allclose(np.linalg.norm(phi, axis=1), 1, rtol=1e-5)
    for row in range(40):
        apart = sorted(float(np.linalg.norm(phi[row] - other)) for other in phi)
        by_hand = math.log(1 + sum(apart[:NEIGHBOURS]) / NEIGHBOURS)
        by_hand += float(phi[row] @ batch.skills[row].numpy())
        assert found[row] == pytest.approx(by_hand, abs=2e-3)  # cdist is in float32
    _, metrics = paid.loss(batch)
    before = metrics["aps/along"]
    _train(paid, batch, 50)
    assert paid.loss(batch)[1]["aps/along"] > before
    assert paid.draw_skill(torch.Generator()).norm().item() == pytest.approx(1)


def test_icm_pays_half_the_squared_error_and_learns_from_both() -> None:
    paid, batch = ICM(SHAPE), _batch(8)
    paid.encoder = _Fixed(lambda seen: seen)
    paid.forward_model = _Fixed(lambda given: given[:, :2])  # nothing moves
    paid.inverse_model = _Fixed(lambda given: given[:, 2:] - given[:, :2] + 1)  # off by one
    by_hand = batch.actions.square().sum(dim=1) / 2
    torch.testing.assert_close(paid.reward(batch), by_hand)
    loss, _ = paid.loss(batch)
    torch.testing.assert_close(loss, (1 - BETA) * 1.0 + BETA * by_hand.mean())


def test_icm_tells_discrete_actions() -> None:
    paid = ICM(SHAPE._replace(discrete=True, actions=3))
    done = torch.arange(60) % 3
    moves = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[done]
    here = torch.randn(60, 2)
    batch = Batch(here, torch.eye(3)[done], here + moves, torch.zeros(60, 0))
    first = paid.loss(batch)[1]["icm/inverse"]
    _train(paid, batch, 400)
    assert paid.loss(batch)[1]["icm/inverse"] < first / 5


def test_sinkhorn_shares_evenly() -> None:
    shares = sinkhorn(torch.randn(48, 8))
    torch.testing.assert_close(shares.sum(dim=1), torch.ones(48))
    assert shares.sum(dim=0).sub(6).abs().max() < 1.0  # 48 states over 8 prototypes
    lopsided = torch.cat([torch.full((48, 1), 3.0), torch.zeros(48, 7)], dim=1)
    assert sinkhorn(lopsided).sum(dim=0).sub(6).abs().max() < 1e-3


def test_proto_pays_the_distance_to_what_it_remembers() -> None:
    paid, batch = Proto(SHAPE), _batch()
    paid.loss(batch)
    held = int(paid.filled)
    assert 0 < held <= QUEUE
    with torch.no_grad():
        points = paid.project(batch.next_observations).numpy()
        found = paid.reward(batch).numpy()
    queue = paid.queue[:held].numpy()
    for row in range(len(points)):
        apart = np.sort(np.linalg.norm(queue - points[row], axis=1))
        assert found[row] == pytest.approx(float(apart[PROTO_NEIGHBOURS - 1]), abs=2e-3)
    for _ in range(40):
        paid.loss(batch)
    assert paid.filled > QUEUE  # it goes round
    assert paid.queue.norm(dim=1).sub(1).abs().max() < 1e-5


def test_moments_are_those_of_everything_seen() -> None:
    seen = [torch.randn(n, 3) * 4 + 7 for n in (5, 1, 40)]
    moments = Moments(3)
    for part in seen:
        moments.see(part)
    whole = torch.cat(seen)
    torch.testing.assert_close(moments.mean, whole.mean(dim=0))
    torch.testing.assert_close(moments.variance, whole.var(dim=0, correction=0))
    normal = moments.normalise(whole, clip=1.0)
    assert normal.abs().max() == 1
    forgetful = Moments(1, horizon=10)
    for value in [0.0] * 50 + [1.0] * 50:
        forgetful.see(torch.tensor([[value]]))
    assert forgetful.mean.item() > 0.98


class _PaysAction(Intrinsic):
    """Pays the first number of the action, or the second of the discrete ones."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.weight = nn.Parameter(torch.zeros(()))

    def reward(self, batch: Batch) -> Tensor:
        return batch.actions[:, 1 if self.shape.discrete else 0]

    def loss(self, batch: Batch) -> tuple[Tensor, Metrics]:
        return self.weight.square(), {}


def _memory(discrete: bool, skills: int = 0, n: int = 500) -> ReplayBuffer:
    rng, memory = np.random.default_rng(0), ReplayBuffer(n)
    for _ in range(n):
        here, there = rng.normal(size=(2, 2)).astype(np.float32)
        action = rng.integers(3) if discrete else rng.uniform(-1, 1, 2).astype(np.float32)
        memory.append(
            observations=here,
            actions=action,
            next_observations=there,
            terminated=np.bool_(False),
            skills=rng.normal(size=skills).astype(np.float32),
        )
    return memory


@pytest.mark.parametrize("discrete", [False, True])
def test_the_agent_does_what_it_is_paid_for(discrete: bool) -> None:
    config = CollectConfig(waves=4, epsilon=0.0, noise=0.0, lr=3e-3)
    shape = Shape(10, 3 if discrete else 2, discrete, 32)
    agent = (DQN if discrete else DDPG)(config, 2, shape, _PaysAction(shape))
    memory, rng = _memory(discrete), np.random.default_rng(1)
    for _ in range(300):
        agent.update(memory, rng)
    nothing = np.zeros(0, np.float32)
    done = [agent.act(seen, nothing, rng) for seen in rng.normal(size=(30, 2)).astype(np.float32)]
    if discrete:
        assert np.mean(np.array(done) == 1) > 0.95
    else:
        assert np.mean([action[0] for action in done]) > 0.9


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("name", list(EXPLORERS))
def test_an_explorer_goes_on_exactly_from_its_tensors(name: str, discrete: bool) -> None:
    config = CollectConfig(waves=4, hidden=16, batch_size=32)
    memory = _memory(discrete, EXPLORERS[name].skill_size)
    shape = Shape(10, 3 if discrete else 2, discrete, 16)

    def make() -> DDPG | DQN:
        return (DQN if discrete else DDPG)(config, 2, shape, EXPLORERS[name](shape))

    def learn(agent: DDPG | DQN) -> dict[str, float]:
        agent.begin_shard(5)
        rng = np.random.default_rng(5)
        return {n: float(v) for _ in range(3) for n, v in agent.update(memory, rng).items()}

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


def test_diayn_pays_on_average_the_information_of_a_state_about_the_skill() -> None:
    paid = DIAYN(SHAPE)
    places = torch.tensor([[-2.0, 0.0], [2.0, 0.0]])
    # Two skills, and each is on its own side in three of four transitions.
    wanted, at = torch.arange(64) % 2, (torch.arange(64) // 2 % 4 == 0).long()
    at = (wanted + at) % 2
    batch = _batch()._replace(next_observations=places[at], skills=torch.eye(SKILLS)[wanted])
    _train(paid, batch, 400)
    left_over = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))  # entropy of the skill, told where
    information = math.log(SKILLS) - left_over
    assert paid.reward(batch).mean().item() == pytest.approx(information, abs=0.02)
    assert paid.reward(batch).mean() <= information + 1e-4  # a bound, whatever was learned
