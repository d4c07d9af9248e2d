"""Every control world has a picture, and it shows what the world looks like now."""

import io
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from zerogym.envs.registry import TASKS, Task

WORLDS = [task for task in TASKS if task.family == "control" and "bridge" not in task.tags]
TO_DO = "run `make docs`, look at {} and commit it (its moment is chosen in tools/pictures.py)"
# Of the pixels: machines differ in the last digits of physics, which may move an edge.
MAY_DIFFER = 0.001
LARGEST = 30_000  # bytes


@pytest.fixture(scope="module")
def pictures(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """The tool that draws them."""
    return load_tool("pictures")


@pytest.mark.proof
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_every_world_has_its_picture_of_today(
    pictures: ModuleType, world: Task, root: Path
) -> None:
    path = root / "docs/worlds" / f"{world.name}.png"
    assert path.exists(), f"{world.id} has no picture: {TO_DO.format(path.name)}"
    stored, made = pictures.stored(path), pictures.picture(world)
    assert stored.shape == made.shape, f"{path.name} is out of date: {TO_DO.format(path.name)}"
    share = (stored != made).any(axis=-1).mean()
    assert share <= MAY_DIFFER, f"{path.name} is out of date: {TO_DO.format(path.name)}"
    assert path.stat().st_size <= LARGEST


@pytest.mark.proof
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_every_world_has_its_animation_of_today(
    load_tool: Callable[[str], ModuleType], world: Task, root: Path
) -> None:
    path = root / "docs/worlds" / f"{world.name}.gif"
    made = io.BytesIO(load_tool("animations").of_world(world))
    with Image.open(path) as stored, Image.open(made) as today:
        assert stored.n_frames == today.n_frames, f"{path.name} is out of date: run `make docs`"
        for number in range(today.n_frames):
            stored.seek(number)
            today.seek(number)
            old, new = (np.array(image.convert("RGB")) for image in (stored, today))
            share = (old != new).any(axis=-1).mean()
            assert share <= MAY_DIFFER, f"{path.name} is out of date: run `make docs`"
    assert path.stat().st_size <= 2 * LARGEST


def test_an_animation_holds_its_last_frame(load_tool: Callable[[str], ModuleType]) -> None:
    frames = [np.full((8, 8, 3), grey, dtype=np.uint8) for grey in (0, 128, 255)]
    made = load_tool("animations").gif(frames, duration=100)
    with Image.open(io.BytesIO(made)) as image:
        shown = []
        for number in range(image.n_frames):
            image.seek(number)
            shown.append((int(np.array(image.convert("L"))[0, 0]), image.info["duration"]))
    assert shown == [(0, 100), (128, 100), (255, 2000)]


def test_pictures_are_of_registered_worlds_light_and_not_empty(
    pictures: ModuleType, root: Path
) -> None:
    assert set(pictures.MOMENTS) <= {world.name for world in WORLDS}
    names = {path.name for path in (root / "docs/worlds").iterdir()}
    required = {f"{world.name}.{kind}" for world in WORLDS for kind in ("png", "gif")}
    assert names == required, "run `make docs`"
    for path in sorted((root / "docs/worlds").glob("*.png")):
        pixels = pictures.stored(path)
        assert (pixels.max(axis=-1) < 60).mean() < 0.1, f"{path.name} is dark"
        colours = np.unique(pixels.astype(int) @ (65536, 256, 1))
        assert len(colours) >= 3, f"{path.name} is empty"


def test_what_was_before_is_fainter_than_what_is_now(pictures: ModuleType) -> None:
    white = np.full((1, 30, 3), 255, dtype=np.uint8)
    frames = [white.copy() for _ in range(3)]
    for place, frame in enumerate(frames):
        frame[0, place] = 0
    assert pictures._with_past(frames, white)[0, :4, 0].tolist() == [191, 102, 0, 255]


def test_words_stay_inside_the_picture(pictures: ModuleType) -> None:
    blank = np.full((60, 80, 3), 200, dtype=np.uint8)
    for row in (0, 30, 59):
        for column in (0, 79):
            written = pictures._written(blank, {"start": (row, column)}, 30.0)
            box = (written == 255).all(axis=-1)
            alone = pictures._written(blank, {"start": (30, 40)}, 30.0)
            assert box.sum() == (alone == 255).all(axis=-1).sum()
