"""The tools sql, search and open_page by the protocol: schema, text for the model, state."""

import copy
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.tools.search.corpus import Corpus, Document
from zerogym.envs.tools.search.tools import OpenPageTool, SearchTool
from zerogym.envs.tools.sql.guard import GuardedDatabase
from zerogym.envs.tools.sql.tool import MAX_TEXT, SQLState, SQLTool
from zerogym.envs.tools.tool import Tool, ToolResult
from zerogym.envs.tools.toolbox import make_tool
from zerogym.wrappers.tools.with_tools import WithTools

PETS = [
    ("CREATE TABLE pets(id INTEGER PRIMARY KEY, name TEXT)", ()),
    ("INSERT INTO pets VALUES (?, ?)", ((1, "Rex"), (2, "Tom"))),
]
CORPUS = Corpus(
    [
        Document("p1", "Tolvan", "Tolvan lies on the Mir."),
        Document("long", "A long one", "word " * 1000),
    ]
)


def result_of(tool: Tool, state: Any, text: str) -> ToolResult:
    return tool.call({tool.body: text}, state)


@pytest.mark.parametrize("name", ["sql", "search", "open_page"])
@pytest.mark.parametrize(
    "text", ["", "\x00", "\ud800", "x" * 10_000_000, "'", "\x1b[2J", "]" * 999]
)
def test_hostile_arguments_give_text(name: str, text: str) -> None:
    tool = make_tool(name)
    state = tool.new_state(0)
    start = time.thread_time()  # of this thread: a busy machine takes others'
    result = result_of(tool, state, text)
    assert time.thread_time() - start < 4
    assert not result.ok and not result.unavailable and 0 < len(result.text) < 500
    result.text.encode()


def test_by_name_alone_the_seed_is_the_world() -> None:
    for name, text in (("sql", "SELECT sql FROM sqlite_master"), ("search", "mayor"),
                       ("open_page", "p1")):  # fmt: skip
        tools = make_tool(name), make_tool(name)
        states = [(tool, tool.new_state(seed)) for tool in tools for seed in (1, 2)]
        texts = [result_of(tool, state, text).text for tool, state in states]
        assert texts[0] == texts[2] != texts[1] == texts[3]


def test_the_tools_of_an_episode_share_a_world() -> None:
    env = WithTools(gym.make("zerogym/Countdown-v0"), ["search", "open_page"], max_calls=4)
    env.reset(seed=5)
    found = env.step("<search>mayor</search>")[0]
    id, title = re.search(r"\[(\w+)\] ([\w ]+):", found).groups()  # type: ignore[union-attr]
    assert title in env.step(f"<open_page>{id}</open_page>")[0]


def test_what_search_says() -> None:
    result = result_of(SearchTool(CORPUS), 0, "Mir?")
    assert result == ToolResult("1. [p1] Tolvan: Tolvan lies on the Mir.")
    nothing = result_of(SearchTool(CORPUS), 0, "river\nOsk")
    assert not nothing.ok and "'river Osk'" in nothing.text and "Try" in nothing.text
    assert len(result_of(SearchTool(k=3), 0, "mayor").text.splitlines()) == 3
    with pytest.raises(ValueError, match="50"):
        SearchTool(CORPUS, k=0)


def test_what_open_page_says() -> None:
    tool = OpenPageTool(CORPUS)
    assert result_of(tool, 0, " p1 ").text == "Tolvan\nTolvan lies on the Mir."
    first, last = result_of(tool, 0, "long").text, tool.call({"id": "long", "part": 3}, 0).text
    assert first.startswith("A long one (part 1 of 3)\nword ") and "goes on in part 2" in first
    assert last.startswith("A long one (part 3 of 3)\n") and "goes on" not in last
    for wrong in ({"id": "p2"}, {"id": "long", "part": 4}, {"id": "long", "part": 10**6}):
        result = tool.call(wrong, 0)
        assert not result.ok and result.text.startswith("Error: ") and "search" in result.text


def test_a_corpus_may_be_a_path(tmp_path: Path) -> None:
    (tmp_path / "fox.txt").write_text("The fox\njumps.")
    search, page = make_tool(("search", {"corpus": str(tmp_path), "k": 1})), OpenPageTool(tmp_path)
    assert result_of(search, 0, "fox").text == "1. [fox.txt] The fox: The fox jumps."
    assert result_of(page, 0, "fox.txt").text == "The fox\nThe fox\njumps."


def test_sql_writes_only_if_writable() -> None:
    tool = SQLTool(PETS)
    state = tool.new_state(0)
    assert "UPDATE" not in tool.description and "UPDATE" in SQLTool(PETS, True).description
    assert result_of(tool, state, "SELECT name FROM pets ORDER BY id").text == "name\nRex\nTom"
    refused = result_of(tool, state, "DELETE FROM pets")
    assert not refused.ok and refused.text.startswith("Error: ") and state == SQLState(0)
    assert result_of(tool, state, "SELECT COUNT(*) FROM pets").text == "COUNT(*)\n2"


def test_snapshots_go_their_own_ways() -> None:
    tool = SQLTool(PETS, writable=True)
    state = tool.new_state(0)
    result_of(tool, state, "CREATE TABLE log(id INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT)")
    result_of(tool, state, "INSERT INTO log(what) VALUES ('a')")
    saved = copy.deepcopy(state)
    result_of(tool, state, "INSERT INTO log(what) VALUES ('b')")
    result_of(tool, saved, "INSERT INTO log(what) VALUES ('c') RETURNING id")
    assert tool.contents(state)["log"].rows == ((1, "a"), (2, "b"))
    assert tool.contents(saved)["log"].rows == ((1, "a"), (2, "c"))
    assert len(state.writes) == len(saved.writes) == 3
    tool.close()
    assert tool.contents(state)["log"].rows == ((1, "a"), (2, "b"))
    other = SQLTool(PETS, writable=True)  # in another process, say
    assert other.contents(copy.deepcopy(saved)) == tool.contents(saved)


def test_a_database_may_be_a_file_or_a_guarded_one(tmp_path: Path) -> None:
    path = tmp_path / "pets.db"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE pets(name TEXT); INSERT INTO pets VALUES ('Rex')")
    connection.close()
    before = path.read_bytes()
    tool = make_tool(("sql", {"database": str(path), "writable": True}))
    state = tool.new_state(0)
    assert result_of(tool, state, "UPDATE pets SET name = 'Tom'").ok
    assert result_of(tool, state, "SELECT name FROM pets").text == "name\nTom"
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="not a file"):
        SQLTool(tmp_path / "missing.db")
    guarded = GuardedDatabase(PETS, writable=True)
    guarded.query("DELETE FROM pets")
    tool = SQLTool(guarded, writable=True)
    assert len(tool.contents(tool.new_state(0))["pets"].rows) == 2
    result_of(tool, tool.new_state(0), "DROP TABLE pets")
    assert "pets" in guarded.contents()


def test_long_results_are_cut() -> None:
    tool = SQLTool(PETS, writable=True)
    state = tool.new_state(0)
    columns = ", ".join(f'"{"c" * 190}{i}"' for i in range(15))
    assert result_of(tool, state, f"CREATE TABLE wide({columns})").ok
    text = result_of(tool, state, "SELECT *, *, *, * FROM wide").text
    assert len(text) == MAX_TEXT + 3
