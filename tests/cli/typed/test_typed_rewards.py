"""A control environment's reward may be `module:Name` or of a package where a person types one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("torch")

from helpers.plugin_folder import forgotten_afterwards
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.train import train
from zerogym.cli import app
from zerogym.envs.references import named_modules

REWARDS = """
def third(obs, action, next_obs):
    "Be in the third place."
    return 7 * next_obs[..., 2]

class Third:
    def __call__(self, obs, action, next_obs):
        return third(obs, action, next_obs)

def broken(obs, action, next_obs):
    raise KeyError("speeed")

number = 7
"""
POINTS = "[zerogym.rewards]\nthird = own_rewards:Third\ngoal_3 = own_rewards:number\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in a chain of three places."""
    run = tmp_path_factory.mktemp("run")
    small = {"data_steps": 200, "batch_size": 16, "dim": 4, "hidden": 8, "updates": 5}
    train(FBConfig(env="zerogym/Chain-v0", env_kwargs={"length": 3}, **small), run)
    return run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder with a module of rewards, which an installed package declares."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_rewards.py").write_text(REWARDS)
    (tmp_path / "own-1.0.dist-info").mkdir()
    (tmp_path / "own-1.0.dist-info/METADATA").write_text("Name: own\nVersion: 1.0\n")
    (tmp_path / "own-1.0.dist-info/entry_points.txt").write_text(POINTS)
    with forgotten_afterwards(monkeypatch, tmp_path):
        yield tmp_path
    named_modules.discard("own_rewards")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "300"})


def play(task: str) -> str:
    """The screen of an episode of one step, from the second place of three, to the right."""
    arguments = (f"task={task}", "length=3", "horizon=1")
    shown = run("play", "Chain", "--agent", "oracle", *(f"--arg={each}" for each in arguments))
    assert shown.exit_code == 0, shown.output
    return shown.output


def test_play_takes_a_reward_of_a_module_and_of_a_package() -> None:
    by_module, by_package = play("own_rewards:third"), play("third")
    assert "Be in the third place." in by_module
    assert "Return 7" in by_module and "Return 7" in by_package


def test_own_names_come_before_those_of_packages() -> None:
    assert "Return 1" in play("goal_3")


def test_infer_takes_it_and_predict_reads_no_module_from_a_file(
    trained: Path, folder: Path
) -> None:
    prompts = folder / "prompts"
    found = run("infer", trained, "--reward", "own_rewards:third", "--save", prompts)
    assert found.exit_code == 0 and "third" in found.output, found.output
    assert run("predict", trained, prompts).exit_code == 0  # the module was typed above
    named_modules.discard("own_rewards")
    refused = run("predict", trained, prompts)
    assert refused.exit_code == 2 and "type --task again" in refused.output
    assert run("predict", trained, prompts, "--task", "own_rewards:third").exit_code == 0


@pytest.mark.parametrize(
    ("task", "says"),
    [
        ("own_rewards:thrid", "There is no reward of own_rewards 'thrid'"),
        ("own_reward:third", "Did you mean 'own_rewards'?"),
        ("own_rewards:number", "the reward own_rewards:number cannot be called"),
        ("own_rewards:broken", "the reward own_rewards:broken: KeyError: 'speeed'"),
        ("thrid", "There is no task 'thrid'. Known: far_end, goal_1"),
    ],
)
def test_a_wrong_one_is_one_line(task: str, says: str) -> None:
    shown = run("play", "Chain", "--arg", "length=3", "--arg", f"task={task}")
    assert shown.exit_code == 2 and says in shown.stderr, shown.output
    assert len(shown.stderr.splitlines()) == 1
