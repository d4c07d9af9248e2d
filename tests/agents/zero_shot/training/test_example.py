"""The example of all prompts runs as it is said to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from zerogym.agents.zero_shot import example
from zerogym.agents.zero_shot.config import preset
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.training.train import train


@pytest.mark.proof
def test_every_prompt_is_inferred_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example.main(out=tmp_path, updates=2)
    shown = capsys.readouterr().out
    for known in ("reward: column", "goal: row 7", "demonstration", "imagined", "drawn", "oracle"):
        assert known in shown
    model = FBModel.load(tmp_path / "model")
    prompts = example.prompts(model)
    assert len(prompts) == 6
    for _, _, z in prompts:
        assert np.linalg.norm(z) == pytest.approx(np.sqrt(len(z)), rel=1e-4)
    # Pictures and words of places are these places.
    world: Any = gym.make(example.ENV).unwrapped
    where = {name: z for name, _, z in prompts}
    world_tasks = {task.name: task for _, task, _ in prompts}
    down = [world.observation_of(world.layout.index[min(row, 7), 8]) for row in range(1, 11)]
    drawn = where["sentence, drawn: Wait in the last corner."]
    np.testing.assert_allclose(drawn, model.infer_demonstration(down), rtol=1e-3, atol=1e-4)
    imagined = where["sentence, imagined: Hide in the first corner."]
    np.testing.assert_allclose(imagined, model.infer(world_tasks["goal_1_1"]), rtol=1e-3, atol=1e-4)


@pytest.mark.proof
def test_a_user_can_run_it(tmp_path: Path, run_python: Callable[..., str]) -> None:
    code = "import runpy; runpy.run_module('zerogym.agents.zero_shot.example', {}, '__main__')"
    assert "--updates" in run_python(code, "--help")
    model = FBModel.load(train(preset(example.ENV), tmp_path).path)
    for name, task, z in example.prompts(model):
        agent, random, straight, oracle = example.returns(model, task, z)
        assert agent > random + 0.3 * (oracle - random), name
        assert oracle >= np.nanmax([agent, straight]) - 1e-6, name
