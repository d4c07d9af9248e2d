"""All prompts of one agent: `python -m zerogym.agents.zero_shot.example` trains and prompts it.

The forward-backward agent learns the U-map from random moves without any reward. It is then given
a reward, a goal, a demonstration and sentences, and its returns are compared with those of random
moves, of going straight for the goal, and of the oracle. A script stands in for the language model:
give `task_of_sentence` and `LanguageModelImaginer` any function from a message to a reply instead.
"""

import math
from collections.abc import Callable
from functools import partial
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
from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.prompts.captions import CaptionMatcher
from zerogym.agents.zero_shot.prompts.imagination import imagine
from zerogym.agents.zero_shot.prompts.imaginers import LanguageModelImaginer, PathSketchImaginer
from zerogym.agents.zero_shot.prompts.matchers import ImageMatcher
from zerogym.agents.zero_shot.prompts.sentences import task_of_sentence
from zerogym.agents.zero_shot.training.train import train
from zerogym.envs.control.core.expressions import task_of_expression
from zerogym.envs.control.core.tasks import Task
from zerogym.errors import NoOracle

ENV = "zerogym/UMap-v0"
ROWS, COLUMNS = 9, 10  # cells of the map, with its border
EPISODES = 20
STRAIGHT, ORACLE = "straight line", "oracle"

Asked = tuple[str, Task, NDArray[np.float32]]  # the prompt, the task that judges it, z


def main(
    out: Annotated[Path, typer.Option(help="Where the run is kept.")] = Path("runs/example"),
    updates: Annotated[int, typer.Option(help="Gradient steps of training.")] = 3_000,
) -> None:
    """Train once, prompt in six ways, and show what came of it."""
    console = Console()
    with console.status(f"{updates} updates of training, without rewards"):
        model = FBModel.load(train(preset(ENV, updates=updates), out).path)
    table = Table("prompt", "agent", "random", STRAIGHT, ORACLE, title=f"Returns in {ENV}")
    for name, task, z in prompts(model):
        shown = ("-" if math.isnan(value) else f"{value:.1f}" for value in returns(model, task, z))
        table.add_row(name, *shown)
    console.print(table)
    console.print("The straight line knows goals only. A script stood in for the language model.")


def prompts(model: FBModel) -> list[Asked]:
    """The same agent, told in six ways what to do."""
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
        ("sentence, imagined: Hide in the first corner.", other, told(model, world)),
        ("sentence, drawn: Wait in the last corner.", corner, drawn(model)),
    ]


def told(model: FBModel, world: Any) -> NDArray[np.float32]:
    """A sentence becomes states in words, and these the nearest states of the data."""

    def describe(observation: NDArray[np.float32]) -> str:
        return "row {:.0f}, column {:.0f}".format(*place_of(world, observation))

    captions = CaptionMatcher(model.samples.observations, describe)
    storyteller = LanguageModelImaginer(stand_in, captions.captions, frames=2, check=captions.match)
    return imagine(model, "Hide in the first corner.", storyteller, captions).z


def drawn(model: FBModel) -> NDArray[np.float32]:
    """A sentence becomes a sketch, and this the states whose own pictures are most like it."""
    env: Any = gym.make(ENV, render_mode="rgb_array")

    def draw(observation: NDArray[np.float32]) -> NDArray[np.uint8]:
        env.reset(seed=0, options={"start": place_of(env.unwrapped, observation)})
        return env.render()

    matcher = ImageMatcher(model.samples.observations, draw)
    return imagine(
        model, "Wait in the last corner.", PathSketchImaginer(path_to_the_corner), matcher
    ).z


def place_of(world: Any, observation: NDArray[np.float32]) -> list[float]:
    """Row and column of the mover."""
    return [float(world.measures[name](observation[None])[0]) for name in ("row", "column")]


def path_to_the_corner(sentence: str) -> NDArray[np.float64]:
    """What a person would draw: down along the last column, and a while at its end."""
    rows = np.array([1, 2, 3, 4, 5, 6, 7, 7, 7, 7])
    across = np.full(len(rows), (8 + 0.5) / COLUMNS)
    return np.stack([across, 1 - (rows + 0.5) / ROWS], axis=1)


def demonstrate(task: Task) -> NDArray[np.float32]:
    """The states of one episode of the oracle."""
    env: Any = gym.make(ENV, task=task)
    env.reset(seed=0)
    seen, over = [], False
    while not over:
        observation, _, _, over, _ = env.step(env.unwrapped.oracle_action())
        seen.append(observation)
    return np.array(seen)


def stand_in(message: str) -> str:
    """What a language model might reply; it reads no more of the message than what is asked for."""
    if "<reward>" in message:
        return "The last row is the bottom.\n<reward>row / 7</reward>"
    return "<frames>\nrow 1, column 1\nrow 1, column 1\n</frames>"


def returns(model: FBModel, task: Task, z: NDArray[np.float32]) -> list[float]:
    """Mean returns of the agent and of who stands beside it, on the same starts."""
    env: Any = gym.make(ENV, task=task)
    world, rng = env.unwrapped, np.random.default_rng(0)
    players: list[Callable[[], Any]] = [
        partial(world.random_action, rng),
        partial(world.straight_line_action, rng),
        world.oracle_action,
    ]
    found = [evaluate_returns(lambda seen: model.act(seen[None], z)[0], env, EPISODES, seed=0)]
    for player in players:
        try:
            found.append(evaluate_returns(partial(_blindly, player), env, EPISODES, seed=0))
        except NoOracle:
            found.append(math.nan)
    return found


def _blindly(player: Callable[[], Any], observation: Any) -> Any:
    return player()


if __name__ == "__main__":
    typer.run(main)
