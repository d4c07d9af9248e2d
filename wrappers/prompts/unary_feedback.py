"""Several turns for a single-turn task, with "try again" as the only feedback: `UnaryFeedback`."""

from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from zerogym.envs.reasoning.answers import extract_answer
from zerogym.envs.reasoning.listings import plain
from zerogym.wrappers.core import Options, Start, Step, TextWrapper


@dataclass
class _Turns:
    taken: int = 0
    answers: list[str] = field(default_factory=list)


class UnaryFeedback(TextWrapper):
    """The same question up to `max_turns` times; only the last turn has a reward.

    After a wrong answer the observation is "Try again." and nothing else; a right answer ends the
    episode without a word. The return is `gamma ** t` for a right answer in turn t (0, 1, ...) and
    0 without one, minus `penalty * (1 - distinct answers / turns taken)`.

    Args:
        env: A single-turn text environment with `get_state` and `set_state`.
        max_turns: T, at least 1.
        gamma: Discount of later answers, in (0, 1].
        penalty: lambda, for repeating answers, at least 0.

    Raises:
        ValueError: If an argument is out of its range.

    Example:
        >>> import zerogym
        >>> env = UnaryFeedback(gym.make("zerogym/RandomCalculation-v0", difficulty=0), gamma=0.5)
        >>> env.reset(seed=2)[0].splitlines()[0]
        'Calculate 8 - 3.'
        >>> env.step("4")[:3], env.step("5")[1:3]
        (('Try again.', 0.0, False), (0.5, True))

    Source:
        "A Simple 'Try Again' Can Elicit Multi-Turn LLM Reasoning" (2025, arXiv 2507.14295): decay
        and penalty. That a first right answer counts 1, and that answers are compared without case
        and blanks, is our choice.
    """

    needs = ("get_state", "set_state")

    def __init__(
        self,
        env: gym.Env[Any, Any],
        max_turns: int = 5,
        gamma: float = 0.9,
        penalty: float = 0.5,
    ) -> None:
        if max_turns < 1 or not 0 < gamma <= 1 or penalty < 0:
            raise ValueError("max_turns >= 1, 0 < gamma <= 1 and penalty >= 0 are required")
        super().__init__(env, max_turns=max_turns, gamma=gamma, penalty=penalty)
        self.max_turns, self.gamma, self.penalty = max_turns, gamma, penalty

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a question."""
        self._memory = _Turns()
        return self.env.reset(seed=seed, options=options)

    def step(self, action: str) -> Step:
        """Take an answer; the question comes back if it is wrong and turns are left."""
        before = self.env.get_wrapper_attr("get_state")()
        _, _, _, truncated, info = self.env.step(action)
        turns: _Turns = self._memory
        turns.answers.append(plain(extract_answer(action)[0]))
        right = info.get("score") == 1.0
        turns.taken += 1
        over = right or turns.taken >= self.max_turns
        info = {**info, "turn": turns.taken, "distinct_answers": len(set(turns.answers))}
        if not over:
            self.env.get_wrapper_attr("set_state")(before)
            info.pop("answer", None)
            return "Try again.", 0.0, False, truncated, info
        won = self.gamma ** (turns.taken - 1) if right else 0.0
        distinct = info["distinct_answers"] / turns.taken
        return "", won - self.penalty * (1 - distinct), True, truncated, info
