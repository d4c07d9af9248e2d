"""A beginning of a solution in the prompt: `PrefixHint` is right, `FlawedPrefix` has a mistake.

No gradient belongs on a prefix: it is part of the observation, so trainers mask it anyway.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from zerogym.wrappers.core import Options, Start, TextWrapper, current_problem

CONTINUE = "A solution begins like this; continue it:"


class PrefixHint(TextWrapper):
    """Shows the first part of a successful trace and lets the agent do the rest.

    The share of the trace that is shown is drawn uniformly from `share` for each episode, counted
    in lines and rounded down, so share 0 shows nothing and 1 everything.

    Args:
        env: A reasoning environment (the default trace is its worked solution).
        share: Smallest and largest share of lines, in [0, 1].
        rate: Chance that an episode gets a hint at all; the rest are plain problems.
        bank: Traces by prompt (the whole first observation), for example collected by rejection
            sampling; a prompt without a trace gets no hint. None: the worked solutions.

    Raises:
        ValueError: If a share or the rate is out of [0, 1].

    Example:
        >>> import zerogym
        >>> env = PrefixHint(gym.make("zerogym/RandomCalculation-v0"), share=(0.5, 0.5))
        >>> print(env.reset(seed=5)[0])
        Calculate 16 + (9 - 10).
        Give the final answer as <answer>...</answer>.
        <BLANKLINE>
        A solution begins like this; continue it:
        9 - 10 = -1

    Source:
        "Reuse your FLOPs: Scaling RL on Hard Problems by Conditioning on Very Off-Policy Prefixes"
        (PrefixRL, 2026). Drawing the share uniformly and counting lines is our choice.
    """

    needs = ("get_state",)

    def __init__(
        self,
        env: gym.Env[Any, Any],
        share: tuple[float, float] = (0.0, 1.0),
        rate: float = 1.0,
        bank: Mapping[str, str] | None = None,
    ) -> None:
        if not 0 <= share[0] <= share[1] <= 1 or not 0 <= rate <= 1:
            raise ValueError(f"shares and rate are in [0, 1], got {share} and {rate}")
        super().__init__(env, share=share, rate=rate, bank=bank)
        self.share, self.rate, self.bank = share, rate, bank
        self.allow_longer_observations()

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a problem and the share of its trace that is shown: `info["prefix"]`."""
        prompt, info = self.env.reset(seed=seed, options=options)
        hinted = self.np_random.random() < self.rate
        share = self.np_random.uniform(*self.share)
        trace = current_problem(self).solution if self.bank is None else self.bank.get(prompt, "")
        lines = trace.splitlines()
        prefix = "\n".join(lines[: int(share * len(lines))]) if hinted else ""
        return _with(prompt, prefix), info | {"prefix": prefix}


class FlawedPrefix(TextWrapper):
    """Shows the beginning of a solution that ends with a mistake; the reward is unchanged.

    The reward is for noticing the mistake. `info["flawed"]` is True if this episode has one.

    Args:
        env: A reasoning environment: its `corrupt` makes the mistakes.
        rate: Share of episodes with a flawed prefix, in [0, 1]; the others are plain.

    Raises:
        ValueError: If `rate` is out of [0, 1].

    Source:
        "Can Large Reasoning Models Improve Accuracy on Mathematical Tasks Using Flawed Thinking?"
        (2025): one controlled error in the prefilled thinking, mixed with clean problems. Here the
        prefix stands in the prompt, so that it works with any chat template.
    """

    needs = ("get_state", "corrupt")

    def __init__(self, env: gym.Env[Any, Any], rate: float = 0.5) -> None:
        if not 0 <= rate <= 1:
            raise ValueError(f"rate must be in [0, 1], got {rate!r}")
        super().__init__(env, rate=rate)
        self.rate = rate
        self.allow_longer_observations()

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Draw a problem and perhaps a flawed beginning."""
        prompt, info = self.env.reset(seed=seed, options=options)
        flawed = bool(self.np_random.random() < self.rate)
        prefix = ""
        if flawed:
            corrupt = self.env.get_wrapper_attr("corrupt")
            prefix = corrupt(current_problem(self), self.np_random)
        return _with(prompt, prefix), info | {"flawed": flawed, "prefix": prefix}


def _with(prompt: str, prefix: str) -> str:
    return f"{prompt}\n\n{CONTINUE}\n{prefix}" if prefix else prompt
