"""Write a short animation of every control world: docs/worlds/NAME.gif, shown on the site.

    python tools/animations.py            (or: make docs)

It is the episode of the world's picture (pictures.py), from its start. The site makes those of
board games, from the moves of the example episode.
"""

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pictures
from PIL import Image

from zerogym.envs.registry import Task

FRAMES = 32  # of a control episode, at most
STEPS = 40  # at least, where the moment of the picture comes earlier
COLOURS = 32  # of a file
A_STEP, A_MOVE = 120, 600  # milliseconds a frame: of control, of games
LAST = 2000  # milliseconds that the last frame stays


def path_of(world: Task) -> Path:
    """The file of its animation."""
    return pictures.path_of(world).with_suffix(".gif")


def of_world(world: Task) -> bytes:
    """A control world: the episode of its picture, from its start."""
    moment = pictures.MOMENTS.get(world.name, pictures.Moment())
    steps = max(moment.steps, STEPS)
    moment = replace(moment, steps=steps, before=min(steps, FRAMES))
    return gif(pictures.episode_frames(world, moment), A_STEP)


def gif(frames: Sequence[pictures.Pixels], duration: int) -> bytes:
    """An endless GIF whose last frame stays for a while."""
    palette = Image.fromarray(np.concatenate(frames)).quantize(COLOURS)
    images = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    file = io.BytesIO()
    shown = [duration] * (len(images) - 1) + [LAST]
    images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=shown, loop=0)
    return file.getvalue()


def main() -> None:
    """Write every animation that has changed, and remove those of worlds that are gone."""
    required = {path_of(world): world for world in pictures.worlds()}
    for path in set(pictures.FOLDER.glob("*.gif")) - set(required):
        path.unlink()
        print(f"{path.relative_to(pictures.ROOT)} is gone")
    for path, world in required.items():
        made = of_world(world)
        if not path.exists() or path.read_bytes() != made:
            path.write_bytes(made)
            print(path.relative_to(pictures.ROOT))


if __name__ == "__main__":
    main()
