"""Properties of every environment of the registry. A new task is tested here without an edit.

Expensive properties are tested on a few environments of each family; `make proofs` tests all.
"""

import ast
import inspect
import json
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from helpers.episodes import (
    WHY_NO_SANDBOX,
    Case,
    all_cases,
    continue_episode,
    digest,
    fingerprint,
    installed,
    outcome,
    play,
)
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import nash_conv
from zerogym.envs.pages import HEADINGS, page, sections
from zerogym.envs.reasoning.core import ReasoningEnv
from zerogym.envs.registry import TASKS, UNLISTED, Task
from zerogym.errors import UnknownName

CASES = all_cases()
TEXT_CASES = [case for case in CASES if case.is_text]
REWARDED = [case for case in CASES if case.has_reward]
HOSTILE = {
    "empty": "",
    "blank": " \n\t ",
    "NUL": "\x00",
    "NUL in an answer": "<answer>\x001\x00</answer>",
    "10 MB": "9" * 10_000_000,
    "10 MB answer": f"<answer>{'1+' * 5_000_000}1</answer>",
    "10 MB of tags": "<answer>" * 1_250_000,
    "lone surrogate": "<answer>\ud800 4 \udfff</answer>",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u202e\ufeff",
    "brackets": "<answer>" + "(" * 100_000 + "</answer>",
    "matched brackets": "<answer>" + "(" * 50_000 + "1" + ")" * 50_000 + "</answer>",
    "braces": "\\boxed{" * 100_000,
    "power tower": "<answer>9**9**9**9</answer>",
    "huge exponent": "<answer>1e999999999</answer>",
    "unicode digits": "<answer>\u0661\u0662\u0663 \u00b2 \u2460 \U0001d7d8</answer>",
    "code": "<answer>__import__('os').abort()</answer>",
    "JSON bomb": "<tool_call>" + "[" * 100_000 + "</tool_call>",
    "statements": "<sql>" + "SELECT 1;" * 100_000 + "</sql>",
}
PROOF = pytest.mark.proof
SECONDS = 5.0  # for one hostile reply; each takes milliseconds on an idle machine


def each_case(cases: list[Case] = CASES) -> pytest.MarkDecorator:
    """Parametrise a test over cases."""
    return pytest.mark.parametrize("case", cases, ids=str)


def few_cases(cases: list[Case] = CASES, count: int = 3) -> pytest.MarkDecorator:
    """Parametrise an expensive test over a few cases a family, and in proofs over all."""
    few: list[Case] = []
    for family in {case.task.family for case in cases}:
        own = [case for case in cases if case.task.family == family]
        few += own[:: -(-len(own) // count)]
    marked = [
        pytest.param(case, marks=[] if case in few else PROOF, id=str(case)) for case in cases
    ]
    return pytest.mark.parametrize("case", marked)


NEED_SANDBOX = [task.name for task in TASKS if "sandbox" in task.tags]


@pytest.mark.skipif(bool(WHY_NO_SANDBOX), reason=f"{NEED_SANDBOX}: {WHY_NO_SANDBOX}")
def test_tasks_that_need_a_sandbox_are_among_the_cases() -> None:
    assert set(NEED_SANDBOX) <= {case.task.name for case in CASES}


each_task = pytest.mark.parametrize(
    "task", list(filter(installed, TASKS)), ids=lambda task: task.name
)


@few_cases()
def test_gymnasium_checks_it(case: Case) -> None:
    check_env(case.bare())


@few_cases()
def test_the_same_seed_gives_the_same_episode(case: Case) -> None:
    env = case.make()
    first = play(env, seed=1)[0]
    assert play(env, seed=1)[0] == first, "of one environment"
    assert play(case.make(), seed=1)[0] == first, "of a new one"
    assert any(play(env, seed=seed)[0] != first for seed in range(2, 10)), "whatever the seed"


@pytest.mark.proof
def test_another_process_gives_the_same_episodes(root: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-P", "-m", "helpers.episodes"],  # by path `helpers/` would come first
        capture_output=True, text=True, timeout=300,
        env={
            "PYTHONHASHSEED": "12345", "PYTHONPATH": f"{root / 'src'}:{root / 'tests'}",
            "OMP_NUM_THREADS": "1",
        },
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == {str(case): fingerprint(case) for case in CASES}


@few_cases()
def test_two_live_environments_do_not_disturb_each_other(case: Case) -> None:
    alone = [play(case.make(), seed=seed)[0] for seed in (1, 2)]
    envs, rngs = [case.make(), case.make()], [np.random.default_rng(seed) for seed in (1, 2)]
    together = [[digest((o, i))] for o, i in (envs[n].reset(seed=n + 1) for n in (0, 1))]
    running = [0, 1]
    while running:
        for index in list(running):
            action = envs[index].unwrapped.random_action(rngs[index])  # type: ignore[attr-defined]
            step = envs[index].step(action)
            together[index].append(digest((action, *step)))
            if step[2] or step[3]:
                running.remove(index)
    assert together == alone


@few_cases()
def test_a_snapshot_can_be_replayed(case: Case) -> None:
    env = case.bare()
    env.reset(seed=3)
    if any(env.step(env.random_action(np.random.default_rng(3)))[2:4]):
        env.reset(seed=3)  # one step was all there is: not from the middle, then
    snapshot = env.get_state()
    first = continue_episode(env, "random", np.random.default_rng(1))[:2]
    next_episode = digest(env.reset()[0])
    for other in (env, case.bare()):
        other.reset(seed=99)
        other.set_state(snapshot)
        assert continue_episode(other, "random", np.random.default_rng(1))[:2] == first
        assert digest(other.reset()[0]) == next_episode, "the generator is part of the snapshot"


def chance_is_best(game: Any) -> bool:
    """Return True if no reply to random play gains anything, as in rock, paper, scissors."""
    return nash_conv(game, uniform_policy(game)) < 1e-9


@few_cases(REWARDED, 1)
def test_the_oracle_beats_chance(case: Case) -> None:
    env = case.make()
    if case.task.family == "games" and chance_is_best(env.unwrapped.game):  # type: ignore[attr-defined]
        pytest.skip("nothing scores more than chance against chance")
    # The tests of each family require more.
    seeds = range({"games": 60, "control": 10}.get(case.task.family, 25))
    oracle, chance = ([outcome(env, who, seed) for seed in seeds] for who in ("oracle", "random"))
    assert np.mean([total for total, _ in oracle]) > np.mean([total for total, _ in chance])
    if case.task.family in ("reasoning", "tools"):
        assert [info["score"] for _, info in oracle] == [1.0] * len(seeds)
        assert all(info["success"] for _, info in oracle)


@few_cases()
def test_policies_do_not_change_the_episode(case: Case) -> None:
    env, rng = case.bare(), np.random.default_rng(0)
    env.reset(seed=5)
    before = pickle.dumps(env.get_state()["rng"])
    actions = [str(env.random_action(np.random.default_rng(1))) for _ in range(2)]
    assert actions[0] == actions[1]
    env.random_action(rng)
    if case.has_reward:
        assert str(env.oracle_action()) == str(env.oracle_action())
    assert pickle.dumps(env.get_state()["rng"]) == before


@few_cases()
def test_a_spec_rebuilds_the_environment(case: Case) -> None:
    env = case.make()
    assert env.spec is not None
    expected = play(env)[0]
    for spec in (pickle.loads(pickle.dumps(env.spec)), EnvSpec.from_json(env.spec.to_json())):
        assert play(gym.make(spec))[0] == expected


@pytest.mark.parametrize("mode", ["sync", pytest.param("async", marks=PROOF)])
@few_cases()
def test_vector_environments_return_what_single_ones_do(case: Case, mode: str) -> None:
    envs = gym.make_vec(case.task.id, num_envs=2, vectorization_mode=mode, **case.kwargs)
    try:
        compare_with_single(case, envs)
    finally:
        envs.close()


def test_spawned_workers_rebuild_a_text_environment() -> None:
    case = TEXT_CASES[0]
    envs = gym.make_vec(case.task.id, 2, "async", vector_kwargs={"context": "spawn"}, **case.kwargs)
    try:
        compare_with_single(case, envs)
    finally:
        envs.close()


def compare_with_single(case: Case, envs: gym.vector.VectorEnv) -> None:
    """Reset and one step of two environments, against the same seeds alone."""
    observations, _ = envs.reset(seed=11)
    singles = [case.bare() for _ in range(2)]
    expected = [single.reset(seed=11 + index)[0] for index, single in enumerate(singles)]
    assert [digest(one) for one in rows(observations)] == [digest(one) for one in expected]
    rng = np.random.default_rng(0)
    actions = [single.random_action(rng) for single in singles]
    steps = [single.step(action) for single, action in zip(singles, actions, strict=True)]
    found = envs.step(tuple(actions) if case.is_text else np.asarray(actions))
    assert [digest(one) for one in rows(found[0])] == [digest(step[0]) for step in steps]
    assert found[1].tolist() == [step[1] for step in steps]


def rows(observations: Any) -> list[Any]:
    """A batch of observations as a list of single ones."""
    if isinstance(observations, dict):
        parts = {key: rows(value) for key, value in observations.items()}
        return [{key: parts[key][index] for key in parts} for index in range(2)]
    return list(observations)


@few_cases()
def test_misuse_is_named(case: Case) -> None:
    env = case.bare()
    with pytest.raises(ResetNeeded, match="reset"):
        env.get_state()
    with pytest.raises(UnknownName, match="Known"):
        env.reset(options={"no such option": 1})
    env.reset(seed=0)
    action = env.random_action(np.random.default_rng(0))
    outcome(env, "random", 0)
    with pytest.raises((RuntimeError, ResetNeeded), match="reset"):
        env.step(action)


@each_case([case for case in CASES if isinstance(case.bare(), ReasoningEnv)])
def test_options_pin_the_problem(case: Case) -> None:
    env = case.bare()
    assert env.reset(seed=0, options={"split": "test"})[1]["split"] == "test"
    assert env.reset(seed=0, options={"difficulty": 2})[1]["difficulty"] == 2.0
    prompt, _ = env.reset(seed=0)
    problem = env.get_state()["episode"].problem
    assert digest(env.reset(seed=1, options={"problem": problem})[0]) == digest(prompt)
    assert digest(env.reset(seed=1)[0]) != digest(prompt)


@few_cases(TEXT_CASES)
def test_an_action_that_is_no_string_is_a_type_error(case: Case) -> None:
    env = case.make()
    env.reset(seed=0)
    for action in (None, 3, b"4", ["4"], 4.0):
        with pytest.raises(TypeError, match=case.task.id):
            env.unwrapped.step(action)


@few_cases(TEXT_CASES)
def test_hostile_texts_are_scored_in_bounded_time(case: Case) -> None:
    env, ended = case.make(), True
    for name, text in HOSTILE.items():
        if ended:
            env.reset(seed=0)
        start = time.process_time()
        observation, reward, terminated, truncated, info = env.step(text)
        ended = terminated or truncated
        assert time.process_time() - start < SECONDS, name
        assert observation in env.observation_space
        assert np.isfinite(float(reward))  # type: ignore[arg-type]
        assert not info.get("success", False), name
        assert 0 <= info.get("score", 0) < 1, name


@each_task
def test_the_page_has_every_heading(task: Task) -> None:
    page = sections(type(Case(task).bare()))
    assert page.keys() >= set(HEADINGS) - {"Answer", "Difficulty"}
    assert ">>>" in page["Example"]


@each_task
def test_arguments_are_json_and_documented(task: Task) -> None:
    json.dumps(dict(task.kwargs))
    env = type(Case(task).bare())
    document = page(env)
    for name, parameter in list(inspect.signature(env.__init__).parameters.items())[1:]:
        if parameter.kind == parameter.VAR_KEYWORD:  # of a game: see the tests of its rules
            continue
        assert f"{name}:" in document or f"`{name}" in document, name


def test_ids_are_unique_and_every_task_is_registered(root: Path) -> None:
    assert len({task.id for task in TASKS}) == len(TASKS)
    targets = {task.target for task in (*TASKS, *UNLISTED)}
    several = {task.vector.partition(":")[0] for task in TASKS if task.vector}
    missing, bases = {}, set()
    for path in sorted((root / "envs").rglob("*.py")):
        module = ".".join(path.relative_to(root / "envs").with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases |= {ast.unparse(base).partition("[")[0] for base in node.bases}
                is_task = node.name.endswith("Env") and "." in module
                if is_task and f"{module}:{node.name}" not in targets and module not in several:
                    missing[node.name] = module
    assert missing.keys() <= bases, "neither registered nor a base class"
