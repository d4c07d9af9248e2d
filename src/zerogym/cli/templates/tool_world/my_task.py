"""A shop: a task in which only a tool knows the prices."""

from dataclasses import dataclass

import gymnasium as gym
import numpy as np

from zerogym.envs.reasoning import extract_answer, parse_integer
from zerogym.envs.tools import ToolProblemEnv, Turn

GOODS = (
    "apples", "bread", "butter", "candles", "cheese", "eggs", "flour", "honey", "lamps", "milk",
    "nails", "oil", "paper", "rice", "rope", "salt", "soap", "sugar", "tea", "wool",
)  # fmt: skip


@dataclass(frozen=True)
class Shop:
    """The prices of goods, and those that are bought."""

    prices: tuple[tuple[str, int], ...]
    bought: tuple[str, ...]
    category: str = "total"

    @property
    def question(self) -> str:
        return f"You buy {', '.join(self.bought)}, one of each. What is the total?"


class MyTaskEnv(ToolProblemEnv[Shop]):
    """Look prices up with a tool, and add them.

    Description:
        A shop has prices that only the tool `price` returns, one at a time.

    Observation:
        The question, then the price that a call returned.

    Action:
        `<price>GOODS</price>`, or the total as `<answer>...</answer>`, which ends the episode.

    Reward:
        1 for the right total, else 0.

    Episode end:
        With an answer, or after `max_turns` replies.

    Difficulty:
        `2 + difficulty` goods are bought, at most 12.

    Arguments:
        max_turns: Replies in an episode, at least 2; the default is 16.
    """

    problem_class = Shop
    default_turns = 16
    categories = ("total",)

    def oracle_action(self) -> str:
        """Look up the next price, and add them after the last one."""
        episode, shop = self._running(), self._running().problem
        if episode.calls < len(shop.bought):
            return f"<price>{shop.bought[episode.calls]}</price>"
        return f"<answer>{self._answer(shop)}</answer>"

    def random_action(self, rng: np.random.Generator) -> str:
        """Answer with the price of anything."""
        return f"<answer>{int(rng.integers(2, 100))}</answer>"

    def _play(self, reply: str) -> Turn:
        shop = self._episode.problem
        answer, form = extract_answer(reply)
        called = reply.rpartition("<price>")[2].partition("</price>")[0].strip()
        if form == "tag":
            score = float(parse_integer(answer) == int(self._answer(shop)))
            says = "Correct." if score else "The total is wrong."
            return Turn(reply, says, score, {"feedback": says, "answer_format": form})
        if "<price>" not in reply:
            says = "Write <price>goods</price>, or <answer>total</answer>."
            return Turn(reply, says, None, {"feedback": says, "void_turn": True})
        self._episode.calls += 1
        price = dict(shop.prices).get(called)
        says = "There are no such goods." if price is None else f"{called}: {price}"
        return Turn(reply, says, None, {"void_turn": price is None})

    def _prompt(self) -> str:
        return (
            f"{self._episode.problem.question}\n"
            "<price>goods</price> returns the price of one of them.\n"
            "Give the final answer as <answer>...</answer>."
        )

    def _answer(self, problem: Shop) -> str:
        prices = dict(problem.prices)
        return str(sum(prices[name] for name in problem.bought))

    def _sample(self, difficulty: float) -> Shop:
        rng = self.np_random
        prices = tuple((name, int(rng.integers(2, 100))) for name in GOODS)
        chosen = rng.permutation(len(GOODS))[: min(12, 2 + int(difficulty))]
        return Shop(prices, tuple(GOODS[number] for number in sorted(chosen)))


gym.register("my_task/MyTask-v0", entry_point="my_task:MyTaskEnv")
