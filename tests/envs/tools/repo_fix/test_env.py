"""RepoFix-v0: its functions and bugs, its tools, its hidden tests."""

import copy
import json
from typing import Any

import numpy as np
import pytest

from helpers.sandbox.attack_range import needs_sandbox
from helpers.tools.plans import check_expert, gaps
from zerogym.envs.tools.repo_fix import judge
from zerogym.envs.tools.repo_fix.catalogue import UNITS
from zerogym.envs.tools.repo_fix.env import RepoFixEnv
from zerogym.envs.tools.repo_fix.repository import HIDDEN, VISIBLE, Repository
from zerogym.envs.tools.repo_fix.units import Bug, Unit
from zerogym.envs.tools.sandbox import Result
from zerogym.errors import UnknownName


def started(seed: int = 0, **options: Any) -> tuple[RepoFixEnv, Repository]:
    env = RepoFixEnv(**options)
    env.reset(seed=seed)
    return env, env._running().problem


def act(env: RepoFixEnv, tool: str, **arguments: str) -> tuple[str, dict[str, Any]]:
    tools = {each.name: each for each in env.tools}
    text, _, _, _, info = env.step(env.format.write(tools[tool], arguments))
    return text, info


def value(unit: Unit, constant: int, bug: Bug | None, arguments: list[Any]) -> Any:
    names: dict[str, Any] = {}
    exec(unit.source("f", constant, bug), names)
    try:
        return names["f"](*copy.deepcopy(arguments))
    except Exception as error:
        return error


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.names[0])
def test_sources_are_right_and_bugs_are_wrong(unit: Unit) -> None:
    rng = np.random.default_rng(0)
    for constant in (3, 4, 5):
        cases = [unit.draw(rng) for _ in range(150)]
        right = [unit.reference(copy.deepcopy(case), constant) for case in cases]
        assert [value(unit, constant, None, case) for case in cases] == right
        for bug in unit.bugs:
            assert unit.body.count(bug.right) == 1, bug
            wrong = [value(unit, constant, bug, case) for case in cases]
            assert sum(a != b for a, b in zip(wrong, right, strict=True)) >= 3, bug


@pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(1000), marks=pytest.mark.proof)], ids=len
)
def test_every_bug_fails_a_visible_and_another_hidden_case(seeds: range) -> None:
    kinds = set()
    for seed in seeds:
        env, repository = started(seed, difficulty=seed % 5)
        assert repository.category in {f.flaw.kind for f in repository.buggy if f.flaw}
        for function in repository.functions:
            unit, flaw = UNITS[function.unit], function.flaw
            assert (len(function.visible), len(function.hidden)) == (VISIBLE, HIDDEN)
            failing = [
                [a for a in cases if value(unit, function.constant, flaw, a) != function.value(a)]
                for cases in (function.visible, function.hidden)
            ]
            if flaw is None:
                assert failing == [[], []] and not function.issue and not function.failing
            else:
                assert failing[0] and len(failing[1]) == function.failing > 0
                zero = unit.names[0] == "digits_of" and flaw.kind == "missing"
                assert zero or any(case not in failing[0] for case in failing[1]), flaw
                kinds.add(flaw.kind)
        texts = repository.files()
        for call in env.expert_plan():
            if call.tool == "edit_file":
                assert texts[call.arguments["path"]].count(call.arguments["old"]) == 1
    assert kinds == set(RepoFixEnv.categories)


@needs_sandbox
def test_every_call_of_the_expert_is_needed() -> None:
    for seed, difficulty in enumerate((0, 3)):
        env = RepoFixEnv(difficulty)
        check_expert(env, seed)
        scores = [score for _, score in gaps(env, seed)]
        assert len(scores) >= 2 and not any(scores), scores


@needs_sandbox
def test_a_repository_as_it_was_is_judged_as_by_the_sandbox() -> None:
    found = []
    for change in ("", "# a comment\n"):
        env, repository = started(8, difficulty=3)
        env._running().state.files[repository.functions[0].module] += change
        info = env.step("<answer>done</answer>")[4]
        found.append((info["hidden_passed"], info["feedback"], info["score"]))
    assert found[0] == found[1] and 0 < found[0][0] < 1


@needs_sandbox
def test_visible_tests_fail_until_the_functions_are_right() -> None:
    env, repository = started(2, difficulty=2)
    text, info = act(env, "run_tests")
    for function in repository.buggy:
        assert f"::test_{function.name}: AssertionError: {function.name}(" in text
    assert text.count("FAIL") == len(repository.buggy) and 0 < info["tests_passed"] < 1
    for call in env.expert_plan():
        act(env, call.tool, **call.arguments)
    text, info = act(env, "run_tests")
    assert "6 passed, 0 failed" in text and info["tests_passed"] == 1.0
    assert env.step("<answer>done</answer>")[1] == 1.0


@needs_sandbox
def test_changing_tests_or_listing_their_values_does_not_help() -> None:
    env, repository = started(4, difficulty=0)
    for path in [path for path in repository.files() if path.startswith("tests/")]:
        act(env, "read_file", path=path)
        act(env, "edit_file", path=path, old="    assert got == expected,", new="    return;")
    assert act(env, "run_tests")[1]["tests_passed"] == 1.0
    _, reward, _, _, info = env.step("<answer>done</answer>")
    assert reward == 0.0 and 0 < info["hidden_passed"] < 1
    env, repository = started(4, difficulty=0)
    function = repository.buggy[0]
    known = {repr(tuple(a)): function.value(a) for a in function.visible}
    act(env, "read_file", path=function.module)
    old = function.fix()[0]
    names = UNITS[function.unit].parameters
    lookup = f"    known = {known!r}\n    if repr(({names},)) in known:\n"
    lookup += f"        return known[repr(({names},))]\n"
    act(env, "edit_file", path=function.module, old=old, new=lookup + old)
    assert act(env, "run_tests")[1]["tests_passed"] == 1.0
    assert env.step("<answer>done</answer>")[1] == 0.0


@needs_sandbox
@pytest.mark.parametrize(
    "code",
    [
        "import os\nos._exit(0)",
        "while True: pass",
        "print('[[1]]')\nraise SystemExit",
        "import sys\nsys.stdout.write('[' * 50000)\nsys.stdout.flush()\nimport os\nos._exit(0)",
        "import json\njson.dumps = lambda *a, **k: '[[1]]'",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
        "syntax error",
    ],
)
def test_hostile_code_has_no_score(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = judge.LIMITS.__class__(cpu_s=0.5, wall_s=10.0, memory_mib=256, output_kib=256)
    monkeypatch.setattr(judge, "LIMITS", limits)
    env, repository = started(1, difficulty=0)
    env._running().state.files[f"{repository.package}/__init__.py"] = code
    _, reward, terminated, _, info = env.step("<answer>done</answer>")
    assert (reward, terminated) == (0.0, True) and info["hidden_passed"] == 0.0
    assert info["feedback"]


def test_right_values_and_tests_do_not_enter_the_judges_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env, repository = started(3, difficulty=1)
    env._running().state.files[repository.functions[0].module] += "# changed\n"
    given: dict[str, Any] = {}

    class Recorder:
        def run(self, **options: Any) -> Result:
            given.update(options)
            return Result("ok", "[]")

    monkeypatch.setattr(judge, "shared_sandbox", lambda level: Recorder())
    _, reward, _, _, info = env.step("<answer>done</answer>")
    assert reward == 0.0 and "could not be run" in info["feedback"]
    assert given and not any(path.startswith("tests") for path in given["files"])
    # All that is sent but sources and arguments is the same for every repository.
    calls = [
        [f.module.removesuffix(".py").replace("/", "."), f.name, arguments]
        for f in repository.functions
        for arguments in f.hidden
    ]
    assert json.loads(given["stdin"]) == calls and given["python"] == judge._CALLS
    assert set(given) == {"python", "stdin", "files", "limits"}


def test_tools_say_what_is_wrong_with_a_call() -> None:
    env, repository = started(0)
    path = repository.buggy[0].module
    text, info = act(env, "read_file", path="main.py")
    assert "no file 'main.py'" in text and path in text and info["failed_calls"] == 1
    assert "Read" in act(env, "edit_file", path=path, old="return", new="")[0]
    assert "def " in act(env, "read_file", path=f"./{path}")[0]
    assert env._running().state.read == {path}
    assert " 0 times" in act(env, "edit_file", path=path, old="no such text", new="")[0]
    env._running().state.files[path] = "#" * 18_000 + "end"
    assert "20000 characters" in act(env, "edit_file", path=path, old="end", new="#" * 3000)[0]
    assert env._running().state.files[path].endswith("#end")


def test_guidance_names_the_place_or_a_plan() -> None:
    plain, repository = started(6, difficulty=2)
    prompts = {g: RepoFixEnv(2, guidance=g).reset(seed=6)[0] for g in ("none", "place", "plan")}
    for function in repository.buggy:
        place = f"the function {function.name} in {function.module} is wrong"
        assert place not in prompts["none"]
        assert place in prompts["place"] and place in prompts["plan"]
        assert place in plain.hint("place"), "for another attempt"
    assert len(prompts["none"]) < len(prompts["place"]) < len(prompts["plan"])
    assert plain.hint("none") == ""
    with pytest.raises(UnknownName, match="plan"):
        RepoFixEnv(guidance="pla")  # type: ignore[arg-type]


def test_categories_are_the_kinds_of_bugs() -> None:
    for kind in RepoFixEnv.categories:
        for seed in range(4):
            _, repository = started(seed, category=kind, difficulty=seed)
            assert kind in {f.flaw.kind for f in repository.buggy if f.flaw}
