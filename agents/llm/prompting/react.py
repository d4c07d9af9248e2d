r"""ReAct: thoughts, and actions of the form `name[argument]`, for environments with tools.

"ReAct: Synergizing Reasoning and Acting in Language Models" (2022, arXiv 2210.03629). The model
writes `Thought:` and `Action:` lines; the world hears the call in its own form (`<name>...</name>`)
or, for `Finish[...]`, the answer. It is for models that follow instructions: the tiny model was
never taught this form, and loses nearly every episode by it. Left out: the paper's examples in the
prompt, and its switch to self-consistency.
"""

import re
from collections.abc import Sequence
from typing import Any

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.queries import episode_starts, query

FORM = (
    "Think and act in turns. Write a line 'Thought: ...', then a line 'Action: name[argument]', "
    "where name is one of the tools, and stop. You will then read 'Observation: ...'. "
    "When you know the answer, write 'Action: Finish[answer]'."
)
_ACTION = re.compile(r"^Action(?: \d+)?:[ \t]*([A-Za-z]\w*)\[", re.MULTILINE)


class ReAct:
    r"""A policy that lets another speak in thoughts and actions.

    What a model imagines after its action (`Observation:` and on) is not heard; give the model
    `stop=("\nObservation",)`, so that it does not go on to believe it. A reply without an action
    is passed on as it is.

    Args:
        policy: A policy for texts that remembers its conversation.
        form: How to write, said after the first observation of an episode.
    """

    def __init__(self, policy: Policy, form: str = FORM) -> None:
        self.policy, self.form = policy, form

    def predict(
        self,
        observations: Sequence[str],
        state: Sequence[Any] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], list[Any]]:
        """Calls and answers in the environment's form, and the conversations in ReAct's."""
        new = episode_starts(len(observations), state, episode_start)
        texts = [
            f"{text}\n\n{self.form}" if fresh else f"Observation: {text}"
            for text, fresh in zip(observations, new, strict=True)
        ]
        said = query(self.policy, texts, state or [None] * len(new), new, deterministic)
        return [as_call(reply) for reply, _ in said], [after for _, after in said]


def as_call(reply: str) -> str:
    r"""The first action of a reply as the environments read it; the reply itself if it has none.

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
