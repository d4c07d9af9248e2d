"""Properties of worlds with an expert that is a plan of calls.

`expert_plays` and `gaps` serve every `ToolWorld`; worlds that are judged by an answer show with
`answer_is_hidden` that no call can be left out, those judged by their end state with `gaps`.
"""

from collections.abc import Iterator
from typing import Any

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.world import ToolWorld


def expert_plays(env: ToolWorld[Any], seed: int) -> tuple[list[str], float, dict[str, Any]]:
    """Play the expert; return all observations, the reward and the last info."""
    prompt, info = env.reset(seed=seed)
    texts, reward, over = [prompt], 0.0, False
    while not over:
        text, reward, terminated, truncated, info = env.step(env.oracle_action())
        texts.append(text)
        over = terminated or truncated
    return texts, float(reward), info


def play_calls(env: ToolWorld[Any], seed: int, calls: list[Call]) -> tuple[float, dict[str, Any]]:
    """Make these calls, a reply each, then give the expert's answer; return reward and info."""
    env.reset(seed=seed)
    for call in calls:
        tools = {tool.name: tool for tool in env.tools}
        _, _, terminated, truncated, info = env.step(
            env.format.write(tools[call.tool], call.arguments)
        )
        assert not (terminated or truncated), info
    _, reward, _, _, info = env.step(env.answer_action())
    return float(reward), info


def check_expert(env: ToolWorld[Any], seed: int) -> None:
    """The expert scores 1 with exactly its plan, and each further call costs `call_cost`."""
    _, reward, info = expert_plays(env, seed)
    plan = list(env.expert_plan())
    assert (reward, info["score"], info["correct"]) == (1.0, 1.0, True), (seed, info)
    assert info["tool_calls"] == len(plan) and info["failed_calls"] == 0, (seed, info)


def gaps(env: ToolWorld[Any], seed: int) -> Iterator[tuple[int, float]]:
    """Play the plan without one call, each in turn; yield the number of the call and the score."""
    env.reset(seed=seed)
    plan = list(env.expert_plan())
    for number in range(len(plan)):
        _, info = play_calls(env, seed, plan[:number] + plan[number + 1 :])
        yield number, info["score"]


def answer_is_hidden(env: ToolWorld[Any], seed: int) -> bool:
    """Return whether the answer stands in no text that the expert reads before its last call."""
    texts, _, info = expert_plays(env, seed)
    return not any(str(info["answer"]).lower() in text.lower() for text in texts[:-2])
