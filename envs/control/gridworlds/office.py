"""The office: rooms, coffee, mail and decorations, and missions given by reward machines.

For machines see `temporal/reward_machines.py`; their state is observed, see
`tabular/product_base.py`. Left out: mail that runs out and people who come and go, as in later
papers.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.env import DEFAULT
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.tabular.base import View
from zerogym.envs.control.tabular.features import CellFeature
from zerogym.envs.control.tabular.layouts import ACTION_NAMES, MOVES, Cell, Layout, cell_text
from zerogym.envs.control.tabular.mdp import TabularMDP, deterministic_mdp
from zerogym.envs.control.tabular.product_base import ProductEnv
from zerogym.envs.control.tabular.render import Scene
from zerogym.envs.control.temporal.missions import find_mission, sequence_machine
from zerogym.envs.control.temporal.reward_machines import RewardMachine

EVENTS: Mapping[str, str] = MappingProxyType(
    {"A": "a", "B": "b", "C": "c", "D": "d", "K": "coffee", "M": "mail", "O": "office",
     "*": "decoration"}
)  # fmt: skip
# Rooms of three by three cells. The walls between them are thin: their marks are no cells, and a
# step through a door leads from one room into the next.
DRAWING = """
#################
#   #   #   #   #
# B   *   *   C #
#   #K  #   #   #
## ### ### ### ##
#   #   #   #   #
# * # O # M # * #
#   #   #   #   #
## ########### ##
#   #   #  K#   #
# A   *   *   D #
#   #   #   #   #
#################
"""
ROOM = 4  # marks from one wall to the next
ROWS, COLUMNS = 9, 12
START: Cell = (8, 3)

MISSIONS: Mapping[str, RewardMachine] = MappingProxyType(
    {
        "coffee": sequence_machine(
            "Get coffee and bring it to the office; break no decoration.",
            ["coffee", "office", "decoration"],
            ["coffee", "office"],
            never="decoration",
        ),
        "mail": sequence_machine(
            "Get the mail and bring it to the office; break no decoration.",
            ["mail", "office", "decoration"],
            ["mail", "office"],
            never="decoration",
        ),
        "coffee_and_mail": sequence_machine(
            "Get coffee and the mail, in any order, and bring both to the office; break no "
            "decoration.",
            ["coffee", "mail", "office", "decoration"],
            ["coffee", "mail", "office"],
            ["mail", "coffee", "office"],
            never="decoration",
        ),
        "patrol": sequence_machine(
            "Visit the places a, b, c and d in this order; break no decoration.",
            ["a", "b", "c", "d", "decoration"],
            ["a", "b", "c", "d"],
            never="decoration",
        ),
    }
)


class OfficeEnv(ProductEnv):
    """An office with errands: fetch coffee and mail, patrol, break nothing.

    Description:
        Twelve rooms of three by three cells, 9 rows and 12 columns, with doors between them. In
        some cells something happens: `coffee` (two places), `mail`, `office`, `decoration` (six
        places), and the four places `a`, `b`, `c`, `d`. A mission is a reward machine or a formula
        over these events. The state of its machine is part of the observation, so that office and
        mission together are again a fully observed MDP with an exact model: `P` (S, A, S),
        `R` (S, A) and `next_state` (S, A).

    Observation:
        `view="numeric"`: the place as a one-hot vector (108,), then the state of the mission's
        machine as one (N,); float32. Without a mission only the place. `view="text"`: at the start
        the task and the place in words, later only the place: the progress of the mission must
        be remembered.

    Reward:
        Task `mission`: the reward of its machine; the four named ones give 1 on completion, a
        formula 1 for being true at the end of the episode (as the change of "it would be true if
        the episode ended now"). `visit_coffee`, `visit_mail`, ...: 1 for each step that ends on
        such a place. `task=None`: 0. Events happen on entering a cell, also by staying in it; the
        start is not entered.
        Features, for a task such as `"coffee - 0.1 * row"`: `row`, `column`, and 1 or 0 for each
        event.

    Episode end:
        Terminated when nothing can change the mission's outcome, as when a decoration is broken;
        else truncated after `horizon` steps. `info["success"]`: the mission's return is positive.

    Difficulty:
        The mission.

    Arguments:
        mission: `coffee`, `mail`, `coffee_and_mail` or `patrol`; a formula of LTLf, such as
            `"F (mail & X F office) & G !decoration"`; a
            `zerogym.envs.control.temporal.reward_machines.RewardMachine`; or None.
        task: None; `mission`; `visit_coffee`, ...; a `zerogym.envs.control.core.tasks.Task`; a
            function `reward(obs, action, next_obs) -> (B,)` of batches of observations and actions
            (B,); or a goal, as (row, column) or as the one-hot vector of a place.
        render_mode: None, `ansi` or `rgb_array`. Pictures show the next places of the mission as
            goals, and cells that fail it as lava.

        `reset(options=...)` may pin `start` (row, column), counted from 1 at the top left, and
        `task` for one episode.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Office-v0", mission="coffee", task="mission", view="text")
        >>> print(env.reset(options={"start": (7, 8)})[0])
        Get coffee and bring it to the office; break no decoration.
        You are at row 7, column 8. Open: right, down, left.
        Answer with one move: stay, up, right, down or left.
        >>> env.step("right")[0]
        'You are at row 7, column 9. Here: coffee. Open: down, left.'

    Source:
        Map, missions and start are those of "Using Reward Machines for High-Level Task
        Specification and Decomposition in Reinforcement Learning" (2018, ICML, Toro Icarte and
        others). Staying, the horizon, formulas and texts are our choice.
    """

    def __init__(
        self,
        mission: Any = "coffee",
        task: Any = DEFAULT,
        view: View = "numeric",
        horizon: int = 100,
        render_mode: str | None = None,
    ) -> None:
        cells, holds = office()
        machine = find_mission(mission, MISSIONS, holds)
        super().__init__(cells, holds, machine, task, view, horizon, render_mode)

    @property
    def measures(self) -> Measures:
        """Row and column of the place, counted from 1, and which events hold there."""
        held = {name: CellFeature(cells.astype(np.float64)) for name, cells in self.holds.items()}
        return {**super().measures, **held}

    @property
    def missions(self) -> Mapping[str, RewardMachine]:
        """The named missions."""
        return MISSIONS

    def _map(self) -> Layout:
        return _layout()

    def _scene(self) -> Scene:
        marks = [_mark(*cell) for cell in cells_of_rooms()]
        index, scores = _layout().index, np.zeros(len(_layout().cells))
        scores[[index[mark] for mark in marks]] = self._place_scores()
        return marks[self._episode.state % self.mdp.places], scores

    def _where(self, state: int) -> str:
        here = state % self.mdp.places
        after = self.place_mdp.outcomes[here, :, 0]
        free = [name for name, to in zip(ACTION_NAMES, after, strict=True) if to != here]
        things = [name for name, cells in self.holds.items() if cells[here]]
        event = f" Here: {', '.join(things)}." if things else ""
        return f"You are at {cell_text(self._cells[here])}.{event} Open: {', '.join(free)}."

    @property
    def _cells(self) -> list[Cell]:
        return cells_of_rooms()


@cache
def cells_of_rooms() -> list[Cell]:
    """Return (row, column) of each of the 108 cells, counted from 1 at the top left."""
    return [(row, column) for row in range(1, ROWS + 1) for column in range(1, COLUMNS + 1)]


@cache
def office() -> tuple[TabularMDP, Mapping[str, NDArray[np.bool_]]]:
    """Return the MDP of the places without a mission, and the places (S,) of each event."""
    cells, lines = cells_of_rooms(), DRAWING.strip("\n").split("\n")
    table = np.empty((len(cells), len(MOVES)), dtype=np.int64)
    for here, (row, column) in enumerate(cells):
        for action, (down, right) in enumerate(MOVES.values()):
            drawn, drawn_column = _mark(row, column)
            shut = lines[drawn + down][drawn_column + right] == "#"
            table[here, action] = here if shut else cells.index((row + down, column + right))
    marks = [lines[row][column] for row, column in (_mark(*cell) for cell in cells)]
    holds = {name: np.array([own == mark for own in marks]) for mark, name in EVENTS.items()}
    one_hot = np.eye(len(cells), dtype=np.float32)
    return deterministic_mdp(table, one_hot, (cells.index(START),)), MappingProxyType(holds)


@cache
def _layout() -> Layout:
    """Return the drawing without its signs; doors are free cells in it, too."""
    blank = "".join(" " if mark in EVENTS else mark for mark in DRAWING.strip("\n"))
    return Layout("office", tuple(blank.split("\n")))


def _mark(row: int, column: int) -> Cell:
    """Return the row and column of a cell in the drawing."""
    return tuple(number + (number - 1) // (ROOM - 1) for number in (row, column))  # type: ignore[return-value]
