"""A budget for tool calls, with a price for each tool: `ToolBudget`."""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from zerogym.envs.spaces import Utf8Text
from zerogym.wrappers.arguments import number
from zerogym.wrappers.core import Options, Start, Step
from zerogym.wrappers.tools.calls_in_reply import ToolCallWrapper

REFUSED = "Error: the calls of this reply cost {price:g}, and {left:g} of the budget is left."
LEFT = "Budget left: {left:g}."
SPENT = "The episode has ended: the budget does not cover these calls, for the second time."
# Keys of the environment's info that are still true after a refusal.
_LASTING = ("difficulty", "category", "split", "turn", "tool_calls", "failed_calls", "cost")
ROOM = 300  # characters that are added to an observation


class ToolBudget(ToolCallWrapper):
    """Gives an episode a budget, from which every call takes the price of its tool.

    The prompt states budget and prices, and each later observation what is left. A reply whose
    calls cost more than what is left is refused as a whole: none of them runs, and the observation
    says so. The second reply in an episode that is refused truncates it with reward 0. Malformed
    calls and answers are free.

    `info["cost_left"]` is what is left.

    Args:
        env: A `ToolWorld`, or an environment inside `WithTools`.
        budget: What the calls of an episode may cost together, at least 0.
        prices: Of the tools, at least 0; a tool that is not in it costs 1.

    Raises:
        ValueError: If budget or prices are not numbers >= 0.
        TypeError: If the environment has no tools.

    Source:
        Our task. Agents that see a limit of calls and its rest: "Budget-Aware Tool-Use Enables
        Effective Agent Scaling" (2025, arXiv 2511.17006).
    """

    def __init__(
        self, env: gym.Env[Any, Any], budget: float = 4.0, prices: Mapping[str, float] | None = None
    ) -> None:
        super().__init__(env, budget=budget, prices=prices)
        self.budget = number(budget, "ToolBudget: budget", 0.0)
        self.prices = {
            tool: number(price, f"ToolBudget: price of {tool}", 0.0)
            for tool, price in (prices or {}).items()
        }
        space = self.env.observation_space
        assert isinstance(space, gym.spaces.Text)
        self.observation_space = Utf8Text(space.max_length + ROOM + 60 * len(self.prices))

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode with the whole budget."""
        self._memory = {"left": self.budget, "refused": False, "info": {}}
        prompt, info = self.env.reset(seed=seed, options=options)
        names = [tool.name for tool in self.env.get_wrapper_attr("tools") if tool.name != "submit"]
        dear = [f"{name} {self.prices[name]:g}" for name in names if name in self.prices]
        rest = "others 1" if dear else "1"
        prices = ", ".join([*dear, rest] if len(dear) < len(names) else dear)
        note = f"Your budget for calls is {self.budget:g}. A call costs: {prices}."
        return f"{prompt}\n\n{note}", info | {"cost_left": self.budget}

    def step(self, action: str) -> Step:
        """Run the reply, if what is left covers its calls."""
        memory: dict[str, Any] = self._memory
        price = sum(self.prices.get(call.tool, 1.0) for call in self.calls(action))
        if price > memory["left"] + 1e-9:
            return self._refuse(price)
        memory["left"] -= price
        observation, reward, terminated, truncated, info = self.env.step(action)
        if not (terminated or truncated):
            observation = f"{observation}\n{LEFT.format(left=memory['left'])}"
        memory["info"] = {key: info[key] for key in _LASTING if key in info}
        info = info | {"cost_left": memory["left"]}
        return observation, float(reward), terminated, truncated, info

    def _refuse(self, price: float) -> Step:
        memory: dict[str, Any] = self._memory
        again, memory["refused"] = memory["refused"], True
        text = SPENT if again else REFUSED.format(price=price, left=memory["left"])
        info = memory["info"] | {
            "cost_left": memory["left"], "feedback": text, "void_turn": not again,
        }  # fmt: skip
        if again:
            info |= {"score": 0.0, "correct": False, "success": False}
        return text, 0.0, False, again, info
