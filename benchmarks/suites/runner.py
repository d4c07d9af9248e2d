"""Run a suite: all cells, in one process a lane, into one results file.

Finished cells are skipped, so a killed run continues where it was; a failing cell becomes an error
row. This process is the only writer of the file. Left out: several machines.
"""

import multiprocessing
import os
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from zerogym.agents.run_lock import locked
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import RESULTS, Record, ResultsFile
from zerogym.benchmarks.results.schema import Agent, Curve, ModelCache, Suite, World
from zerogym.benchmarks.suites.cells import key, run_cell
from zerogym.benchmarks.suites.comparable import described
from zerogym.envs.parent_death import end_with_parent
from zerogym.envs.processors import processors
from zerogym.errors import UnknownName

POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Progress:
    """An event of a run, for callbacks.

    Attributes:
        done: Finished cells, the skipped ones included.
        total: All cells.
        lane: The lane that reports it.
        doing: Its present work.
        record: The record that was just written, if any.
        seconds_left: Estimate from the cells done so far; None before the first.
    """

    done: int
    total: int
    lane: str
    doing: str
    record: Record | None = None
    seconds_left: float | None = None


Callback = Callable[[Progress], None]
Cell = tuple[World, Agent]


def run_cells(
    suite: Suite,
    out: Path,
    seed: int = 0,
    callback: Callback | None = None,
    processes: bool = True,
) -> Path:
    """Run what is not done yet, and return the path of the results file.

    Args:
        suite: What to run.
        out: Folder of the results and of the models trained on the way.
        seed: Seed of episodes, policies and training.
        callback: Called at each event.
        processes: One process for each lane; False runs everything here, in order.

    Raises:
        ValueError: If `out` holds results of another suite or seed.
        FolderInUse: If another process writes into `out`.
        KeyboardInterrupt: Passed on; what is finished is in the file.
    """
    with locked(out):
        return _run_rest(suite, out, seed, callback, processes)


def _run_rest(
    suite: Suite, out: Path, seed: int, callback: Callback | None, processes: bool
) -> Path:
    results = ResultsFile(out / RESULTS)
    records = list(results)
    for record in records:
        found = (record.get("suite"), record.get("seed"))
        if record.get("kind") == "session" and found != (suite.name, seed):
            raise ValueError(
                f"{out} holds suite {found[0]!r} with seed {found[1]}: choose another --out"
            )
    finished = {record["key"] for record in records if record.get("kind") == "cell"}
    cells = list(suite_cells(suite))
    todo = [cell for cell in cells if key(cell[0], cell[1].name) not in finished]
    started = time.monotonic()
    results.append(
        {"kind": "session", "suite": suite.name, "seed": seed, **provenance(), **described(suite)}
    )
    lanes: dict[str, list[Cell]] = {}
    for cell in todo:
        lanes.setdefault(cell[1].lane, []).append(cell)
    board = _Board(results, len(cells), lanes, callback)
    try:
        if processes and len(lanes) > 1:
            _run_processes(lanes, out, seed, board)
        else:
            for lane, part in lanes.items():
                for message in _work(part, out, seed):
                    board.receive(lane, message)
    finally:
        seconds = round(time.monotonic() - started, 1)
        results.append({"kind": "end", "seconds": seconds, "complete": board.complete})
    return results.path


def suite_cells(suite: Suite) -> Iterator[Cell]:
    """Yield all cells: first the two ends of the scale, then agent by agent."""
    ends = (suite.floor, suite.ceiling)
    for agent in sorted(suite.agents, key=lambda c: c.name not in ends):
        for world in suite.worlds:
            if agent.name in world.agents:
                yield world, agent


def only(suite: Suite, names: Sequence[str]) -> Suite:
    """Return the part of a suite with these worlds and agents; both ends of the scale stay.

    Raises:
        UnknownName: For a name that is neither a world nor an agent of the suite.
    """
    if not names:
        return suite
    by_name = {_plain(w.name): w.name for w in suite.worlds}
    by_name |= {_plain(c.name): c.name for c in suite.agents}
    for name in names:
        if _plain(name) not in by_name:
            raise UnknownName("world or agent of the suite", name, list(by_name.values()))
    chosen = {by_name[_plain(name)] for name in names}
    worlds = [w for w in suite.worlds if w.name in chosen] or list(suite.worlds)
    agents = [c for c in suite.agents if c.name in chosen] or list(suite.agents)
    ends = [c for c in suite.agents if c.name in (suite.floor, suite.ceiling)]
    kept = [c for c in suite.agents if c in agents or c in ends]
    return replace(suite, worlds=tuple(worlds), agents=tuple(kept))


class _Board:
    """Writes the reports of the lanes and passes them on to the callback."""

    def __init__(
        self,
        results: ResultsFile,
        total: int,
        lanes: dict[str, list[Cell]],
        callback: Callback | None,
    ) -> None:
        self._results, self._total, self._callback = results, total, callback
        self._left = {
            lane: {key(w, c.name): (w, c) for w, c in cells} for lane, cells in lanes.items()
        }
        self._planned = {lane: self._seconds(lane) for lane in lanes}
        self._started = time.monotonic()

    @property
    def complete(self) -> bool:
        return not any(self._left.values())

    def receive(self, lane: str, message: Any) -> None:
        record = message if isinstance(message, dict) else None
        if record is not None:
            self._results.append(record)
            self._left[lane].pop(record.get("key", ""), None)
        doing = message if isinstance(message, str) else ""
        if self._callback is not None:
            done = self._total - sum(map(len, self._left.values()))
            left = self._seconds_left()
            self._callback(Progress(done, self._total, lane, doing, record, left))

    def fail(self, lane: str, code: int | None) -> None:
        """A process that was killed (no memory?) leaves error rows, not a hanging run."""
        message = f"its process ended with code {code} before this cell was finished"
        for name, (world, agent) in list(self._left[lane].items()):
            cell = {"world": world.name, "contender": agent.name, "key": name}
            self.receive(lane, {"kind": "error", **cell, "missing": False, "message": message})

    def _seconds(self, lane: str) -> float:
        return sum(agent.seconds for _, agent in self._left[lane].values())

    def _seconds_left(self) -> float | None:
        """Return the rest of the slowest lane: its plan, stretched as the finished part was."""
        elapsed, guesses = time.monotonic() - self._started, []
        for lane in filter(self._left.get, self._left):
            rest = self._seconds(lane)
            done = self._planned[lane] - rest
            if not done:
                return None
            guesses.append(rest * elapsed / done)
        return max(guesses, default=None)


def _work(
    cells: Sequence[Cell], out: Path, seed: int, send: Callable[[Any], None] | None = None
) -> Iterator[Any]:
    """Run cells one after the other; yield texts (the present work) and records.

    `send` takes a builder's messages in the middle of a cell; without it, they follow the cell.
    """
    pending: list[Any] = []
    say = send if send is not None else pending.append

    def keep_curve(curve: Curve) -> None:
        say({"kind": "curve", **asdict(curve)})

    cache = ModelCache(out / "models", seed, say, keep_curve)
    for world, agent in cells:
        yield f"{agent.title}: {world.name}"
        record = run_cell(world, agent, cache)
        yield from pending
        pending.clear()
        yield record


def _lane_process(cells: Sequence[Cell], out: Path, seed: int, outbox: Any, parent: int) -> None:
    end_with_parent(parent)
    with suppress(KeyboardInterrupt):  # the parent got it too, and ends the run
        for message in _work(cells, out, seed, outbox.put):
            outbox.put(message)
        outbox.put(None)


def _run_processes(lanes: dict[str, list[Cell]], out: Path, seed: int, board: _Board) -> None:
    """One spawned process a lane; this one listens until all have ended."""
    context = multiprocessing.get_context("spawn")
    # Two lanes on two cores: more threads than that fight each other.
    threads = str(max(1, processors() // len(lanes)))
    os.environ.setdefault("OMP_NUM_THREADS", threads)
    boxes = {lane: context.Queue() for lane in lanes}
    workers = {
        lane: context.Process(
            target=_lane_process,
            args=(cells, out, seed, boxes[lane], os.getpid()),
            daemon=True,
            name=lane,
        )
        for lane, cells in lanes.items()
    }
    for worker in workers.values():
        worker.start()
    running = list(workers)
    try:
        while running:
            for lane in list(running):
                alive = workers[lane].is_alive()  # before reading: nothing can be lost after
                try:
                    message = boxes[lane].get(timeout=POLL_SECONDS / len(running))
                except queue.Empty:
                    if not alive:
                        running.remove(lane)
                        board.fail(lane, workers[lane].exitcode)
                    continue
                if message is None:
                    running.remove(lane)
                else:
                    board.receive(lane, message)
    finally:
        for worker in workers.values():
            worker.terminate()
            worker.join()


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())
