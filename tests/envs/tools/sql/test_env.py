"""SQL-v0: the episode, its reward, its expert, its limits."""

from typing import Any

import pytest

from zerogym.envs.tools.sql.env import EXPLORE, SQLEnv
from zerogym.envs.tools.sql.generation import World
from zerogym.envs.tools.sql.query import Column, Query, Table
from zerogym.envs.tools.sql.statements import MAX_REPLY, read_statement
from zerogym.errors import ProblemSpaceTooSmall

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
    """Reward and info after replies and `submit`; no reward comes earlier."""
    for reply in replies:
        _, reward, terminated, truncated, info = env.step(reply)
        assert reward == 0.0 and not terminated and not truncated
        assert "answer" not in info and "score" not in info
    _, reward, terminated, truncated, info = env.step("submit")
    assert terminated and not truncated
    return reward, info


def play(env: SQLEnv, seed: int) -> Any:
    """The last step of an episode of the expert."""
    env.reset(seed=seed)
    while True:
        step = env.step(env.oracle_action())
        if step[2] or step[3]:
            return step


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
    score, info = finish(env, f"<sql>{query}</sql>")
    assert score == pytest.approx(reward)
    assert info["score"] == score and info["success"] == info["correct"] == (score == 1.0)
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
    assert info["feedback"] and (info["tool_calls"], info["failed_calls"]) == (2, 1)
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


@pytest.mark.parametrize(("difficulty", "max_turns"), [(0, 6), (1, 6), (3, 6), (2, 2), (2, 3)])
def test_the_expert_needs_few_turns(difficulty: float, max_turns: int) -> None:
    env = SQLEnv(difficulty=difficulty, max_turns=max_turns)
    steps = [play(env, seed) for seed in range(40)]
    assert all(step[1] == 1.0 and step[4]["success"] for step in steps)
    turns = 2 if difficulty == 0 or max_turns == 2 else 3
    assert all(step[4]["turn"] == turns for step in steps)


def test_a_snapshot_opens_its_own_database() -> None:
    env = SQLEnv(difficulty=2)
    env.reset(seed=5)
    env.step(env.oracle_action())
    snapshot = env.get_state()
    gold = env.oracle_action()
    first = [env.step(gold), env.step("submit")]
    env.reset(seed=6)  # another database is open now
    for target in (env, SQLEnv(), env):
        target.set_state(snapshot)
        assert [target.step(gold), target.step("submit")] == first


def test_prompt_is_short_at_difficulty_0() -> None:
    env = SQLEnv(difficulty=0)
    assert max(len(env.reset(seed=seed)[0]) for seed in range(50)) < 400


def test_bad_input_is_named() -> None:
    for turns in (1, 2.0, True):
        with pytest.raises(ValueError, match="max_turns"):
            SQLEnv(max_turns=turns)  # type: ignore[arg-type]
    with pytest.raises(ProblemSpaceTooSmall, match="having"):
        SQLEnv(difficulty=0, category="having").reset(seed=0)


@pytest.mark.parametrize(
    "reply", ["", "\x00", "<sql>\ud800\x00</sql>", "<sql>" * 10**6, "<sql>SELECT " + "(" * 10**6]
)
def test_a_hostile_reply_is_one_turn(reply: str) -> None:
    env = started()
    observation, reward, terminated, truncated, info = env.step(reply)
    assert env.observation_space.contains(observation)
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["feedback"] and finish(env, "SELECT name FROM pets ORDER BY id")[0] == 1.0
