"""The command line: its output and its errors."""

import json
import re
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest
from typer.testing import CliRunner, Result

from helpers.episodes import installed
from zerogym.cli import app
from zerogym.envs.games.core.tabular_policy import TabularPolicy
from zerogym.envs.games.opponents.past_selves import save_strategy
from zerogym.envs.games.opponents.registry import opponent_names
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.lookup import find_game_name, find_task
from zerogym.envs.registry import TASKS, Task


def run(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=typed)


def squeezed(result: Result) -> str:
    """The output without the line breaks that the width of a terminal adds."""
    return " ".join(result.output.split())


def test_list_names_every_task() -> None:
    result = run("list")
    assert result.exit_code == 0
    assert [task.id for task in TASKS if task.id not in result.output] == []
    games = run("list", "--family", "games").output
    assert "KuhnPoker" in games and "Countdown" not in games


OURS = [task for task in TASKS if installed(task) and "bridge" not in task.tags]


@pytest.mark.parametrize("task", OURS[::12], ids=lambda task: task.name)
def test_info_shows_page_spaces_and_an_episode(task: object) -> None:
    result = run("info", task.name)  # type: ignore[attr-defined]
    assert result.exit_code == 0, result.output
    for part in ("Description", "Reward", "observation", "world │", "agent │", "reward "):
        assert part in result.output


@pytest.mark.parametrize("name", ["kuhn_poker", "KuhnPoker", "zerogym/KuhnPoker-v0", "KUHN-POKER"])
def test_names_are_forgiving(name: str) -> None:
    assert find_task(name).id == "zerogym/KuhnPoker-v0" and find_game_name(name) == "kuhn_poker"


def test_a_wrong_name_is_one_line_with_the_nearest() -> None:
    result = run("info", "contdown")
    assert "Did you mean 'Countdown'?" in squeezed(result)
    assert f" and {len(TASKS) - 20} more." in squeezed(result)  # the list is cut


def test_play_scores_replies_of_one_line_and_of_several() -> None:
    easy = ("play", "random_calculation", "--seed", "2", "--arg", "difficulty=0")
    right, wrong = run(*easy, typed="8-3=5"), run(*easy, typed="x\n")
    assert "Calculate 8 - 3." in right.output
    assert "Return 1" in right.output and "Return 0" in wrong.output
    assert right.exit_code == wrong.exit_code == 0
    for block in ("<answer>\n\n5\n</answer>", "```\n<answer>5</answer>\n```"):
        assert "Return 1" in run(*easy, typed=block).output
        again = run(*easy, "--arg", "max_attempts=2", typed=f"{block.replace('5', '6')}\n5\n")
        assert again.output.count("Try again") == 1 and "Return 1" in again.output


@pytest.mark.proof
@pytest.mark.parametrize(
    "task", [t for t in TASKS if t.family == "games" and installed(t)], ids=lambda t: t.name
)
def test_every_game_has_opponents_to_play(task: Task, tmp_path: Path) -> None:
    game = gym.make(task.id).unwrapped.game  # type: ignore[attr-defined]
    save_strategy(TabularPolicy(game, {}), tmp_path / "first.json")
    named = [name for name in opponent_names(game) if name != "mcts"]
    searched = ["mcts:2", "random+mcts:2"] if "mcts" in opponent_names(game) else []
    for opponent in (*named, *searched, f"past:{tmp_path}"):
        watched = run("play", task.name, "--opponent", opponent, "--agent", "random", "--seed", "0")
        assert watched.exit_code == 0, (opponent, watched.output)
        assert "Return" in watched.output
    lost = run("play", task.name, "--opponent", "random", "--seed", "0", typed="what?\n" * 3)
    talks = issubclass(type(gym.make(task.id).unwrapped), TalkEnv)
    assert lost.exit_code == 0
    assert ("That is no move now" if talks else "You forfeit") in squeezed(lost)


def test_the_end_of_the_input_leaves_politely() -> None:
    result = run("play", "tic_tac_toe", "--seat", "0", typed="5\n")
    assert result.exit_code == 0
    assert "Goodbye" in result.output


def test_watch_an_agent() -> None:
    result = run("play", "countdown", "--agent", "oracle", "--episodes", "2", "--seed", "0")
    assert "Total 2" in result.output


def test_array_worlds_take_numbers() -> None:
    typed = "up\n0.5\n" + "1\n" * 3
    result = run("play", "pendulum", "--arg", "task=upright", "--arg", "horizon=4", typed=typed)
    assert "Type an action of Box" in squeezed(result)
    assert "Return" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", "contdown"), "Did you mean 'Countdown'?"),
        (("play", "countdown", "--arg", 'split="\x1b]0;x\x07"'), "split"),
        (
            ("play", "four_rooms", "--agent", "oracle", "--arg", "task=null"),
            "reward-free: an oracle needs a task",
        ),
        (
            ("play", "point_maze", "--agent", "oracle", "--arg", "task=null"),
            "reward-free: an oracle needs a task",
        ),
        (("bench", "quick", "--only", "Kuhn pokr"), "Did you mean 'Kuhn poker'?"),
        (("train", "llm", "--resume", "/nowhere"), "no checkpoint"),
    ],
)
def test_more_misuse_is_readable(arguments: tuple[str, ...], message: str) -> None:
    """Beside the mistakes of `test_mistakes.py`."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert message in squeezed(result)
    assert "Traceback" not in result.output
    assert "\x1b" not in result.output and "\x07" not in result.output, "it steers the terminal"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_options_come_from_the_dataclass(flag: str) -> None:
    result = run("train", "fb", flag)
    assert result.exit_code == 0
    shown = squeezed(result)
    for part in (
        "--lr-forward FLOAT",
        "gradient steps [default: ",
        "--exact true|false",
        "--resume",
    ):
        assert part in shown


def test_train_fb_and_resume(tmp_path: Path) -> None:
    settings = ("--env", "four_rooms", "--data-steps", "400", "--dim", "8", "--updates", "5")
    first = run("train", "fb", "--out", str(tmp_path), *settings)
    assert first.exit_code == 0, first.output
    assert json.loads((tmp_path / "config.json").read_text())["env"] == "zerogym/FourRooms-v0"
    assert run("train", "fb", "--resume", str(tmp_path)).exit_code == 0
    other = run("train", "fb", "--resume", str(tmp_path), "--dim", "9")
    assert other.exit_code == 2
    assert "other settings" in squeezed(other)


@pytest.mark.proof
def test_train_fb_of_several_seeds(tmp_path: Path) -> None:
    settings = ("--env", "u_map", "--data-steps", "400", "--dim", "8", "--updates", "5")
    result = run("train", "fb", "--out", str(tmp_path), "--seeds", "2", *settings)
    assert result.exit_code == 0, result.output
    found = [float(score) for score in re.findall(r"never seen (-?\d\.\d\d)", squeezed(result))]
    mean, low, high = map(
        float,
        re.findall(r"mean: (\S+) \((\S+) to (\S+), 95 % bootstrap over 2", squeezed(result))[0],
    )
    assert mean == pytest.approx(sum(found) / 2, abs=0.011)
    assert (low, high) == pytest.approx((min(found), max(found)), abs=0.011)
    again = run("train", "fb", "--resume", str(tmp_path))
    first, second = (squeezed(each).partition("Model:")[2] for each in (result, again))
    assert first == second


def test_bench_runs_and_writes_the_report(tmp_path: Path) -> None:
    part = ("--only", "countdown", "--only", "random", "--no-processes")
    result = run("bench", "quick", "--out", str(tmp_path), *part)
    assert result.exit_code == 0, result.output
    assert "Countdown" in result.output
    assert "file:///" in result.output
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    again = run("bench", "quick", "--out", str(tmp_path), "--seed", "1", *part)
    assert again.exit_code == 2
    assert "choose another --out" in squeezed(again)


def test_doctor() -> None:
    result = run("doctor")
    assert result.exit_code == 0
    levels = ("strong", "landlock", "monty", "python -m zerogym.envs.tools.sandbox")
    for part in ("numpy", "pip install 'zerogym[vllm]'", "torch", "smollm2", *levels):
        assert part in squeezed(result)


def test_version_and_module() -> None:
    import zerogym

    done = subprocess.run(
        [sys.executable, "-m", "zerogym", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"zerogym {zerogym.__version__}"


def test_help_and_list_load_nothing_heavy() -> None:
    code = (
        "import sys\nfrom zerogym.cli import app\n"
        "for verb in (['--help'], ['list'], ['train', '--help']):\n"
        "    try: app(verb)\n    except SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'stable_baselines3', 'matplotlib', 'minigrid'}\n"
        "heavy |= {'zerogym.envs.games.core.game', 'zerogym.benchmarks.suites.runner'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
