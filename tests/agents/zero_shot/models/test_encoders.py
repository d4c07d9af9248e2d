"""Encoders that are trained with F: which one is chosen, who trains it, and that files keep it."""

import dataclasses
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from helpers.zero_shot.small_runs import random_data
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.models.encoders import (
    EncodedForward,
    PixelEncoder,
    StateEncoder,
    TokenEncoder,
    encoding_of,
)
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.recurrent import Recurrent
from zerogym.agents.zero_shot.training.train import train, train_seeds

SMALL = FBConfig(batch_size=16, dim=4, hidden=8, encoded=6, encoder_layers=1, updates=4)
CELLS = 6


class TokenLine(gym.Env[np.ndarray, Any]):
    """A place on a line, found by three digits of which only the middle one matters."""

    observation_space = gym.spaces.MultiDiscrete([CELLS, CELLS, CELLS])
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.steps, self.place = 0, int(self.np_random.integers(CELLS))
        return self.observe(), {}

    def observe(self) -> np.ndarray:
        first, last = self.np_random.integers(CELLS, size=2)
        return np.array([first, self.place, last])

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.steps += 1
        self.place = int(np.clip(self.place + 2 * action - 1, 0, CELLS - 1))
        return self.observe(), 0.0, False, self.steps == 20, {}


def _pictures() -> Dataset:
    """The line as grey pictures with a white column."""
    rng = np.random.default_rng(0)
    place, action = rng.integers(CELLS, size=200), rng.integers(2, size=200)
    after = np.clip(place + 2 * action - 1, 0, CELLS - 1)
    drawn = np.zeros((CELLS, 12, 12, 1), dtype=np.uint8)
    for cell in range(CELLS):
        drawn[cell, :, 2 * cell : 2 * cell + 2] = 255
    return Dataset(drawn[place], action, drawn[after])


def test_observations_choose_their_encoder() -> None:
    tokens, pictures = collect(TokenLine(), 30), _pictures()
    assert tokens.observations.dtype == np.int64
    found = encoding_of(SMALL, tokens)
    assert (found.kind, found.vocabulary) == ("tokens", CELLS)
    assert encoding_of(SMALL, pictures).kind == "pixels"
    assert encoding_of(SMALL, random_data(discrete=False)).kind == "none"
    changed = dataclasses.replace(SMALL, encoder="state")
    assert encoding_of(changed, random_data(discrete=False)).kind == "state"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"encoder": "tokens"}, "does not fit"),
        ({"encoder": "pixels"}, "does not fit"),
        ({"encoder": "state", "history": 4}, "history needs vectors"),
        ({"history": 4, "features": "svd"}, "needs vectors"),
        ({"anchors": 3, "exact": False}, "anchors"),
        ({"standardise": True, "exact": False}, "standardise"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], words: str) -> None:
    data = _pictures() if {"anchors", "standardise"} & set(changes) else random_data(discrete=False)
    with pytest.raises(ValueError, match=words):
        encoding_of(dataclasses.replace(SMALL, **changes), data)


def test_encoders_give_vectors_of_length_one() -> None:
    torch.manual_seed(0)
    cases = (
        (StateEncoder(3, 6, 2), torch.randn(5, 3)),
        (PixelEncoder((12, 12, 1), 6), torch.randint(256, (5, 12, 12, 1))),
        (PixelEncoder((2, 64, 64), 6), torch.randint(256, (5, 2, 64, 64))),
        (PixelEncoder((3, 3, 1), 6), torch.randint(256, (5, 3, 3, 1))),
        (TokenEncoder(4, 6), torch.randint(4, (5, 7))),
    )
    for encoder, states in cases:
        made = encoder(states)
        assert made.shape == (5, 6)
        torch.testing.assert_close(made.norm(dim=-1), torch.ones(5))
        assert made.std(0).max() > 1e-3  # it tells them apart


def test_layers_are_as_many_as_published() -> None:
    state, pixels = StateEncoder(3, 6, 4), PixelEncoder((3, 64, 64), 6)
    assert sum(isinstance(part, torch.nn.Linear) for part in state.net) == 6  # in, 4 hidden, out
    shapes = [
        (part.out_channels, part.kernel_size, part.stride)
        for part in pixels.convolutions
        if isinstance(part, torch.nn.Conv2d)
    ]
    assert shapes == [(32, (3, 3), (2, 2)), *[(32, (3, 3), (1, 1))] * 3]


def test_pixels_are_centred() -> None:
    torch.manual_seed(0)
    encoder, fed = PixelEncoder((3, 8, 8), 6), []
    encoder.convolutions.register_forward_pre_hook(lambda net, given: fed.append(given[0]))
    encoder(torch.tensor([0, 255]).repeat(96).view(1, 3, 8, 8))
    assert (fed[0].min(), fed[0].max()) == (-0.5, 0.5)


def test_the_recurrent_network_is_the_gru_of_pytorch() -> None:
    torch.manual_seed(0)
    own, theirs = Recurrent(3, 5), torch.nn.GRU(3, 5, batch_first=True)
    names = ("weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0")
    for name, weight in zip(names, own.parameters(), strict=True):
        getattr(theirs, name).data = weight.data
    rows = torch.randn(4, 7, 3)
    torch.testing.assert_close(own(rows), theirs(rows)[1][0])


def test_channels_may_come_first_or_last() -> None:
    torch.manual_seed(0)
    last, first = PixelEncoder((12, 12, 3), 6), PixelEncoder((3, 12, 12), 6)
    first.load_state_dict(last.state_dict())
    states = torch.randint(256, (5, 12, 12, 3))
    torch.testing.assert_close(last(states), first(states.movedim(-1, 1)))


def test_tokens_that_the_data_never_showed_are_all_alike() -> None:
    encoder = TokenEncoder(4, 6)
    made = encoder(torch.tensor([[1, 4], [1, 99], [1, -1], [1, 3]]))
    torch.testing.assert_close(made[0], made[1])
    torch.testing.assert_close(made[0], made[2])
    assert not torch.allclose(made[0], made[3])


def test_the_loss_of_f_trains_the_encoder_and_that_of_the_actor_does_not() -> None:
    config, data = (
        dataclasses.replace(SMALL, encoder="state", exact=False),
        random_data(discrete=False),
    )
    agent = ContinuousFB.create(config, data, actions=2)
    tensors = agent.to_tensors(data)
    forward = agent.model.forward_net
    assert isinstance(forward, EncodedForward)
    drawn = agent.draw(len(data))
    batch, z = agent.sample(tensors, drawn), agent.sample_z(tensors, drawn)
    before = [weight.clone() for weight in forward.encoder.parameters()]
    agent.update_actor(batch, z, drawn)
    for old, new in zip(before, forward.encoder.parameters(), strict=True):
        assert torch.equal(old, new)
    agent.update(tensors)
    moved = zip(before, forward.encoder.parameters(), strict=True)
    assert all(not torch.equal(old, new) for old, new in moved)
    assert agent.model.actor is not None
    names = [name for name, _ in agent.model.actor.named_parameters()]
    assert names and not any("encoder" in name for name in names)


@pytest.mark.parametrize("kind", ["state", "tokens", "pixels"])
def test_a_saved_model_has_its_encoder(kind: str, tmp_path: Path) -> None:
    data = {
        "state": random_data(discrete=False),
        "tokens": collect(TokenLine(), 60),
        "pixels": _pictures(),
    }[kind]
    made: type[ContinuousFB | DiscreteFB] = ContinuousFB if kind == "state" else DiscreteFB
    encoder = "state" if kind == "state" else "auto"
    config = dataclasses.replace(SMALL, encoder=encoder, exact=kind == "pixels")
    agent = made.create(config, data, actions=2)
    agent.learn(data, 4)
    agent.model.save(tmp_path)
    again = FBModel.load(tmp_path)
    z = agent.model.infer(data.observations[0])
    np.testing.assert_array_equal(z, again.infer(data.observations[0]))
    np.testing.assert_array_equal(
        agent.model.act(data.observations, z), again.act(data.observations, z)
    )
    with pytest.raises(ValueError, match="observations must be"):
        again.act(data.observations[0], z)


@pytest.mark.parametrize(
    "changes",
    [
        {"history": 3},
        {"history": 3, "env": "zerogym/PointMaze-v0"},
        {"encoder": "state", "env": "zerogym/PointMaze-v0"},
    ],
)
def test_seeds_train_together_behind_encoders(changes: dict[str, Any], tmp_path: Path) -> None:
    config = dataclasses.replace(SMALL, data_steps=80, exact=False, seeds=2, **changes)
    _, second = train_seeds(config, tmp_path / "both")
    alone = train(dataclasses.replace(config, seeds=1, seed=1), tmp_path / "alone")
    one, other = (FBModel.load(run.path).state_dict() for run in (second, alone))
    for name, tensor in one.items():
        torch.testing.assert_close(tensor, other[name], rtol=1e-3, atol=1e-4)


def test_pictures_of_a_world_train_from_its_id(tmp_path: Path) -> None:
    view = {"ImageView": {"size": 16, "grayscale": True}}
    kwargs = {"render_mode": "rgb_array"}
    config = dataclasses.replace(
        SMALL, data_steps=60, env="zerogym/UMap-v0", env_kwargs=kwargs, wrappers=view
    )
    model = FBModel.load(train(config, tmp_path).path)
    assert model.observation_shape == (16, 16, 1)
    world: Any = gym.make("zerogym/UMap-v0", task=None).unwrapped
    assert model.infer(world.tasks["goal_1_1"]).shape == (4,)


def _greedy_return(model: FBModel, env: TokenLine, goal: int, z: np.ndarray) -> float:
    total = 0
    for seed in range(CELLS):
        states, _ = env.reset(seed=seed)
        over = False
        while not over:
            states, _, _, over, _ = env.step(int(model.act(states[None], z)[0]))
            total += env.place == goal
    return total / CELLS / 20


@pytest.mark.proof
def test_an_agent_of_tokens_learns_to_reach_goals() -> None:
    env = TokenLine()
    data = collect(env, 1500)
    config = FBConfig(
        batch_size=64, dim=8, hidden=32, encoded=32, updates=250, gamma=0.8, exact=False,
        temperature=1, lr_backward=4e-3,
    )  # fmt: skip
    agent = DiscreteFB.create(config, data, actions=2)
    agent.learn(data, config.updates)
    for goal in (0, CELLS - 1):
        z = agent.model.infer(lambda o, a, n, goal=goal: (n[:, 1] == goal).astype(float))
        assert _greedy_return(agent.model, env, goal, z) > 0.7  # the way there takes the rest
