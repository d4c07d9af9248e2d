r"""ReAct: thoughts, and actions of the form `name[argument]`, for environments with tools.

"ReAct: Synergizing Reasoning and Acting in Language Models" (2022, arXiv 2210.03629). The model
writes `Thought:` and `Action:` lines; the environment gets the call in its own form
(`<name>...</name>`) or, for `Finish[...]`, the answer. It is for models that follow instructions:
the tiny model was never trained on this form, and loses nearly every episode by it. Left out: the
paper's examples in the prompt, and its switch to self-consistency.
"""

import re
from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import PromptingPolicy, Reply, query

FORM = (
    "Think and act in turns. Write a line 'Thought: ...', then a line 'Action: name[argument]', "
    "where name is one of the tools, and stop. You will then read 'Observation: ...'. "
    "When you know the answer, write 'Action: Finish[answer]'."
)
_ACTION = re.compile(r"^Action(?: \d+)?:[ \t]*([A-Za-z]\w*)\[", re.MULTILINE)


class ReAct(PromptingPolicy):
    r"""A policy that lets another reply in thoughts and actions.

    Text after the action (an invented `Observation:`) is dropped; give the model
    `stop=("\nObservation",)`, so that it does not stay in its conversation. A reply without an
    action is passed on as it is.

    Args:
        policy: A policy for texts that keeps its conversation.
        form: The instructions, after the first observation of an episode.
    """

    def __init__(self, policy: Policy, form: str = FORM) -> None:
        super().__init__(policy)
        self.form = form

    def _reply(
        self, texts: list[str], states: list[Any], new: list[bool], deterministic: bool
    ) -> list[Reply]:
        prompts = [
            f"{text}\n\n{self.form}" if fresh else f"Observation: {text}"
            for text, fresh in zip(texts, new, strict=True)
        ]
        replies = query(self.policy, prompts, states, new, deterministic)
        return [(as_call(reply), after) for reply, after in replies]


def as_call(reply: str) -> str:
    r"""Return the first action of a reply in the environments' form; the reply if it has none.

    An argument ends with the last bracket before the next `Action:` or `Observation:` line, so it
    may have brackets and several lines.

    Example:
        >>> as_call("Thought: I count.\nAction: Python[print(len([1, 2]))]\nObservation: 7")
        '<python>print(len([1, 2]))</python>'
        >>> as_call("Action 2: Finish[42]"), as_call("42")
        ('<answer>42</answer>', '42')
    """
    found = _ACTION.search(reply)
    if found is None:
        return reply
    rest = reply[found.end() :]
    for line in ("\nObservation", "\nAction"):
        rest = rest.partition(line)[0]
    argument, bracket, _ = rest.rpartition("]")
    if not bracket:
        return reply
    name = found[1].casefold()
    tag = "answer" if name == "finish" else name
    return f"<{tag}>{argument}</{tag}>"
