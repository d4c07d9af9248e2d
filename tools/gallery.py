"""Write the README's picture of each family: docs/gallery/FAMILY.svg or .gif.

    python tools/gallery.py            (or: make docs)

Reasoning and tools show the start of a real episode, games a whole one; control has its animations
in docs/worlds.
"""

import textwrap
from html import escape
from pathlib import Path

import animations
import episodes

from zerogym.envs.registry import TASKS

FOLDER = Path(__file__).resolve().parent.parent / "docs/gallery"
CARDS = {"reasoning": "KnightsKnaves", "tools": "SQL"}  # a task of each family
BOARD = "Hex"
LINES, COLUMNS = 17, 46  # of a card
WIDTH, HEIGHT, LINE = 320, 240, 13  # pixels
INK, ACCENT, GROUND = "#1f2933", "#00796b", "#f5f5f5"


def card(name: str) -> str:
    """An SVG with the first lines of an episode of a task; the oracle's replies are coloured."""
    (task,) = (task for task in TASKS if task.name == name)
    played = episodes.play(task)
    said = [(played.start, INK)]
    for turn in played.turns:
        said += [(turn.action, ACCENT), (turn.observation, INK)]
    lines = [
        (part, colour)
        for text, colour in said
        for line in str(text).splitlines()
        for part in _wrapped(line)
    ]
    if len(lines) > LINES:
        lines[LINES - 1 :] = [("...", INK)]
    rows = [
        f'<text x="10" y="{18 + LINE * row}" fill="{colour}">{escape(line)}</text>'
        for row, (line, colour) in enumerate(lines)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="monospace" font-size="10.5" '
        f'xml:space="preserve"><title>{name}</title>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{GROUND}"/>'
    )
    return "\n".join([head, *rows, "</svg>\n"])


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, COLUMNS) or [""]


def pictures() -> dict[str, bytes]:
    """The files by name."""
    found = {f"{family}.svg": card(name).encode() for family, name in CARDS.items()}
    (task,) = (task for task in TASKS if task.name == BOARD)
    moves = episodes.play(task, rendered=True).frames
    return {**found, "games.gif": animations.gif(moves, animations.A_MOVE)}


def main() -> None:
    """Write every picture that has changed."""
    FOLDER.mkdir(exist_ok=True)
    for name, content in pictures().items():
        path = FOLDER / name
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
            print(f"docs/gallery/{name}")


if __name__ == "__main__":
    main()
