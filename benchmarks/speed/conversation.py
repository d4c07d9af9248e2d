"""Rollouts of several turns, with conversations that are read once and with ones read anew.

    python -m zerogym.benchmarks.speed.conversation [--games 16 64] [--rounds 5]

The tiny model plays both seats of tic-tac-toe, one seat of twenty questions and one of tic-tac-toe
against a random opponent. At temperature 1 all its games of tic-tac-toe are the same, and equal
prompts are read once in any case: it is 2, where games differ, and 1 in a row of its own. Rollouts
of both kinds take turns, and their replies must be the same, token by token. CPU seconds of a whole
rollout count, environments included; `read` are the prompt tokens of all turns, `new` those that no
turn before had in its context. Targets: 1.7 times as fast with 16 games, 2 times with 64.
"""

import os
import statistics
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

import torch

from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player, rollout
from zerogym.agents.trajectory import Trajectory
from zerogym.benchmarks.speed.llm.timing import Timed, timed
from zerogym.benchmarks.speed.loops import in_turn, options, show

TASKS = (
    ("zerogym/tic_tac_toe-v0", 2.0),
    ("zerogym/TwentyQuestions-v0", 1.0),
    ("zerogym/TicTacToe-v0", 2.0),
    ("zerogym/tic_tac_toe-v0", 1.0),
)


class Forgetful(TransformersGenerator):
    """The engine that reads each conversation anew in each turn."""

    @contextmanager
    def keeping(self, conversations: int) -> Iterator[None]:
        """Keep nothing."""
        with nullcontext():
            yield


def said(records: list[Trajectory]) -> list[list[tuple[int, ...]]]:
    """The tokens of each turn of each episode."""
    return [[turn.action_ids for turn in record.turns] for record in records]


def prompt_tokens(records: list[Trajectory]) -> tuple[int, int]:
    """All tokens of the prompts of all turns, and those that are new in them."""
    read = new = 0
    for record in records:
        context = 0
        for turn in record.turns:
            context = len(turn.prompt_ids) + (0 if turn.fresh else context)
            read, new = read + context, new + len(turn.prompt_ids)
            context += len(turn.action_ids)
    return read, new


def measured(
    env: str, temperature: float, games: int, rounds: int
) -> tuple[list[Timed], list[Timed], list[Trajectory]]:
    """Times of rollouts that keep and that forget, and what was played.

    Raises:
        RuntimeError: If they are not the same, token by token.
    """
    model, tokenizer = load_model("tiny", "cpu", "float32")
    sampling = Sampling(32, temperature=temperature, seed=1)
    played: dict[str, list[Trajectory]] = {}
    with Environments(env) as envs:

        def play(name: str, engine: TransformersGenerator) -> None:
            played[name] = rollout(envs, range(games), Player(engine, sampling))

        kinds = {"kept": TransformersGenerator, "anew": Forgetful}
        plays = {n: partial(play, n, kind(model, tokenizer)) for n, kind in kinds.items()}
        for once in plays.values():
            once()  # what is made once
        times = in_turn({n: partial(timed, once) for n, once in plays.items()}, rounds)
    if said(played["kept"]) != said(played["anew"]):
        raise RuntimeError(f"{games} episodes of {env} differ where conversations are kept")
    return times["kept"], times["anew"], played["kept"]


def row(env: str, temperature: float, games: int, rounds: int) -> tuple[str, ...]:
    """A row of the table."""
    kept, anew, records = measured(env, temperature, games, rounds)
    read, new = prompt_tokens(records)
    written = sum(len(turn.action_ids) for record in records for turn in record.turns)
    ratios = [theirs[0] / own[0] for own, theirs in zip(kept, anew, strict=True)]
    cpu = [statistics.median(seconds for seconds, _ in times) for times in (kept, anew)]
    return (
        f"{env.removeprefix('zerogym/')}, T={temperature:g}", str(games), f"{read:,}", f"{new:,}",
        f"{written:,}", f"{cpu[0]:.2f}", f"{cpu[1]:.2f}", f"{statistics.median(ratios):.2f}",
        f"{min(ratios):.2f} to {max(ratios):.2f}",
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the table."""
    given = options(
        __doc__,
        arguments,
        games={"type": int, "nargs": "+", "default": [16, 64], "help": "episodes at once"},
        rounds=(5, "of each"),
        tasks=(len(TASKS), "so many of the first tasks"),
        threads=(1, ""),
    )
    torch.set_num_threads(given.threads)
    rows = [
        row(*task, games, given.rounds) for task in TASKS[: given.tasks] for games in given.games
    ]
    columns = (
        "task", "games", "read", "new", "written", "kept, CPU s", "anew", "times as fast", "range"
    )  # fmt: skip
    title = f"{given.threads} threads, load {os.getloadavg()[0]:.1f}"
    show(columns, rows, 120, title)


if __name__ == "__main__":
    main()
