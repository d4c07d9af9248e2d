"""Steps of another library's tool environment: a script for the Python that has this library.

    PYTHON function_peers.py verifiers|tau2 [SECONDS]

It imports nothing of zerogym, and its last output is the number of steps a CPU second.

- `verifiers_call`: verifiers 0.1's `ToolEnv.env_response` to a message with one call, an object: no
  text is searched for it, no schema checked. The tool looks up a record of a dictionary.
- `verifiers_turn`: a turn of a whole `ToolEnv.rollout`, with a client that replies at once, eight
  calls and an answer.
- `tau2_call`: tau2's `Environment.get_response` of the retail domain to the same kind of call.
- `tau2_turn`: a step of its Gymnasium environment with a call as text, in the mock domain and solo
  mode, where no language model plays the user. The threads through which it steps are its own.
"""

import asyncio
import json
import logging
import sys
import time
from collections.abc import Callable
from typing import Any

CALLS = 8  # of an episode


def rate(steps: Callable[[], int], seconds: float) -> float:
    """Return the steps a CPU second of a function that makes some."""
    steps()
    made, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        made += steps()
    return made / (time.process_time() - start)


def tool_env() -> tuple[Any, Any]:
    """Return verifiers, and an environment of it with one tool."""
    import verifiers as vf  # type: ignore[import-not-found]
    from datasets import Dataset

    ages = {f"ship{i}": 100 + i for i in range(20)}

    def get_ship_age(name: str) -> str:
        """Return the age of a ship.

        Args:
            name: Name of the ship.
        """
        return str(ages[name])

    dataset = Dataset.from_dict({"question": ["?"], "answer": ["!"]})
    return vf, vf.ToolEnv(
        dataset=dataset, tools=[get_ship_age], rubric=vf.Rubric(), max_turns=CALLS + 2
    )


def ship_call(vf: Any, **fields: Any) -> Any:
    """Return a message with a call of the tool."""
    call = vf.ToolCall(id="1", name="get_ship_age", arguments=json.dumps({"name": "ship3"}))
    kind = vf.types.ResponseMessage if fields else vf.AssistantMessage
    return kind(content="", tool_calls=[call], **fields)


def verifiers_call(seconds: float) -> float:
    """Return the calls a CPU second of `ToolEnv`."""
    vf, env = tool_env()
    message = ship_call(vf)

    async def calls() -> int:
        for _ in range(1000):
            (result,) = await env.env_response([message], {})
        assert result.content == "103"
        return 1000

    return rate(lambda: asyncio.run(calls()), seconds)


def verifiers_turn(seconds: float) -> float:
    """Return the turns a CPU second of rollouts of `ToolEnv`."""
    vf, env = tool_env()
    from verifiers.clients.client import Client  # type: ignore[import-not-found]

    call = ship_call(vf, finish_reason="tool_calls", is_truncated=False)
    end = vf.types.ResponseMessage(content="103", finish_reason="stop", is_truncated=False)

    class Scripted(Client):
        """Replies at once: calls, then the answer."""

        async def get_response(self, prompt: Any, model: str, *args: Any, **kwargs: Any) -> Any:
            message = end if len(prompt) > 2 * CALLS else call
            return vf.types.Response(id="1", created=0, model=model, message=message)

        def setup_client(self, config: Any) -> None:
            """Have none."""

        to_native_tool = to_native_prompt = get_native_response = get_response
        raise_from_native_response = from_native_response = close = get_response

    task = {"prompt": [{"role": "user", "content": "?"}], "example_id": 0, "answer": "!"}

    async def turns() -> int:
        state = await env.rollout(dict(task), Scripted(None), "scripted", {})
        assert state.get("error") is None and len(state["trajectory"]) == CALLS + 1, state
        return CALLS + 1

    return rate(lambda: asyncio.run(turns()), seconds)


def tau2_call(seconds: float) -> float:
    """Return the calls a CPU second of tau2's retail domain."""
    from tau2.data_model.message import ToolCall  # type: ignore[import-not-found]
    from tau2.domains.retail.environment import (  # type: ignore[import-not-found]
        get_environment,
    )

    env = get_environment()
    given = {"order_id": next(iter(env.tools.db.orders))}

    def calls() -> int:
        for _ in range(100):
            result = env.get_response(ToolCall(id="1", name="get_order_details", arguments=given))
        assert not result.error
        return 100

    return rate(calls, seconds)


def tau2_turn(seconds: float) -> float:
    """Return the steps a CPU second of tau2's Gymnasium environment."""
    from tau2.gym.gym_agent import AgentGymEnv  # type: ignore[import-not-found]

    env = AgentGymEnv(domain="mock", task_id="create_task_1", solo_mode=True)
    made, spent = 0, 0.0
    while spent < seconds:
        env.reset()
        start = time.process_time()
        for _ in range(CALLS):
            observation = env.step("get_users()")[0]
            made += 1
        spent += time.process_time() - start
        assert "user_1" in observation
        env.step("done()")
    return made / spent


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    if sys.argv[1].startswith("tau2"):
        from loguru import logger  # type: ignore[import-not-found]

        logger.remove()  # it writes every response
    measure = {one.__name__: one for one in (verifiers_call, verifiers_turn, tau2_call, tau2_turn)}
    sys.stdout.write(f"{measure[sys.argv[1]](float(sys.argv[2]))}\n")
