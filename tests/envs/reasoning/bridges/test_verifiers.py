"""Environments of verifiers: rewards are those of their rubrics, and what fails is scored."""

import pickle
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import zerogym
from zerogym.errors import ImportRefused, NoSnapshot

vf: Any = pytest.importorskip("verifiers", reason="verifiers is installed by hand")
ROWS = hasattr(vf, "Environment")  # the first generation; else task sets
if not ROWS:
    import verifiers.v1 as vf
rows = pytest.mark.skipif(not ROWS, reason="of the first generation")
tasks = pytest.mark.skipif(ROWS, reason="of the second generation")

MODULES = {
    True: """
import verifiers as vf
from datasets import Dataset

async def right(completion, answer):
    return float(completion[-1]["content"].strip() == answer)

async def brief(completion):
    return float(len(completion[-1]["content"]) < 3)

def load_environment(count=4):
    data = [{"question": f"{i}+{i}?", "answer": str(2 * i)} for i in range(count)]
    rubric = vf.Rubric(funcs=[right, brief], weights=[0.75, 0.25])
    return vf.SingleTurnEnv(dataset=Dataset.from_list(data), system_prompt="Add.", rubric=rubric)
""",
    False: """
import verifiers.v1 as vf

class Config(vf.TasksetConfig):
    count: int = 4

class Data(vf.TaskData):
    answer: str

class Sum(vf.Task[Data, vf.State, vf.TaskConfig]):
    @vf.reward(weight=0.75)
    async def right(self, trace):
        return float(trace.last_reply == self.data.answer)

    @vf.reward(weight=0.25)
    async def brief(self, trace):
        return float(len(trace.last_reply) < 3)

class Sums(vf.Taskset[Sum, Config]):
    def load(self):
        for i in range(self.config.count):
            yield Sum(Data(prompt=f"{i}+{i}?", system_prompt="Add.", answer=str(2 * i)))

__all__ = ["Sums"]
""",
}


@pytest.fixture
def sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The id of an environment that is installed, and not imported."""
    (tmp_path / "zerogym_sums.py").write_text(MODULES[ROWS], "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield "owner/zerogym-sums"
    sys.modules.pop("zerogym_sums", None)


def made(env: Any, **arguments: Any) -> Any:
    return zerogym.make("Verifiers", env=env, **arguments).unwrapped


def test_an_id_imports_nothing_and_then_plays_as_the_rubric_says(sums: str) -> None:
    with pytest.raises(ImportRefused, match="--import zerogym_sums"):
        made(sums)
    assert "zerogym_sums" not in sys.modules
    __import__("zerogym_sums")
    env = made(sums, settings={"count": 3})
    visited = set()
    for seed in range(12):
        text, info = env.reset(seed=seed)
        index = info["index"]
        assert text == f"Add.\n\n{index}+{index}?" and env.reset(seed=seed) == (text, info)
        visited.add(index)
    assert visited == {0, 1, 2}
    for reply, right, brief in (("4", 1, 1), ("5", 0, 1), ("12345", 0, 0)):
        assert env.reset(options={"index": 2})[1]["index"] == 2
        _, reward, done, cut, info = env.step(reply)
        assert (reward, done, cut) == (0.75 * right + 0.25 * brief, True, False)
        assert info["metrics"].items() >= {"right": right, "brief": brief}.items()
        assert info["success"] is (reward == 1) and "env_fault" not in info
    with pytest.raises(RuntimeError, match="call reset"):
        env.step("4")
    with pytest.raises(ValueError, match="from 0 to 2, got 3"):
        env.reset(options={"index": 3})
    env.close()


@pytest.mark.parametrize("settings", [{"colour": "red"}, {"count": "many"}])
def test_settings_that_it_does_not_take_are_one_line(sums: str, settings: dict[str, Any]) -> None:
    __import__("zerogym_sums")
    with pytest.raises(ValueError, match=r"zerogym-sums' cannot be loaded: ") as refused:
        made(sums, settings=settings)
    assert "\n" not in str(refused.value)


@tasks
@pytest.mark.parametrize("name", ["task", "id", "system_prompt"])
def test_settings_that_name_code_or_files_are_refused(sums: str, name: str) -> None:
    __import__("zerogym_sums")
    with pytest.raises(ValueError, match=f"may not have '{name}'"):
        made(sums, settings={name: {}})


@pytest.mark.parametrize("env", [None, 7, object()])
def test_what_is_no_environment_is_refused(env: object) -> None:
    with pytest.raises(ValueError, match="env is an environment of verifiers or the id of one"):
        made(env)


def guesser(answer: str = "7", fault: Any = None, **arguments: Any) -> Any:
    """A first-generation environment: guess a number, and `fault()` at "now"."""
    from datasets import Dataset

    class Guess(vf.MultiTurnEnv):  # type: ignore[misc]
        async def env_response(self, messages: Any, state: Any, **_: Any) -> Any:
            said = messages[-1]["content"]
            if said == "now":
                fault()
            if said == state["answer"]:
                state["final_env_response"] = [vf.UserMessage(content="Right!")]
                return state["final_env_response"]
            return [vf.UserMessage(content="more" if said < state["answer"] else "less")]

    async def won(completion: Any, state: Any) -> float:
        turns = len(state["trajectory"])
        return 2.0 / turns if completion[-1]["content"] == "Right!" else -1.0

    data = Dataset.from_list([{"question": "Guess!", "answer": answer}])
    return Guess(dataset=data, rubric=vf.Rubric(funcs=[won]), **arguments)


@rows
def test_turns_of_a_rollout_and_rewards_cut_to_the_unit_interval() -> None:
    env = made(guesser())
    assert env.reset(seed=0)[0] == "Guess!"
    assert env.step("3")[:4] == ("more", 0.0, False, False)
    assert env.step("9")[:4] == ("less", 0.0, False, False)
    assert env.step("8")[:4] == ("less", 0.0, False, False)
    said, reward, done, _, info = env.step("7")
    assert (said, reward, done, info["metrics"]["won"]) == ("Right!", 0.5, True, 0.5)
    env.reset()
    assert env.step("7")[1] == 1.0  # of 2
    lost = made(guesser(max_turns=2))
    lost.reset()
    lost.step("1")
    said, reward, done, cut, info = lost.step("2")  # the library says no more than its limit
    assert (said, reward, done, cut, info["metrics"]["won"]) == ("", 0.0, True, False, -1.0)
    env.close(), lost.close()


def raises_error() -> None:
    raise vf.Error("no such number")


def raises_key() -> None:
    raise KeyError("state")


@rows
@pytest.mark.parametrize(
    ("fault", "says"), [(raises_error, "no such number"), (raises_key, "KeyError: 'state'")]
)
def test_an_environment_that_fails_is_a_scored_end(fault: Any, says: str) -> None:
    env = made(guesser(fault=fault))
    env.reset(seed=0)
    said, reward, done, cut, info = env.step("now")
    assert (reward, done, cut, info["score"]) == (0.0, True, False, 0.0)
    assert says in info["env_fault"] and said.startswith("The environment failed: ")
    assert env.reset(seed=0)[0] == "Guess!"
    assert env.step("7")[1] == 1.0
    env.close()


@rows
def test_an_environment_that_hangs_is_given_up() -> None:
    hold = threading.Event()
    env = made(guesser(fault=lambda: hold.wait(60)), step_seconds=0.05)
    env.reset(seed=0)
    assert env.step("now")[4]["env_fault"] == "no answer within 0.05 s"
    env.step_seconds = 60.0
    assert env.reset(seed=0)[0] == "Guess!"
    assert env.step("7")[1] == 1.0
    hold.set()
    env.close()


@rows
def test_tools_are_refused_before_the_first_reply() -> None:
    tool = {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}
    env = made(guesser(tool_defs=[tool]))
    with pytest.raises(RuntimeError, match=r"row 0 starts no episode: .*has tools \(look\)"):
        env.reset(seed=0)
    env.close()


def conversation(env_task: Any = None, **agent: Any) -> tuple[Any, Any]:
    """A second-generation environment of two turns: its class, and an object of it."""

    class Config(vf.EnvConfig):  # type: ignore[misc]
        player: Any = vf.AgentConfig(**agent)

    class Talk(vf.Env[Config]):  # type: ignore[misc]
        def __init__(self) -> None:
            self.config, self.taskset = Config(), task_set(env_task)

        async def run(self, task: Any, agents: Any) -> None:
            async with agents.player.interaction(task) as talk:
                said = await talk.turn()
                while not said.terminated and said.last_reply != "end":
                    said = await talk.turn(f"You said {said.last_reply}.")
            talk.trace.record_reward("bonus", 0.5)

    return Talk, Talk()


def task_set(task: Any = None, prompt: Any = "Hello") -> Any:
    class Greeting(vf.Task):  # type: ignore[misc]
        @vf.reward
        async def turns(self, trace: Any) -> float:
            if "fail" in trace.last_reply:
                raise KeyError("state")
            return trace.num_turns / 10

        @vf.stop
        async def rude(self, trace: vf.Trace) -> bool:
            return trace.last_reply == "rude"

    class Greetings(vf.Taskset):  # type: ignore[misc]
        INFINITE = True

        def load(self) -> Iterator[Any]:
            while True:
                yield (task or Greeting)(vf.TaskData(prompt=prompt))

    return Greetings(vf.TasksetConfig())


@tasks
def test_an_interaction_is_played_turn_by_turn() -> None:
    env = made(conversation()[1])
    assert env.reset(seed=0)[0] == "Hello"
    assert env.step(" one ")[:4] == ("You said one.", 0.0, False, False)
    _, reward, done, _, info = env.step("end")
    assert (reward, done) == (0.7, True)  # 0.2 of the task, 0.5 of the environment
    assert info["metrics"] == {"turns": 0.2, "bonus": 0.5}
    env.reset()
    assert env.step("rude")[1:3] == (0.6, True)  # the task's own stop
    env.close()
    limited = made(conversation(max_turns=2)[1])
    limited.reset()
    assert limited.step("a")[2] is False and limited.step("b")[2] is True
    limited.close()


@tasks
def test_a_task_that_fails_is_a_scored_end_and_roles_are_named() -> None:
    shots = [
        vf.SystemMessage(content="Be kind."),
        vf.UserMessage(content="Hi"),
        vf.AssistantMessage(content="Hello!"),
        vf.UserMessage(content=[vf.TextContentPart(text="Bye")]),
    ]
    env = made(task_set(prompt=shots))
    said, info = env.reset(seed=3)
    assert said == "system: Be kind.\n\nuser: Hi\n\nassistant: Hello!\n\nuser: Bye"
    assert 0 <= info["index"] < 10_000  # of a task set without end
    _, reward, done, _, info = env.step("fail")
    assert (reward, done, info["score"]) == (0.0, True, 0.0) and "state" in info["env_fault"]
    env.close()


@tasks
def test_tasks_that_need_more_than_a_conversation_are_refused() -> None:
    class Boxed(vf.Task):  # type: ignore[misc]
        NEEDS_CONTAINER = True

    class Tests(vf.Task):  # type: ignore[misc]
        @vf.reward
        async def passed(self, trace: Any, runtime: Any) -> float:
            return 1.0

    class Rewriting(vf.Task):  # type: ignore[misc]
        @vf.intercept
        async def rewrite(self, request: vf.Request) -> None: ...

    for kind, need in ((Boxed, "a container"), (Tests, "a runtime"), (Rewriting, "requests")):
        env = made(task_set(kind))
        with pytest.raises(RuntimeError, match=f"{kind.__name__} needs {need}"):
            env.reset(seed=0)
        env.close()


@tasks
def test_environments_that_need_more_than_a_conversation_are_refused() -> None:
    talk, env = conversation()

    class Serving(talk):  # type: ignore[misc, valid-type]
        async def start(self) -> None: ...

    with pytest.raises(ValueError, match="Serving starts resources"):
        made(Serving())

    class Tools(type(env.taskset)):  # type: ignore[misc]
        @classmethod
        def toolsets(cls, config: Any) -> list[Any]:
            return [object()]

    with pytest.raises(ValueError, match="Tools has tools"):
        made(Tools(vf.TasksetConfig()))

    class Two(vf.EnvConfig):  # type: ignore[misc]
        first: vf.AgentConfig = vf.AgentConfig()
        second: vf.AgentConfig = vf.AgentConfig()

    env.config = Two()
    with pytest.raises(ValueError, match=r"several agents \(first, second\)"):
        made(env)


@tasks
def test_our_own_task_goes_out_and_comes_back_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "ZerogymEnv, ZerogymTaskset"
    code = f"from zerogym.adapters.verifiers import {names}\n__all__ = {names.split(', ')}\n"
    (tmp_path / "zerogym_sql.py").write_text(code, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("zerogym_sql")
    env = made("zerogym-sql", settings={"environment": "SQL", "count": 5})
    ours = zerogym.make("SQL").unwrapped
    turns = 0
    for seed in range(5):
        assert env.reset(options={"index": seed})[0] == ours.reset(seed=seed)[0]
        done = False
        while not done:
            action = ours.oracle_action()
            said, reward, done, _, _ = env.step(action)
            text, *_ = ours.step(action)
            assert done or said == text
            turns += 1
        assert reward == 1.0
    assert turns > 5
    env.close()
    sys.modules.pop("zerogym_sql")


def test_replies_that_are_too_long_or_too_many(sums: str) -> None:
    __import__("zerogym_sums")
    env = made(sums)
    env.reset(seed=0)
    said, reward, done, _, info = env.step("1" * 20_001)
    assert (said, reward, done) == ("The reply is too long.", 0.0, True) and info["void_turn"]
    endless = made(guesser() if ROWS else conversation()[1], max_turns=2)
    endless.reset(seed=0)
    assert endless.step("1")[2:4] == (False, False)
    said, reward, done, cut, info = endless.step("2\ud800")
    assert (reward, done, cut, info["score"]) == (0.0, False, True, 0.0)
    assert said == ("more" if ROWS else "You said 2?.")
    for copied in (endless.get_state, lambda: pickle.dumps(endless)):
        with pytest.raises(NoSnapshot, match="no snapshots"):
            copied()
    env.close(), endless.close()
