"""SQL-v0: the episode, its reward, its expert, its limits."""

import hashlib
import json
import pickle
import subprocess
import sys
import threading
import time
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.tools.sql.env import EXPLORE, SQLEnv
from zerogym.envs.tools.sql.generation import World
from zerogym.envs.tools.sql.query import Column, Query, Table
from zerogym.envs.tools.sql.statements import MAX_REPLY, read_statement
from zerogym.errors import ProblemSpaceTooSmall, UnknownName

NAME = Column("name", "name", "text")
PETS = Table("pet", "pets", "pets", (NAME,))
NAMES = ("Ann", "Bob", "Eva", "Ian")
WORLD = World(
    (PETS,),
    (tuple((i, name) for i, name in enumerate(NAMES, 1)),),
    Query("list", (PETS,), NAME),  # all four in the order of their id
)


def started(**options: Any) -> SQLEnv:
    env = SQLEnv(**options)
    env.reset(seed=0, options={"problem": WORLD})
    return env


def finish(env: SQLEnv, *replies: str) -> tuple[float, dict[str, Any]]:
    """Reward and info after replies and `submit`; nothing is paid before."""
    for reply in replies:
        _, reward, terminated, truncated, info = env.step(reply)
        assert reward == 0.0 and not terminated and not truncated
        assert "answer" not in info and "score" not in info
    _, reward, terminated, truncated, info = env.step("submit")
    assert terminated and not truncated
    return reward, info


def play(env: SQLEnv, seed: int, rng: np.random.Generator | None = None) -> list[Any]:
    """An episode of the expert, or of the uninformed policy if `rng` is given."""
    record: list[Any] = [env.reset(seed=seed)]
    over = False
    while not over:
        action = env.oracle_action() if rng is None else env.random_action(rng)
        record += [action, env.step(action)]
        over = record[-1][2] or record[-1][3]
    return record


@pytest.mark.parametrize(
    ("query", "reward"),
    [
        ("SELECT name FROM pets ORDER BY id", 1.0),
        ("SELECT name FROM pets ORDER BY name", 1.0),  # another query, the same rows
        ("SELECT name FROM pets WHERE id <= 2 ORDER BY id", 2 / 4),
        ("SELECT name FROM pets ORDER BY id DESC", 0.0),
        ("SELECT name FROM pets ORDER BY id = 1, id", 1 / 2),  # 3 of 6 pairs in order: tau 0
        ("SELECT name FROM pets UNION ALL SELECT name FROM pets", 4 / 8),
        ("SELECT name FROM pets WHERE id > 9", 0.0),
        ("SELECT id, name FROM pets ORDER BY id", 0.0),
        ("SELECT nonsense FROM pets", 0.0),
    ],
)
def test_reward_is_intercodes(query: str, reward: float) -> None:
    env = started()
    paid, info = finish(env, f"<sql>{query}</sql>")
    assert paid == pytest.approx(reward)
    assert info["score"] == paid and info["success"] == info["correct"] == (paid == 1.0)
    assert info["answer"] == "SELECT name FROM pets ORDER BY id"


def test_the_last_query_counts_even_if_it_fails() -> None:
    gold = "<sql>SELECT name FROM pets ORDER BY id</sql>"
    assert finish(started(), "<sql>SELECT 1</sql>", gold)[0] == 1.0
    assert finish(started(), gold, "<sql>SELECT 1</sql>")[0] == 0.0
    reward, info = finish(started(), gold, "<sql>DROP TABLE pets</sql>")
    assert reward == 0.0 and "failed" in info["feedback"]
    assert finish(started(), gold, "Let me think about it.")[0] == 1.0  # no query at all
    reward, info = finish(started())
    assert reward == 0.0 and "No query" in info["feedback"]


def test_turns_run_out_without_reward() -> None:
    env = started(max_turns=2)
    env.step("<sql>SELECT 1</sql>")
    _, reward, terminated, truncated, info = env.step(
        "<sql>SELECT name FROM pets ORDER BY id</sql>"
    )
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["score"] == 0.0 and info["turn"] == 2 and "answer" in info
    with pytest.raises(RuntimeError, match="reset"):
        env.step("submit")
    env = started(max_turns=2)
    assert finish(env, "<sql>SELECT name FROM pets ORDER BY id</sql>")[0] == 1.0


def test_what_a_turn_shows() -> None:
    env = started(render_mode="ansi")
    observation, *_, info = env.step("<sql>SELECT id, name FROM pets WHERE id < 3</sql>")
    assert observation == "id | name\n1 | Ann\n2 | Bob"
    assert (info["turn"], info["tool_calls"], info["void_turn"], info["success"]) == (1, 1, 0, 0)
    observation, *_, info = env.step("<sql>SELECT * FROM dogs</sql>")
    assert observation == "Error: no such table: dogs."
    assert info["feedback"] and info["tool_calls"] == 2
    observation, *_, info = env.step("I am not sure.")
    assert info["void_turn"] and info["tool_calls"] == 2 and "<sql>" in observation
    assert env.step(f"<sql>{EXPLORE}</sql>")[0].splitlines()[1] == PETS.schema
    shown = env.render()
    assert shown is not None and WORLD.question in shown and "2 | Bob" in shown


@pytest.mark.parametrize(
    ("reply", "statement"),
    [
        ("<sql>SELECT 1</sql>", "SELECT 1"),
        ("First <sql>SELECT 1</sql> then <SQL> SELECT 2 </SQL> done", "SELECT 2"),
        ("<sql>SELECT 1", "SELECT 1"),  # cut at a stop string
        ("Look:\n```sql\nSELECT 1\n```\nso", "SELECT 1"),
        ("```\nSELECT 1\n```", "SELECT 1"),
        ("```SELECT 1```", "SELECT 1"),
        ("```sql\nSELECT 1\n```\nand\n```sql\nSELECT 2\n```", "SELECT 2"),
        ("```sql\nSELECT 1", "SELECT 1"),
        ("  select 1;\n", "select 1;"),
        ("WITH a AS (SELECT 1) SELECT * FROM a", "WITH a AS (SELECT 1) SELECT * FROM a"),
        ("submit", "submit"),
        ("<sql> submit; </sql>", "submit;"),
        ("Submit.", "Submit."),
        ("I submit", ""),
        ("submit the answer", ""),
        ("", ""),
        ("<sql></sql>", ""),
        ("The answer is 4.", ""),
        ("x" * 10 * MAX_REPLY, ""),
        ("x" * 10 * MAX_REPLY + "<sql>SELECT 1</sql>", "SELECT 1"),
    ],
)
def test_where_the_statement_stands(reply: str, statement: str) -> None:
    assert read_statement(reply) == statement


@pytest.mark.parametrize("difficulty", [0, 1, 3])
def test_expert_solves_every_seed_and_random_does_not(difficulty: float) -> None:
    env, rng = SQLEnv(difficulty=difficulty), np.random.default_rng(0)
    expert = [play(env, seed)[-1] for seed in range(200)]
    assert all(step[1] == 1.0 and step[4]["success"] for step in expert)
    assert all(step[4]["turn"] == (2 if difficulty == 0 else 3) for step in expert)
    guesses = [play(env, seed, rng)[-1][1] for seed in range(200)]
    assert np.mean(guesses) < (0.35 if difficulty == 0 else 0.1)


@pytest.mark.parametrize("max_turns", [2, 3, 6])
def test_expert_keeps_to_the_turns_it_has(max_turns: int) -> None:
    env = SQLEnv(difficulty=2, max_turns=max_turns)
    assert all(play(env, seed)[-1][1] == 1.0 for seed in range(20))


@pytest.mark.parametrize("kwargs", [{}, {"difficulty": 0}, {"difficulty": (0, 4)}])
def test_gymnasium_checker(kwargs: dict[str, Any]) -> None:
    check_env(gym.make("zerogym/SQL-v0", **kwargs).unwrapped)


def test_snapshot_goes_back_to_the_middle_of_an_episode() -> None:
    env = SQLEnv(difficulty=2)
    env.reset(seed=5)
    env.step(env.oracle_action())
    snapshot = env.get_state()
    gold = env.oracle_action()
    first = [env.step(gold), env.step("submit")]
    env.reset(seed=6)  # another database is open now
    other = SQLEnv()
    for target in (env, other, env):
        target.set_state(snapshot)
        assert [target.step(gold), target.step("submit")] == first
    env.set_state(pickle.loads(pickle.dumps(snapshot)))
    assert [env.step(gold), env.step("submit")] == first
    env.close()
    env.set_state(snapshot)
    assert env.step(gold) == first[0]


def test_environment_can_be_stepped_from_another_thread_and_pickled() -> None:
    env = started()
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(env.step("SELECT COUNT(*) FROM pets")))
    thread.start()
    thread.join()
    assert seen[0][0] == "COUNT(*)\n4"
    twin = pickle.loads(pickle.dumps(env))
    assert twin.step("SELECT name FROM pets ORDER BY id")[0].endswith("Ian")
    assert twin.step("submit")[1] == 1.0


DIGEST = """
import hashlib, json
from zerogym.envs.tools.sql.env import SQLEnv
env, text = SQLEnv(difficulty=(0, 5)), []
for seed in range(12):
    text.append(env.reset(seed=seed))
    while True:
        text.append(env.step(env.oracle_action()))
        if text[-1][2]:
            break
print(hashlib.sha256(json.dumps(text).encode()).hexdigest())
"""


def test_another_process_plays_the_same_episodes() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    env, text = SQLEnv(difficulty=(0, 5)), []
    for seed in range(12):
        record = play(env, seed)
        text += [record[0], *record[2::2]]
    digests.add(hashlib.sha256(json.dumps(text).encode()).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize("difficulty", [0, 1, 2])
def test_no_question_is_on_both_sides(difficulty: float) -> None:
    sides: dict[str, set[str]] = {}
    for split in ("train", "test"):
        env = SQLEnv(difficulty=difficulty, split=split)
        observations = [env.reset(seed=seed) for seed in range(1000)]
        assert {info["split"] for _, info in observations} == {split}
        sides[split] = {text.splitlines()[-1] for text, _ in observations}
    assert not sides["train"] & sides["test"]
    assert len(sides["train"]) > 600 and len(sides["test"]) > 250


def test_prompt_is_short_at_difficulty_0() -> None:
    env = SQLEnv(difficulty=0)
    assert max(len(env.reset(seed=seed)[0]) for seed in range(300)) < 400


def test_options_pin_the_question() -> None:
    env = SQLEnv(difficulty=2)
    assert env.reset(seed=0, options={"category": "top"})[1]["category"] == "top"
    assert env.reset(seed=0, options={"split": "test"})[1]["split"] == "test"
    assert env.reset(seed=0, options={"difficulty": 0})[1]["difficulty"] == 0
    assert WORLD.question in env.reset(seed=0, options={"problem": WORLD})[0]
    assert 0 <= SQLEnv(difficulty=(0, 3)).reset(seed=1)[1]["difficulty"] <= 3


def test_bad_input_is_named() -> None:
    env = started()
    with pytest.raises(TypeError, match="SQL"):
        env.step(7)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="lookup"):
        SQLEnv(category="lokup")
    with pytest.raises(UnknownName, match="split"):
        env.reset(options={"splt": "test"})
    with pytest.raises(TypeError, match="World"):
        env.reset(options={"problem": "DROP TABLE pets"})
    for turns in (1, 2.0, True):
        with pytest.raises(ValueError, match="max_turns"):
            SQLEnv(max_turns=turns)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="difficulty"):
        SQLEnv(difficulty=-1)
    with pytest.raises(ProblemSpaceTooSmall, match="having"):
        SQLEnv(difficulty=0, category="having").reset(seed=0)


@pytest.mark.parametrize(
    "reply",
    ["", "\x00", "\ud800", "<sql>\ud800\x00</sql>", "9" * 10**7, "<sql>" * 10**6, "```" * 10**6,
     "<sql>SELECT " + "(" * 10**6, "<sql>DROP TABLE pets</sql>"],
)  # fmt: skip
def test_any_text_is_a_legal_action(reply: str) -> None:
    env = started()
    start = time.perf_counter()
    observation, reward, terminated, truncated, info = env.step(reply)
    assert time.perf_counter() - start < 2.0
    assert env.observation_space.contains(observation)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["feedback"] and finish(env, "SELECT name FROM pets ORDER BY id")[0] == 1.0
