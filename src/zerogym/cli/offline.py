"""A trained offline agent and its table of returns, for `predict`."""

from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from zerogym.cli.console import UsageError, printable, usage_errors
from zerogym.cli.zero_shot import COLUMNS, numbers


def offline_settings(run: Path) -> dict[str, Any] | None:
    """Return the settings of a run of `zerogym train offline`; None if it is another folder."""
    from zerogym.agents.atomic_files import NotAModel, read_json

    try:
        found = read_json(run / "config.json")
    except NotAModel:
        return None
    return found if {"task", "method", "env", "env_kwargs"} <= found.keys() else None


def offline_returns(
    run: Path,
    settings: dict[str, Any],
    target: float | None,
    budget: float | None,
    episodes: int,
    seed: int,
) -> Table:
    """Return a table of the agent's returns, and costs, beside other players of its task.

    Args:
        run: The run directory.
        settings: Of `offline_settings`.
        target: The return that it is to reach; None: that of the data.
        budget: The cost that it may spend; None: that of the data, if it is constrained.
        episodes: Of each player.
        seed: Of the starts.

    Raises:
        UsageError: If its world has no such task or is not the agent's, or the agent takes no
            target or budget.
        NotAModel: If the model is missing or damaged.
        ImportRefused: If its world or method is of a module that nobody typed.
    """
    from zerogym.agents.atomic_files import read_json
    from zerogym.agents.datasets.environments import make_env, task_names
    from zerogym.agents.offline import DecisionTransformer, OfflineAgent
    from zerogym.agents.offline.evaluation import playing
    from zerogym.agents.offline.sequences.decision_transformer import FORMAT
    from zerogym.agents.zero_shot.evaluation.returns import returns_beside
    from zerogym.envs.recorded import recorded_id, without_keys

    named = recorded_id(settings["env"], run / "config.json")
    form = read_json(run / "model" / "config.json").get("format")
    kind = DecisionTransformer if form == FORMAT else OfflineAgent
    agent = kind.load(run / "model")
    with usage_errors(ValueError, TypeError):
        arguments, task = dict(without_keys(settings["env_kwargs"])), settings["task"]
        if task not in task_names(make_env(named, arguments)):
            raise UsageError(f"{run}: {printable(named)} has no task {task!r:.80}")
        env = make_env(named, {**arguments, "task": task})
        world: Any = env.unwrapped
        played = playing(agent, env, world.tasks[task], target, budget)
        row = returns_beside(played.policy, played.env, world.tasks[task], episodes, seed)
    given = [("target", played.target), ("budget", played.budget)]
    # The agent plays first; the others cost something, too.
    costs = sum(played.env.costs[:episodes]) / episodes
    spent = [("cost", f"{costs:.2f}")] if played.env.reported else []
    shown = [(name, f"{value:g}") for name, value in given if value is not None]
    table = Table(title=f"Returns of {escape(printable(task))} in {escape(printable(named))}")
    for name in (*dict(shown), *(title for title, _ in COLUMNS), *dict(spent)):
        table.add_column(name, justify="right")
    table.add_row(*dict(shown).values(), *numbers(row), *dict(spent).values())
    env.close()
    return table
