"""Overcooked-mini: two cooks in a small kitchen serve as many soups as they can.

Rules in the manner of the Overcooked environments of the literature, on smaller layouts of our own.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.cooperative.overcooked_cook import scripted
from zerogym.envs.games.cooperative.overcooked_kitchen import (
    ITEMS,
    LAYOUTS,
    MOVES,
    NOTHING,
    Kitchen,
    Plan,
    after_round,
    plan_of,
)
from zerogym.envs.games.cooperative.partners import PartnersEnv
from zerogym.envs.games.core.game import TERMINAL, Game
from zerogym.envs.games.core.parameters import check_choice, check_number

__all__ = ["KitchenState", "OvercookedMini", "OvercookedMiniEnv", "scripted"]

POINTS = 20.0  # of a soup, for both
ALL = tuple(range(len(MOVES)))
PLANES = 16  # boards of a numeric observation


class KitchenState(NamedTuple):
    """The kitchen, the rounds and soups so far, and the moves of this round that are made."""

    kitchen: Kitchen
    rounds: int = 0
    soups: int = 0
    made: tuple[int, ...] = ()


@dataclass(frozen=True)
class OvercookedMini(Game[KitchenState]):
    """The rules; `OvercookedMiniEnv` has them in words. Actions: north, south, west, east, stay.

    `observe` is a float32 vector: the seat, one-hot (2); the share of rounds that are left (1); the
    items that the seat and the other hold, one-hot (4 each); then `PLANES` boards of all cells:
    wall, floor, onions, dishes, pot, serving, table; the seat's cell, the other's; onion, dish and
    soup on tables; onions in pots, whether they cook, rounds left over `cook_time`, soup ready.

    Attributes:
        layout: `room`, `ring` or `divided`.
        horizon: Rounds, 1 to 400.
        onions: Of a soup, 1 to 3.
        cook_time: Rounds from the last onion to the soup, 1 to 20.
    """

    layout: str = "room"
    horizon: int = 40
    onions: int = 2
    cook_time: int = 5
    name: ClassVar[str] = "overcooked_mini"
    num_actions: ClassVar[int] = len(MOVES)
    perfect_information: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True
    zero_sum: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other layouts and numbers."""
        check_choice("layout", self.layout, list(LAYOUTS))
        check_number("horizon", self.horizon, 1, 400)
        check_number("onions", self.onions, 1, 3)
        check_number("cook_time", self.cook_time, 1, 20)

    @cached_property
    def plan(self) -> Plan:
        """The layout."""
        return plan_of(self.layout)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """No soup, or one for each time that a pot can be filled by both, cooks and is emptied."""
        return 0.0, POINTS * max(1, self.horizon // (self.cook_time + (self.onions + 1) // 2))

    @property
    def observation_size(self) -> int:
        """The seat, the rounds, two items, and boards."""
        return 11 + PLANES * len(self.plan.kinds)

    def initial(self) -> KitchenState:
        """Empty hands, tables and pots."""
        return KitchenState(self.plan.opening())

    def to_move(self, state: KitchenState) -> int:
        """Both in each round, in order."""
        return TERMINAL if state.rounds == self.horizon else len(state.made)

    def legal(self, state: KitchenState) -> tuple[int, ...]:
        """Every move; one into a wall does nothing."""
        return () if state.rounds == self.horizon else ALL

    def apply(self, state: KitchenState, action: int) -> KitchenState:
        """Note the first move of a round; play the round with the second."""
        if not state.made:
            return state._replace(made=(action,))
        kitchen, served = after_round(
            self.plan, self.onions, self.cook_time, state.kitchen, (*state.made, action)
        )
        return KitchenState(kitchen, state.rounds + 1, state.soups + served)

    def payoff(self, state: KitchenState) -> tuple[float, float]:
        """The points, the same for both."""
        return self.returns(state)

    def returns(self, state: KitchenState) -> tuple[float, float]:
        """20 points for each soup."""
        return POINTS * state.soups, POINTS * state.soups

    def resample(self, state: KitchenState, seat: int, rng: np.random.Generator) -> KitchenState:
        """Another move of the other cook in this round, if it has made one."""
        return state._replace(made=tuple(int(rng.integers(len(MOVES))) for _ in state.made))

    def observe(self, state: KitchenState, seat: int) -> NDArray[np.float32]:
        """Return the kitchen without the moves of this round."""
        kitchen, plan = state.kitchen, self.plan
        boards = np.zeros((PLANES, len(plan.kinds)), dtype=np.float32)
        boards[:7] = plan.stations
        for offset in range(2):
            boards[7 + offset, kitchen.cooks[(seat + offset) % 2][0]] = 1
        for cell, item in zip(plan.tables, kitchen.tables, strict=True):
            if item != NOTHING:
                boards[8 + item, cell] = 1
        for cell, (count, left) in zip(plan.pots, kitchen.pots, strict=True):
            cooks = count == self.onions
            boards[12:, cell] = (
                count / self.onions, cooks and left > 0, left / self.cook_time, cooks and left == 0
            )  # fmt: skip
        eye, items = np.eye(2), np.eye(len(ITEMS))
        held = [items[kitchen.cooks[who][1]] for who in (seat, 1 - seat)]
        share = [(self.horizon - state.rounds) / self.horizon]
        return np.concatenate([eye[seat], share, *held, boards.ravel()]).astype(np.float32)

    def info_key(self, state: KitchenState, seat: int) -> str:
        """Return the seat and all but the moves of this round."""
        return f"{seat}|{tuple(state.kitchen)}|{state.rounds}|{state.soups}"

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        rounds = "1 round" if self.horizon == 1 else f"{self.horizon} rounds"
        onions = "1 onion" if self.onions == 1 else f"{self.onions} onions"
        return (
            f"Overcooked: cooks 1 and 2 move at the same time, for {rounds}. All get {POINTS:g} "
            "points a soup served.\n"
            "A move into a station or table uses it: take an onion at O or a dish at D with free "
            f"hands; put onions into the pot P; with {onions} it cooks for {self.cook_time} "
            "rounds; take the soup with a dish; serve it at S; leave or take items at tables =.\n"
            "# is wall, a dot is floor. Cooks who would meet in a cell or change places stay.\n"
            f"You are cook {seat + 1}."
        )

    def situation(self, state: KitchenState, seat: int) -> str:
        """The kitchen as a map, and what is held, cooked and left on tables."""
        kitchen, plan = state.kitchen, self.plan
        cells = list(plan.kinds)
        for cook, (cell, _) in enumerate(kitchen.cooks):
            cells[cell] = str(cook + 1)
        starts = range(0, len(cells), plan.width)
        lines = ["".join(cells[start : start + plan.width]) for start in starts]
        held = [ITEMS[item] for _, item in kitchen.cooks]
        lines.insert(
            0,
            f"Round {min(state.rounds + 1, self.horizon)} of {self.horizon}. Soups: {state.soups}. "
            f"You are cook {seat + 1} and hold {held[seat]}; the other holds {held[1 - seat]}.",
        )
        for cell, (count, left) in zip(plan.pots, kitchen.pots, strict=True):
            is_full = count == self.onions
            said = f"{count} of {self.onions} onions"
            if is_full:
                said = f"cooks, {left} more" if left else "the soup is ready"
            lines.append(f"Pot {plan.name(cell)}: {said}.")
        for cell, item in zip(plan.tables, kitchen.tables, strict=True):
            if item != NOTHING:
                lines.append(f"Table {plan.name(cell)}: {ITEMS[item]}.")
        return "\n".join(lines)

    def request(self, state: KitchenState) -> str:
        """The moves."""
        return "Reply <answer>north</answer>, or south, west, east or stay."

    def result(self, state: KitchenState, seat: int) -> str:
        """The points."""
        return f"The shift is over. Points: {self.returns(state)[seat]:g}."

    def action_name(self, state: KitchenState, action: int) -> str:
        """`north`, `south`, `west`, `east` or `stay`."""
        return MOVES[action]


class OvercookedMiniEnv(PartnersEnv):
    """One cook of two in a small kitchen, with a given partner.

    Description:
        Two cooks move at the same time on a grid: they bring onions to a pot, where a soup cooks
        for some rounds, take it with a dish, and serve it. A move into a station or a table uses
        it. In the same round cook 1 uses stations before cook 2. Cooks who would meet in a cell or
        change places stay. All cells are visible to both. In the layout `divided` onions and dishes
        are on one side, pot and serving on the other, and everything goes over tables.

    Observation:
        `view="text"`: the rules (once), then rounds, soups, the map, the pot and the tables.
        `view="numeric"`: float32 vector (331,) for the layout `room`: seat (2), rounds left (1),
        the items of both cooks (4 each), and 16 boards of 20 cells.

    Action:
        `view="text"`: the whole reply; `north`, `south`, `west`, `east` or `stay` is read from
        `<answer>...</answer>`, else from the last line. `view="numeric"`: 0 to 4 in this order.

    Reward:
        20 for each soup when it is served, for both. `info["score"]` is the points over those of
        pots that are filled, cook and are emptied without a pause, which no pair reaches.

    Episode end:
        After `horizon` rounds. A reply that names no move may be repeated up to `max_retries`
        times, then the game ends with 0 points for both, as at once by an illegal number.

    Arguments:
        layout: `room` (default), `ring` or `divided`.
        horizon: Rounds, 1 to 400; default 40.
        onions: Of a soup, 1 to 3; default 2.
        cook_time: Rounds from the last onion to the soup, 1 to 20; default 5.

    Example:
        >>> env = OvercookedMiniEnv(seat=0, opponent="scripted")
        >>> first, info = env.reset(seed=0)
        >>> print(env.step("<answer>west</answer>")[0])
        Round 2 of 40. Soups: 0. You are cook 1 and hold an onion; the other holds an onion.
        ##P##
        O1.2O
        #...#
        #D=S#
        Pot c1: 0 of 2 onions.
        Reply <answer>north</answer>, or south, west, east or stay.

    Source:
        "On the Utility of Learning about Humans for Human-AI Coordination" (2019,
        arXiv 1910.05789); tasks for language models: "LLM-Coordination: Evaluating and Analyzing
        Multi-agent Coordination Abilities in Large Language Models" (2023, arXiv 2310.03903).
    """

    rules_class = OvercookedMini
