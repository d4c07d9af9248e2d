"""Imports point one way, `import zerogym` is light, and a missing extra names itself."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.missing_modules import BLOCK

LINT = "import sys; from importlinter.cli import lint_imports_command as c; c(sys.argv[1:])"
HEAVY = (
    "torch", "transformers", "tokenizers", "safetensors", "gguf", "mujoco", "minigrid", "pygame",
    "pyspiel", "stable_baselines3", "sb3_contrib", "matplotlib", "scipy", "pandas", "datasets",
    "typer", "rich",
)  # fmt: skip


def lint_imports(root: Path, config: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the package."""
    return subprocess.run(
        [sys.executable, "-c", LINT, "--config", str(config), "--no-cache"],
        capture_output=True, text=True, cwd=root, env={"PYTHONPATH": str(root / "src")},
    )  # fmt: skip


def test_imports_point_one_way(root: Path) -> None:
    result = lint_imports(root, root / "pyproject.toml")
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_linter_would_see_an_import_that_points_the_other_way(
    root: Path, tmp_path: Path
) -> None:
    table = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = list(reversed(table["contracts"][0]["layers"]))
    turned = tmp_path / "pyproject.toml"
    turned.write_text(
        '[tool.importlinter]\nroot_package = "zerogym"\n[[tool.importlinter.contracts]]\n'
        f'name = "turned"\ntype = "layers"\nlayers = {json.dumps(layers)}\n'
    )
    result = lint_imports(root, turned)
    assert result.returncode == 1
    assert "zerogym.envs.core" in result.stdout


def test_import_zerogym_loads_nothing_heavy_and_no_task(run_python: Callable[..., str]) -> None:
    code = "import sys, json, zerogym; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(run_python(code))
    assert {name.partition(".")[0] for name in loaded} & set(HEAVY) == set()
    assert "zerogym.envs.registry" in loaded
    families = tuple(f"zerogym.envs.{f}." for f in ("reasoning", "tools", "games", "control"))
    assert [name for name in loaded if name.startswith(families)] == []


def test_the_namespace_form_needs_no_import_line(run_python: Callable[..., str]) -> None:
    code = (
        "import gymnasium as gym\nprint(gym.make('zerogym:zerogym/Countdown-v0').reset(seed=0)[0])"
    )
    assert "Use each of the numbers" in run_python(code)


@pytest.mark.parametrize(
    ("blocked", "name", "message"),
    [
        ("minigrid", "FourRooms", "FourRooms-v0 needs minigrid: pip install 'zerogym[control]'"),
        ("pyspiel", "Chess", "open_spiel-v0 needs pyspiel: pip install 'zerogym[games]'"),
    ],
)
def test_a_missing_extra_is_one_line(
    run_python: Callable[..., str], blocked: str, name: str, message: str
) -> None:
    code = BLOCK.format(blocked=(blocked,)) + (
        "import gymnasium as gym, zerogym\n"
        "from zerogym.errors import MissingExtra\n"
        f"try: gym.make('zerogym/{name}-v0')\n"
        "except MissingExtra as error: print(error)"
    )
    assert run_python(code).strip() == f"zerogym/{message}"


def test_text_tasks_need_no_extra(run_python: Callable[..., str]) -> None:
    code = BLOCK.format(blocked=HEAVY[:-2]) + (
        "import gymnasium as gym, zerogym\n"
        "from zerogym.envs.registry import TASKS\n"
        "for task in TASKS:\n"
        "    if task.family != 'control' and not {'bridge', 'sandbox'} & set(task.tags):\n"
        "        env = gym.make(task.id)\n"
        "        env.reset(seed=0)\n"
        "        env.step(env.unwrapped.oracle_action())\n"
        "        print(task.id)"
    )
    assert "zerogym/Countdown-v0" in run_python(code)


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "kuhn_poker", "--opponent", "tiny"),
        ("train", "llm", "--steps", "1"),
        ("train", "fb", "--updates", "1"),
        ("model", "tiny"),
    ],
)
def test_a_verb_without_its_extra_says_what_to_install(
    arguments: tuple[str, ...], tmp_path: Path, run_python: Callable[..., str]
) -> None:
    code = BLOCK.format(blocked=("torch",)) + (
        "import os, sys\n"
        f"os.chdir({str(tmp_path)!r})\n"
        f"sys.argv = ['zerogym', *{arguments!r}]\n"
        "sys.stderr = sys.stdout\n"
        "from zerogym.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as stop:\n"
        "    print('exit', stop.code)\n"
    )
    shown = " ".join(run_python(code).split())
    assert "needs torch: pip install 'zerogym[" in shown
    assert shown.endswith("exit 2") and "Traceback" not in shown
