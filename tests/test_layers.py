"""`import zerogym` is light, and a missing extra names itself."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.missing_modules import BLOCK

HEAVY = (
    "torch", "transformers", "tokenizers", "safetensors", "gguf", "mujoco", "minigrid", "pygame",
    "pyspiel", "stable_baselines3", "sb3_contrib", "matplotlib", "scipy", "pandas", "datasets",
    "typer", "rich",
)  # fmt: skip


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
        ("minigrid", "MiniGrid", "MiniGrid-v0 needs minigrid: pip install 'zerogym[control]'"),
        ("pyspiel", "Chess", "Chess-v0 needs pyspiel: pip install 'zerogym[games]'"),
        ("pyspiel", "OpenSpiel", "OpenSpiel-v0 needs pyspiel: pip install 'zerogym[games]'"),
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


def test_grid_maps_need_minigrid_for_pictures_only(run_python: Callable[..., str]) -> None:
    code = BLOCK.format(blocked=("minigrid", "mujoco", "torch")) + (
        "import gymnasium as gym, zerogym\n"
        "from zerogym.errors import MissingExtra\n"
        "from zerogym.envs.registry import TASKS\n"
        "for task in TASKS:\n"
        "    if '.gridworlds.' in task.target:\n"
        "        env = gym.make(task.id, render_mode='ansi')\n"
        "        env.reset(seed=0)\n"
        "        env.step(env.unwrapped.oracle_action())\n"
        "        assert env.render()\n"
        "        print(task.id)\n"
        "env = gym.make('zerogym/UMap-v0', render_mode='rgb_array')\n"
        "env.reset(seed=0)\n"
        "try: env.render()\n"
        "except MissingExtra as error: print(error)"
    )
    *played, picture = run_python(code).splitlines()
    assert "zerogym/UMap-v0" in played and "zerogym/Chain-v0" in played
    assert picture == "zerogym/UMap-v0 needs minigrid: pip install 'zerogym[control]'"


def test_text_tasks_need_no_extra(run_python: Callable[..., str]) -> None:
    code = BLOCK.format(blocked=HEAVY[:-2]) + (
        "import gymnasium as gym, zerogym\n"
        "from zerogym.envs.registry import TASKS\n"
        "for task in TASKS:\n"
        "    slow = task.name == 'LiarsDice'  # its equilibrium takes seconds\n"
        "    if not (slow or task.family == 'control' or {'bridge', 'sandbox'} & set(task.tags)):\n"
        "        env = gym.make(task.id)\n"
        "        env.reset(seed=0)\n"
        "        env.step(env.unwrapped.oracle_action())\n"
        "        print(task.id)"
    )
    assert "zerogym/Countdown-v0" in run_python(code)


@pytest.mark.parametrize(
    ("package", "arguments"),
    [
        ("torch", ("play", "kuhn_poker", "--opponent", "tiny")),
        ("torch", ("train", "llm", "--env", "Countdown", "--steps", "1")),
        ("torch", ("train", "fb", "--updates", "1")),
        ("torch", ("model", "tiny")),
        ("matplotlib", ("bench", "quick")),
        ("jinja2", ("bench", "games")),
    ],
)
def test_a_verb_without_its_extra_says_what_to_install(
    package: str, arguments: tuple[str, ...], tmp_path: Path, run_python: Callable[..., str]
) -> None:
    code = BLOCK.format(blocked=(package,)) + (
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
    assert f"needs {package}: pip install 'zerogym[" in shown
    assert shown.endswith("exit 2") and "Traceback" not in shown
