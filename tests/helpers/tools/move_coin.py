"""A small `ToolWorld`: a coin lies in the left drawer and must be moved to the right one."""

from dataclasses import dataclass

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.tool import Tool, ToolResult, one_text
from zerogym.envs.tools.world import Judgement, ToolWorld


@dataclass(frozen=True)
class Drawers:
    """A coin lies in the left drawer and must be moved to the right one."""

    coin: int

    @property
    def question(self) -> str:
        return "Move the coin to the right drawer; answer its year."

    @property
    def category(self) -> str:
        return "coin"

    def __deepcopy__(self, memo):
        raise AssertionError("problems are not copied")


class Take(Tool):
    name, body, description = "take", "drawer", "Takes what is in a drawer."
    parameters = one_text("drawer", "which drawer", "left", enum=["left", "right"])

    def call(self, arguments, state):
        taken, state["hand"] = state.pop(arguments["drawer"], None), None
        state["hand"] = taken
        return ToolResult(f"a coin of {taken}" if taken else "nothing", bool(taken))


class Put(Tool):
    name, body, description = "put", "drawer", "Puts what is in the hand into a drawer."
    parameters = one_text("drawer", "which drawer", "right", enum=["left", "right"])

    def call(self, arguments, state):
        state[arguments["drawer"]], state["hand"] = state["hand"], None
        return ToolResult("done", cost=0.5)


class MoveCoin(ToolWorld[Drawers]):
    problem_class = Drawers
    categories = ("coin",)
    default_turns, default_calls = 5, 4

    @classmethod
    def canonical_key(cls, problem):
        return str(problem.coin)

    def _sample(self, difficulty):
        return Drawers(int(self.np_random.integers(1000, 2000)))

    def _toolbox(self, problem):
        return [Take(), Put(), Submit()]

    def _new_state(self, problem):
        return {"left": problem.coin, "hand": None}

    def _plan(self, problem):
        return [Call("take", {"drawer": "left"}), Call("put", {"drawer": "right"})]

    def _answer(self, problem):
        return str(problem.coin)

    def _judge(self, problem, state, answer):
        moved = state.get("right") == problem.coin
        return Judgement((moved + (answer == str(problem.coin))) / 2, "", {"moved": moved})
