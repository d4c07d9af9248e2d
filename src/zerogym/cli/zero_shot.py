"""A trained zero-shot agent and its table of returns, for `infer` and `predict`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from zerogym.cli.console import UsageError, usage_errors
from zerogym.cli.names import typed_modules

COLUMNS = (  # of a row of `returns_beside`
    *(("agent", "model"), ("random", "random"), ("straight line", "straight_line")),
    *(("oracle", "oracle"), ("score", "score")),
)


class TrainedAgent:
    """The agent of a run of `zerogym train fb` or `zerogym train zero_shot`.

    Attributes:
        env: Id of its world.
        gamma: Discount of its training; None if it has none.
        model: The model.
        world: The environment without a task, to look up tasks in.

    Args:
        run: The directory.

    Raises:
        UsageError: If it is no run, or its world cannot be made or is not the model's.
        NotAModel: If the model is missing or damaged.
        ImportRefused: If its world is `module:ID` of a module that nobody typed.
    """

    def __init__(self, run: Path) -> None:
        from zerogym.agents.atomic_files import NotAModel, read_json
        from zerogym.agents.zero_shot.training.agents import load_model
        from zerogym.envs.recorded import recorded_id, recorded_wrappers, without_keys

        if not run.is_dir():
            raise UsageError(f"there is no directory {str(run)!r}")
        try:
            found = read_json(run / "config.json")
            if {"task", "method"} <= found.keys():
                raise UsageError(
                    f"{run} is of an offline agent, which has one task: zerogym predict {run}"
                )
            named, arguments = found["env"], found["env_kwargs"]
            self.gamma = found["gamma"] if "agent" not in found else found["agent"].get("gamma")
        except (NotAModel, KeyError, AttributeError) as error:
            raise UsageError(f"{run} is not a run of `zerogym train`: {error}") from None
        self.env = recorded_id(named, run / "config.json")
        self._arguments = without_keys(arguments)
        self._wrappers = found.get("wrappers", {})
        recorded_wrappers(self._wrappers, run / "config.json", typed_modules)
        self.model = load_model(run / "model", found.get("agent", "fb"))
        with usage_errors(ValueError):
            made = self.make(None)
            self.model.check_env(made)
        self.world: Any = made.unwrapped
        if not (hasattr(self.world, "task_of") and hasattr(self.world, "tasks")):
            raise UsageError(
                f"{self.env} has no named tasks to infer (no `tasks` and `task_of`): give "
                "FBModel.load(...).infer a reward function or a goal instead"
            )

    def make(self, task: Any) -> Any:
        """Its world with a task."""
        from zerogym.agents.datasets.environments import make_wrapped_env

        return make_wrapped_env(self.env, self._arguments, self._wrappers, task)

    def task_of(self, spec: Any) -> Any:
        """The task of a name, an expression or the numbers of a goal."""
        with usage_errors(ValueError, TypeError):
            return self.world.task_of(spec)

    def only_fb(self, what: str) -> Any:
        """The model, for what only forward-backward models can do."""
        from zerogym.agents.zero_shot.models.model import FBModel

        if not isinstance(self.model, FBModel):
            raise UsageError(f"{what}: the agent of this run is none of forward-backward kind")
        return self.model

    def returns(self, prompt: Any, task: Any, episodes: int, seed: int) -> Mapping[str, float]:
        """The return of a prompt in a task, beside random, straight-line and exact play."""
        from zerogym.agents.zero_shot.evaluation.returns import returns_beside
        from zerogym.agents.zero_shot.protocol import Prompted

        env = self.make(task)
        row = returns_beside(Prompted(self.model, prompt), env, task, episodes, seed)
        env.close()
        return row


def make_table(env: str, *first: str, last: str | None = None) -> Table:
    """An empty table: what a row is of, its returns, and perhaps one number more."""
    table = Table(title=f"Zero-shot returns in {escape(env)}")
    for title in first:
        table.add_column(title)
    for title in (*(title for title, _ in COLUMNS), *([last] if last else [])):
        table.add_column(title, justify="right")
    return table


def numbers(row: Mapping[str, float]) -> list[str]:
    """The cells of a row; a dash where there is no such player."""
    return [f"{row[key]:.2f}" if key in row else "-" for _, key in COLUMNS]


def place(text: str) -> list[float]:
    """A goal as it is typed: numbers with commas; in brackets, too, as prompts keep it."""
    try:
        return [float(part) for part in text.strip("[]").split(",")]
    except ValueError:
        raise UsageError(f"a goal is numbers with commas, got {text[:60]!r}") from None
