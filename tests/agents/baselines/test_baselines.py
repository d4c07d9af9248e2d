"""Random, oracle, straight line and Stable-Baselines3 models as policies."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.agents.baselines.sb3 import SB3Config, SB3Policy, train_sb3
from zerogym.agents.baselines.scripted import StraightLinePolicy
from zerogym.agents.core import Policy
from zerogym.benchmarks.suites.episodes import play
from zerogym.errors import UnknownName


def test_all_are_policies() -> None:
    assert isinstance(RandomPolicy([]), Policy)
    assert isinstance(OraclePolicy([]), Policy)
    assert isinstance(StraightLinePolicy([]), Policy)


def test_third_party_environments_are_sampled() -> None:
    envs = [gym.make("CartPole-v1") for _ in range(2)]
    actions, _ = RandomPolicy(envs, 0).predict(None)
    assert all(action in env.action_space for action, env in zip(actions, envs, strict=True))
    drawn = {int(RandomPolicy(envs[:1], seed).predict(None)[0][0]) for seed in range(20)}
    assert drawn == {0, 1}
    with pytest.raises(TypeError, match="no oracle"):
        OraclePolicy(envs)


class Masked(gym.Env[np.ndarray, int]):
    """A corridor of cells: only the action equal to the cell number is legal."""

    observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
    action_space = gym.spaces.Discrete(4)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.cell, self.steps = int(self.np_random.integers(4)), 0
        return np.eye(4, dtype=np.float32)[self.cell], {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        assert int(action) == self.cell, "an illegal action"
        self.cell, self.steps = (self.cell + 1) % 4, self.steps + 1
        return np.eye(4, dtype=np.float32)[self.cell], 1.0, self.steps == 5, False, {}

    def action_masks(self) -> np.ndarray:
        return np.arange(4) == self.cell


def test_random_obeys_masks() -> None:
    envs = [gym.wrappers.TimeLimit(Masked(), 5) for _ in range(3)]
    assert [e.value for e in play(envs, RandomPolicy(envs, 0), list(range(9)))] == [5.0] * 9


def test_masks_reach_a_model_through_wrappers() -> None:
    config = SB3Config("maskable_ppo", 64, envs=2, settings={"n_steps": 16, "batch_size": 16})
    model = train_sb3(config, lambda: gym.wrappers.TimeLimit(Masked(), 5))
    envs = [gym.wrappers.TimeLimit(Masked(), 5) for _ in range(3)]
    assert [e.value for e in play(envs, SB3Policy(model, envs), list(range(6)))] == [5.0] * 6


@pytest.mark.proof
def test_dqn_learns_a_goal() -> None:
    settings = {
        "learning_starts": 500,
        "target_update_interval": 250,
        "learning_rate": 1e-3,
        "gamma": 0.95,
        "exploration_fraction": 0.5,
        "policy_kwargs": {"net_arch": [64]},
    }
    points: list[tuple[int, float]] = []
    model = train_sb3(
        SB3Config("dqn", 8_000, envs=4, seed=0, settings=settings),
        lambda: gym.make("zerogym/FourRooms-v0", task="goal_4_2"),
        lambda steps, value: points.append((steps, value)),
    )
    envs = [gym.make("zerogym/FourRooms-v0", task="goal_4_2") for _ in range(8)]
    returns = {}
    for name, policy in (
        ("learned", SB3Policy(model)),
        ("random", RandomPolicy(envs, 0)),
        ("truth", OraclePolicy(envs)),
    ):
        returns[name] = np.mean([e.value for e in play(envs, policy, list(range(16)))])
    gap = returns["truth"] - returns["random"]
    assert returns["learned"] > returns["random"] + 0.5 * gap
    assert points[-1][0] == 8_000
    assert points[-1][1] > points[0][1]


def test_training_repeats_by_its_seed() -> None:
    def weights(seed: int) -> np.ndarray:
        config = SB3Config("ppo", 64, 2, seed, {"n_steps": 16, "batch_size": 16})
        model = train_sb3(config, lambda: gym.make("zerogym/FourRooms-v0", task="goal_1_1"))
        return model.policy.action_net.weight.detach().numpy()

    assert np.array_equal(weights(3), weights(3))
    assert not np.array_equal(weights(3), weights(4))


def test_training_takes_one_thread_and_gives_the_others_back() -> None:
    import torch

    before, inside = torch.get_num_threads(), []
    torch.set_num_threads(3)
    try:
        train_sb3(
            SB3Config("ppo", 64, 2, 0, {"n_steps": 16, "batch_size": 16}),
            lambda: gym.make("zerogym/UMap-v0", task="goal_1_1", max_episode_steps=5),
            lambda steps, value: inside.append(torch.get_num_threads()),
        )
        after = torch.get_num_threads()
    finally:
        torch.set_num_threads(before)
    assert set(inside) == {1}
    assert after == 3


def test_an_unknown_algorithm_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="maskable_ppo"):
        train_sb3(SB3Config("masked_ppo"), Masked)


def test_the_straight_line_fails_in_the_maze() -> None:
    envs = [gym.make("zerogym/PointMaze-v0", task="goal_right_bottom") for _ in range(8)]
    seeds = list(range(16))
    line = play(envs, StraightLinePolicy(envs), seeds)
    exact = play(envs, OraclePolicy(envs), seeds)
    assert all(e.success for e in exact)
    assert 0 < sum(bool(e.success) for e in line) < len(seeds)
