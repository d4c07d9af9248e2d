"""Run a suite and write all that comes of it: the function that `zerogym.benchmarks` exports."""

from collections.abc import Sequence
from pathlib import Path

from zerogym.benchmarks.report.picture import picture
from zerogym.benchmarks.report.report import write_report
from zerogym.benchmarks.results.results_file import read_records, write_whole
from zerogym.benchmarks.results.schema import Suite
from zerogym.benchmarks.suites.external_models import with_external_models
from zerogym.benchmarks.suites.runner import Callback, run_cells
from zerogym.benchmarks.suites.runner import only as part_of
from zerogym.benchmarks.suites.scores import Table, tabulate
from zerogym.benchmarks.suites.suites import QUICK
from zerogym.benchmarks.suites.tool_suite import TOOLS
from zerogym.errors import UnknownName

SUITES = {suite.name: suite for suite in (QUICK, TOOLS)}
REPORT, PICTURE = "report.html", "table.svg"


def run_suite(
    suite: Suite | str = QUICK.name,
    out: Path | str = "results/quick",
    seed: int = 0,
    only: Sequence[str] = (),
    models: Sequence[str] = (),
    processes: bool = True,
    callback: Callback | None = None,
    samples: int = 0,
) -> Table:
    """Run what a suite's folder lacks, write table and report there, and return the table.

    The folder then holds `results.jsonl` (all episodes), `report.html`, `results.csv`, `table.svg`
    and the models trained on the way. A run that was stopped continues.

    Args:
        suite: `"quick"` or `"tools"`, or a suite of your own.
        out: The folder.
        seed: Seed of episodes, policies and training.
        only: Names of worlds and agents of the suite; by default all.
        models: Language models that join the suite's own: folders, hub ids, servers.
        processes: One process for each lane of agents; False runs everything here, in order.
        callback: Called at each event.
        samples: Episodes that language models play of each problem of the text worlds, at
            temperature 1 and beside their greedy ones: pass@k in the report. 0: none.

    Raises:
        UnknownName: If there is no such suite, world or agent.
        ValueError: If `out` holds results of another suite or seed.
        FolderInUse: If another process writes into `out`.
        KeyboardInterrupt: Passed on; what is finished is in the folder.
    """
    if isinstance(suite, str):
        if suite not in SUITES:
            raise UnknownName("suite", suite, list(SUITES))
        suite = SUITES[suite]
    suite, folder = part_of(with_external_models(suite, models), only), Path(out)
    records = list(read_records(run_cells(suite, folder, seed, callback, processes)))
    if samples:
        from zerogym.benchmarks.suites.sampling import sample_worlds

        sample_worlds(suite, folder, samples, seed, callback)
    table = tabulate(suite, records)
    write_whole(folder / PICTURE, picture(table))
    write_report(suite, records, folder / REPORT)
    return table
