"""Arguments, starts and goals that control environments refuse, and what the messages name."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.control.worlds import bare
from zerogym.envs.control.mazes.stl_missions import inside
from zerogym.envs.control.temporal.reward_machines import in_order
from zerogym.envs.control.temporal.stl import eventually
from zerogym.errors import UnknownName

TWO_GOALS = ((3.0, 0.0, 0.5), (-3.0, 1.0, -0.5))
CELL = r"goal must be the \(row, column\) of a free cell"
LAYOUTS = ("open_1", "open_33", "open_05", "open_", "open_9x", None, 4)
MINIGRID_GOALS = ((0, 1), (1, 5), (1.5, 1), (-1, 0), (np.nan, 1), (1, 2, 3), (99, 1))
SWARM_GOALS = (
    TWO_GOALS[:1], ((1, 0, 0), (3, 0, 0)), ((3, 0, 0), (3, 0.2, 0)), ((3, 0, 0), (3, 9, 0)),
)  # fmt: skip
MANY = " & ".join(f"F {letter}" for letter in "abcdefg")
ARGUMENTS: list[tuple[str, str, tuple[Any, ...], type[Exception], str]] = [
    ("FourRooms", "layout", ("four_room",), UnknownName, "Did you mean 'four_rooms'"),
    ("FourRooms", "layout", LAYOUTS, UnknownName, "no layout"),
    ("FourRooms", "slip", (-0.1, 1.1), ValueError, "slip must be a probability from 0 to 1, got"),
    ("FourRooms", "slip", (np.nan, "often", None, True), ValueError, "slip must be a probability"),
    ("FourRooms", "task", (np.full(40, 0.5),), ValueError, "goal must be"),
    ("FourRooms", "task", ((4, 4),), ValueError, r"free cell.*got \[4. 4.\]"),
    ("Chain", "kind", ("river",), UnknownName, "Did you mean 'river_swim'"),
    ("Chain", "length", (2,), ValueError, "length must lie in 3 to 200, got 2"),
    ("Chain", "length", (10.0, True), ValueError, "length must be an integer"),
    ("Chain", "task", (11, 0.5, [3]), ValueError, "goal must be"),
    ("DarkRoom", "size", (8, 1, 33, 9.0, True, "9"), ValueError, "size must"),
    ("DarkRoom", "task", ((0, 1),), ValueError, "goal must be"),
    ("TMaze", "length", (1,), ValueError, "length must lie in 2 to 200, got 1"),
    ("TMaze", "length", ("long",), ValueError, "length must be an integer"),
    ("TMaze", "horizon", (10,), ValueError, "in 10 steps no arm can be reached: the length is 10"),
    ("TMaze", "task", ((1, 0, 1),), ValueError, "goal must be"),
    ("Letters", "split", ("trian",), UnknownName, "no split 'trian'. Did you mean 'train'"),
    ("Letters", "mission", ("F aa",), UnknownName, "no event 'aa'. Did you mean 'a'"),
    ("Letters", "mission", ("F (a",), ValueError, r"expected '\)' at '', character 5"),
    ("Letters", "mission", ("",), ValueError, "expected an event at '', character 1"),
    ("Letters", "mission", ("F (a & b)",), ValueError, "true: no place has the events"),
    ("Letters", "mission", ("G a & G b",), ValueError, "no episode can make"),
    ("Letters", "mission", (MANY,), ValueError, "may have 64 states"),
    ("Letters", "mission", (3,), TypeError, "a formula is a str, not int"),
    ("Letters", "task", ((8, 1),), ValueError, CELL),
    ("Office", "mission", ("cofee",), UnknownName, "no mission 'cofee'. Did you mean 'coffee'"),
    ("Office", "mission", ("F (cofee & F mail)",), UnknownName, "no event 'cofee'. Did you mean"),
    ("Office", "mission", ("F (coffee &",), ValueError, "expected an event at '', character 12"),
    ("Office", "mission", ("F (coffee & mail)",), ValueError, "no episode can make .* true"),
    ("Office", "mission", ("",), UnknownName, "no mission ''"),
    ("Office", "mission", (3,), TypeError, "a mission must be None, a name, .* got int"),
    ("Office", "mission", (in_order("x"),), UnknownName, "no event 'x'"),
    ("Office", "mission", ("(" * 200 + "mail",), ValueError, "not more than 50 in each other"),
    ("Office", "task", ((0, 3),), ValueError, CELL),
    ("PointMaze", "layout", ("spirale",), UnknownName, "Did you mean 'spiral'"),
    ("PointMazeSTL", "mission", ("reech",), UnknownName, "'reech'. Did you mean 'reach'"),
    ("PointMazeSTL", "mission", (3,), TypeError, "a name or an stl.Formula, got int"),
    ("PointMazeSTL", "mission", (None,), TypeError, "got NoneType"),
    ("PointMazeSTL", "mission", (inside("a"),), ValueError, "1 to 1000 steps ahead, not 0"),
    ("PointMazeSTL", "mission", (eventually(inside("a"), 0, 10**7),), ValueError, "not 10000000"),
    ("PointMazeSTL", "task", ((9.0, 9.0), (1.0, 1.0)), ValueError, "goal must be a point"),
    ("TwoRooms", "context", ({"door": 9.9},), ValueError, r"door .* in \[10, 53\], got 9.9"),
    ("TwoRooms", "context", ([20],), TypeError, "context must be a mapping"),
    ("TwoRooms", "task", ((60, 10),), ValueError, r"must be a point \(x, y\) in \[4.5, 58.5\]"),
    ("TwoRooms", "task", ((32, 30),), ValueError, "in no wall"),
    ("MiniGrid", "level", ("DoorKey-66",), UnknownName, "Did you mean 'DoorKey-6x6'"),
    ("MiniGrid", "task", ("open_dor",), UnknownName, "Did you mean 'open_door'"),
    ("MiniGrid", "task", MINIGRID_GOALS, ValueError, "goal must be a cell"),
    ("Pendulum", "task", ((0.5, 0.5, 0.0),), ValueError, "angles as cosine and sine"),
    ("CognitiveRadio", "channels", (1,), ValueError, "channels must be an integer from 2 to 10"),
    ("CognitiveRadio", "channels", (4.0,), ValueError, "got 4.0"),
    ("CognitiveRadio", "senders", ("hopper",), TypeError, r"such as \('hopper',\)"),
    ("CognitiveRadio", "senders", (("hoper",),), UnknownName, "Did you mean 'hopper'"),
    ("CognitiveRadio", "senders", ((),), ValueError, "number of senders must be an integer"),
    ("CognitiveRadio", "task", ((1, 2),), ValueError, "no goals in this world"),
    ("CognitiveRadio", "context", ({"miss": 0.7},), ValueError, r"miss .* \[0, 0.5\], got 0.7"),
    ("Trading", "frames", (0,), ValueError, "frames must be an integer from 1 to 64, got 0"),
    ("RacingRing", "rivals", (-1, 5, 1.5, True, "two"), ValueError, "an integer from 0 to 4"),
    ("RacingRing", "task", ((0.05, 0.0), (0.5, 4.0), (0.5,), (np.nan, 0.0)), ValueError, "goal"),
    ("QuadrotorSwarm", "vehicles", (0, 7, 2.0), ValueError, "vehicles must be an integer from"),
    ("QuadrotorSwarm", "columns", (10, -1, True), ValueError, "columns must be an integer from"),
    ("QuadrotorSwarm", "task", SWARM_GOALS, ValueError, "goal must be 2 places"),
]
OTHERS: dict[str, dict[str, Any]] = {"QuadrotorSwarm": {"vehicles": 2}, "RacingRing": {"rivals": 0}}
STARTS: dict[str, tuple[Any, ...]] = {
    "FourRooms": ((0, 0), (1.5, 1), "door", None, (1, 1, 1), [[1], [2, 3]]),
    "Office": ((0, 1), (10, 1), (1.5, 2), "door", np.zeros(108)),
    "Chain": (0, 11, 1.5, np.nan),
    "TMaze": ("east", 0, None, (1, 1), np.zeros(3)),
    "PointMaze": ((1.0, 1.0), (-0.1, 0), (3.1, 0), (np.nan, 1), (1,), (1e300, 1), (10**400, 1)),
    "PointMazeSTL": ((1.0, 1.0),),
    "CognitiveRadio": ((1,), (0, 1), (1, 6), (1.5, 2), (np.nan, 1), "12"),
    "Trading": ((1,), (2, 0), "up", (0.5, 1), (np.nan, 0)),
    "PointMassMaze": ((0.1, 0, 0, 0), (0.3, 0, 0, 0), (0, -0.17, 0, 0), np.zeros(3)),
}


@pytest.mark.parametrize(("name", "argument", "values", "error", "match"), ARGUMENTS)
def test_bad_arguments_are_refused(
    name: str, argument: str, values: tuple[Any, ...], error: type[Exception], match: str
) -> None:
    others = OTHERS.get(name, {}) if argument == "task" else {}
    is_option = argument in ("task", "context") or (name, argument) == ("Letters", "mission")
    for value in values:
        with pytest.raises(error, match=match):
            bare(name, **{argument: value}, **others)
            pytest.fail(f"{value} was accepted")
        if is_option:
            with pytest.raises(error, match=match):
                bare(name, **others).reset(options={argument: value})


@pytest.mark.parametrize("name", STARTS)
def test_bad_starts_are_refused(name: str) -> None:
    for start in STARTS[name]:
        with pytest.raises(ValueError, match="start must be"):
            bare(name).reset(options={"start": start})
            pytest.fail(f"{start} was accepted")


@pytest.mark.parametrize("name", ["CartPole", "FourRooms", "Walker", "Countdown", "KuhnPoker"])
def test_a_wrong_argument_is_named_in_pythons_words(name: str) -> None:
    # TorchRL tries `frameskip` and goes on without it where it finds these words.
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gym.make(f"zerogym/{name}-v0", frameskip=4)
    with pytest.raises(TypeError, match=r"'rendermode' \(did you mean 'render_mode'\? known: "):
        gym.make(f"zerogym/{name}-v0", rendermode="ansi")
