"""Answer, look again, answer: `TwoAttempts`, the episode of self-correction training."""

from typing import Any

import gymnasium as gym

from zerogym.wrappers.core import Options, Start, Step, TextWrapper

LOOK_AGAIN = (
    "There might be an error in the solution above. Please correct the error, if any, and give the "
    "whole answer again."
)


class TwoAttempts(TextWrapper):
    """Every question is answered twice, whether the first answer is right or not.

    The reward of the first step is r1, that of the second r2 + bonus * (r2 - r1), where r are the
    scores: making a right answer wrong costs as much as correcting a wrong one brings. Nothing
    shows the agent whether its first answer was right. The last `info` has `first_score`,
    `second_score`, and whether the second attempt `fixed` or `broke` the first.

    Args:
        env: A single-turn text environment with `get_state` and `set_state`.
        bonus: alpha, the weight of progress.
        stage: 1 rewards the second attempt only (r1 counts 0 and there is no bonus), 2 as above.

    Raises:
        ValueError: If `stage` is neither 1 nor 2.

    Example:
        >>> import zerogym
        >>> env = TwoAttempts(gym.make("zerogym/RandomCalculation-v0", difficulty=0), bonus=10)
        >>> _ = env.reset(seed=2)
        >>> env.step("4")[1], env.step("5")[1]
        (0.0, 11.0)

    Source:
        "Training Language Models to Self-Correct via Reinforcement Learning" (SCoRe, 2024, arXiv
        2409.12917): two stages, bonus on the second attempt, alpha 10. The KL term that keeps the
        first attempt of stage 1 near the base model belongs to the trainer and is left out here;
        the words of the request are ours.
    """

    needs = ("get_state", "set_state")

    def __init__(self, env: gym.Env[Any, Any], bonus: float = 10.0, stage: int = 2) -> None:
        if stage not in (1, 2):
            raise ValueError(f"stage must be 1 or 2, got {stage!r}")
        super().__init__(env, bonus=bonus, stage=stage)
        self.bonus, self.stage = bonus, stage

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a question."""
        self._memory = None  # the first score
        return self.env.reset(seed=seed, options=options)

    def step(self, action: str) -> Step:
        """Take the first or the second attempt."""
        before = self.env.get_wrapper_attr("get_state")()
        _, _, _, truncated, info = self.env.step(action)
        score = float(info["score"])
        if self._memory is None:
            self._memory = score
            self.env.get_wrapper_attr("set_state")(before)
            hidden = ("answer", "feedback")
            info = {key: value for key, value in info.items() if key not in hidden}
            reward = score if self.stage == 2 else 0.0
            return LOOK_AGAIN, reward, False, truncated, info | {"turn": 1}
        first: float = self._memory
        info = info | {
            "turn": 2,
            "first_score": first,
            "second_score": score,
            "fixed": first < 1.0 <= score,
            "broke": score < 1.0 <= first,
        }
        progress = self.bonus * (score - first) if self.stage == 2 else 0.0
        return "", score + progress, True, truncated, info
