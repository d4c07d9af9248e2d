"""Sentences as tasks: a language model writes the reward, as an expression over named features.

After "Language to Rewards for Robotic Skill Synthesis" (2023, arXiv 2306.08647), in which a model
sets the parameters of given reward terms; here it writes the whole expression, in the grammar of
`envs/control/core/expressions.py`, which evaluates no code. An invalid reply is sent back with the
reason. Left out: a simulator in the loop, which shows the model the effect of its reward.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from zerogym.agents.datasets.dataset import Dataset
from zerogym.envs.control.core.env import ControlEnv
from zerogym.envs.control.core.expressions import MAX_CHARACTERS, task_of_expression
from zerogym.envs.control.core.tasks import MAX_TEXT, Task
from zerogym.errors import ZerogymError

SHOWN = 40  # tasks of the environment in the message

LanguageModel = Callable[[str], str]  # a language model: a message in, its reply out
Parsed = TypeVar("Parsed")


class NoReward(ZerogymError, ValueError):
    """No reply of the language model was a reward; the message has the last fault."""


def task_of_sentence(
    sentence: str,
    world: ControlEnv,
    language_model: LanguageModel,
    samples: Dataset,
    tries: int = 3,
) -> Task:
    """Return the task that a language model makes of a sentence.

    Args:
        sentence: What to do, in words.
        world: `env.unwrapped` of a control environment with features or tasks.
        language_model: Called with the whole message each time; also a person, or fixed replies.
        samples: Transitions on which the reward must be a number and not always the same.
        tries: Number of queries at most.

    Returns:
        A task with the sentence as its text, and the expression as its name.

    Raises:
        ValueError: If the sentence is no text, empty or too long.
        NoReward: If no reply could be read.
    """
    check_sentence(sentence)

    def parse(reply: str) -> Task:
        task = task_of_expression(last_marked(reply, "reward"), world.measures, world.tasks)
        rewards = task.relabel(samples.observations, samples.actions, samples.next_observations)
        if rewards.min() == rewards.max():
            raise ValueError(f"it is {rewards[0]:g} in all of {len(rewards)} states that were seen")
        return replace(task, text=sentence)

    try:
        return query_until_valid(
            language_model, _question(sentence, world), parse, tries, MAX_CHARACTERS
        )
    except ValueError as error:
        fault = f"no reward was found for {sentence[:80]!r} in {tries} replies: {error}"
        raise NoReward(fault) from None


def query_until_valid(
    language_model: LanguageModel,
    question: str,
    parse: Callable[[str], Parsed],
    tries: int,
    quoted: int,
) -> Parsed:
    """Query a language model until its reply parses; each fault goes into the next message.

    Args:
        language_model: The language model.
        question: The first message.
        parse: Reads a reply; its ValueError is the fault.
        tries: Number of queries at most.
        quoted: Last characters of a reply that go into the next message.

    Raises:
        ValueError: If no reply parses; with the last fault.
    """
    message, fault = question, ""
    for _ in range(tries):
        reply = str(language_model(message))
        try:
            return parse(reply)
        except ValueError as error:
            fault = str(error)
            message = f"{question}\n\nYou wrote:\n{reply[-quoted:]}\n\nThat fails: {fault}"
    raise ValueError(fault)


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
    """Return the last text between `<mark>` and `</mark>`.

    Raises:
        ValueError: If nothing is marked.
    """
    # No regular expression: a reply of nothing but `<mark>` would take it minutes.
    inside, end, _ = reply.rpartition(f"</{mark}>")
    _, start, found = inside.rpartition(f"<{mark}>")
    if not (start and end):
        raise ValueError(f"there is nothing between <{mark}> and </{mark}>")
    return found.strip()


def _question(sentence: str, world: ControlEnv) -> str:
    tasks = list(world.tasks.values())[:SHOWN]
    known = "\n".join(f"- {task.name}: {task.text}" for task in tasks)
    return f"""Write a reward for this wish: {sentence.strip()}

It is one arithmetic expression, evaluated in each state; larger is better.
Features that you can use: {", ".join(world.measures) or "none"}.
Rewards that exist and can be used by name:
{known or "none"}
You can write numbers, + - * / **, < <= > >=, and, or, not, `a if condition else b`, abs, sqrt, exp,
sin, cos, tanh, min, max, clip(x, low, high), and tolerance(x, low, high, margin), which is 1
between low and high and falls to 0.1 at the distance margin outside (inf is a number).
Answer with <reward>expression</reward>."""
