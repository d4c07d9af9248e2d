"""The numbers of a run that its page needs: means over tasks by seed, effective horizons, seconds.

The file is committed beside the page: a run's own file has a number for each task and is large.
"""

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from zerogym.agents.datasets.environments import make_env
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.zero_shot.runner import Plan
from zerogym.benchmarks.zero_shot.suite import GAMMA, ZeroShotWorld, tasks_by_kind
from zerogym.benchmarks.zero_shot.table import cells_of, columns_of, seed_means
from zerogym.envs.control.tabular.effective_horizon import effective_horizon_of

DIGITS = 6


def reduce_run(plan: Plan, records: Iterable[Record]) -> dict[str, Any]:
    """Return the numbers of a plan as JSON values.

    Args:
        plan: Its cells are taken; those of other settings are not.
        records: Lines of a results file.

    Returns:
        `columns` and `rivals` (names), `rows` (`world`, `kind`, `horizon`: the median effective
        horizon of the tasks, None where episodes are played, `tasks`: their number, `scores` by
        column and seed), `costs` (`wall_s` and `cpu_s` by agent, the medians over cells) and
        `session` (of the first of the run).

    Raises:
        ValueError: If no cell of the plan is among the records.
    """
    records = list(records)
    cells = cells_of(plan, records)
    if not cells:
        raise ValueError("the results have no cell of this table")
    means = seed_means(cells)
    rows = []
    for world in plan.worlds:
        for kind, horizons in horizons_of(world).items():
            columns = means.get((world.name, kind), {})
            scores = {
                name: {str(seed): round(value, DIGITS) for seed, value in sorted(by_seed.items())}
                for name, by_seed in columns.items()
            }
            found = [horizon for horizon in horizons if horizon is not None]
            numbers = {"horizon": median(found) if found else None, "tasks": len(horizons)}
            rows.append({"world": world.name, "kind": kind, **numbers, "scores": scores})
    costs = {}
    for entry in plan.entries:
        own = [cell for cell in cells if cell["agent"] == entry.name]
        if own:
            costs[entry.name] = {
                name: round(median(cell[field] for cell in own), 2)
                for name, field in (("wall_s", "seconds"), ("cpu_s", "cpu_s"))
            }
    session = next((record for record in records if record.get("kind") == "session"), {})
    return {
        "columns": columns_of(plan),
        "rivals": list(plan.rivals),
        "rows": rows,
        "costs": costs,
        "session": {name: session.get(name) for name in ("date", "commit", "processor")},
    }


def horizons_of(world: ZeroShotWorld) -> Mapping[str, list[int | None]]:
    """Return the effective horizons of the tasks of each kind; None where episodes are played."""
    env, played = make_env(world.env, world.kwargs), world.episodes > 0
    unwrapped: Any = env.unwrapped
    found = {
        kind: [None if played else effective_horizon_of(unwrapped, task, GAMMA) for task in tasks]
        for kind, tasks in tasks_by_kind(unwrapped.tasks, world.rewards).items()
    }
    env.close()
    return found
