"""Problems of the two sides with their answers, for checks that compare the sides."""

from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from zerogym.benchmarks.auditing.subject import Subject, inside, own_answer

FAR_SEED = 12345  # in place of the test side, where there is none


@dataclass(frozen=True)
class Example:
    """A drawn problem: the first observation, the answer (empty if there is none), its kind."""

    prompt: str
    answer: str
    category: str


def draw_sides(
    subject: Subject, train: int, test: int, **extra: Any
) -> tuple[list[Example], list[Example]]:
    """Draw problems of the train and the test side; of two far seeds where there are no sides."""
    if subject.takes("split", "test"):
        return (
            draw_examples(subject, 0, train, split="train", **extra),
            draw_examples(subject, 0, test, split="test", **extra),
        )
    return (
        draw_examples(subject, 0, train, **extra),
        draw_examples(subject, FAR_SEED, test, **extra),
    )


def draw_examples(subject: Subject, seed: int, count: int, **extra: Any) -> list[Example]:
    """Draw the problems that `reset(seed)` and further resets give."""
    env = subject.make(**extra)
    env.reset(seed=seed)
    shown = _shows_answers(env)
    found = []
    for number in range(count):
        observation, info = env.reset() if number else env.reset(seed=seed)
        answer = str(env.step("")[4]["answer"]) if shown else inside(own_answer(env) or "")[1]
        found.append(Example(str(observation), answer, str(info.get("category", ""))))
    return found


def _shows_answers(env: gym.Env[Any, Any]) -> bool:
    """Return True if a wrong reply ends the episode and the answer is in `info`: faster to read."""
    try:
        _, _, terminated, _, info = env.step("")
    except Exception:  # a finding of another check
        return False
    return terminated and "answer" in info
