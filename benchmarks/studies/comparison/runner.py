"""All runs of a study, in one process or several, into one JSON file that only this one writes.

The file is rewritten after each run, so that it is whole whenever the study is stopped. Left out:
several machines (the setting `ray` spreads the episodes of a run).
"""

import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from zerogym.agents.llm.models.directories import model_directory
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.run_lock import locked
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import write_whole
from zerogym.benchmarks.studies.comparison.cell import Row, folder_of, measure
from zerogym.benchmarks.studies.comparison.record import opened, record_text, sort_cells
from zerogym.benchmarks.studies.comparison.study import Cell, Study
from zerogym.envs.parent_death import end_with_parent
from zerogym.errors import ZerogymError

Report = Callable[[int, int, str], object]

_stopping: Any = None  # of a process that trains: an event of the study's own


def run(study: Study, out: Path, workers: int = 1, report: Report | None = None) -> dict[str, Any]:
    """Run what `out/NAME.json` does not hold yet, and return its record.

    Runs that failed before are tried again. The results of a study depend neither on the number of
    workers nor on where it was stopped.

    Args:
        study: The study.
        out: Folder of the file, and of the runs that are under way (`NAME.runs`).
        workers: Processes that train, at least 1.
        report: Called with the number of finished runs, that of all, and the last one in words.

    Raises:
        ValueError: If the file is no record of this study, or has runs with other settings.
        ModelNotFound, UnknownName, TypeError: If a task or model cannot be made.
        FolderInUse: If another process writes the file.
        KeyboardInterrupt: Passed on, after all runs were saved.
    """
    path = out / f"{study.name}.json"
    check(study)
    with locked(out, f".{study.name}.lock"):
        record = opened(study, path)
        done = {Cell(row["task"], row["variant"], row["seed"]) for row in record["cells"]}
        todo = [cell for cell in study.cells if cell not in done]
        if todo:
            record["sessions"].append(provenance() | {"workers": workers})
        total, runs = len(study.cells), out / f"{study.name}.runs"
        for number, row in enumerate(_rows(study, todo, runs, workers), total - len(todo) + 1):
            record["errors" if "error" in row else "cells"].append(row)
            sort_cells(record)
            write_whole(path, record_text(record))
            if report is not None:
                report(number, total, "{task}, {variant}, seed {seed}".format(**row))
        if not record["errors"]:
            shutil.rmtree(runs, ignore_errors=True)
        write_whole(path, record_text(record))
    return record


def check(study: Study) -> None:
    """Make each task and find each model once, so that what cannot be made ends here."""
    for task in study.configs.values():
        for config in task.values():
            model_directory(config.model)
        with Environments(config.env, config.env_kwargs, config.wrappers) as envs:
            envs.give_back(envs.take())


def _rows(study: Study, todo: list[Cell], runs: Path, workers: int) -> Iterator[Row]:
    """Yield the rows of cells as they are measured."""
    jobs = [(c, study.config(c), runs / folder_of(c, study.settings(c))) for c in todo]
    if workers == 1:
        for job in jobs:
            yield measure(*job)
        return
    with _processes(min(workers, len(jobs) or 1)) as pool:
        with _inherited_ignore():
            futures = [pool.submit(_measure_in_child, *job) for job in jobs]
        for future in as_completed(futures):
            yield future.result()


@contextmanager
def _processes(number: int) -> Iterator[ProcessPoolExecutor]:
    spawn = multiprocessing.get_context("spawn")
    stopping = spawn.Event()
    pool = ProcessPoolExecutor(number, spawn, _begin, (os.getpid(), stopping))
    try:
        yield pool
    except BrokenProcessPool:
        raise ZerogymError(
            "a process of the study was killed, perhaps for its memory: finished runs are kept; "
            "fewer workers need less"
        ) from None
    finally:
        stopping.set()  # for those that only start and ignore signals
        for child in multiprocessing.active_children():
            if child.pid is not None:
                os.kill(child.pid, signal.SIGINT)  # it saves what it trains
        pool.shutdown(cancel_futures=True)


@contextmanager
def _inherited_ignore() -> Iterator[None]:
    """Ignore Ctrl-C while processes are made: one that starts inherits it, and shows no traceback.

    Outside the main thread, which alone gets Ctrl-C, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _begin(parent: int, stopping: Any) -> None:
    """End with the parent, and leave Ctrl-C to the runs: an idle process has nothing to save."""
    global _stopping
    end_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stopping = stopping


def _measure_in_child(*job: Any) -> Row:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if _stopping is not None and _stopping.is_set():
            raise KeyboardInterrupt
        return measure(*job)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
