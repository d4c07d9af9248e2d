"""Draw the picture of every control world: docs/worlds/NAME.png, shown on the family's page.

    python tools/pictures.py            (or: make docs)

A picture shows one moment of an episode of the oracle from a fixed seed (of random actions where
there is none), and earlier moments fainter. All is drawn in NumPy, without OpenGL, so that
every machine makes the same pixels; MuJoCo's scenes are flat (`mujoco/render.py`).
tests/tools/test_pictures.py fails while a picture is missing or shows something else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.control.mujoco.render import CAMERA, HEIGHT, WIDTH, draw
from zerogym.envs.registry import TASKS, Task
from zerogym.errors import require

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/worlds"
Pixels = NDArray[np.uint8]
Spot = tuple[float, float]  # row, column


@dataclass(frozen=True)
class Moment:
    """The moment of a picture.

    Attributes:
        task: Of the episode; None is the first one of `random_tasks`, or else of `tasks`.
        steps: Made before the moment; fewer if the episode ends.
        seed: Of the episode.
        before: How many earlier moments are shown, fainter, the first one of the episode among
            them.
        labels: Whether start and goal are named; only in views from above.
    """

    task: str | None = None
    steps: int = 20
    seed: int = 0
    before: int = 5
    labels: bool = False


MOMENTS = {
    "FourRooms": Moment("goal_1_1", 10, 1, 10, labels=True),
    "UMap": Moment("goal_1_2", 14, 3, 14, labels=True),
    "OpenGrid": Moment("goal_2_8", 9, 3, 9, labels=True),
    "SlipperyGrid": Moment("goal_1_7", 12, 5, 12, labels=True),
    "DarkRoom": Moment("goal_2_8", 10, 3, 10, labels=True),
    "DarkRoomHard": Moment("goal_3_14", 10, 3, 10, labels=True),
    "Chain": Moment("far_end", 6, 0, 6, labels=True),
    "RiverSwim": Moment("far_end", 6, 0, 6, labels=True),
    "TMaze": Moment("treasure", 9, 0, 9, labels=True),
    "PointMaze": Moment("goal_right_top", 40, 0, 12, labels=True),
    "PointMazeLarge": Moment("goal_3", 50, 0, 12, labels=True),
    "TwoRooms": Moment("cross", 29, 1, 10, labels=True),
    "MiniGrid": Moment(steps=6, before=0),
    "KeyCorridor": Moment(steps=6, before=0),
    "BabyAI": Moment(steps=3, before=0),
    "MiniGridMaze": Moment(steps=3, before=0),
    "CartPole": Moment("balance_left", 60),
    "Pendulum": Moment("upright", 40),
    "Acrobot": Moment("swing_up", 60),
    "MountainCar": Moment("flag", 110),
    "Walker": Moment("walk", 10, before=2),
    "Cheetah": Moment("run", 26, before=2),
    "Hopper": Moment("hop", 16, before=2),
    "PointMassMaze": Moment("reach_bottom_right", 150, before=8, labels=True),
    "Reacher": Moment("reach_top_left", 25, labels=True),
    "Ant": Moment("walk", 14, before=2),
    "Office": Moment("mission", 14, 0, 14, labels=True),
    "Letters": Moment("mission", 6, 1, 6),
    "PointMazeSTL": Moment("mission", 40, 0, 12, labels=True),
    "CognitiveRadio": Moment("avoid", 23, before=0),
    "Trading": Moment("profit", 60, before=0),
    "Quadrotor": Moment("eight", 110, before=6),
    "QuadrotorSwarm": Moment("reach", 300, before=6),
    "RacingRing": Moment("lap", 110, before=6),
}

MINIGRID_FLOOR = (0, 76)  # grey of its floor, and of the part that its agent observes
PAPER = 250  # grey of a floor on paper
FLOOR_SHARE = 0.1  # of the pixels: larger areas of one colour are floor, wall or sky
WIDEST = 320  # pixels
FAINT, FAINTEST = 0.6, 0.25  # opacity of the latest and of the first of the earlier moments
GREEN_LEAD = 30  # by how much green exceeds red and blue in what marks a goal
NEAR = 16  # pixels; a mark of a goal is not wider
AWAY = 11  # pixels from a spot to its name
SWING, LATER = 0.5, 2.0  # radians a step, radians from joint to joint
INK, GROUND = (25, 30, 40), (255, 255, 255)


def worlds() -> list[Task]:
    """The ids that have a picture: all but bridges, whose worlds are others' and may be missing."""
    return [task for task in TASKS if task.family == "control" and "bridge" not in task.tags]


def path_of(world: Task) -> Path:
    """The file of its picture."""
    return FOLDER / f"{world.name}.png"


def picture(world: Task) -> Pixels:
    """The picture of a world; (height, width, 3)."""
    moment = MOMENTS.get(world.name, Moment())
    frames = episode_frames(world, moment)
    still = np.median(np.stack(frames), axis=0).astype(np.uint8)  # what does not move
    image = _with_past(frames, still)
    return _labelled(image, frames, still) if moment.labels else image


def episode_frames(world: Task, moment: Moment) -> list[Pixels]:
    """The world at the earlier moments, and at the moment, on paper and no wider than `WIDEST`."""
    env: Any = gym.make(world.id, render_mode="rgb_array").unwrapped
    assert isinstance(env, ControlEnv), f"{world.id} is no ControlEnv"
    task = moment.task or [*env.random_tasks, *env.tasks][0]
    env = gym.make(world.id, render_mode="rgb_array", task=task).unwrapped
    env.reset(seed=moment.seed, options=_start(env))
    shown = set(np.linspace(0, moment.steps, moment.before + 1).astype(int)[:-1])
    frames, over, turn = [], False, 0
    while not over and turn < moment.steps:
        if turn in shown:
            frames.append(_frame(env))
        *_, terminated, truncated, _ = env.step(_action(env, turn))
        over, turn = terminated or truncated, turn + 1
    frames.append(_frame(env))
    env.close()
    every = -(-max(frames[0].shape) // WIDEST)
    return [_on_paper(frame)[::every, ::every] for frame in frames]


def _action(env: Any, turn: int) -> Any:
    """The oracle's action; without one, swinging joints, each a little later."""
    if env.has_oracle:
        return env.oracle_action()
    if isinstance(env, MujocoEnv):
        return np.sin(SWING * turn + LATER * np.arange(env.model.nu)).astype(np.float32)
    return env.random_action(np.random.default_rng(turn))


def _start(env: Any) -> dict[str, Any] | None:
    """A body without an oracle starts upright: else it only falls."""
    if not isinstance(env, MujocoEnv) or env.has_oracle:
        return None
    qpos, qvel = env.model.qpos0[None], np.zeros((1, env.model.nv))
    return {"start": env.observations(qpos, qvel)[0]}


def _frame(env: Any) -> Pixels:
    if isinstance(env, MujocoEnv):
        require("mujoco", "control", env.name).mj_forward(env.model, env.data)
        return draw(env.model, env.data, env.model.camera(CAMERA).id, HEIGHT, WIDTH)
    pixels: Pixels = env.render()
    return pixels


def _on_paper(image: Pixels) -> Pixels:
    """Replace a dark floor by a light one, such as MiniGrid's."""
    grey = image.max(axis=-1) == image.min(axis=-1)
    if (grey & np.isin(image[..., 0], MINIGRID_FLOOR)).mean() < FLOOR_SHARE:
        return image
    floor = grey & (image[..., 0] < 100)  # its walls are 100
    lit = PAPER - 0.4 * image[floor].astype(float)
    light = image.copy()
    light[floor] = lit.astype(np.uint8)
    return light


def _with_past(frames: list[Pixels], still: Pixels) -> Pixels:
    """The last frame, with earlier movements where nothing moves in it."""
    image = frames[-1].copy()
    free = (image == still).all(axis=-1)
    for number, frame in enumerate(frames[:-1]):
        moved = free & (frame != still).any(axis=-1) & ~_ground(frame)
        share = FAINTEST + (FAINT - FAINTEST) * number / max(len(frames) - 2, 1)
        mixed = share * frame[moved] + (1 - share) * still[moved].astype(float)
        image[moved] = mixed.astype(np.uint8)
    return image


def _ground(frame: Pixels) -> NDArray[np.bool_]:
    """Mask of the most common colours of a frame: nothing that moves is so large."""
    packed = frame.astype(np.int64) @ np.array([65536, 256, 1])
    colours, counts = np.unique(packed, return_counts=True)
    return np.isin(packed, colours[counts > FLOOR_SHARE * packed.size])


def _labelled(image: Pixels, frames: list[Pixels], still: Pixels) -> Pixels:
    """Add the words start and goal: at the first movement, and at the green near the last one."""
    moved = [(frame != still).any(axis=-1) & ~_ground(frame) for frame in frames]
    centres = [np.argwhere(where).mean(axis=0) for where in moved if where.any()]
    path: list[Spot] = [(float(row), float(column)) for row, column in centres]
    spots = {"start": path[0]}
    red, green, blue = (frames[-1][..., channel].astype(int) for channel in range(3))
    rows, columns = np.nonzero((green > red + GREEN_LEAD) & (green > blue + GREEN_LEAD))
    if len(rows):
        nearest = np.hypot(rows - path[-1][0], columns - path[-1][1]).argmin()
        close = np.hypot(rows - rows[nearest], columns - columns[nearest]) < 2 * NEAR
        spots["goal"] = (float(rows[close].mean()), float(columns[close].mean()))
    return _written(image, spots, float(np.mean([row for row, _ in path])))


def _written(image: Pixels, spots: Mapping[str, Spot], crowded: float) -> Pixels:
    """Write words above or below spots, whichever is farther from the crowded row."""
    canvas = Image.fromarray(image)
    pen, font = ImageDraw.Draw(canvas), ImageFont.load_default_imagefont()
    for word, (row, column) in spots.items():
        left, top, right, bottom = pen.textbbox((0, 0), word, font=font)
        width, height = int(right - left) + 4, int(bottom - top) + 2
        x = min(max(round(column) - width // 2, 0), canvas.width - width)
        above, below = round(row) - AWAY - height, round(row) + AWAY
        no_room = below + height > canvas.height
        y = above if no_room or (above >= 0 and row <= crowded) else below
        pen.rectangle((x, y, x + width - 1, y + height - 1), fill=GROUND)
        pen.text((x + 2, y + 1), word, INK, font)
    return np.array(canvas, dtype=np.uint8)


def main() -> None:
    """Write every picture whose pixels have changed, and remove those of worlds that are gone."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    required = {path_of(world): world for world in worlds()}
    for path in set(FOLDER.glob("*.png")) - set(required):
        path.unlink()
        print(f"{path.relative_to(ROOT)} is gone")
    for path, world in required.items():
        made = picture(world)
        if not path.exists() or not np.array_equal(stored(path), made):
            Image.fromarray(made).save(path, optimize=True)
            print(path.relative_to(ROOT))


def stored(path: Path) -> Pixels:
    """The pixels of a picture file."""
    with Image.open(path) as image:
        return np.array(image.convert("RGB"), dtype=np.uint8)


if __name__ == "__main__":
    main()
