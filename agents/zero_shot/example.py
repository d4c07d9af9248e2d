"""All prompts of one agent: `python -m zerogym.agents.zero_shot.example` trains and prompts it.

The forward-backward agent learns the U-map from random moves without any reward. It is then given
a reward, a goal, a demonstration and sentences, and its returns are compared with those of random
moves, of going straight for the goal, and of the oracle. A script stands in for the language model:
give `task_of_sentence` and `LanguageModelImaginer` any function from a message to a reply instead.
"""

import math
from pathlib import Path
from typing import Annotated, Any

import gymnasium as gym
import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.zero_shot.config import preset
from zerogym.agents.zero_shot.evaluation.returns import returns_beside
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.policy import FixedTask
from zerogym.agents.zero_shot.prompts.captions import CaptionMatcher
from zerogym.agents.zero_shot.prompts.imagination import imagine
from zerogym.agents.zero_shot.prompts.imaginers import LanguageModelImaginer, PathSketchImaginer
from zerogym.agents.zero_shot.prompts.matchers import ImageMatcher
from zerogym.agents.zero_shot.prompts.sentences import task_of_sentence
from zerogym.agents.zero_shot.training.train import train
from zerogym.envs.control.core.expressions import task_of_expression
from zerogym.envs.control.core.tasks import Task

ENV = "zerogym/UMap-v0"
ROWS, COLUMNS = 9, 10  # cells of the map, with its border
EPISODES = 20
CONTROLLERS = ("model", "random", "straight_line", "oracle")

Prompted = tuple[str, Task, NDArray[np.float32]]  # the prompt, the task that scores it, z


def main(
    out: Annotated[Path, typer.Option(help="Where the run is kept.")] = Path("runs/example"),
    updates: Annotated[int, typer.Option(help="Gradient steps of training.")] = 3_000,
) -> None:
    """Train once, prompt in six ways, and show the returns."""
    console = Console()
    with console.status(f"{updates} updates of training, without rewards"):
        model = FBModel.load(train(preset(ENV, updates=updates), out).path)
    table = Table("prompt", "agent", "random", "straight line", "oracle", title=f"Returns in {ENV}")
    for name, task, z in prompts(model):
        shown = ("-" if math.isnan(value) else f"{value:.1f}" for value in returns(model, task, z))
        table.add_row(name, *shown)
    console.print(table)
    console.print("The straight line knows goals only. A script stood in for the language model.")


def prompts(model: FBModel) -> list[Prompted]:
    """Return the z of six prompts of one agent."""
    world: Any = gym.make(ENV).unwrapped
    written = task_of_expression("column - abs(row - 2)", world.measures, world.tasks)
    corner, other, middle = (world.tasks[name] for name in ("goal_7_8", "goal_1_1", "goal_2_5"))
    sentence = "Stay close to the bottom."
    low = task_of_sentence(sentence, world, stand_in, model.samples)
    return [
        ("reward: column - abs(row - 2)", written, model.infer(written)),
        ("goal: row 7, column 8", corner, model.infer_goal(corner.goal)),
        ("demonstration: row 2, column 5", middle, model.infer_demonstration(demonstrate(middle))),
        (f"sentence, as a reward: {sentence}", low, model.infer(low)),
        ("sentence, imagined: Hide in the first corner.", other, imagined(model, world)),
        ("sentence, drawn: Wait in the last corner.", corner, drawn(model)),
    ]


def imagined(model: FBModel, world: Any) -> NDArray[np.float32]:
    """Return z of a sentence by frames in words and the nearest states of the data."""

    def describe(observation: NDArray[np.float32]) -> str:
        return "row {:.0f}, column {:.0f}".format(*place_of(world, observation))

    captions = CaptionMatcher(model.samples.observations, describe)
    imaginer = LanguageModelImaginer(stand_in, captions.captions, frames=2, check=captions.match)
    return imagine(model, "Hide in the first corner.", imaginer, captions).z


def drawn(model: FBModel) -> NDArray[np.float32]:
    """Return z of a sentence by drawn frames and the states with the most similar pictures."""
    env: Any = gym.make(ENV, task=None, render_mode="rgb_array")

    def draw(observation: NDArray[np.float32]) -> NDArray[np.uint8]:
        env.reset(seed=0, options={"start": place_of(env.unwrapped, observation)})
        return env.render()

    matcher = ImageMatcher(model.samples.observations, draw)
    return imagine(
        model, "Wait in the last corner.", PathSketchImaginer(path_to_the_corner), matcher
    ).z


def place_of(world: Any, observation: NDArray[np.float32]) -> list[float]:
    """Return row and column of the mover."""
    return [float(world.measures[name](observation[None])[0]) for name in ("row", "column")]


def path_to_the_corner(sentence: str) -> NDArray[np.float64]:
    """Return a drawn path: down along the last column, and a while at its end."""
    rows = np.array([1, 2, 3, 4, 5, 6, 7, 7, 7, 7])
    across = np.full(len(rows), (8 + 0.5) / COLUMNS)
    return np.stack([across, 1 - (rows + 0.5) / ROWS], axis=1)


def demonstrate(task: Task) -> NDArray[np.float32]:
    """Return the states of one episode of the oracle."""
    env: Any = gym.make(ENV, task=task)
    env.reset(seed=0)
    states, done = [], False
    while not done:
        observation, _, _, done, _ = env.step(env.unwrapped.oracle_action())
        states.append(observation)
    return np.array(states)


def stand_in(message: str) -> str:
    """Return the reply of a scripted language model to a message."""
    if "<reward>" in message:
        return "The last row is the bottom.\n<reward>row / 7</reward>"
    return "<frames>\nrow 1, column 1\nrow 1, column 1\n</frames>"


def returns(model: FBModel, task: Task, z: NDArray[np.float32]) -> list[float]:
    """Return the mean returns of the agent and of the baselines, on the same starts."""
    row = returns_beside(FixedTask(model, z), gym.make(ENV, task=task), task, EPISODES, seed=0)
    return [row.get(name, math.nan) for name in CONTROLLERS]


if __name__ == "__main__":
    typer.run(main)
