"""A race to a number: a game of two players."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import gymnasium as gym
import numpy as np

from zerogym.envs.games import TERMINAL, Game, SingleSeatEnv, result_text, win_or_loss


class State(NamedTuple):
    """The total so far, and the seat that moves next."""

    total: int = 0
    mover: int = 0


@dataclass(frozen=True)
class MyTask(Game[State]):
    """Two players add 1 to 3 in turn; whoever reaches the goal wins."""

    name: ClassVar[str] = "my_task"
    num_actions: ClassVar[int] = 3
    observation_size: ClassVar[int] = 1
    enumerable: ClassVar[bool] = True
    goal: int = 21

    def initial(self) -> State:
        return State()

    def to_move(self, state: State) -> int:
        return TERMINAL if state.total == self.goal else state.mover

    def legal(self, state: State) -> tuple[int, ...]:
        return tuple(action for action in range(3) if state.total + action < self.goal)

    def apply(self, state: State, action: int) -> State:
        return State(state.total + action + 1, 1 - state.mover)

    def payoff(self, state: State) -> tuple[float, ...]:
        return win_or_loss(1 - state.mover)

    def observe(self, state: State, seat: int) -> np.ndarray:
        return np.array([state.total / self.goal], dtype=np.float32)

    def info_key(self, state: State, seat: int) -> str:
        return f"{seat}:{state.total}"

    def rules(self, seat: int) -> str:
        return f"In turn, add 1, 2 or 3 to the total. Whoever reaches {self.goal} wins."

    def describe(self, state: State, seat: int) -> str:
        if self.to_move(state) == TERMINAL:
            return f"{result_text(self.payoff(state)[seat])}."
        return f"The total is {state.total}. Reply <answer>number</answer>, 1 to 3."

    def action_name(self, state: State, action: int) -> str:
        return str(action + 1)


class MyTaskEnv(SingleSeatEnv):
    """Race to a number, from one seat.

    Description:
        Two players add 1, 2 or 3 to a total in turn; whoever reaches the goal wins.

    Arguments:
        goal: The number, by default 21.
    """

    rules_class = MyTask


gym.register("my_task/MyTask-v0", entry_point="my_task:MyTaskEnv")
