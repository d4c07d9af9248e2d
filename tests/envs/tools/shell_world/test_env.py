"""Shell-v0: InterCode's reward by hand, scripts against functions, the expert."""

import math

import numpy as np
import pytest

from helpers.sandbox.attack_range import needs_sandbox
from helpers.tools.plans import check_expert, gaps
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.folder.bash import Bash, FolderState
from zerogym.envs.tools.folder.folder import Folder
from zerogym.envs.tools.shell_world.edits import (
    DRAWS,
    CopyWith,
    MoveKind,
    Replace,
    SortInto,
    sample_edit,
)
from zerogym.envs.tools.shell_world.env import ShellEnv, ShellProblem
from zerogym.envs.tools.shell_world.reward import Parts, changes, parts, score, similarity
from zerogym.envs.tools.shell_world.tree import Tree, sample_tree

BEFORE = {"keep": b"k", "old": b"o", "edit": b"e"}
GOLD = {"keep": b"k", "edit": b"E", "new": b"n"}


def test_changes_are_those_of_a_version_control() -> None:
    assert changes(BEFORE, GOLD) == {("old", "D"), ("edit", "M"), ("new", "A")}
    assert changes(GOLD, GOLD) == set()


def test_the_three_parts_by_hand() -> None:
    right = parts(BEFORE, GOLD, "12 files", GOLD, "12 files\n")
    assert right == Parts(1.0, 1.0, 1.0) and right.reward == 1.0
    # One change is missing: `old` is there. The content of `edit` is wrong, that of `new` is right.
    end = {**GOLD, "old": b"o", "edit": b"?"}
    half = parts(BEFORE, GOLD, "12 files", end, "13 files")
    assert half.changes == pytest.approx(1 - math.erf(1)) == pytest.approx(0.1572992)
    assert half.contents == 0.5
    # `files` is in both texts (weight 1), the numbers in one each (ln 1.5 + 1).
    number = math.log(1.5) + 1
    assert half.output == pytest.approx(1 / (1 + number**2)) == pytest.approx(0.3360969, abs=1e-6)
    by_hand = 0.01 + 0.33 * 0.1572992 + 0.33 * 0.5 + 0.33 * 0.3360969
    assert half.reward == pytest.approx(by_hand, abs=1e-6)
    idle = parts(BEFORE, GOLD, "12 files", BEFORE, "")
    assert idle == Parts(pytest.approx(1 - math.erf(3)), 1.0, 0.0)
    assert idle.reward == pytest.approx(0.34, abs=1e-4)
    got = score(BEFORE, GOLD, "12 files", end, "13 files")
    assert got == pytest.approx(max(0.0, (by_hand - idle.reward) / (1 - idle.reward)), abs=1e-6)
    assert score(BEFORE, GOLD, "12 files", BEFORE, "") == 0.0
    assert score(BEFORE, GOLD, "12 files", GOLD, "12 files") == 1.0
    extra = parts(BEFORE, GOLD, "", {**GOLD, "more": b""}, "")
    assert extra.changes == pytest.approx(1 - math.erf(1)) and extra.contents == 1.0


def test_similar_outputs() -> None:
    assert similarity("b a", "a b") == 0.99 and similarity("a b\n", "a b") == 1.0
    assert similarity("", "a") == 0.0 and similarity("", "\n") == 1.0
    assert similarity("-- //", "++") == 0.0, "texts without words are the same or not"
    # Counts (2, 1, 0) and (1, 0, 1) with weights (1, u, u).
    u = math.log(1.5) + 1
    cosine = 2 / math.sqrt((4 + u * u) * (1 + u * u))
    assert similarity("a a b", "C A") == pytest.approx(cosine)
    assert similarity("x " * 10**6, "y") == 0.0


def encoded(tree: Tree) -> dict[str, bytes]:
    return {path: text.encode() for path, text in tree.items()}


def check_scripts(seeds: range) -> set[str]:
    """Run the expert's scripts of several problems, each in a folder of its own, in one call."""
    problems: dict[str, ShellProblem] = {}
    for seed in seeds:
        env = ShellEnv(seed % 7, "test" if seed % 3 == 0 else "train")
        env.reset(seed=seed)
        problems[f"p{seed}"] = env._running().problem
    folders = {
        f"{name}/{p}": t for name, problem in problems.items() for p, t in problem.tree.items()
    }
    state, script = FolderState(Folder(folders)), ""
    for name, problem in problems.items():
        for edit in problem.edits:
            script += f"(cd {name}\n{edit.script}\n) > /dev/null\n"
        script += f"(cd {name}\n{problem.query.script}\n)\necho @@\n"
    assert Bash().call({"script": script}, state).ok
    files, outputs = state.folder.files(), state.output.split("@@\n")
    kinds = set()
    for (name, problem), output in zip(problems.items(), outputs, strict=False):
        end = {f"{name}/{path}": text for path, text in encoded(problem.end()[0]).items()}
        found = {path: text for path, text in files.items() if path.startswith(f"{name}/")}
        assert (found, output) == (end, problem.end()[1]), (name, problem.question)
        kinds |= {type(step).__name__ for step in problem.steps}
    return kinds


@needs_sandbox
def test_scripts_do_what_their_functions_say() -> None:
    assert len(check_scripts(range(16))) == 14, "seven kinds of changes and seven of questions"


@needs_sandbox
def test_edits_on_what_is_seldom_drawn() -> None:
    """Repeated lines, several words of a kind in a line, files without the searched word."""
    tree = {"a.txt": "bbb aaa bbb\nccc\nccc\naaa\n", "d/e.txt": "ccc\n", "f.log": ""}
    edits = (
        SortInto("a.txt", "new.txt"),
        Replace("txt", "bbb", "ddd"),
        CopyWith("ddd", "kept"),
        MoveKind("log", "logs"),
    )
    state, end = FolderState(Folder(tree)), dict(tree)
    assert Bash().call({"script": "\n".join(edit.script for edit in edits)}, state).ok
    for edit in edits:
        end = dict(edit.apply(end))
    assert state.folder.files() == encoded(end)
    assert end["new.txt"] == "aaa\nddd aaa ddd\nccc\n"
    assert end["kept/a.txt"].startswith("ddd aaa ddd")


@pytest.mark.proof
@needs_sandbox
def test_scripts_do_what_their_functions_say_over_many_seeds() -> None:
    for first in range(0, 240, 40):
        check_scripts(range(first, first + 20))


@needs_sandbox
def test_the_expert_needs_each_of_its_calls() -> None:
    for seed in range(2):
        env = ShellEnv(1 + seed)
        check_expert(env, seed)
        scores = [score for _, score in gaps(env, seed)]
        assert len(scores) == 2 + seed and max(scores) < 0.8, scores


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(1000), marks=pytest.mark.proof)], ids=len
)
def test_each_change_matters_without_a_sandbox(seeds: range) -> None:
    """A plan without one of its scripts: by the functions, which the scripts agree with."""
    for seed in seeds:
        env = ShellEnv(seed % 7)
        env.reset(seed=seed)
        problem: ShellProblem = env._running().problem
        begin, (end, gold) = encoded(problem.tree), problem.end()
        right = encoded(end)
        assert score(begin, right, gold, right, gold) == 1.0
        assert score(begin, right, gold, begin, "") == 0.0
        assert score(begin, right, gold, right, "") < 1.0, "the last step is needed"
        for number in range(len(problem.edits)):
            other, output = problem.end(number)
            assert score(begin, right, gold, encoded(other), output) < 1.0, (seed, number)


def test_answers_at_once_have_no_score() -> None:
    for seed in range(20):
        env = ShellEnv(2)
        env.reset(seed=seed)
        _, reward, terminated, _, info = env.step(env.answer_action())
        assert (reward, terminated) == (0.0, True) and "the last output" in info["feedback"]
        assert 0.34 <= info["intercode"] < 0.68, "the published reward of doing nothing"


@needs_sandbox
def test_an_episode_branches_at_a_snapshot_and_costs_its_calls() -> None:
    env = ShellEnv(2, call_cost=0.125)
    env.reset(seed=3)
    env.step(env.oracle_action())
    state = env.get_state()
    ends = []
    for detour in (0, 1):
        env.set_state(state)
        look = Call("bash", {"script": "rm -rf nothing; ls > /dev/null"})
        for _ in range(detour):
            text = env.step(env.format.write(env.tools[0], look.arguments))[0]
            assert "no output" in text
        while not env._running().over:
            step = env.step(env.oracle_action())
        ends.append((step[1], step[4]["score"]))
    assert ends == [(1.0, 1.0), (0.875, 1.0)]


def test_every_kind_of_change_is_drawn() -> None:
    rng = np.random.default_rng(0)
    words = ["aabbcc", "ddeeff", "gghhii", "jjkkll"]
    tree = sample_tree(rng, 12, words)
    kinds = {type(sample_edit(rng, tree, words, "mmnnoo")[0]).__name__ for _ in range(60)}
    assert len(kinds) == len(DRAWS)
