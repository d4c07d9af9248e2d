"""A sentence as a task: a language model writes the reward, as an expression over named features.

After "Language to Rewards for Robotic Skill Synthesis" (2023, arXiv 2306.08647), in which a model
sets the parameters of given reward terms; here it writes the whole expression, in the grammar of
`envs/control/core/expressions.py`, which evaluates no code. What cannot be read is sent back with
the reason. Left out: a simulator in the loop, in which the model sees what its reward led to.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from zerogym.agents.datasets.dataset import Dataset
from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.control.core.expressions import MAX_CHARACTERS, task_of_expression
from zerogym.envs.control.core.tasks import MAX_TEXT, Task
from zerogym.errors import ZerogymError

SHOWN = 40  # tasks of the world that the model is told about

Ask = Callable[[str], str]  # a language model: a message in, its reply out


class NoReward(ZerogymError, ValueError):
    """The language model wrote nothing that is a reward; the message has its last fault."""


def task_of_sentence(
    sentence: str, world: ControlEnv, ask: Ask, samples: Dataset, tries: int = 3
) -> Task:
    """The task that a language model makes of a sentence.

    Args:
        sentence: What to do, in words.
        world: `env.unwrapped` of a control world with features or tasks.
        ask: Called with the whole message each time; a chat model, a person, a table of replies.
        samples: Transitions on which the reward must be a number and not always the same.
        tries: How often it may be asked.

    Returns:
        A task with the sentence as its text, and the expression as its name.

    Raises:
        ValueError: If the sentence is no text, empty or too long.
        NoReward: If no reply could be read.
    """
    check_sentence(sentence)
    message = question = _question(sentence, world.measures, world.tasks)
    fault = ""
    for _ in range(tries):
        reply = str(ask(message))
        try:
            task = task_of_expression(last_marked(reply, "reward"), world.measures, world.tasks)
            _check(task, samples)
        except ValueError as error:
            fault = str(error)
            message = f"{question}\n\nYou wrote:\n{reply[-MAX_CHARACTERS:]}\n\nThat fails: {fault}"
        else:
            return replace(task, text=sentence)
    raise NoReward(f"no reward was found for {sentence[:80]!r} in {tries} replies: {fault}")


def check_sentence(sentence: str) -> None:
    """Refuse what is no text, empty or too long.

    Raises:
        ValueError: Saying which.
    """
    if not isinstance(sentence, str):
        raise ValueError(f"a sentence is text, got {type(sentence).__name__}")
    if not sentence.strip() or len(sentence) > MAX_TEXT:
        raise ValueError(f"a sentence has 1 to {MAX_TEXT} characters, got {len(sentence)}")


def last_marked(reply: str, mark: str) -> str:
    """What stands between `<mark>` and `</mark>` last: what comes before is thinking aloud.

    Raises:
        ValueError: If nothing is marked.
    """
    # No regular expression: a reply of nothing but `<mark>` would take it minutes.
    inside, end, _ = reply.rpartition(f"</{mark}>")
    _, start, found = inside.rpartition(f"<{mark}>")
    if not (start and end):
        raise ValueError(f"there is nothing between <{mark}> and </{mark}>")
    return found.strip()


def _check(task: Task, samples: Dataset) -> None:
    paid = task.relabel(samples.observations, samples.actions, samples.next_observations)
    if paid.min() == paid.max():
        raise ValueError(f"it is {paid[0]:g} in all of {len(paid)} states that were seen")


def _question(sentence: str, measures: Mapping[str, object], tasks: Mapping[str, Task]) -> str:
    known = "\n".join(f"- {task.name}: {task.text}" for task in list(tasks.values())[:SHOWN])
    return f"""Write a reward for this wish: {sentence.strip()}

It is one arithmetic expression, evaluated in each state; larger is better.
Features that you can use: {", ".join(measures) or "none"}.
Rewards that exist and can be used by name:
{known or "none"}
You can write numbers, + - * / **, < <= > >=, and, or, not, `a if condition else b`, abs, sqrt, exp,
sin, cos, tanh, min, max, clip(x, low, high), and tolerance(x, low, high, margin), which is 1
between low and high and falls to 0.1 at the distance margin outside (inf is a number).
Answer with <reward>expression</reward>."""
