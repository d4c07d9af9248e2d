"""Recipes: whole training runs as TOML files, one a paper, for `zerogym train llm --config NAME`.

Each is small enough for the tiny model on a CPU; what is typed goes over it (`--model`, `--steps`).
"""

from importlib.resources import files
from pathlib import Path

from zerogym.errors import UnknownName


def recipe_names() -> list[str]:
    """Return the names of all recipes, sorted."""
    folder = files(__name__)
    return sorted(item.name[:-5] for item in folder.iterdir() if item.name.endswith(".toml"))


def settings_file(name: str) -> Path:
    """Return the TOML file of a typed name: the path itself, or a recipe.

    A name without folder and ending is a recipe's, unless there is such a file.

    Args:
        name: A path, or the name of a recipe.

    Raises:
        UnknownName: If it is neither; it names the nearest recipe.
    """
    path = Path(name)
    if path.exists() or path.suffix or len(path.parts) != 1:
        return path
    known = recipe_names()
    if name not in known:
        raise UnknownName("recipe", name, known)
    return Path(str(files(__name__) / f"{name}.toml"))
