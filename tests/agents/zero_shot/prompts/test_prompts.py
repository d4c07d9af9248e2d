"""Prompts: sentences that a language model turns into rewards, and files that fit one model."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from helpers.llm.replies import Replies
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.models.architecture import Shape
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.prompts.prompt import Prompt
from zerogym.agents.zero_shot.prompts.sentences import NoReward, task_of_sentence

MISSING = object()


@pytest.fixture(scope="module")
def maze() -> Any:
    return gym.make("zerogym/PointMaze-v0", task=None).unwrapped


@pytest.fixture(scope="module")
def samples() -> Dataset:
    return collect(gym.make("zerogym/PointMaze-v0", task=None), 500, seed=1, hold=8)


def test_a_sentence_becomes_the_reward_that_was_written(maze: Any, samples: Dataset) -> None:
    replies = Replies("Left means small x, so\n<reward>0</reward> no:\n<reward> -x + 0*y </reward>")
    task = task_of_sentence("Go to the left.", maze, replies, samples)
    assert (task.text, task.name) == ("Go to the left.", "-x + 0*y")
    rewards = task.relabel(samples.observations, samples.actions, samples.next_observations)
    np.testing.assert_allclose(rewards, -maze.measures["x"](samples.next_observations), rtol=1e-6)
    for known in ("Go to the left.", "x, y, wall_distance", "goal_left: "):
        assert known in replies.requests[0]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("x", "there is nothing between <reward> and </reward>"),
        ("<reward>hieght</reward>", "no task or feature 'hieght'"),
        ("<reward>__import__('os')</reward>", "no function of a reward '__import__'"),
        ("<reward>1/(x-x)</reward>", "for a transition"),
        ("<reward>x > 999</reward>", "it is 0 in all of 500 states"),
        ("<reward></reward>", "cannot be read"),
        ("\x00" * 100_000, "there is nothing between"),
        ("</reward>y<reward>", "there is nothing between"),
        ("<reward>" * 1_000_000, "there is nothing between"),  # minutes for a regular expression
        ("<reward>" + "(" * 1_000 + "x" + ")" * 1_000 + "</reward>", "characters"),
        ("<reward>9**9**9**9*x</reward>", "for a transition"),
        ("<reward>[y for y in iter(int, 1)]</reward>", "is not understood"),
    ],
)
def test_a_fault_is_sent_back_and_can_be_repaired(
    maze: Any, samples: Dataset, reply: str, fault: str
) -> None:
    replies = Replies(reply, "<reward>y</reward>")
    assert task_of_sentence("Up!", maze, replies, samples).name == "y"
    assert fault in replies.requests[1]
    assert len(replies.requests[1]) < 10_000
    with pytest.raises(NoReward, match="in 2 replies"):
        task_of_sentence("Up!", maze, Replies(reply, reply), samples, tries=2)


@pytest.mark.parametrize("sentence", ["", "  \n", "x" * 10_000_000, None, b"Up!"])
def test_no_sentence(maze: Any, samples: Dataset, sentence: Any) -> None:
    with pytest.raises(ValueError, match=r"characters|a sentence is text"):
        task_of_sentence(sentence, maze, Replies(), samples)


def _model(seed: int = 0) -> FBModel:
    torch.manual_seed(seed)
    eye = np.eye(4, dtype=np.float32)
    return FBModel(Shape(4, 2, True, 3, 8, 2), Dataset(eye, np.zeros(4, dtype=np.int64), eye))


def test_a_prompt_comes_back_and_knows_its_model(tmp_path: Path) -> None:
    model = _model()
    z = model.infer_goal(np.eye(4)[1])
    prompt = Prompt.of(model, z, "the second place")
    prompt.save(tmp_path / "z.json")
    again = Prompt.load(tmp_path / "z.json", model)
    assert again == prompt
    np.testing.assert_array_equal(np.asarray(again.z, dtype=np.float32), z)
    with pytest.raises(NotAModel, match="another model"):
        Prompt.load(tmp_path / "z.json", _model(seed=1))
    other = model.samples.take(3)
    assert Prompt.of(model, z, "", other).samples != prompt.samples
    assert Prompt.of(model, z, "", model.samples).samples == prompt.samples


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "zerogym prompt 1"}', "\x00", "[" * 200_000]
)
def test_what_is_no_prompt_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "z.json").write_text(text)
    for name in ("z.json", "nowhere.json", "."):
        with pytest.raises(NotAModel, match=r"is not a prompt|JSON"):
            Prompt.load(tmp_path / name, _model())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"more": 1}, "'more'"),
        ({"format": "zerogym prompt 0"}, "its format is not"),
        ({"format": None}, "its format is not"),
        ({"z": None}, "its z must be finite numbers, got None"),
        ({"z": {}}, "its z must be finite numbers, got {}"),
        ({"z": "111"}, "its z must be finite numbers, got '111'"),
        ({"z": ["1", "1", "1"]}, "its z must be finite numbers"),
        ({"z": [True, 1, 1]}, "its z must be finite numbers"),
        ({"z": [math.nan] * 3}, "its z must be finite numbers"),
        ({"z": [1e39, 0, 0]}, "its z must be finite numbers"),
        ({"z": [10**400, 0, 0]}, "its z must be finite numbers"),
        ({"z": [1, 1]}, "its z has 2 numbers, not 3"),
        ({"task": None}, r"Prompt\.task must be str, got None"),
        ({"samples": 7}, r"Prompt\.samples must be str, got 7"),
        ({"model": None}, r"Prompt\.model must be str, got None"),
        *(({name: MISSING}, name) for name in ("format", "z", "task", "model", "samples")),
    ],
)
def test_a_prompt_that_was_changed_is_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    model = _model()
    Prompt.of(model, model.infer_goal(np.eye(4)[1]), "").save(tmp_path / "z.json")
    found = json.loads((tmp_path / "z.json").read_text())
    kept = {name: value for name, value in (found | changes).items() if value is not MISSING}
    (tmp_path / "z.json").write_text(json.dumps(kept))
    with pytest.raises(NotAModel, match=rf"is not a prompt: .*{words}"):
        Prompt.load(tmp_path / "z.json", model)


def test_a_prompt_without_its_task_spec_is_read(tmp_path: Path) -> None:
    model = _model()
    prompt = Prompt.of(model, model.infer_goal(np.eye(4)[1]), "there", asked="goal_1")
    prompt.save(tmp_path / "z.json")
    found = json.loads((tmp_path / "z.json").read_text())
    assert found.pop("asked") == "goal_1"
    (tmp_path / "z.json").write_text(json.dumps(found))
    assert Prompt.load(tmp_path / "z.json", model) == dataclasses.replace(prompt, asked="")


def test_tasks_add_up_as_their_rewards_do() -> None:
    """z of a weighted sum of rewards, each over the length of its own sum of B."""
    model, rng = _model(), np.random.default_rng(0)
    states, rewards = np.eye(4, dtype=np.float32), rng.normal(size=(2, 4)).astype(np.float32)
    with torch.no_grad():
        sums = rewards @ model.backward_net(torch.as_tensor(states)).numpy() / 4  # (2, d)
    lengths = np.linalg.norm(sums, axis=1)
    both = model.infer_labelled(states, 0.7 * rewards[0] / lengths[0] - rewards[1] / lengths[1])
    parts = [Prompt.of(model, model.infer_labelled(states, rewards), "") for rewards in rewards]
    mixed = Prompt.mixed(parts, (0.7, -1.0))
    np.testing.assert_allclose(mixed.z, both, rtol=1e-4, atol=1e-5)
    assert np.linalg.norm(mixed.z) == pytest.approx(np.sqrt(3), rel=1e-5)
    assert not np.allclose(mixed.z, Prompt.mixed(parts, (1.0, -1.0)).z, atol=1e-2)


def test_a_mixture_of_goals_is_a_demonstration_of_them(tmp_path: Path) -> None:
    model, states = _model(), np.eye(4, dtype=np.float32)
    goals = [Prompt.of(model, model.infer_goal(states[at]), f"place {at}") for at in (0, 2)]
    mixed = Prompt.mixed(goals, (0.5, 0.5))
    np.testing.assert_allclose(mixed.z, model.infer_demonstration(states[[0, 2]]), rtol=1e-5)
    assert mixed.task == "0.5 x (place 0) + 0.5 x (place 2)"
    mixed.save(tmp_path / "z.json")
    assert Prompt.load(tmp_path / "z.json", model) == mixed
    np.testing.assert_allclose(Prompt.mixed(goals[:1], (3.0,)).z, goals[0].z, rtol=1e-6)


def test_what_does_not_mix_says_why() -> None:
    model = _model()
    one, other = (Prompt.of(model, model.infer_goal(place), "") for place in np.eye(4)[:2])
    foreign = Prompt.of(_model(seed=1), np.ones(3, dtype=np.float32), "")
    fewer = Prompt.of(model, np.ones(3, dtype=np.float32), "", model.samples.take(2))
    for stranger in (foreign, fewer):
        with pytest.raises(ValueError, match="different models or samples"):
            Prompt.mixed([one, stranger], (1.0, 1.0))
    for prompts, weights in (([], ()), ([one], (1.0, 2.0)), ([one, other], (1.0, float("nan")))):
        with pytest.raises(ValueError, match="a finite weight for each"):
            Prompt.mixed(prompts, weights)
    for prompts, weights in (([one, one], (1.0, -1.0)), ([one, other], (0.0, 0.0))):
        with pytest.raises(ValueError, match="cancel out"):
            Prompt.mixed(prompts, weights)
