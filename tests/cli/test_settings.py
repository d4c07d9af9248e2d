"""Options and TOML files from nested dataclasses: values, groups, parts, errors of one line."""

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from helpers.toy_settings import Momentum, Optimizer, Own, Steady, Tempo, Toy
from zerogym.cli.console import friendly
from zerogym.cli.parsing import Verbs
from zerogym.cli.settings import build, read_config, settings_command, typed

app = typer.Typer(
    cls=Verbs,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
OWN = "helpers.toy_settings:Own"
built: list[Toy] = []


@app.command("toy", cls=settings_command("helpers.toy_settings:Toy"))
@friendly
def _toy(context: typer.Context, config: Path | None = None) -> None:
    built[:] = [build(Toy, read_config(Toy, config, typed(context)))]


@app.command("other")
def _other(number: int = 0) -> None: ...


def run(*arguments: object) -> Result:
    words = [str(each) for each in arguments]
    return CliRunner().invoke(app, ["toy", *words], env={"COLUMNS": "200"})


def squeezed(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def made(*arguments: object) -> Toy:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return built[0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", Toy()),
        ("--steps 7 --exact yes --names a,b", Toy(steps=7, exact=True, names=("a", "b"))),
        ("--place x --mode slow", Toy(place=Path("x"), mode="slow")),
        ("--place none", Toy()),
        ('--extra {"a":[1]}', Toy(extra={"a": [1]})),
        ("--optimizer.lr 1e-4", Toy(optimizer=Optimizer(lr=1e-4))),
        ("--optimizer.momentum.first=0", Toy(optimizer=Optimizer(momentum=Momentum(0.0)))),
        ("--advantage tempo", Toy(advantage="tempo")),
        ("--advantage tempo --advantage.alpha 0.5", Toy(advantage=Tempo(alpha=0.5))),
        ("--advantage.bound none --advantage tempo", Toy(advantage=Tempo())),
        ("--advantage steady --advantage.alpha 3,4", Toy(advantage=Steady(alpha=(3, 4)))),
        ("--second tempo --second.bound 2", Toy(second=Tempo(bound=2))),
        (f"--advantage {OWN}", Toy(advantage=OWN)),
        (f"--advantage.depth 3 --advantage={OWN}", Toy(advantage=Own(depth=3))),
    ],
)
def test_options(line: str, expected: Toy) -> None:
    assert made(*line.split()) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--stesp 3", "No such option --stesp; did you mean --steps?"),
        ("--learning-rat 3", "No such option --learning-rat; did you mean --optimizer.lr?"),
        ("--optimizer.lrr 3", "No such option --optimizer.lrr; did you mean --optimizer.lr?"),
        ("--advantage.alpa 3", "did you mean --advantage.alpha?"),
        ("--xyzzy 3", "No such option --xyzzy; root toy -h lists them"),
        ("--steps 1.5", "--steps takes a whole number, got '1.5'"),
        ("--steps", "--steps needs a value"),
        ("--steps 0", "steps must be at least 1, got 0"),
        ("--optimizer.lr abc", "--optimizer.lr takes a number, got 'abc'"),
        ("--exact maybe", "--exact takes true or false, got 'maybe'"),
        ("--mode fsat", "--mode takes one of fast, slow, got 'fsat'; did you mean 'fast'?"),
        ("--extra {", "--extra takes JSON, such as '{\"name\": 1}', got '{'"),
        ("--advantage tmpo", "got 'tmpo'; did you mean 'tempo'?"),
        ("--advantage.alpha 3", "advantage 'plain' has no setting 'alpha' (known: none)"),
        ("--advantage tempo --advantage.alpha x", "--advantage.alpha takes a number, got 'x'"),
        ("--advantage steady --advantage.bound 1", "no setting 'bound' (known: alpha)"),
        ("--second.alpha 1", "second.alpha needs --second NAME: one of plain, tempo, steady"),
        ("--advantage nowhere:Own", "nowhere"),
        (f"--advantage {OWN} --advantage.dept 3", "did you mean --advantage.depth?"),
        ("--advantage.depth 3", "No such option --advantage.depth"),
        ("word", "unexpected extra argument"),
    ],
)
def test_errors_are_one_line(line: str, message: str) -> None:
    result = run(*line.split())
    [shown] = result.stderr.strip().splitlines()
    assert result.exit_code == 2 and message in shown, shown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("othr", "No such command 'othr'; did you mean 'other'?"),
        ("other --number x", "--number must be a valid integer, got 'x'"),
        ("other --nmber 1", "No such option --nmber; did you mean --number?"),
    ],
)
def test_errors_of_other_verbs_look_the_same(line: str, message: str) -> None:
    result = CliRunner().invoke(app, line.split())
    [shown] = result.stderr.strip().splitlines()
    assert result.exit_code == 2 and message in shown, shown


def test_help_is_grouped_and_shows_the_settings_of_chosen_parts() -> None:
    for flag in ("-h", "--help"):
        shown = squeezed(run(flag))
        for part in ("─ Details ─", "─ Settings of the optimiser ─", "--optimizer.lr", "fast|slow"):
            assert part in shown
        assert "learning rate [default: 0.001]" in shown
        assert "the estimator: plain, tempo, steady [default: plain]" in shown
        assert "--advantage.alpha" not in shown and "--second.alpha" not in shown
    shown = run("--advantage", "tempo", "-h").output
    assert "─ Settings of --advantage ─" in shown and "--advantage.alpha" in shown
    assert "strength of the tempo [default: 0.3]" in shown and "beats" not in shown


FILE = """
steps = 7
names = ["a", "b"]
place = "x"
extra = {slip = 0.5}
[optimizer]
lr = 1e-4
[optimizer.momentum]
first = 1
[advantage]
part = "tempo"
alpha = 1
"""


def test_a_file_of_settings(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(FILE)
    from_file: dict[str, Any] = {
        "names": ("a", "b"),
        "place": Path("x"),
        "extra": {"slip": 0.5},
        "optimizer": Optimizer(lr=1e-4, momentum=Momentum(1.0)),
    }
    assert made("--config", file) == Toy(steps=7, advantage=Tempo(alpha=1.0), **from_file)
    typed = made("--config", file, "--steps", "8", "--advantage.alpha", "0.2")
    assert typed == Toy(steps=8, advantage=Tempo(alpha=0.2), **from_file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stesp = 3", "there is no setting 'stesp'; did you mean steps?"),
        ("[optimizer]\nlrr = 3", "no setting 'optimizer.lrr'; did you mean optimizer.lr"),
        ("steps = 'x'", "steps takes a whole number, got 'x'"),
        ("steps = [1]", "steps takes INT, got [1]"),
        ("steps = {a = 1}", "takes INT"),
        ("exact = 3", "exact takes true or false, got '3'"),
        ("mode = 'fsat'", "did you mean 'fast'?"),
        ("advantage = 'tmpo'", "did you mean 'tempo'?"),
        ("advantage = 'mine:Part'", "is imported: type --advantage"),
        ("env = 'mine:My/Env-v0'", "nothing that a file names is imported"),
        ("steps = ", "is no TOML file"),
    ],
)
def test_errors_of_a_file_name_it(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(text)
    result = run("--config", file)
    [shown] = result.stderr.strip().splitlines()
    assert result.exit_code == 2 and message in shown and str(file) in shown, shown


def test_ids_of_a_file_have_any_spelling(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("env = 'four_rooms'")
    assert made("--config", tmp_path / "run.toml").env == "zerogym/FourRooms-v0"


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    result = run("--config", tmp_path / "run.toml")
    assert result.exit_code == 2 and "No such file" in result.stderr


def test_a_typed_environment_goes_over_that_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("env = 'mine:My/Env-v0'")
    assert made("--config", tmp_path / "run.toml", "--env", "other:X").env == "other:X"


def test_keys_of_servers_are_not_sent_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text("names = ['http://h/v1#m?key_from=SECRET']")
    [name] = made("--config", tmp_path / "run.toml").names
    assert name.endswith("&key_from=")
