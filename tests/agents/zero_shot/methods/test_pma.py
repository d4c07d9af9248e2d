"""Predictable codes of actions: the reward and the loss in loop form, enumeration, exact plans."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.agents import PMASettings, Start
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, to_tensors
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular
from zerogym.agents.zero_shot.methods.pma import PMA, predictability

SMALL: dict[str, Any] = {"codes": 3, "hidden": 8, "models": 2, "batch_size": 6}


def _data() -> Dataset:
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(2, 10, 4)).astype(np.float32)
    return Dataset(before, rng.integers(3, size=10), after)


def _new(data: Dataset | None = None, actions: int = 3, **changes: Any) -> PMA:
    start = Start("", _data() if data is None else data, actions, True, 0, 5)
    model: PMA = PMASettings(**{**SMALL, **changes})(start)
    return model


def test_the_reward_is_that_of_a_loop() -> None:
    densities = np.random.default_rng(1).normal(size=(4, 5)) * 3
    found = predictability(torch.as_tensor(densities + 7.0))  # densities up to a constant
    for row, z in itertools.product(range(4), range(5)):
        mean = sum(math.exp(each) for each in densities[row]) / 5
        assert float(found[row, z]) == pytest.approx(densities[row, z] - math.log(mean))
    # Only one code leads there: log K for it, and nothing for it if all do.
    alone, alike = predictability(torch.tensor([[0.0, -900.0, -900.0], [2.0, 2.0, 2.0]]))
    assert float(alone[0]) == pytest.approx(math.log(3)) and float(alone[1]) < -800
    assert alike.abs().max() < 1e-6


def test_the_loss_and_its_gradient_are_those_of_a_loop() -> None:
    model, data = _new(softness=0.5, bonus=20.0), _data()
    generator = torch.Generator().manual_seed(1)
    for network in (model.values, *model.models):  # larger, so that some rewards are clipped
        last: Any = network[-1]  # type: ignore[index]
        torch.nn.init.normal_(last.weight, std=2.0, generator=generator)
    tensors = to_tensors(data, torch.nn.Identity(), exact=False)
    rows = torch.tensor([0, 3, 4, 6, 9])
    loss, metrics = model.losses(tensors, Batch(*(c[rows] for c in tensors.transitions)))
    loss.backward()
    got = [each.grad.clone() for each in model.learnt]
    model.zero_grad()
    change = torch.as_tensor(data.next_observations - data.observations)
    shift, scale = change.mean(0), (change.var(0, correction=0) + 1e-3).sqrt()
    total, clipped, information, weight = torch.zeros(()), 0, 0.0, 0.0
    for row in rows.tolist():
        here = torch.as_tensor(data.observations[row])
        true = (change[row] - shift) / scale
        values = model.values(here[None])[0].reshape(3, 3)  # (K, A)
        known = [
            torch.stack([net(torch.cat([here, torch.eye(3)[z]])[None])[0] for net in model.models])
            for z in range(3)
        ]
        near = [
            math.exp(-float((each.detach().mean(0) - true).square().sum()) / 2) for each in known
        ]
        for z in range(3):
            chance = float((values[z].detach() / 0.5).softmax(0)[data.actions[row]])
            informs = math.log(near[z] / (sum(near) / 3))
            clipped += informs < -math.log(3)
            spread = ((known[z][0] - known[z][1]).detach() * scale / 2).square().mean()
            reward = max(informs, -math.log(3)) + 20.0 * float(spread)
            missed = sum((net - true).square().sum() / 2 for net in known[z]) / 2
            total = total + chance * missed / 15 + (values[z, data.actions[row]] - reward) ** 2 / 15
            information, weight = information + chance * informs, weight + chance
    total.backward()
    assert 0 < clipped < 15
    assert float(loss.detach()) == pytest.approx(float(total.detach()), rel=1e-4)
    assert float(metrics["pma/information"]) == pytest.approx(information / weight, rel=1e-4)
    for mine, parameter in zip(got, model.learnt, strict=True):
        torch.testing.assert_close(mine, parameter.grad, rtol=1e-3, atol=1e-5)


def _information(chances: NDArray[Any], decoder: Sequence[int]) -> float:
    """Return I(S'; Z) of uniform codes by the reward; chances (A, S) of outcomes."""
    of_code = chances[list(decoder)]  # (K, S)
    with np.errstate(divide="ignore"):
        densities = torch.as_tensor(np.log(of_code)).T  # (S, K)
    possible = densities.isfinite().any(1)
    reward = predictability(densities[possible]).nan_to_num(neginf=0.0).T  # of chance 0
    return float((torch.as_tensor(of_code)[:, possible] * reward).sum() / len(decoder))


def _entropy(chances: NDArray[Any]) -> float:
    return -sum(p * math.log(p) for p in chances.ravel() if p > 0)


def test_the_best_codes_are_the_distinct_outcomes_without_noise_that_mixes_them() -> None:
    """Three certain actions, and a fourth that leads to one of their outcomes by chance."""
    mixed = np.vstack([np.eye(3), np.full(3, 1 / 3)])
    found = {}
    for decoder in itertools.product(range(4), repeat=3):
        of_code = mixed[list(decoder)]
        found[decoder] = _information(mixed, decoder)
        bits = _entropy(of_code.mean(0)) - sum(_entropy(row) for row in of_code) / 3
        assert found[decoder] == pytest.approx(bits, abs=1e-12)
    best = {each for each, value in found.items() if value > math.log(3) - 1e-9}
    assert best == set(itertools.permutations(range(3)))
    assert max(found.values()) == pytest.approx(math.log(3))
    assert max(v for decoder, v in found.items() if 3 in decoder) < math.log(3) - 0.2
    # Noise with outcomes of its own identifies its code as well as a certain outcome does.
    own = np.zeros((4, 5))
    own[:3, :3], own[3, 3:] = np.eye(3), 0.5
    assert _information(own, (0, 1, 2, 3)) == pytest.approx(math.log(4))


def _television(steps: int) -> Dataset:
    """Actions 0, 1 and 2 lead to states 1, 2 and 3 from anywhere, and 3 to any of them."""
    rng = np.random.default_rng(2)
    state, actions = rng.integers(4, size=steps), rng.integers(4, size=steps)
    after = np.where(actions == 3, rng.integers(3, size=steps), actions) + 1
    eye = np.eye(4, dtype=np.float32)
    return Dataset(eye[state], actions, eye[after])


def test_learned_codes_are_best_and_predicted_where_a_model_of_actions_fails() -> None:
    model = _new(_television(2_000), 4, codes=6, hidden=16, batch_size=64, lr=5e-3)
    model.learn(_television(2_000), 200)
    states, codes = torch.eye(4).repeat_interleave(6, 0), torch.arange(6).repeat(4)
    chosen = model.decoded(states, codes).reshape(4, 6)
    assert [set(row) for row in chosen.tolist()] == [{0, 1, 2}] * 4
    with torch.no_grad():
        predicted = model.predictions(states, codes).mean(0)
    after = states + model.shift + model.scale * predicted
    missed = (after - torch.eye(4)[chosen.flatten() + 1]).square().sum(-1)  # (24,)
    # The best model of actions misses a state that is one of three by 2/3, whatever it predicts.
    assert missed.max() < 2 / 3 / 4


class _Decoder(torch.nn.Module):
    """Codes 0, 1 and 2 are the actions 2, 0 and 1 in every state."""

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return torch.eye(3)[[2, 0, 1]].flatten().expand(len(observations), -1)


class _Chain(torch.nn.Module):
    """The exact change of a one-hot state of a chain by codes: right, stay, left."""

    def __init__(self, wrong: float = 0.0) -> None:
        super().__init__()
        self.wrong = wrong  # added to what follows `right` in state 1

    def forward(self, known: torch.Tensor) -> torch.Tensor:
        state, code = known[..., :5], known[..., 5:]
        left = torch.cat([state[..., :1] + state[..., 1:2], state[..., 2:], state[..., :1] * 0], -1)
        right = torch.cat([state[..., :1] * 0, state[..., :3], state[..., 3:].sum(-1, True)], -1)
        after = code[..., :1] * right + code[..., 1:2] * state + code[..., 2:] * left
        return after - state + self.wrong * state[..., 1:2] * code[..., :1]


def _exact(wrong: float = 0.0, **changes: Any) -> PMA:
    eye = np.eye(5, dtype=np.float32)
    given = {"horizon": 4, "plans": 128, **changes}
    model = _new(Dataset(eye, np.zeros(5, np.int64), eye), **given)
    model.values = _Decoder()  # type: ignore[assignment]
    model.models = torch.nn.ModuleList([_Chain(wrong), _Chain(-wrong)])
    model.scale = torch.ones(5)
    return model


def test_plans_in_an_exact_model_are_the_shortest_ways_in_actions() -> None:
    """Actions are stay, left and right."""
    model, eye = _exact(), np.eye(5, dtype=np.float32)
    towards = [2, 2, 2, 0, 1]
    assert model.predict(eye, model.infer(eye[3]))[0].tolist() == towards
    aim = model.infer(lambda o, a, n: (n.argmax(1) == 3) * 1.0)
    assert model.predict(eye, aim)[0].tolist() == towards
    # The reward of a predicted transition is that of the decoded action.
    dear = model.infer(lambda o, a, n: (n.argmax(1) == 3) - 5.0 * (a == 1))
    assert model.predict(eye, dear)[0].tolist() in ([2, 2, 2, 0, 0], [2, 2, 2, 0, 2])


def test_plans_avoid_transitions_on_which_the_models_disagree() -> None:
    eye = np.eye(5, dtype=np.float32)
    for penalty, moves in ((0.0, [2, 2]), (50.0, [2, 0])):
        model = _exact(wrong=0.5, penalty=penalty)
        found = model.predict(eye[:2], model.infer(eye[3]))[0].tolist()
        assert found[0] == moves[0] and (found[1] == 2) == (moves[1] == 2)


def test_settings_and_data_that_do_not_fit_are_refused() -> None:
    for name in ("hidden", "models", "horizon", "rounds"):
        with pytest.raises(ValueError, match=f"{name} must be at least 1"):
            _new(**{name: 0})
    for name in ("codes", "batch_size", "plans"):
        with pytest.raises(ValueError, match=f"{name} must be at least 2"):
            _new(**{name: 1})
    for name in ("bonus", "penalty", "lr"):
        with pytest.raises(ValueError, match=f"{name} must be at least 0"):
            _new(**{name: -1.0})
    for name in ("softness", "temperature"):
        with pytest.raises(ValueError, match="softness and temperature above 0"):
            _new(**{name: 0.0})
    plain = _data()
    own = Dataset(
        plain.observations,
        plain.actions,
        plain.next_observations,
        own_observations=plain.observations,
        own_next_observations=plain.next_observations,
    )
    with pytest.raises(ValueError, match="environment's own observations"):
        _new(own)


@pytest.mark.proof
def test_goals_of_the_u_map_are_reached() -> None:
    """20,000 random steps; the random policy scores 0. In every state the codes are all actions."""
    env: Any = gym.make("zerogym/UMap-v0", task=None)
    data = collect(env, 20_000, seed=1)
    model: PMA = PMASettings()(Start("", data, 5, True, 1_500, 0))
    model.learn(data, 1_500)
    world = env.unwrapped
    goals = [task for task in world.tasks.values() if task.goal is not None]
    assert np.mean(list(evaluate_tabular(model, env, goals).values())) > 0.15
    states = torch.as_tensor(world.observation_of(np.arange(world.num_states)))
    chosen = model.decoder(states).argmax(-1).numpy()  # (S, K)
    lost = sum(
        len(set(moves)) - len({moves[action] for action in codes})
        for moves, codes in zip(world.next_state.tolist(), chosen.tolist(), strict=True)
    )
    assert lost <= 4  # of 45 states with up to five different outcomes each
