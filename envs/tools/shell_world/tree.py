"""Generated folders: texts, logs, tables and settings below folders with made-up names."""

from collections.abc import Mapping, Sequence

import numpy as np

from zerogym.envs.reasoning.draws import draw_ints
from zerogym.envs.tools.notebook.puzzle import sample_names

KINDS = ("txt", "log", "csv", "conf")
LEVELS = ("INFO", "WARN", "ERROR")

Tree = Mapping[str, str]


def kind_of(path: str) -> str:
    """Return the ending of a path, without the dot."""
    return path.rpartition(".")[2]


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def sample_tree(rng: np.random.Generator, files: int, words: Sequence[str]) -> Tree:
    """Draw a folder with so many files, each kind at least once; no two have the same name.

    Args:
        rng: The source of randomness.
        files: Their number, at least 5.
        words: The vocabulary of the contents.
    """
    names = sample_names(rng, files + 4, syllables=2)
    folders = ["", f"{names[0]}/", f"{names[1]}/", f"{names[1]}/{names[2]}/", f"{names[3]}/"]
    tree = {}
    for number, name in enumerate(names[4:]):
        kind = KINDS[number if number < len(KINDS) else int(rng.integers(len(KINDS)))]
        empty = number == len(KINDS) or (number > len(KINDS) and rng.random() < 0.1)
        text = "" if empty else _text(rng, kind, words)
        tree[f"{folders[int(rng.integers(len(folders)))]}{name}.{kind}"] = text
    return dict(sorted(tree.items()))


def _text(rng: np.random.Generator, kind: str, words: Sequence[str]) -> str:
    lines = []
    for _ in range(int(rng.integers(4, 13))):
        picked = [words[index] for index in draw_ints(rng, 0, len(words) - 1, 4)]
        number = int(rng.integers(1, 1000))
        if kind == "txt":
            lines.append(" ".join(picked[: int(rng.integers(1, 5))]))
        elif kind == "log":
            day, hour = int(rng.integers(1, 29)), int(rng.integers(24))
            level = LEVELS[int(rng.integers(len(LEVELS)))]
            lines.append(f"2024-03-{day:02} {hour:02}:00 {level} {picked[0]} {number}")
        elif kind == "csv":
            lines.append(f"{picked[0]},{number}")
        else:
            lines.append(f"{picked[0]}={picked[1]}")
    head = ["name,amount"] if kind == "csv" else []
    return "\n".join([*head, *lines]) + "\n"
