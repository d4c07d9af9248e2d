"""Small puzzles of the notebook environment with answers worked out by hand, and an episode."""

from dataclasses import replace
from datetime import date
from typing import Any

from zerogym.envs.tools.notebook.dates import DatePuzzle
from zerogym.envs.tools.notebook.env import NotebookEnv
from zerogym.envs.tools.notebook.graphs import GraphPuzzle
from zerogym.envs.tools.notebook.logs import STYLES, Entry, LogPuzzle
from zerogym.envs.tools.notebook.number_lists import NumberPuzzle
from zerogym.envs.tools.notebook.puzzle import Puzzle
from zerogym.envs.tools.notebook.records import Record, RecordPuzzle
from zerogym.envs.tools.notebook.simulations import AntPuzzle, MachinePuzzle, WalkPuzzle
from zerogym.envs.tools.notebook.tables import Condition, Table, TablePuzzle
from zerogym.envs.tools.notebook.texts import TextPuzzle

PARCELS = Table(
    "parcel",
    ("id", "driver", "weight", "cost"),
    ("id", "by", "c_weight", "c cost"),
    ((10, 1, 5, 2), (11, 2, 7, 3), (12, 1, 1, 10), (13, 2, 9, 1)),
    ";",
    2,
)
DRIVERS = Table("driver", ("id", "name"), ("id", "who"), ((1, "ann"), (2, "bob")))
HEAVY = Condition(0, "weight", ">", 4)
TABLE = TablePuzzle(True, (PARCELS, DRIVERS), "total", ("weight", "cost"), (1, "name"), (HEAVY,))
ENTRIES = (
    Entry(0, "INFO", "aa", "u", 5),
    Entry(10, "ERROR", "aa", "u", 7),
    Entry(25, "INFO", "bb", "v", 1),
    Entry(27, "INFO", "aa", "v", 2),
    Entry(60, "INFO", "aa", "u", 9),
)
LOG = LogPuzzle(True, "web", ENTRIES, STYLES[1], (2,), "total", (("service", "aa"),), (0, 60), 18)
ROADS = (("a", "b", 1), ("b", "c", 2), ("a", "c", 5), ("c", "d", 1), ("b", "d", 9))
GRAPH = GraphPuzzle(True, "land", ROADS, 0, "cheapest", ("a", "d"), None)
WALK = WalkPuzzle(True, "ring", (1, 0, 2), 4, 5, 0)
ORDERS = (("add", "x", 3), ("skip", "x", 1), ("add", "x", 10), ("mul", "x", 2))
MACHINE = MachinePuzzle(True, "code", ORDERS, ("x", "y"), 3, "x", 100, 1)
SWAP = (("add", "x", 3), ("swap", "x", "y"), ("sub", "x", 1))
ANT = AntPuzzle(True, "field", ("...",) * 3, "#.", (1, 1), 4)
LINES = (("a", "b", "a"), ("b", "a", "c", "bb"))
TEXT = TextPuzzle(
    True, "tale", LINES, tuple((" ",) * len(line) for line in LINES), frozenset(), "rank", "a", 1
)
SHELVES = (
    Record(
        "s1",
        "open",
        None,
        (Record("i", "new", 5), Record("ii", "old", 7), Record("iii", "new", None)),
    ),
    Record("s2", "closed", None, (Record("j", "new", 3),)),
)
RECORDS = RecordPuzzle(True, "all", ("shelf", "item"), SHELVES, "total", ((1, "new"),), "all_{}", 1)
NUMBERS = NumberPuzzle(True, "list", (3, -1, 4, 1, 5, 9, 2, 6), 0, "climb", 5, None)
PERIODS = (
    ("p", date(2031, 1, 1), date(2031, 1, 3)),  # from Wednesday to Friday
    ("q", date(2031, 1, 3), date(2031, 1, 5)),
    ("p", date(2031, 1, 10), date(2031, 1, 10)),
)
DATES = DatePuzzle(True, "plan", PERIODS, 1, "covered", None, 6)

CASES: tuple[tuple[Puzzle, str], ...] = (
    (TABLE, "21"),
    (replace(TABLE, kind="range"), "4"),
    (replace(TABLE, kind="product"), "40"),
    (replace(TABLE, kind="top"), "bob, 16"),
    (replace(TABLE, conditions=(Condition(1, "name", "==", "ann"),)), "6"),
    (replace(TABLE, conditions=(HEAVY, Condition(0, "cost", "<", 3))), "14"),
    (replace(TABLE, conditions=(Condition(0, "weight", ">", 5),)), "16"),
    (replace(TABLE, conditions=(Condition(0, "weight", "<", 5),)), "1"),
    (LOG, "14"),
    (replace(LOG, keep=()), "15"),
    (replace(LOG, window=(10, 61)), "18"),
    (replace(LOG, kind="gap"), "17"),
    (replace(LOG, kind="burst"), "12"),
    (replace(LOG, kind="burst", width=10), "7"),
    (replace(LOG, kind="session", width=10), "10"),
    (replace(LOG, kind="session", width=17), "27"),
    (replace(LOG, kind="session", width=9), "0"),
    (GRAPH, "4"),
    (replace(GRAPH, stops=("a", "c", "d"), style=4), "4"),
    (replace(GRAPH, stops=("a", "b", "d"), most=1, style=2, roads=(*ROADS, ("b", "d", 1))), "2"),
    (replace(GRAPH, kind="reachable", style=3), "8"),
    (WALK, "4"),
    (MACHINE, "6"),
    (replace(MACHINE, steps=6, style=2), "18"),
    (replace(MACHINE, lines=(("add", "x", 4), *ORDERS[1:])), "14"),
    (replace(MACHINE, lines=SWAP, target="x", style=3), "99"),
    (replace(MACHINE, lines=SWAP, target="y", style=0), "3"),
    (ANT, "1, 1"),
    (replace(ANT, steps=5), "1, 0"),
    (replace(ANT, steps=2, start=(0, 2)), "1, 0"),
    (TEXT, "a"),
    (replace(TEXT, number=3), "bb"),
    (replace(TEXT, kind="letters", number=2), "5"),
    (replace(TEXT, kind="pair"), "a b"),
    (replace(TEXT, kind="distance"), "2"),
    (replace(TEXT, kind="lines", word="c"), "5"),
    (replace(TEXT, kind="lines", word="b", notes=frozenset({1})), "3"),
    (RECORDS, "8"),
    (replace(RECORDS, kind="best", style=2), "s1, 5"),
    (replace(RECORDS, kind="spread", style=0), "2"),
    (replace(RECORDS, keep=((0, "closed"), (1, "new"))), "3"),
    (NUMBERS, "21"),
    (replace(NUMBERS, kind="gap"), "2"),
    (replace(NUMBERS, kind="run", style=3), "29"),
    (replace(NUMBERS, kind="inversions", style=2), "8"),
    (replace(NUMBERS, kind="pairs", style=1), "7"),
    (replace(NUMBERS, kind="common"), "4"),
    (replace(NUMBERS, kind="climb", drop=3), "9"),
    (DATES, "6"),
    (replace(DATES, kind="gap", style=3), "4"),
    (replace(DATES, kind="workdays", style=2), "5"),
    (replace(DATES, kind="nth"), "2031-01-10"),
    (replace(DATES, kind="nth", number=4), "2031-01-04"),
    (replace(DATES, kind="owner"), "p, 4"),
    (replace(DATES, kind="covered", person="p"), "4"),
)
ANSWER = "<answer>21</answer>"  # to NUMBERS


def started(**options: Any) -> NotebookEnv:
    """An episode about list.txt, in which 3, -1, 4, 1, 5, 9, 2, 6 stand; the answer is 21."""
    env = NotebookEnv(**options)
    env.reset(seed=0, options={"problem": NUMBERS})
    return env


def cell(env: NotebookEnv, source: str) -> str:
    """The observation of a cell, in an episode that goes on."""
    observation, reward, terminated, truncated, info = env.step(f"```python\n{source}\n```")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert not info["void_turn"] and "answer" not in info and "score" not in info
    assert env.observation_space.contains(observation)
    return observation
