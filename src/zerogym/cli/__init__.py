"""The command `zerogym`: worlds, matches, measurements, data and training from a shell.

Each verb is one module; heavy imports (torch, models, environments) are in the verb that needs
them, so that `zerogym --help` is fast.
"""

import os
from typing import Annotated

import typer

import zerogym
from zerogym.cli.commands.agents.collect import collect
from zerogym.cli.commands.agents.data import data
from zerogym.cli.commands.agents.infer import infer
from zerogym.cli.commands.agents.models import model
from zerogym.cli.commands.agents.parts import parts
from zerogym.cli.commands.agents.predict import predict
from zerogym.cli.commands.agents.train import train
from zerogym.cli.commands.benchmarks.audit import audit
from zerogym.cli.commands.benchmarks.baselines import baselines
from zerogym.cli.commands.benchmarks.bench import bench
from zerogym.cli.commands.benchmarks.compare import compare
from zerogym.cli.commands.benchmarks.evaluate import evaluate
from zerogym.cli.commands.benchmarks.exploit import exploit
from zerogym.cli.commands.benchmarks.league import league
from zerogym.cli.commands.benchmarks.report import report
from zerogym.cli.commands.benchmarks.study import study
from zerogym.cli.commands.browse import info, list_worlds
from zerogym.cli.commands.doctor import doctor
from zerogym.cli.commands.new import new
from zerogym.cli.commands.play import play
from zerogym.cli.commands.serve import serve
from zerogym.cli.console import friendly, out
from zerogym.cli.names import import_typed
from zerogym.cli.parsing import Verbs
from zerogym.cli.settings import settings_command
from zerogym.envs.processors import processors

FEW_CORES = 4

app = typer.Typer(
    name="zerogym",
    help="Gymnasium-style tasks with an oracle each, and the agents that learn in them.",
    no_args_is_help=True,
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.command("list")(list_worlds)
app.command("info")(info)
app.command("play")(play)
app.command("serve")(serve)
app.command("audit")(audit)
app.add_typer(bench, name="bench")
app.command("compare")(compare)
app.command("report")(report)
app.command("eval")(evaluate)
app.command("study")(study)
app.command("league")(league)
app.command("exploit")(exploit)
app.command("baselines")(baselines)
app.command("collect", cls=settings_command("zerogym.agents.explore.config:CollectConfig"))(collect)
app.add_typer(data, name="data")
app.add_typer(train, name="train")
app.command("parts")(parts)
app.command("infer")(infer)
app.command("predict")(predict)
app.command("model")(model)
app.command("new")(new)
app.command("doctor")(doctor)


def _version(requested: bool) -> None:
    if requested:
        out.print(f"zerogym {zerogym.__version__}")
        raise typer.Exit


@app.callback()
@friendly
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="MODULE",
            help="Import a module of your own first, whose environments a folder names; may be "
            "repeated.",
        ),
    ] = None,
) -> None:
    for module in modules or []:
        import_typed(module)


def main() -> None:
    """Entry point of the console script."""
    limit_spinning()
    app()


def limit_spinning() -> None:
    """On few cores, let idle threads sleep: spinning threads slow small models down several times.

    Must run before torch is imported; variables that are set already are left alone.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if processors() < FEW_CORES:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        os.environ.setdefault("GOMP_SPINCOUNT", "0")
