"""Environments of verifiers as programs that wait for replies, in both generations of that library.

In 0.1 an environment has a data set, a rollout that calls a client, and a rubric. In 0.4 a task set
has tasks with rewards, and an environment runs agents on one. The client, or the agent, here gets
its replies from `request`: the library's own code decides on turns, ends and rewards. Left out is
what runs beside the conversation: tools, containers, programs of agents.
"""

import importlib
import importlib.util
import itertools
import sys
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from zerogym.envs.reasoning.bridges.messages import after_reply, texts
from zerogym.envs.reasoning.bridges.programs import Request, one_line
from zerogym.envs.reasoning.bridges.verifiers_agents import Seat, recorded
from zerogym.errors import ImportRefused, MissingExtra

MAX_TASKS = 10_000  # of a task set without end
_BUILT_IN = "verifiers.v1.tasksets"
_WITH_CODE = ("id", "task", "system_prompt")  # settings of any task set: they name code and files


@dataclass(frozen=True)
class Outcome:
    """The end of a rollout: its reward, its parts by name, what was said after the last reply."""

    reward: float
    metrics: dict[str, float] = field(default_factory=dict)
    said: str = ""


@dataclass(frozen=True)
class Rollouts:
    """The rows of an environment, and the rollout of a row by its number."""

    count: int
    run: Callable[[int, Request], Awaitable[Outcome]]


def rollouts_of(env: Any, settings: Mapping[str, Any]) -> Rollouts:
    """Return the rollouts of an environment or task set.

    Args:
        env: The object, or the id of a module that has been imported.
        settings: Arguments for an id.

    Raises:
        MissingExtra: If verifiers is not installed.
        ImportRefused: If the module of the id has not been imported.
        ValueError: If it is none, cannot be loaded, has no tasks, several agents, tools, resources
            of its own, or settings that name code.
    """
    suite = _suite()
    first = hasattr(suite, "Environment")
    vf = suite if first else importlib.import_module("verifiers.v1")
    if isinstance(env, str):
        env = _loaded(vf, env, dict(settings), first)
    elif settings:
        raise ValueError("settings are for the id of an environment; an object has its own")
    if first and isinstance(env, vf.Environment):
        return _of_rows(vf, env)
    if not first and isinstance(env, vf.Env | vf.Taskset):
        return _of_tasks(vf, env)
    raise ValueError(f"env is an environment of verifiers or the id of one, got {env!r:.80}")


def _suite() -> Any:
    try:
        return importlib.import_module("verifiers")
    except ModuleNotFoundError as error:
        if error.name != "verifiers":
            raise  # a dependency of it
        message = "zerogym/Verifiers-v0 needs verifiers: pip install verifiers"
        raise MissingExtra(message) from None


def _loaded(vf: Any, name: str, settings: dict[str, Any], first: bool) -> Any:
    """Return an environment by its id, whose module the library would import."""
    module = name.rpartition("/")[2].partition("@")[0].replace("-", "_").lower()
    if first:
        module = name.replace("-", "_").rpartition("/")[2]
    elif module.isidentifier() and importlib.util.find_spec(f"{_BUILT_IN}.{module}"):
        module = f"{_BUILT_IN}.{module}"
    if module not in sys.modules:
        raise ImportRefused(
            f"{name!r:.80} names the module {module:.80}, and an id imports nothing: import it "
            f"first (zerogym --import {module:.80} ...)"
        )
    if not first and (named := [key for key in _WITH_CODE if key in settings]):
        raise ValueError(f"settings may not have {named[0]!r}, which names code: pass the object")
    try:
        if first:
            return vf.load_environment(name, **settings)
        return vf.load_environment(vf.resolve_env_config({"taskset": {**settings, "id": name}}))
    except Exception as error:
        raise ValueError(f"{name!r:.80} cannot be loaded: {one_line(error)}") from None


def _of_rows(vf: Any, env: Any) -> Rollouts:
    """The first generation: rows, a client, a rubric."""
    try:
        rows = env.get_dataset()
    except ValueError:  # there are only rows for evaluation
        rows = env.get_eval_dataset()
    if not len(rows):
        raise ValueError(f"{type(env).__name__} has no rows")

    class Player(vf.Client):
        """A client whose model is the player."""

        def setup_client(self, config: Any) -> Any:
            return config

        async def to_native_tool(self, tool: Any) -> Any:
            raise ValueError(f"it has tools ({tool.name}), which are not played here")

        async def to_native_prompt(self, messages: Any) -> Any:
            return messages, {}

        async def get_native_response(self, prompt: Any, *_: Any, **settings: Any) -> Any:
            old = len(settings["state"]["trajectory"]) > 0
            return await self.client(texts(after_reply(prompt) if old else prompt))

        async def raise_from_native_response(self, response: Any) -> None:
            """Accept any text."""

        async def from_native_response(self, response: str) -> Any:
            types = importlib.import_module("verifiers.types")
            message = types.ResponseMessage(
                content=response, finish_reason="stop", is_truncated=False
            )
            return vf.Response(id=uuid.uuid4().hex, created=0, model="player", message=message)

        async def close(self) -> None:
            """Leave everything open."""

    async def run(index: int, request: Request) -> Outcome:
        (found,) = await env.run_group([rows[index]], Player(request), "player", {})
        if found["error"] is not None:
            raise RuntimeError(found["error"]["error_chain_repr"])
        said = texts(after_reply(found["completion"] or ()))
        return Outcome(found["reward"], dict(found["metrics"] or {}), said)

    return Rollouts(len(rows), run)


def _of_tasks(vf: Any, env: Any) -> Rollouts:
    """The second generation: tasks, agents."""
    plain = isinstance(env, vf.Taskset)
    taskset = env if plain else env.taskset
    if type(taskset).toolsets(taskset.config):
        raise ValueError(f"{type(taskset).__name__} has tools, which are not here")
    if not plain and type(env).start is not vf.Env.start:
        raise ValueError(f"{type(env).__name__} starts resources, which is not done here")
    tasks = list(itertools.islice(taskset, None if taskset.bounded else MAX_TASKS))
    if not tasks:
        raise ValueError(f"{type(env).__name__} has no tasks")
    configs = {} if plain else {k: v for k, v in env.config if isinstance(v, vf.AgentConfig)}
    if len(configs) > 1:
        names = ", ".join(configs)
        raise ValueError(f"{type(env).__name__} has several agents ({names}), one is played here")

    async def run(index: int, request: Request) -> Outcome:
        task = tasks[index]
        config = next(iter(configs.values()), vf.AgentConfig())
        seat = Seat(vf, config, request)
        if plain:
            await seat.run(task)
        else:
            agents = SimpleNamespace(**dict.fromkeys(configs, seat))
            await env.setup(agents)
            await env.run(task, agents)
            episode = vf.Episode(task=recorded(vf, task), traces=seat.traces)
            await env.finalize(task, episode)
        if not seat.traces:
            raise RuntimeError(f"{type(env).__name__}.run() ran no agent")
        metrics: dict[str, float] = {}
        for trace in seat.traces:
            scores = {name: one.score for name, one in trace.rewards.items() if one is not None}
            metrics |= scores | {k: v for k, v in trace.metrics.items() if v is not None}
        return Outcome(sum(trace.reward for trace in seat.traces) / len(seat.traces), metrics)

    return Rollouts(len(tasks), run)
