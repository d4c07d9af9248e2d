"""An agent of verifiers 0.4 that takes its replies from the player.

The library's own agents start a program in a container that calls a model over HTTP. This one has
the same two methods, `run` and `interaction`, and keeps the library's own record, a trace, to which
the task's own hooks give rewards and ends. Without program there are no tools and no requests.
"""

import contextlib
import importlib
import inspect
from collections.abc import AsyncIterator
from typing import Any

from zerogym.envs.reasoning.bridges.messages import texts
from zerogym.envs.reasoning.bridges.programs import Request


def recorded(vf: Any, task: Any) -> Any:
    return vf.TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)


class Seat:
    """An agent of the second generation whose model is the player, without program and tools."""

    def __init__(self, vf: Any, config: Any, request: Request) -> None:
        self.config, self.trainable, self.traces = config, True, list[Any]()
        self._vf, self._request = vf, request

    async def run(self, task: Any, **_: Any) -> Any:
        async with self.interaction(task) as talk:
            await talk.turn()
            talk.trace.stop("agent_completed")
        return talk.trace

    @contextlib.asynccontextmanager
    async def interaction(self, task: Any, **_: Any) -> AsyncIterator[Any]:
        invoke = importlib.import_module("verifiers.v1.utils.decorators").invoke
        _check_playable(task)
        talk = _Talk(self._vf, task, self.config, self._request)
        known = {"trace": talk.trace, "runtime": None}
        await invoke(task.setup, known)
        yield talk
        talk.closed = True
        talk.trace.stop("user_closed")
        await invoke(task.finalize, known)
        await task.score(talk.trace)
        talk.trace.ok = True
        self.traces.append(talk.trace)


class _Talk:
    """The conversation of a seat about a task: the environment is the user."""

    def __init__(self, vf: Any, task: Any, config: Any, request: Request) -> None:
        state_cls = importlib.import_module("verifiers.v1.state").state_cls
        agent = vf.AgentInfo(config=config)
        self.trace = vf.Trace(task=recorded(vf, task), state=state_cls(type(task))(), agent=agent)
        self.closed = False
        self._vf, self._task, self._config, self._request = vf, task, config, request
        self._begun = False

    async def turn(self, message: Any = None) -> Any:
        vf, data = self._vf, self._task.data
        if self.closed:
            raise RuntimeError("this interaction is closed")
        prompted = not self._begun and data.prompt is not None
        if prompted is (message is not None):
            raise ValueError("the prompt of a task opens it, then each turn has a message")
        given = data.prompt if prompted else message
        new = [vf.UserMessage(content=given)] if isinstance(given, str) else self._typed(given)
        if not self._begun and data.system_prompt is not None:
            new.insert(0, vf.SystemMessage(content=data.system_prompt))
        self._begun = True
        if await self._stopped():
            return vf.Segment(messages=[], terminated=True)
        for one in new:
            self._add(one)
        reply = vf.AssistantMessage(content=await self._request(texts(new)))
        self._add(reply, sampled=True)
        return vf.Segment(messages=[reply])

    def _typed(self, messages: Any) -> list[Any]:
        parse = importlib.import_module("verifiers.v1.dialects").parse_message
        return [parse(one) if isinstance(one, dict) else one for one in messages]

    def _add(self, message: Any, sampled: bool = False) -> None:
        parent = len(self.trace.nodes) - 1
        self.trace.nodes.append(
            self._vf.MessageNode(
                parent=None if parent < 0 else parent, message=message, sampled=sampled
            )
        )

    async def _stopped(self) -> bool:
        trace, limit = self.trace, self._config.max_turns
        if limit is not None and trace.num_turns >= limit:
            trace.stop("max_turns")
        for stop in self._task.hooks("stop"):
            (name,) = inspect.signature(stop).parameters
            found = stop(**{name: trace})
            if await found if inspect.isawaitable(found) else found:
                trace.stop(stop.__name__)
        return trace.stop_condition is not None


def _check_playable(task: Any) -> None:
    """Refuse a task that needs more than a conversation."""
    kind, session = type(task), importlib.import_module("verifiers.v1.session")
    trace = importlib.import_module("verifiers.v1").Trace
    rewards = (inspect.signature(one).parameters.get("runtime") for one in task.hooks("reward"))
    stops = (session.hook_boundary(one, allow_trace=True) for one in task.hooks("stop"))
    needs = {
        "tools": kind.toolsets(task.config),
        "a container": kind.NEEDS_CONTAINER or task.data.image is not None,
        "a runtime for its rewards": [p for p in rewards if p and p.default is p.empty],
        "requests to look into": [one for one in stops if one is not trace]
        or [name for name in dir(kind) if getattr(getattr(kind, name), "intercept", None) is True],
    }
    for need, found in needs.items():
        if found:
            raise ValueError(f"{kind.__name__} needs {need}, which is not here")
