"""Checks of worlds with a plan of calls: is the answer in plain sight, and is one call enough?

A text shows an answer if it stands there as a word, whatever the case of its letters. Short answers
stand somewhere by accident: both checks leave a fifth of the problems to that, our choice.
"""

import re
from collections.abc import Sequence
from typing import Any

from zerogym.benchmarks.auditing.subject import Finding, Size, Status, Subject
from zerogym.envs.tools.world import ToolWorld

MAX_SHARE = 0.2  # of problems
NO_PLAN = "it has no plan of calls"


def answer_in_sight(subject: Subject, size: Size) -> Finding:
    """The answer must not stand in the task or in what the expert's first of several calls shows.

    Skipped where the answer alone scores nothing: such worlds are judged by their state.
    """
    env = subject.make().unwrapped
    if not isinstance(env, ToolWorld):
        return Finding("answer in sight", "skip", NO_PLAN)
    shown: list[int] = []
    judged = 0
    for seed in range(size.problems):
        prompt, _ = env.reset(seed=seed)
        plan, answer = env.expert_plan(), env.answer_action()
        start = env.get_state()
        if env.step(answer)[4].get("score") != 1.0 or not plan:
            continue
        judged += 1
        texts = [prompt.removesuffix(env.format.announce(env.tools, env.max_calls))]
        if len(plan) > 1:
            texts.append(_results(env, start, plan[:1]))
        if any(shows(text, answer) for text in texts):
            shown.append(seed)
    if not judged:
        return Finding("answer in sight", "skip", "an answer without calls scores below 1")
    return _finding("answer in sight", shown, judged, "show it in the task or the first result")


def one_call_enough(subject: Subject, size: Size) -> Finding:
    """No single call of a longer plan may do: neither show the answer nor leave the world right.

    Only calls whose arguments stand in the prompt are tried: others need the results before them.
    """
    env = subject.make().unwrapped
    if not isinstance(env, ToolWorld):
        return Finding("one call enough", "skip", NO_PLAN)
    enough: list[int] = []
    judged = 0
    for seed in range(size.problems):
        prompt, _ = env.reset(seed=seed)
        plan, answer = env.expert_plan(), env.answer_action()
        if len(plan) < 2:
            continue
        judged += 1
        start = env.get_state()
        by_answer = env.step(answer)[4].get("score") == 1.0
        for call in plan:
            if not all(shows(prompt, str(value)) for value in call.arguments.values()):
                continue
            text = _results(env, start, [call])
            if by_answer and shows(text, answer):
                enough.append(seed)
                break
            if not by_answer and env.step(answer)[4].get("score") == 1.0:
                enough.append(seed)
                break
    if not judged:
        return Finding("one call enough", "skip", "no plan has two calls")
    return _finding("one call enough", enough, judged, "need one call only")


def shows(text: str, answer: str) -> bool:
    """Return True if the answer of a reply stands in a text as a word.

    Example:
        >>> shows("Ada was born in 1815.", "<answer>1815</answer>")
        True
        >>> shows("Room 18150", "<answer>1815</answer>")
        False
    """
    word = re.escape(re.sub(r"</?answer>", "", answer).strip())
    return bool(word) and bool(re.search(rf"(?<!\w){word}(?!\w)", text, re.IGNORECASE))


def _results(env: ToolWorld[Any], start: dict[str, Any], calls: Sequence[Any]) -> str:
    """The observation after these calls from the start, in one reply."""
    env.set_state(start)
    tools = {tool.name: tool for tool in env.tools}
    return env.step("\n".join(env.format.write(tools[c.tool], c.arguments) for c in calls))[0]


def _finding(name: str, seeds: list[int], judged: int, what: str) -> Finding:
    share = len(seeds) / judged
    message = f"{len(seeds)} of {judged} problems {what}"
    message += f", for example seed {seeds[0]}" if seeds else ""
    status: Status = "fail" if share > MAX_SHARE else "pass"
    return Finding(name, status, message, {"share": share, "seeds": seeds[:20]})
