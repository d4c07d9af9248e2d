"""Arguments, starts and goals that control environments refuse, and what the messages name."""

from typing import Any

import numpy as np
import pytest

from helpers.control_worlds import bare
from zerogym.envs.control.mazes.stl_missions import inside
from zerogym.envs.control.temporal.reward_machines import in_order
from zerogym.envs.control.temporal.stl import eventually
from zerogym.errors import UnknownName

TWO_GOALS = ((3.0, 0.0, 0.5), (-3.0, 1.0, -0.5))
ARGUMENTS: dict[str, list[tuple[dict[str, Any], type[Exception], str]]] = {
    "FourRooms": [
        ({"layout": "four_room"}, UnknownName, "Did you mean 'four_rooms'"),
        *(
            ({"layout": layout}, UnknownName, "no layout")
            for layout in ("open_1", "open_33", "open_05", "open_", "open_9x", None, 4)
        ),
        *(
            ({"slip": slip}, ValueError, f"slip must be a probability from 0 to 1, got {slip}")
            for slip in (-0.1, 1.1, np.nan, "often", None, True)
        ),
        ({"task": np.full(40, 0.5)}, ValueError, "goal must be"),
        ({"task": (4, 4)}, ValueError, r"free cell.*got \[4. 4.\]"),
    ],
    "Chain": [
        ({"kind": "river"}, UnknownName, "Did you mean 'river_swim'"),
        ({"length": 2}, ValueError, "length must lie in 3 to 200, got 2"),
        *(({"length": length}, ValueError, "length must be an integer") for length in (10.0, True)),
        *(({"task": goal}, ValueError, "goal must be") for goal in (11, 0.5, [3])),
    ],
    "DarkRoom": [
        *(({"size": n}, ValueError, "size must") for n in (8, 1, 33, 9.0, True, "9")),
        ({"task": (0, 1)}, ValueError, "goal must be"),
    ],
    "TMaze": [
        ({"length": 1}, ValueError, "length must lie in 2 to 200, got 1"),
        ({"length": "long"}, ValueError, "length must be an integer"),
        ({"horizon": 10}, ValueError, "in 10 steps no arm can be reached: the length is 10"),
        ({"task": (1, 0, 1)}, ValueError, "goal must be"),
    ],
    "Letters": [
        ({"split": "trian"}, UnknownName, "no split 'trian'. Did you mean 'train'"),
        ({"mission": "F aa"}, UnknownName, "no event 'aa'. Did you mean 'a'"),
        ({"mission": "F (a"}, ValueError, r"expected '\)' at '', character 5"),
        ({"mission": ""}, ValueError, "expected an event at '', character 1"),
        ({"mission": "F (a & b)"}, ValueError, "true: no place has the events"),
        ({"mission": "G a & G b"}, ValueError, "no episode can make"),
        ({"mission": " & ".join(f"F {x}" for x in "abcdefg")}, ValueError, "may have 64 states"),
        ({"mission": 3}, TypeError, "a formula is a str, not int"),
        ({"task": (8, 1)}, ValueError, r"goal must be the \(row, column\) of a free cell"),
    ],
    "Office": [
        ({"mission": "cofee"}, UnknownName, "no mission 'cofee'. Did you mean 'coffee'"),
        ({"mission": "F (cofee & F mail)"}, UnknownName, "no event 'cofee'. Did you mean 'coffee'"),
        ({"mission": "F (coffee &"}, ValueError, "expected an event at '', character 12"),
        ({"mission": "F (coffee & mail)"}, ValueError, "no episode can make .* true"),
        ({"mission": ""}, UnknownName, "no mission ''"),
        ({"mission": 3}, TypeError, "a mission must be None, a name, .* got int"),
        ({"mission": in_order("x")}, UnknownName, "no event 'x'"),
        ({"mission": "(" * 200 + "mail"}, ValueError, "not more than 50 in each other"),
        ({"task": (0, 3)}, ValueError, r"goal must be the \(row, column\) of a free cell"),
    ],
    "PointMaze": [({"layout": "spirale"}, UnknownName, "Did you mean 'spiral'")],
    "PointMazeSTL": [
        ({"mission": "reech"}, UnknownName, "no mission 'reech'. Did you mean 'reach'"),
        ({"mission": 3}, TypeError, "a name or an stl.Formula, got int"),
        ({"mission": None}, TypeError, "got NoneType"),
        ({"mission": inside("a")}, ValueError, "1 to 1000 steps ahead, not 0"),
        ({"mission": eventually(inside("a"), 0, 10**7)}, ValueError, "not 10000000"),
        ({"task": (9.0, 9.0)}, ValueError, "goal must be a point"),
        ({"task": (1.0, 1.0)}, ValueError, "goal must be a point"),
    ],
    "TwoRooms": [
        ({"context": {"door": 9.9}}, ValueError, r"door .* must lie in \[10, 53\], got 9.9"),
        ({"context": [20]}, TypeError, "context must be a mapping"),
        ({"task": (60, 10)}, ValueError, r"goal must be a point \(x, y\) in \[4.5, 58.5\]"),
        ({"task": (32, 30)}, ValueError, "in no wall"),
    ],
    "MiniGrid": [
        ({"level": "DoorKey-66"}, UnknownName, "no level 'DoorKey-66'. Did you mean 'DoorKey-6x6'"),
        ({"task": "open_dor"}, UnknownName, "Did you mean 'open_door'"),
        *(
            ({"task": goal}, ValueError, "goal must be a cell")
            for goal in ((0, 1), (1, 5), (1.5, 1), (-1, 0), (np.nan, 1), (1, 2, 3), (99, 1))
        ),
    ],
    "Pendulum": [({"task": (0.5, 0.5, 0.0)}, ValueError, "angles as cosine and sine")],
    "CognitiveRadio": [
        ({"channels": 1}, ValueError, "channels must be an integer from 2 to 10"),
        ({"channels": 4.0}, ValueError, "got 4.0"),
        ({"senders": "hopper"}, TypeError, r"such as \('hopper',\)"),
        ({"senders": ("hoper",)}, UnknownName, "Did you mean 'hopper'"),
        ({"senders": ()}, ValueError, "number of senders must be an integer"),
        ({"task": (1, 2)}, ValueError, "no goals in this world"),
        ({"context": {"miss": 0.7}}, ValueError, r"miss .* \[0, 0.5\], got 0.7"),
    ],
    "Trading": [({"frames": 0}, ValueError, "frames must be an integer from 1 to 64, got 0")],
    "RacingRing": [
        *(
            ({"rivals": count}, ValueError, "rivals must be an integer from 0 to 4")
            for count in (-1, 5, 1.5, True, "two")
        ),
        *(
            ({"task": goal, "rivals": 0}, ValueError, "goal must be")
            for goal in ((0.05, 0.0), (0.5, 4.0), (0.5,), (np.nan, 0.0))
        ),
    ],
    "QuadrotorSwarm": [
        *(
            ({"vehicles": count}, ValueError, "vehicles must be an integer from")
            for count in (0, 7, 2.0)
        ),
        *(
            ({"columns": count}, ValueError, "columns must be an integer from")
            for count in (10, -1, True)
        ),
        *(
            ({"vehicles": 2, "task": goals}, ValueError, "goal must be 2 places")
            for goals in (
                TWO_GOALS[:1],
                ((1, 0, 0), (3, 0, 0)),
                ((3, 0, 0), (3, 0.2, 0)),
                ((3, 0, 0), (3, 9, 0)),
            )
        ),
    ],
}
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


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_refused(name: str) -> None:
    for kwargs, error, match in ARGUMENTS[name]:
        with pytest.raises(error, match=match):
            bare(name, **kwargs)
            pytest.fail(f"{kwargs} was accepted")
        if kwargs.keys() <= {"task", "context"} | ({"mission"} if name == "Letters" else set()):
            with pytest.raises(error, match=match):
                bare(name).reset(options=kwargs)


@pytest.mark.parametrize("name", STARTS)
def test_bad_starts_are_refused(name: str) -> None:
    for start in STARTS[name]:
        with pytest.raises(ValueError, match="start must be"):
            bare(name).reset(options={"start": start})
            pytest.fail(f"{start} was accepted")
