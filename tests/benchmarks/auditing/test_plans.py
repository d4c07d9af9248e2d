"""The checks of worlds with a plan of calls find planted give-aways, and nothing else."""

import gymnasium as gym
import pytest

from helpers.tools.move_coin import MoveCoin
from zerogym.benchmarks.auditing.plans import answer_in_sight, one_call_enough
from zerogym.benchmarks.auditing.subject import Size, Subject
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.tool import Tool, ToolResult, one_text
from zerogym.envs.tools.world import Judgement


class Look(Tool):
    """Shows the year in the right drawer, which a note in the left one names."""

    name, body, description = "look", "drawer", "Looks into a drawer."
    parameters = one_text("drawer", "which drawer", "left")

    def call(self, arguments, state):
        return ToolResult(state.get(arguments["drawer"], "nothing"))


class Notes(MoveCoin):
    """Judged by its answer: two looks are needed, since the second drawer has a drawn name."""

    def _toolbox(self, problem):
        return [Look()]

    def _new_state(self, problem):
        return {"left": f"look into drawer {problem.coin * 7}", str(problem.coin * 7): self.coin}

    @property
    def coin(self):
        return "the year is 1234"

    def _plan(self, problem):
        return [Call("look", {"drawer": "left"}), Call("look", {"drawer": str(problem.coin * 7)})]

    def _answer(self, problem):
        return "1234"

    def _judge(self, problem, state, answer):
        return Judgement(float(answer == "1234"))


class NamedDrawer(Notes):
    """The task names the second drawer, so that the first look is of no use."""

    def _task(self, problem):
        return f"{problem.question} It lies in drawer {problem.coin * 7}."


class NotedInTheTask(Notes):
    def _task(self, problem):
        return f"{problem.question} A hint: 1234."


class NotedInTheFirst(Notes):
    def _new_state(self, problem):
        return super()._new_state(problem) | {"left": "drawer 7, which says 1234"}


class AlreadyMoved(MoveCoin):
    def _new_state(self, problem):
        return {"right": problem.coin, "left": None, "hand": None}


@pytest.fixture
def subject():
    def make(world):
        gym.register("tests/World-v0", world)
        return Subject("tests/World-v0")

    yield make
    del gym.registry["tests/World-v0"]


@pytest.mark.parametrize(
    ("world", "in_sight", "enough"),
    [
        (MoveCoin, "skip", "pass"),
        (Notes, "pass", "pass"),
        (NamedDrawer, "pass", "fail"),
        (NotedInTheTask, "fail", "pass"),
        (NotedInTheFirst, "fail", "fail"),
        (AlreadyMoved, "pass", "pass"),  # judged by its answer: nothing has to be done
    ],
)
def test_give_aways_are_found(subject, world, in_sight, enough):
    given = subject(world)
    size = Size(problems=20)
    assert answer_in_sight(given, size).status == in_sight
    assert one_call_enough(given, size).status == enough


def test_others_are_skipped():
    given = Subject("zerogym/Countdown-v0")
    assert answer_in_sight(given, Size(problems=2)).status == "skip"
    assert one_call_enough(given, Size(problems=2)).status == "skip"
