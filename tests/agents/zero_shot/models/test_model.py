"""Inference of tasks, files, and the fixed-task policy, on hand-made models."""

import json
import math
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
import torch
from stable_baselines3.common.evaluation import evaluate_policy

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.core import Policy
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns
from zerogym.agents.zero_shot.models.architecture import Shape
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.policy import FixedTask
from zerogym.envs.control.core.tasks import Task

STATES, DIM = 4, 3
VISITED = np.array([0, 1, 1, 2, 2, 2, 3, 3])  # next states of the samples


def _samples() -> Dataset:
    eye = np.eye(STATES, dtype=np.float32)
    return Dataset(eye[[0] * len(VISITED)], np.zeros(len(VISITED), dtype=np.int64), eye[VISITED])


@pytest.fixture
def model() -> FBModel:
    torch.manual_seed(0)
    return FBModel(Shape(STATES, 2, True, DIM, 8, 2), _samples())


def _b(model: FBModel) -> np.ndarray:
    """B of the one-hot states, computed by hand from the weights; (S, d)."""
    weight = model.backward_net.net.weight.detach().numpy().T  # (S, d)
    rows = weight + model.backward_net.net.bias.detach().numpy()
    return math.sqrt(DIM) * rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_standardised_observations_have_mean_0_and_deviation_1_also_when_loaded(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)
    states = (rng.normal(size=(50, 3)) * [1e-3, 20, 0] + [5, -7, 2]).astype(np.float32)
    data = Dataset(states, np.zeros(50, dtype=np.int64), states)
    torch.manual_seed(0)
    shape = Shape(3, 2, True, DIM, 8, 2, standardised=True)
    model = FBModel(shape, data)
    fed = model.features(states)
    expected = (states[:, :2] - states[:, :2].mean(0)) / states[:, :2].std(0)
    np.testing.assert_allclose(fed[:, :2], expected, atol=2e-3)  # of float32 about 5
    assert not fed[:, 2].any()  # constant
    model.save(tmp_path)
    torch.testing.assert_close(FBModel.load(tmp_path).features(states), fed, rtol=0, atol=0)
    # B and the inference of goals read the same numbers.
    goal = model.backward_net(fed[:1]).detach().numpy()[0]
    np.testing.assert_allclose(model.infer(states[0]), goal, rtol=1e-5)


def test_reward_inference_is_the_projected_weighted_mean(model: FBModel) -> None:
    """z = sqrt(d) * normalise(sum_s rho(s) r(s) B(s)), written out."""
    reward = np.array([0.5, -1.0, 2.0, 0.0])
    rho = np.bincount(VISITED) / len(VISITED)
    total = sum(rho[s] * reward[s] * _b(model)[s] for s in range(STATES))
    expected = math.sqrt(DIM) * total / np.linalg.norm(total)

    def rewarded(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
        return next_obs @ reward

    for task in (rewarded, Task("rewarded", "", rewarded)):
        np.testing.assert_allclose(model.infer(task), expected, rtol=1e-5)
    labelled = model.infer_labelled(model.samples.next_observations, reward[VISITED])
    np.testing.assert_allclose(labelled, expected, rtol=1e-5)
    np.testing.assert_allclose(model.infer(lambda o, a, n: 7 * (n @ reward)), expected, rtol=1e-5)


def test_other_samples_move_z_to_their_law(model: FBModel) -> None:
    eye = np.eye(STATES, dtype=np.float32)
    only_2 = Dataset(eye[:1], np.zeros(1, dtype=np.int64), eye[[2]])
    z = model.infer(lambda o, a, n: np.ones(len(n)), only_2)
    np.testing.assert_allclose(z, _b(model)[2], rtol=1e-5)


def test_goal_inference_is_b_of_the_goal(model: FBModel) -> None:
    goal = np.eye(STATES, dtype=np.float32)[3]
    task = Task("goal", "", lambda o, a, n: n[:, 0], goal)  # the goal wins over the reward
    for given in (goal, goal.tolist(), task):
        np.testing.assert_allclose(model.infer(given), _b(model)[3], rtol=1e-5)


def test_actions_are_greedy_in_the_mean_of_the_heads(model: FBModel) -> None:
    eye = torch.eye(STATES)
    z = torch.tensor([1.0, -2.0, 0.5])
    with torch.no_grad():
        forward = model.forward_net(eye, z.expand(STATES, -1))  # (H, S, A, d)
    q = (forward[0] + forward[1]) @ z  # (S, A)
    actions = model.act(eye.numpy(), z.numpy())
    assert actions.dtype == np.int64
    assert actions.tolist() == q.argmax(1).tolist()
    assert len(set(actions.tolist())) > 1  # else the case shows nothing


@pytest.mark.parametrize(
    ("task", "error", "words"),
    [
        (lambda o, a, n: np.full(len(n), np.nan), ValueError, "nan"),
        (lambda o, a, n: np.zeros((len(n), 2)), ValueError, "shape"),
        (lambda o, a, n: np.zeros(3), ValueError, "shape"),
        (lambda o, a, n: np.zeros(len(n)), ValueError, "zero on every sample"),
        (lambda o, a, n: ["much"] * len(n), ValueError, "not a number"),
        (np.zeros(STATES + 1), ValueError, "goal"),
        (np.zeros((1, STATES)), ValueError, "goal"),
        (np.full(STATES, np.inf), ValueError, "finite"),
        ("goal_1_1", TypeError, "tasks"),
        (None, TypeError, "None"),
    ],
)
def test_bad_tasks(model: FBModel, task: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        model.infer(task)


def test_bad_labels_and_observations(model: FBModel) -> None:
    with pytest.raises(ValueError, match="shape"):
        model.infer_labelled(np.eye(STATES), np.ones(3))
    with pytest.raises(ValueError, match="finite"):
        model.infer_labelled(np.eye(STATES), [1, 2, 3, math.nan])
    with pytest.raises(ValueError, match="observations"):
        model.act(np.zeros(STATES), np.ones(DIM))
    with pytest.raises(ValueError, match="z must be"):
        FixedTask(model, np.ones(DIM + 1))
    for z in (np.ones(DIM + 1), np.ones((2, DIM)), None, b"abc", [[1], [1, 2]], [np.inf] * DIM):
        with pytest.raises(ValueError, match=r"^z must be"):
            model.act(np.eye(STATES), z)
    with pytest.raises(ValueError, match="one observation or more"):
        model.infer_demonstration(np.zeros((0, STATES)))
    for window in (2.5, 0, -1, None, "3", math.inf):
        with pytest.raises(ValueError, match=rf"whole number of 1 or more.*got 4 and '?{window}"):
            model.infer_track(np.eye(STATES), window)  # type: ignore[arg-type]
    for nothing in ({}, b"abc", [[1], [1, 2]]):
        for infer in (model.infer_goal, model.infer_demonstration, model.infer_track):
            with pytest.raises(ValueError, match="must be numbers"):
                infer(nothing)


@pytest.mark.parametrize("shape", [Shape(2, 3, True, 4, 8, 2, 5), Shape(2, 2, False, 4, 8, 1, 5)])
def test_a_saved_model_acts_and_infers_the_same(shape: Shape, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    observations = rng.normal(size=(30, 2)).astype(np.float32)
    actions = rng.integers(3, size=30) if shape.discrete else rng.uniform(-1, 1, size=(30, 2))
    model = FBModel(shape, Dataset(observations, actions, observations[::-1].copy()))
    model.save(tmp_path / "model")
    again = FBModel.load(tmp_path / "model")
    z = model.infer(lambda o, a, n: n[:, 0])
    np.testing.assert_array_equal(z, again.infer(lambda o, a, n: n[:, 0]))
    np.testing.assert_array_equal(model.act(observations, z), again.act(observations, z))
    names = sorted(path.name for path in (tmp_path / "model").iterdir())
    assert names == ["config.json", "model.safetensors", "samples.npz"]


def test_what_is_not_a_model_says_so(model: FBModel, tmp_path: Path) -> None:
    with pytest.raises(NotAModel, match="nowhere"):
        FBModel.load(tmp_path / "nowhere")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(NotAModel, match="not a forward-backward model"):
        FBModel.load(tmp_path)
    for name in ("config.json", "model.safetensors", "samples.npz"):
        folder = tmp_path / "broken" / name
        model.save(folder)
        (folder / name).write_bytes(b"\x00broken")
        with pytest.raises(NotAModel):
            FBModel.load(folder)
        (folder / name).unlink()
        with pytest.raises(NotAModel):
            FBModel.load(folder)
    (tmp_path / "config.json").write_text("[" * 200_000)
    with pytest.raises(NotAModel, match="cannot be read as JSON"):
        FBModel.load(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        *({"hidden": 9}, {"hidden": -1}, {"hidden": "9"}, {"dim": 10**12}, {"anchors": 99}),
        *({"net": "large"}, {"kind": "laplacean"}, {"observation": 5}, {"more": 1}),
    ],
)
def test_settings_of_another_model_are_refused(
    model: FBModel, tmp_path: Path, changes: dict[str, object]
) -> None:
    model.save(tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    settings["shape"] |= changes
    (tmp_path / "config.json").write_text(json.dumps(settings))
    with pytest.raises(NotAModel, match=r"does not fit|not a forward-backward model"):
        FBModel.load(tmp_path)


def test_weights_and_samples_of_nothing_sensible_are_refused(
    model: FBModel, tmp_path: Path
) -> None:
    model.save(tmp_path)
    wide = np.eye(STATES + 1, dtype=np.float32)
    Dataset(wide, np.zeros(len(wide), dtype=np.int64), wide).save(tmp_path / "samples.npz")
    with pytest.raises(NotAModel, match=r"samples have observations of shape \(5,\)"):
        FBModel.load(tmp_path)
    with torch.no_grad():
        model.backward_net.net.weight.fill_(math.nan)
    model.save(tmp_path)
    with pytest.raises(NotAModel, match="not finite"):
        FBModel.load(tmp_path)


def test_fixed_task_is_a_policy_for_stable_baselines() -> None:
    env = gym.make("zerogym/UMap-v0", task="goal_1_1")
    data = collect(gym.make("zerogym/UMap-v0", task=None), 200)
    model = FBModel(Shape(45, 5, True, 8, 16, 2), data)
    policy = FixedTask(model, model.infer(data.observations[0]))
    assert isinstance(policy, Policy)
    actions, state = policy.predict(data.observations[:3])
    assert actions.shape == (3,)
    assert state is None
    env.reset(seed=5)
    returns, lengths = evaluate_policy(
        policy, env, n_eval_episodes=2, warn=False, return_episode_rewards=True
    )
    assert lengths == [50, 50]
    assert all(0 <= value <= 50 for value in returns)


def test_returns_of_the_oracle_are_those_of_the_environment() -> None:
    env = gym.make("zerogym/UMap-v0", task="goal_1_1", horizon=20)
    found = evaluate_returns(lambda obs: env.unwrapped.oracle_action(), env, 3, seed=1)  # type: ignore
    total = 0.0
    for seed in (1, 2, 3):
        env.reset(seed=seed)
        for _ in range(20):
            total += env.step(env.unwrapped.oracle_action())[1]  # type: ignore[attr-defined]
    assert found == pytest.approx(total / 3)


def test_little_work_uses_one_thread_and_the_callers_setting_stays(
    model: FBModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    for network in (model.forward_net, model.backward_net):
        network.register_forward_hook(lambda *_: counts.append(torch.get_num_threads()))
    eye, before = np.eye(STATES, dtype=np.float32), torch.get_num_threads()
    calls = (
        lambda: model.act(eye, np.ones(DIM)),
        lambda: model.infer(lambda o, a, n: np.ones(len(n))),
        lambda: model.infer(eye[0]),
        lambda: model.infer_track(eye),
    )
    torch.set_num_threads(2)
    try:
        for variable, rows, expected in ((None, 1, 1), ("2", 1, 2), (None, 10**9, 2)):
            monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
            if variable is not None:
                monkeypatch.setenv("OMP_NUM_THREADS", variable)
            monkeypatch.setattr(model, "parameter_count", rows)
            counts.clear()
            for call in calls:
                call()
                assert torch.get_num_threads() == 2
            assert counts == [expected] * len(calls)
        with pytest.raises(ValueError, match="observations"):
            model.act(np.zeros((1, STATES + 1)), np.ones(DIM))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
