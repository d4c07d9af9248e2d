"""BREEZE: no value of unseen actions, losses in loop form, three switches, files, goals reached."""

import math
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.agents import BreezeSettings, FBSettings, Start
from zerogym.agents.zero_shot.algorithms.breeze import ContinuousBreeze, DiscreteBreeze
from zerogym.agents.zero_shot.algorithms.flow_bc import flow_matching_loss
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular, policy_score
from zerogym.agents.zero_shot.models.attention import DiscreteAttentionForward
from zerogym.agents.zero_shot.representations.in_sample import (
    InSampleMeasure,
    towards_value_loss,
    value_expectile_loss,
)

UNSEEN = 4  # of five actions


def _normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def _data(discrete: bool = True) -> Dataset:
    rng = np.random.default_rng(0)
    states = rng.normal(size=(41, 6)).astype(np.float32)
    actions = rng.integers(UNSEEN, size=40) if discrete else rng.uniform(-1, 1, size=(40, 2))
    ended = np.arange(40) % 10 == 9
    kind = np.int64 if discrete else np.float32
    return Dataset(states[:-1], actions.astype(kind), states[1:], terminated=ended)


def _new(discrete: bool = True, settings: Any = BreezeSettings, **changes: Any) -> Any:
    part = settings(**{"dim": 3, **changes})
    return part(Start("own", _data(discrete), 5 if discrete else 2, discrete, 8, 1))


def _drawn(model: Any, discrete: bool = True) -> tuple[Any, ...]:
    """Return data, batch, z and random numbers of an update, the same for the same seed."""
    agent, data = model.agent, model.agent.to_tensors(_data(discrete))
    drawn = agent.draw(40)
    return data, agent.sample(data, drawn), agent.sample_z(data, drawn), drawn


def _poison(model: Any) -> None:
    """Add 1,000 to F, and its slow copy, at the action that the data have not."""
    for net in (model.model.forward_net, model.agent.target_forward):
        with torch.no_grad():
            if isinstance(net, DiscreteAttentionForward):
                net.action.weight[::2, UNSEEN] += 1_000  # a constant would be normalised away
            else:
                net.net.out.bias[..., UNSEEN * 3 : (UNSEEN + 1) * 3] += 1_000


@pytest.mark.parametrize("attention", [True, False])
def test_values_of_unseen_actions_reach_neither_v_nor_the_target(attention: bool) -> None:
    losses: list[Any] = []
    for poisoned in (False, True):
        model = _new(attention=attention)
        if poisoned:
            _poison(model)
        inputs = _drawn(model)
        loss, metrics = model.agent.critic_loss(*inputs)
        loss.backward()
        with torch.no_grad():  # a policy that has learnt which actions there are
            model.model.chooser.out.bias[..., UNSEEN] -= 1e4
        _, after = model.agent.critic_loss(*inputs)
        gradient = [each.grad for each in model.agent.representation.parameters()]
        losses.append((metrics["value/loss"], *gradient, after["forward/loss"]))
    for clean, dirty in zip(*losses, strict=True):
        assert torch.equal(clean, dirty)
    ordinary = []
    for poisoned in (False, True):
        model = _new(settings=FBSettings)
        if poisoned:
            _poison(model)
        ordinary.append(float(model.agent.critic_loss(*_drawn(model))[1]["forward/loss"]))
    assert ordinary[0] != ordinary[1]


def test_losses_of_v_are_those_of_a_loop() -> None:
    model = _new(regularisation=0.3)
    data, batch, z, drawn = _drawn(model)
    assert 0 < (batch.goes_on == 0).sum() < len(z)
    agent, measure = model.agent, model.agent.representation
    with torch.no_grad():
        for parameter in agent.target_backward.parameters():
            parameter.add_(0.1)
        loss, metrics = agent.critic_loss(data, batch, z, drawn)
        points = agent.target_backward(data.states).double().numpy()
        covariance = (points * data.frequency.numpy()[:, None]).T @ points
        every = model.model.forward_net(batch.features, z).double().numpy()
        places = agent.target_backward(batch.next_features).double().numpy()
        here, there = (
            measure.value(x, z).double().numpy() for x in (batch.features, batch.next_features)
        )
    value = drawn_to = 0.0
    for n, task in enumerate(z.double().numpy()):
        found = [every[h, n, int(batch.actions[n])] @ task for h in range(2)]
        error = min(found) - here[n]
        value += (0.99 if error >= 0 else 0.01) * error**2 / len(z)
        reward = places[n] @ np.linalg.solve(covariance, task)
        target = reward + 0.95 * float(batch.goes_on[n]) * there[n]
        drawn_to += sum((q - target) ** 2 for q in found) / 2 / len(z)
    assert float(metrics["value/loss"]) == pytest.approx(value, rel=1e-4)
    assert float(metrics["value/drawn"]) == pytest.approx(drawn_to, rel=1e-4)
    parts = metrics["forward/loss"] + metrics["backward/orthonormality"] * (
        agent.config.orthonormality
    )
    assert float(loss) == pytest.approx(float(parts) + value + 0.3 * drawn_to, rel=1e-4)


def test_v_takes_no_gradient_to_f_and_f_none_to_v() -> None:
    forward = _normal(2, 5, 3).requires_grad_()
    z, value = _normal(5, 3), _normal(5).requires_grad_()
    value_expectile_loss(forward, value, z, 0.9).backward()  # type: ignore[no-untyped-call]
    assert forward.grad is None and value.grad is not None
    towards_value_loss(forward, value.detach(), z).backward()  # type: ignore[no-untyped-call]
    assert forward.grad is not None


@pytest.mark.parametrize("value", [True, False])
def test_the_policys_loss_is_that_of_a_loop(value: bool) -> None:
    model = _new(value=value, alpha=0.7)
    _, batch, z, drawn = _drawn(model)
    with torch.no_grad():
        loss, _ = model.agent.actor_loss(batch, z, drawn)
        every = torch.einsum("hnad,nd->hna", model.model.forward_net(batch.features, z), z)
        least = every.min(0).values
        policy = torch.softmax(model.model.chooser(batch.features, z)[0], -1)
        v = model.agent.representation.value(batch.features, z) if value else None
    expected = 0.0
    for n, action in enumerate(batch.actions.tolist()):
        mean = sum(float(policy[n, a] * least[n, a]) for a in range(5))
        baseline = mean if v is None else float(v[n])
        weight = min(math.exp(0.7 * (float(least[n, action]) - baseline)), 100.0)
        expected -= weight * math.log(float(policy[n, action])) / len(z)
    assert float(loss) == pytest.approx(expected, rel=1e-4)


def test_flow_matching_takes_weights() -> None:
    class Still(torch.nn.Module):
        def forward(self, features: Any, action: Any, time: Any) -> Any:
            return torch.zeros_like(action)

    action, noise = torch.tensor([[1.0], [3.0]]), torch.zeros(2, 1)
    given = (Still(), torch.zeros(2, 1), action, noise, torch.zeros(2, 1))
    assert float(flow_matching_loss(*given)) == 5
    assert float(flow_matching_loss(*given, torch.tensor([2.0, 0.5]))) == (2 * 1 + 0.5 * 9) / 2


def test_only_eligible_actions_are_done_and_the_best_of_them() -> None:
    model = _new(tries=4, attention=False).model
    with torch.no_grad():
        for parameter in model.chooser.parameters():
            parameter.zero_()
        shares = torch.tensor([0.4, 0.3, 0.26, 0.03, 0.01])
        model.chooser.out.bias.copy_(shares.log())
        features, z = _normal(9, 6), _normal(9, 3)
        free = torch.einsum("nad,nd->na", model.forward_net(features, z).mean(0), z)
        best = free[:, :3].argmax(-1)
        assert not torch.equal(best, free.argmax(-1))
        np.testing.assert_array_equal(model.values(features, z).argmax(-1), best)
        model.tries = 2  # none has a half: the likeliest
        assert (model.eligible(features, z) == torch.tensor([1, 0, 0, 0, 0]).bool()).all()


def test_the_best_of_the_flows_actions_is_done() -> None:
    model = _new(discrete=False, tries=5).model
    features, z, noise = _normal(3, 6), _normal(3, 3), _normal(5, 3, 2)
    with torch.no_grad():
        found = model.best_of(model.forward_net, features, z, noise)
        for n in range(3):
            state, task = features[n : n + 1], z[n : n + 1]
            actions, values = [], []
            for c in range(5):
                both = torch.cat([state, task], -1)
                actions.append(model.actor.action_of(both, noise[c, n : n + 1]))
                forward = model.forward_net(state, actions[-1], task)  # (2, 1, 3)
                values.append(min(float(head[0] @ task[0]) for head in forward))
            torch.testing.assert_close(found[n : n + 1], actions[int(np.argmax(values))])


@pytest.mark.parametrize("discrete", [True, False])
def test_each_switch_leaves_the_part_of_agent_fb(discrete: bool, tmp_path: Path) -> None:
    for value, policy, attention in (
        (True, True, True),
        (False, True, False),
        (True, False, False),
    ):
        switches = {"value": value, "policy": policy, "attention": attention}
        whole, parts = (_new(discrete, **switches) for _ in range(2))
        assert type(whole.agent) is (DiscreteBreeze if discrete else ContinuousBreeze)
        assert isinstance(whole.agent.representation, InSampleMeasure) == value
        assert (whole.agent.config.net == "attention") == attention
        data = _data(discrete)
        metrics = whole.learn(data, 2)
        assert all(np.isfinite(float(each)) for each in metrics.values())
        assert ("value/loss" in metrics, "actor/weight" in metrics) == (value, policy)
        folder = tmp_path / f"{value}{policy}{attention}"
        parts.learn(data, 1)
        parts.save(folder)
        parts = type(parts).load(folder)
        parts.learn(data, 1)
        left, right = whole.agent.tensors(), parts.agent.tensors()
        assert left.keys() == right.keys()
        assert all(torch.equal(left[name], right[name]) for name in left)
        actions, _ = parts.predict(data.observations, parts.infer(data.observations[3]))
        assert actions.shape == data.actions.shape
        assert np.abs(actions).max() <= (UNSEEN if discrete else 1)


def test_all_switches_off_is_agent_fb_bit_for_bit() -> None:
    off = _new(value=False, policy=False, attention=False)
    plain = _new(settings=FBSettings)
    off.learn(_data(), 3)
    plain.learn(_data(), 3)
    left, right = off.agent.tensors(), plain.agent.tensors()
    assert left.keys() == right.keys()
    assert all(torch.equal(left[name], right[name]) for name in left)


def test_bad_settings_and_damaged_files_are_one_clear_line(tmp_path: Path) -> None:
    for wrong, says in (({"expectile": 1.0}, "expectile"), ({"tries": 0}, "tries")):
        with pytest.raises(ValueError, match=says):
            _new(**wrong)
    model = _new()
    model.save(tmp_path)
    (tmp_path / "training.json").unlink()
    with pytest.raises(NotAModel):
        type(model).load(tmp_path)


@pytest.mark.proof
def test_goals_are_reached_in_four_rooms() -> None:
    """20,000 random steps, the entry's 600 updates; the data's own frequencies are chance."""
    env = gym.make("zerogym/FourRooms-v0", task=None)
    world: Any = env.unwrapped
    data = collect(env, 20_000, seed=1)
    model = BreezeSettings()(Start("zerogym/FourRooms-v0", data, 5, True, 600, 0))
    model.learn(data, 600)
    goals = [task for task in world.tasks.values() if task.goal is not None]
    every = world.observation_of(np.arange(world.num_states))
    place = (data.observations[:, None] == every[None]).all(-1).argmax(1)
    counts = np.zeros((world.num_states, 5))
    np.add.at(counts, (place, data.actions), 1)
    cloned = counts / counts.sum(1, keepdims=True)
    imitation = np.mean([policy_score(world, task, cloned) for task in goals])
    learnt = np.mean(list(evaluate_tabular(model, env, goals).values()))
    assert abs(imitation) < 0.05 and learnt > 0.5
