"""Gain of GRPO over the warm start of the tiny model: a curve a task, one page.

    python -m zerogym.benchmarks.studies.llm_curves.run kuhn --out docs/llm_curves

writes `docs/llm_curves/kuhn.json` (every curve, with settings, versions and hardware), and the page
and the picture of all that were measured. Ctrl-C loses the run under way and no other: the same
command goes on. Each run is evaluated before, during and after training, by greedy replies in the
same episodes, of the test split where a task has splits. Kuhn poker is learned from one seat, drawn
anew in each episode, against a fixed player; and from both seats by a model that plays itself.
Against itself its mean return is always 0, so that there the score is its return against a perfect
adversary: the mean of both seats, minus its exploitability, 0 at an equilibrium.

Left out: mixtures of past selves, which come nearer to an equilibrium than the last one.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.directories import model_directory
from zerogym.agents.llm.models.loading import load_model, save_model
from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer
from zerogym.agents.llm.opponent import LanguageModel
from zerogym.agents.llm.supervised.oracle_traces import Source, record_all
from zerogym.agents.llm.supervised.sft import SFTConfig, encode_all, fine_tune
from zerogym.agents.llm.training.checkpoint import checkpoints
from zerogym.agents.llm.training.grpo import train
from zerogym.benchmarks.league.exploit import exact_exploitability
from zerogym.benchmarks.results.results_file import write_whole
from zerogym.benchmarks.studies.llm_curves.page import ABOUT, NOTES, page, table
from zerogym.benchmarks.studies.llm_curves.picture import curves_picture
from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED, Cell, Proof, Scores, read, run
from zerogym.envs.games.core.game import load_game
from zerogym.envs.registry import game_of
from zerogym.errors import UnknownName

TOTALS = {"difficulty": 0.9, "category": "total"}
ONE_PAGE = {"difficulty": 0.0, "category": "plain", "documents": 100, "results": 1}
ONE_CALL = {"difficulty": 0.0, "category": "single"}


@dataclass(frozen=True)
class LearningTask:
    """A task to learn, and the warm start.

    Attributes:
        title: Of the row of the table.
        config: Settings of the run.
        traces: Oracle traces for the warm start.
        training: Settings of the warm start; None: the model starts as shipped.
        size: Of a model that the warm start makes from nothing, with a tokenizer of the traces;
            None: the shipped one learns on.
    """

    title: str
    config: GRPOConfig
    traces: tuple[Source, ...] = ()
    training: SFTConfig | None = None
    size: TinyConfig | None = None


BASE = GRPOConfig(
    preset="dr_grpo",
    steps=60,
    prompts_per_step=8,
    lr=1e-4,
    micro_batch=64,
    eval_every=15,
    eval_episodes=300,
    save_every=0,
)
LEARNING_TASKS: Mapping[str, LearningTask] = {
    "calculation": LearningTask(
        "Random calculation, up to two steps",
        replace(BASE, env_kwargs={"difficulty": [0.5, 1.0]}, max_new_tokens=48),
    ),
    "kuhn": LearningTask(
        "Kuhn poker, a seat against the script",
        replace(
            BASE,
            env="zerogym/KuhnPoker-v0",
            env_kwargs={"opponent": "scripted"},
            max_new_tokens=16,
            eval_episodes=1_000,
        ),
    ),
    "kuhn_seats": LearningTask(
        "Kuhn poker, both seats: a perfect adversary",
        replace(
            BASE,
            env="zerogym/kuhn_poker-v0",
            max_new_tokens=16,
            eval_every=0,
            eval_episodes=0,
            save_every=15,
            keep_checkpoints=5,
        ),
    ),
    "sql": LearningTask(
        "SQL, totals, two turns",
        replace(
            BASE,
            env="zerogym/SQL-v0",
            env_kwargs=TOTALS | {"max_turns": 2},
            steps=300,
            prompts_per_step=16,
            lr=3e-4,
            max_new_tokens=24,
            micro_batch=128,
            eval_every=75,
        ),
        (Source("zerogym/SQL-v0", 3_000, TOTALS),),
        SFTConfig(steps=560, batch_tokens=1024, learning_rate=1.5e-3, warmup=50),
    ),
    "search": LearningTask(
        "Search, the page and the answer (of 2)",
        replace(
            BASE,
            env="zerogym/Search-v0",
            env_kwargs=ONE_PAGE | {"max_turns": 3, "progress_weight": 1.0},
            lr=3e-4,
            max_new_tokens=20,
            eval_episodes=200,
        ),
        (Source("zerogym/Search-v0", 12_000, ONE_PAGE, short=0.6),),
        SFTConfig(steps=1_600, batch_tokens=2048, learning_rate=4e-3, warmup=50, prompt_weight=1.0),
        TinyConfig(merge_count=400, line_count=3_000, layers=3),
    ),
    "functions": LearningTask(
        "Functions, one call of four functions",
        replace(
            BASE,
            env="zerogym/Functions-v0",
            env_kwargs=ONE_CALL | {"max_turns": 2},
            lr=3e-4,
            max_new_tokens=40,
            eval_episodes=200,
        ),
        (Source("zerogym/Functions-v0", 32_000, ONE_CALL, short=0.6),),
        SFTConfig(steps=4_000, batch_tokens=2048, learning_rate=3e-3, warmup=50, prompt_weight=1.0),
        TinyConfig(merge_count=1_000, line_count=8_000, layers=3),
    ),
    "countdown": LearningTask(
        "Countdown, three numbers",
        GRPOConfig(
            env="zerogym/Countdown-v0",
            preset="dr_grpo",
            eval_every=100,
            eval_episodes=1_000,
            save_every=0,
        ),
    ),
}


def measure(starts: Path, cell: Cell, seed: int) -> Scores:
    """Return by step the mean return of one training run.

    Args:
        starts: Folder of warm starts, which the runs of a task share.
        cell: Its group is the task.
        seed: Of the run.
    """
    task, found = LEARNING_TASKS[cell.group], dict[str, dict[str, float]]()

    def record(metrics: Mapping[str, float]) -> None:
        if "eval/reward" in metrics:
            found[str(int(metrics["step"]))] = {"return": metrics["eval/reward"]}

    with tempfile.TemporaryDirectory() as folder:
        model = start(task, starts / cell.group)
        config = replace(task.config, model=model, seed=seed, out=folder)
        if train(config, record).status == "interrupted":
            raise KeyboardInterrupt
        if game_of(config.env) is not None:
            found = left_by_adversary(config)
    return {cell.run: found}


def left_by_adversary(config: GRPOConfig) -> dict[str, dict[str, float]]:
    """Return by step the model's return against a perfect adversary in all seats of its game.

    Many replies are sampled wherever the model may be to move; those without a legal move are left
    out.
    """
    entry = game_of(config.env)
    assert entry is not None
    game = load_game(entry.name, **config.env_kwargs)
    sampling = Sampling(config.max_new_tokens, config.temperature, stop=config.stop)
    folders = {0: model_directory(config.model)}
    folders |= {int(path.name[-6:]): path / "model" for path in checkpoints(Path(config.out))}
    found = {}
    for step, folder in folders.items():
        player = LanguageModel(folder, sampling, config.chat, config.system).policy(config.seed)
        loss = exact_exploitability(game, player, "text")
        assert loss is not None  # as long as the game is small
        found[str(step)] = {"return": -loss.value}
    return found


def start(task: LearningTask, folder: Path) -> str:
    """Return an argument for `load_model`; a warm start is made in `folder` if it is not there."""
    if task.training is None:
        return task.config.model
    if not folder.is_dir():
        torch.set_num_threads(1)  # with several the weights would differ from run to run
        traces = record_all(task.traces, task.training.seed)
        if task.size is None:
            model, tokenizer = load_model(task.config.model, "cpu", "float32")
        else:
            texts = (message["content"] for trace in traces for message in trace.messages)
            tokenizer = build_tokenizer(texts, task.size)
            model = build_model(tokenizer, task.size, task.training.seed)
        fine_tune(model, encode_all(traces, tokenizer), task.training)
        save_model(model, tokenizer, folder)
    return str(folder)


def proof(name: str, starts: Path) -> Proof:
    """Return a task as data; its warm start is kept in the folder `starts`."""
    task = LEARNING_TASKS[name]
    cells = (Cell(name, task.config.preset),)
    measured = partial(measure, starts)
    return Proof(name, task.title, ABOUT, asdict(task), cells, measured, NOTES)


def main(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(LEARNING_TASKS)}.")],
    out: Annotated[Path, typer.Option(help="Folder of the JSON files.")] = Path("runs/llm_curves"),
    seeds: Annotated[
        int, typer.Option(min=2, help=f"Training runs, seeded from {FIRST_SEED}.")
    ] = 3,
) -> None:
    """Measure what is not in the file yet, and write the page."""
    console = Console()
    if name not in LEARNING_TASKS:
        raise typer.BadParameter(str(UnknownName("learning task", name, list(LEARNING_TASKS))))

    def report(cell: Cell, seed: int, done: int, total: int) -> None:
        console.print(f"{done + 1} of {total}: {cell.group}, seed {seed}")

    try:
        with tempfile.TemporaryDirectory() as starts:
            run(proof(name, Path(starts)), seeds, out / f"{name}.json", report)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    except KeyboardInterrupt:
        console.print(f"stopped; what was measured is in {out / name}.json")
        raise typer.Exit(130) from None
    kept = [out / f"{each}.json" for each in LEARNING_TASKS]
    records = [read(path) for path in kept if path.exists()]
    write_whole(out.with_suffix(".svg"), curves_picture(records))
    write_whole(out.with_suffix(".md"), page(records))
    console.print(table(records), soft_wrap=True)
    console.print(f"{out.with_suffix('.md')}, {out.with_suffix('.svg')}")


if __name__ == "__main__":
    typer.run(main)
