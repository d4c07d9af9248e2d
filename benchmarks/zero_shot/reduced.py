"""The numbers of a run that its page needs: means over tasks by seed, effective horizons, seconds.

The file is committed beside the page: a run's own file has a number for each task and is large.
"""

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from zerogym.agents.datasets.environments import make_env
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.zero_shot.runner import Plan, identity
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
        column and seed), `costs` (`wall_s` and `cpu_s` by agent, the medians over cells),
        `settings` (by `worlds` and `agents`) and `sessions` (one for each day, commit and
        processor).

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
    return {
        "columns": columns_of(plan),
        "rivals": list(plan.rivals),
        "rows": rows,
        "costs": costs,
        "settings": settings_of(plan),
        "sessions": _different(record for record in records if record.get("kind") == "session"),
    }


def settings_of(plan: Plan) -> dict[str, dict[str, Record]]:
    """Return what identifies the cells of a plan but for their seeds, by world and by agent."""
    worlds = {world.name: identity(world, "", 0) for world in plan.worlds}
    for found in worlds.values():
        del found["kind"], found["seed"], found["agent"], found["settings"]
    agents = {entry.name: {**entry.agent, "updates": entry.updates} for entry in plan.entries}
    return {"worlds": worlds, "agents": agents}


def add_seeds(table: Mapping[str, Any], plan: Plan, records: Iterable[Record]) -> dict[str, Any]:
    """Return a table with the seeds, worlds and agents of another run beside its own.

    Where both have a cell, that of the table stays. Costs are those of the table, too: seconds of
    two machines do not make a median.

    Args:
        table: Of `reduce_run`.
        plan: The worlds and agents of both; every seed of the records counts.
        records: Lines of a results file.

    Raises:
        ValueError: If the table has another setting of a world or an agent, or the records have no
            cell of the plan.
    """
    records = list(records)
    seeds = [record["seed"] for record in records if record.get("kind") == "cell"]
    found = reduce_run(plan._replace(seeds=max(seeds, default=0) + 1, first_seed=0), records)
    measured = {
        name for row in table["rows"] if row["scores"] for name in (row["world"], *row["scores"])
    }
    for sort, settings in table["settings"].items():
        for name, own in settings.items():
            if name in measured and found["settings"][sort].get(name, own) != own:
                raise ValueError(f"the table has other settings of {name}: run all of it again")
    before = {(row["world"], row["kind"]): row["scores"] for row in table["rows"]}
    for row in found["rows"]:
        old, new = before.get((row["world"], row["kind"]), {}), row["scores"]
        names = [name for name in found["columns"] if name in old or name in new]
        row["scores"] = {name: _by_seed(old.get(name, {}), new.get(name, {})) for name in names}
    found["costs"] |= table["costs"]
    found["sessions"] = _different([*table["sessions"], *found["sessions"]])
    return found


def _by_seed(old: Mapping[str, float], new: Mapping[str, float]) -> dict[str, float]:
    both = {**new, **old}
    return {seed: both[seed] for seed in sorted(both, key=int)}


def _different(sessions: Iterable[Record]) -> list[Record]:
    """Return the day, commit and processor of sessions, without repetitions."""
    found = [
        {"date": str(one.get("date"))[:10], **{k: one.get(k) for k in ("commit", "processor")}}
        for one in sessions
    ]
    return [one for number, one in enumerate(found) if one not in found[:number]]


def horizons_of(world: ZeroShotWorld) -> Mapping[str, list[int | None]]:
    """Return the effective horizons of the tasks of each kind; None where episodes are played."""
    env, played = make_env(world.env, world.kwargs), world.episodes > 0
    unwrapped: Any = env.unwrapped
    found = {
        kind: [None if played else effective_horizon_of(unwrapped, task, GAMMA) for task in tasks]
        for kind, tasks in tasks_by_kind(world, unwrapped.tasks).items()
    }
    env.close()
    return found
