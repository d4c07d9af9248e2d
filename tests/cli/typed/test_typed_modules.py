"""An id may be `module:Id` wherever a person types one; what is wrong with it is one line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("torch")

from zerogym.cli import app
from zerogym.cli.names import typed_modules

ROUNDS = ("--rounds", 2)
OWN = '''
import gymnasium as gym
from zerogym.envs.control.gridworlds.chain import ChainEnv
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker, KuhnPokerEnv
from zerogym.envs.reasoning.arithmetic.chain_sum import ChainSumEnv

class SumsEnv(ChainSumEnv):
    """Add what stands in a row."""

class CardsEnv(KuhnPokerEnv):
    """Bet on a card."""

class Cards(KuhnPoker):
    pass

class RowEnv(ChainEnv):
    """Walk along a row."""

gym.register("own/Sums-v0", SumsEnv)
gym.register("own/Cards-v0", CardsEnv)
gym.register("own/Row-v0", RowEnv, kwargs={"length": 3})
'''


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder with a module of tasks; afterwards nothing of it is left."""
    before, paths = set(gym.registry), list(sys.path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_tasks.py").write_text(OWN)
    yield tmp_path
    sys.path[:] = paths
    for env_id in set(gym.registry) - before:
        del gym.registry[env_id]
    for module in ("own_tasks", "failing", "unclosed", "lacking"):
        sys.modules.pop(module, None)
        typed_modules.discard(module)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "300"})


@pytest.mark.parametrize(
    ("command", "shows"),
    [
        (("info", "own_tasks:own/Sums-v0"), "Add what stands in a row."),
        (("list", "own_tasks:own/Sums-v0"), "own/Sums-v0  Add what stands"),
        (("play", "own_tasks:own/Sums-v0", "--agent", "oracle"), "Return 1"),
        (("play", "own_tasks:own/Row-v0", "--agent", "random"), "Return"),
        (("info", "gymnasium:CartPole-v1"), "random actions"),
        (("league", "own_tasks:own/Cards-v0", "--players", "random,cfr", "--pairs", 2), "Results"),
        (("league", "own_tasks:Cards", "--players", "random,cfr", "--pairs", 2), "Results"),
        (
            (
                "exploit",
                "own_tasks:own/Cards-v0",
                "--player",
                "random",
                "--steps",
                8,
                "--rounds",
                2,
            ),
            "Exploitability, at least",
        ),
        (
            ("baselines", "own_tasks:own/Row-v0", "--agent", "random", "--episodes", 2),
            "undiscounted returns",
        ),
        (("baselines", "own_tasks:own/Row-v0", "--missing"), "zerogym baselines own_tasks:own/Row"),
        (("eval", "tiny", "own_tasks:own/Sums-v0", "--samples", 1, "--episodes", 1), "1 test"),
        (("collect", "own_tasks:own/Row-v0", "--steps", 9, "--out", "data"), "Data: data"),
    ],
)
def test_verbs_take_ids_with_a_module(command: tuple[object, ...], shows: str) -> None:
    found = run(*command)
    assert found.exit_code == 0, found.output
    assert shows in found.output


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("own_task:own/Sums-v0", "no module 'own_task'. Did you mean 'own_tasks'?"),
        ("own_tasks.x:own/Sums-v0", "no module 'own_tasks.x'"),
        (
            "own_tasks:own/Sms-v0",
            "'own_tasks' registers no environment 'own/Sms-v0'. Did you mean 'own/Sums-v0'?",
        ),
        ("own_tasks:Sms", "registers no environment 'Sms'. Did you mean 'own/Sums-v0'?"),
        ("failing:own/Sums-v0", "failing.py, line 3): ZeroDivisionError: division by zero"),
        ("lacking:own/Sums-v0", "lacking.py, line 1): ModuleNotFoundError: No module named 'lost'"),
        ("unclosed:own/Sums-v0", "unclosed.py, line 2): SyntaxError: '(' was never closed"),
        ("own tasks:own/Sums-v0", "no name of a module"),
    ],
)
@pytest.mark.parametrize("verb", ["info", "league", "audit", "collect", "train"])
def test_what_is_wrong_is_one_line(verb: str, name: str, says: str, folder: Path) -> None:
    (folder / "failing.py").write_text("import json\n\n1 / 0\n")
    (folder / "lacking.py").write_text("import lost\n")
    (folder / "unclosed.py").write_text("\nx = (\n")
    found = run(*(("train", "llm", "--env", name) if verb == "train" else (verb, name)))
    assert found.exit_code == 2 and says in found.output, found.output
    assert len(found.output.strip().splitlines()) == 1


def test_a_game_is_one_with_rules() -> None:
    found = run("league", "own_tasks:own/Sums-v0", "--players", "random")
    assert found.exit_code == 2 and "is no game: its class names no rules" in found.output
