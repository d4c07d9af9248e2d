"""Functional reward encodings: sets without order, losses in loop form, rewards of the prior."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import FRESettings, Start
from zerogym.agents.zero_shot.data.reward_prior import GOAL, LINEAR, MLP, RewardPrior
from zerogym.agents.zero_shot.data.tensor_dataset import Batch
from zerogym.agents.zero_shot.methods.fre import FRE

SMALL: dict[str, Any] = {"dim": 4, "hidden": 8, "batch_size": 6, "tasks": 3, "gamma": 0.9}


def _data(count: int = 12, size: int = 2) -> Dataset:
    rng = np.random.default_rng(0)
    states = rng.normal(size=(count + 1, size)).astype(np.float32)
    return Dataset(states[:-1], rng.integers(3, size=count), states[1:])


def _new(**changes: Any) -> FRE:
    model: FRE = FRESettings(**{**SMALL, **changes})(Start("", _data(), 3, True, 0, 5))
    return model


def _normal(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_the_code_of_a_set_has_no_order() -> None:
    encoder = _new(layers=2).encoder.double()
    states, rewards = _normal(3, 9, 2).double(), _normal(3, 9, seed=2).double().tanh()
    order = torch.randperm(9, generator=torch.Generator().manual_seed(3))
    before = torch.cat(encoder(states, rewards), -1)
    after = torch.cat(encoder(states[:, order], rewards[:, order]), -1)
    torch.testing.assert_close(after, before, rtol=0, atol=1e-9)
    apart = torch.cat(encoder(states[:, order], rewards), -1)  # rewards of other states
    assert (apart - before).abs().max() > 1e-3


def test_the_loss_of_the_code_is_that_of_a_loop() -> None:
    model = _new(kl=0.3)
    states, others, noise = _normal(3, 5, 2), _normal(3, 4, 2, seed=2), _normal(3, 4, seed=3)
    rewards, theirs = states[..., 0].tanh(), others[..., 0].tanh()
    loss, _ = model.code_loss(states, rewards, others, theirs, noise)
    error = divergence = 0.0
    with torch.no_grad():
        for m in range(3):
            mean, log_deviation = (x[0] for x in model.encoder(states[m][None], rewards[m][None]))
            z = mean + noise[m] * log_deviation.exp()
            for n in range(4):
                found = model.decoder(others[m, n][None], z[None])
                error += (float(found) - float(theirs[m, n])) ** 2 / 12
            own = torch.distributions.Normal(mean, log_deviation.exp())
            standard = torch.distributions.Normal(torch.zeros(4), torch.ones(4))
            divergence += float(torch.distributions.kl_divergence(own, standard).mean()) / 3
    assert float(loss.detach()) == pytest.approx(error + 0.3 * divergence, rel=1e-4)


def test_the_loss_of_the_policy_is_that_of_a_loop() -> None:
    model, data = _new(alpha=2.0), _data()
    with torch.no_grad():
        next(iter(model.slow_q.parameters())).add_(0.1)
    here, after = (torch.as_tensor(x[:6]) for x in (data.observations, data.next_observations))
    rows, actions = torch.arange(6), torch.as_tensor(data.actions[:6])
    batch = Batch(here, actions, after, rows, rows, rows, rows, torch.ones(6))
    rewards, z = torch.arange(6.0) / 3 - 1, _normal(6, 4)
    on = torch.tensor([0.9, 0.0, 0.9, 0.9, 0.0, 0.9])
    loss, _ = model.policy_loss(batch, rewards, on, z)
    expected = 0.0
    with torch.no_grad():
        for n in range(6):
            s, t, a, task = here[n : n + 1], after[n : n + 1], int(actions[n]), z[n : n + 1]
            v, following = (float(model.v(x, task)) for x in (s, t))
            least = min(float(q) for q in model.slow_q(s, task)[:, 0, a])
            expected += (0.8 if least >= v else 0.2) * (least - v) ** 2 / 6
            found = [float(q) for q in model.q(s, task)[:, 0, a]]
            target = float(rewards[n]) + float(on[n]) * following
            expected += sum((q - target) ** 2 for q in found) / 6
            weight = min(np.exp(2 * (min(found) - v)), 100)
            expected -= weight * float(model.actor(s, task)[0, 0].log_softmax(-1)[a]) / 6
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-4)


def test_rewards_of_the_prior_are_those_of_their_formulas() -> None:
    states = _normal(60, 5, 3)
    goals = states[:, 2].clone()
    drawn = RewardPrior().draw(goals, torch.Generator().manual_seed(4))
    assert set(drawn.kind.tolist()) == {GOAL, LINEAR, MLP}
    found, ends = drawn(states), drawn.reached(states)
    for m in range(60):
        for n in range(5):
            s = states[m, n].numpy().astype(float)
            if drawn.kind[m] == GOAL:
                expected = 0.0 if n == 2 else -1.0
            elif drawn.kind[m] == LINEAR:
                expected = float(s @ drawn.weights[m].numpy())
                expected = min(max(expected, float(drawn.lowest[m])), 1)
            else:
                hidden = np.tanh(s @ drawn.first[m].numpy() + drawn.bias[m].numpy())
                expected = float(np.clip(hidden @ drawn.last[m].numpy(), -1, 1))
            assert float(found[m, n]) == pytest.approx(expected, abs=1e-5)
            assert bool(ends[m, n]) is (n == 2 and bool(drawn.kind[m] == GOAL))
    assert ((drawn.weights != 0).sum(1) >= 1).all()
    for shares, kind in (((1, 0, 0), GOAL), ((0, 1, 0), LINEAR), ((0, 0, 1), MLP)):
        assert set(RewardPrior(*shares).draw(goals).kind.tolist()) == {kind}
    with pytest.raises(ValueError, match="sum to 1"):
        RewardPrior(0.5, 0.5, 0.5)


def test_the_encoder_learns_first_and_then_stays() -> None:
    model, data = _new(warmup=2), _data()

    def parts() -> list[Tensor]:
        return [torch.cat([p.flatten() for p in net.parameters()]).detach().clone()
                for net in (model.encoder, model.actor)]  # fmt: skip

    start = parts()
    model.learn(data, 2)
    encoded = parts()
    assert not torch.equal(start[0], encoded[0]) and torch.equal(start[1], encoded[1])
    model.learn(data, 2)
    acted = parts()
    assert torch.equal(encoded[0], acted[0]) and not torch.equal(encoded[1], acted[1])


def test_the_set_of_a_reward_has_its_extremes_and_its_scale_is_without_effect() -> None:
    model, data = _new(pairs=3), _data()
    labels = np.linspace(-1, 0.5, 12)[::-1]
    known = {tuple(o): r for o, r in zip(data.observations, labels, strict=True)}
    one, ten = (
        model.infer(lambda o, a, n, times=times: np.array([times * known[tuple(x)] for x in o]))
        for times in (1, 10)
    )
    torch.testing.assert_close(one, ten)
    after = torch.as_tensor(data.next_observations)
    with torch.no_grad():  # linspace(0, 11, 3) is 0, 5.5, 11; labels ascend from the last
        rows = [11, 6, 0]
        expected = model.encoder(after[rows][None], torch.tensor(labels[rows].copy())[None])[0][0]
    torch.testing.assert_close(one, expected)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"goal": 0.5}, "sum to 1"),
        ({"dim": 3}, "even"),
        ({"tasks": 7}, "batch_size"),
        ({"pairs": 1}, "pairs"),
        ({"expectile": 1.0}, "expectile"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        _new(**wrong)


@pytest.mark.proof
def test_rewards_of_other_states_are_predicted_but_not_from_goals_alone() -> None:
    """Linear rewards of normal states, 32 known and 64 others, after 2,500 updates."""
    generator = torch.Generator().manual_seed(99)
    states = torch.randn(200, 96, 3, generator=generator)
    rewards = RewardPrior(0, 1, 0).draw(states[:, 0], generator)
    known, others = states.split([32, 64], 1)
    exact = rewards(others)
    data, explained = _data(4_000, 3), []
    for prior in ({}, {"goal": 1.0, "linear": 0.0, "mlp": 0.0}):
        settings = FRESettings(warmup=2_500, **prior)
        model: FRE = settings(Start("", data, 3, True, 0, 0))
        model.learn(data, 2_500)
        with torch.no_grad():
            found = model.decode(model.encoder(known, rewards(known))[0], others)
        rest = (found - exact).square().sum() / (exact - exact.mean()).square().sum()
        explained.append(1 - float(rest))
    assert explained[0] >= 0.8 and explained[1] < 0, explained
