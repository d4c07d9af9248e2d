"""The oracle of MiniGrid worlds: a shortest plan for a mission, by breadth-first search.

It searches over the whole state (agent, things, doors, deeds done), so a plan is as short as
possible, but for two bounds that keep the search small: a door that is not to be opened by the
mission is never closed, which cannot help; and only the things that the mission names, and keys of
locked doors, are carried about, unless there is no way without. Boxes are never opened: what is
hidden in them stays hidden. After "The Shortest Path Through a Maze" (Moore 1959).
"""

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from zerogym.envs.control.minigrid.missions import Cell, Deed, Mission, advance, deeds
from zerogym.envs.control.minigrid.state import DIRECTIONS, MOVABLE
from zerogym.envs.control.minigrid.text_view import DROP, FORWARD, LEFT, PICK_UP, RIGHT, TOGGLE

MAX_NODES = 200_000
CARRIED = (-1, -1)  # where a carried thing is


class Node(NamedTuple):
    """A state of the search; doors by number, as bits."""

    place: Cell
    facing: int
    held: int  # number of the carried thing, -1 for none
    spots: tuple[Cell, ...]  # of the things
    open: int
    locked: int
    done: int  # deeds


class Plan:
    """The search in one world as it stands.

    Args:
        world: The package's environment.
    """

    def __init__(self, world: Any) -> None:
        grid = world.grid
        self.things: list[Any] = [] if world.carrying is None else [world.carrying]
        spots: list[Cell] = [CARRIED] * len(self.things)
        self.doors: dict[Cell, int] = {}
        self.colors: list[str] = []  # of the doors
        self._closed: set[Cell] = set()  # for good
        self._floor: set[Cell] = set()  # where something can be put down
        is_open = is_locked = 0
        for n, thing in enumerate(grid.grid):
            cell = (n % grid.width, n // grid.width)
            if thing is None or thing.type in MOVABLE:
                self._floor.add(cell)
            if thing is None:
                continue
            if thing.type in MOVABLE:
                self.things.append(thing)
                spots.append(cell)
            elif thing.type == "door":
                bit = 1 << len(self.doors)
                is_open |= bit * thing.is_open
                is_locked |= bit * thing.is_locked
                self.doors[cell] = len(self.doors)
                self.colors.append(thing.color)
            elif thing.type not in ("goal", "floor"):
                self._closed.add(cell)
        place = (int(world.agent_pos[0]), int(world.agent_pos[1]))
        held = -1 if world.carrying is None else 0
        self.start = Node(place, int(world.agent_dir), held, tuple(spots), is_open, is_locked, 0)

    def solve(self, mission: Mission, done: int = 0) -> list[int] | None:
        """The actions of a shortest plan; None if there is none, or the search grew too large.

        Args:
            mission: What is to be done.
            done: The deeds that are done already, as bits.
        """
        leaves = deeds(mission)
        start = self.start._replace(done=done)
        if all(self._stands(deed, start) for deed in leaves):  # of the kind that goes on paying
            return []
        if not all(self._possible(deed) for deed in leaves):
            return None
        locks = {color for i, color in enumerate(self.colors) if self.start.locked >> i & 1}
        named = frozenset(
            number
            for number, thing in enumerate(self.things)
            if (thing.type == "key" and thing.color in locks)
            or any(number in deed.things and deed.verb != "face" for deed in leaves)
        )
        plan = self._search(mission, start, named)
        everything = frozenset(range(len(self.things)))
        return plan if plan is not None else self._search(mission, start, everything)

    def _possible(self, deed: Deed) -> bool:
        """False for what the world has not got, which a search would seek everywhere."""
        if deed.verb == "any_open":
            return bool(self.doors)
        return bool(deed.things) or any(cell not in self._closed for cell in deed.cells)

    def _search(self, mission: Mission, start: Node, may: frozenset[int]) -> list[int] | None:
        every = (1 << len(deeds(mission))) - 1
        to_open = {self.doors[cell] for deed in deeds(mission) if deed.verb == "open"
                   for cell in deed.cells}  # fmt: skip
        came: dict[Node, tuple[Node, int] | None] = {start: None}
        queue = deque([start])
        while queue and len(came) < MAX_NODES:
            node = queue.popleft()
            for action, moved, touched in self._after(node, may, to_open):
                done = advance(
                    mission, node.done,
                    lambda deed: self._holds(deed, moved, action, touched),  # noqa: B023
                )  # fmt: skip
                after = moved._replace(done=done) if done != node.done else moved
                if after in came:
                    continue
                came[after] = (node, action)
                if done == every:
                    return _way_to(after, came)
                queue.append(after)
        return None

    def _after(
        self, node: Node, may: frozenset[int], to_open: set[int]
    ) -> Iterator[tuple[int, Node, Any]]:
        """Actions that change something, what they lead to, and the thing or door touched."""
        yield LEFT, node._replace(facing=(node.facing - 1) % 4), None
        yield RIGHT, node._replace(facing=(node.facing + 1) % 4), None
        front = _front(node)
        door = self.doors.get(front)
        if front in self._closed:
            return
        if door is not None:
            if node.open >> door & 1:
                yield FORWARD, node._replace(place=front), None
                if door in to_open:
                    yield TOGGLE, node._replace(open=node.open & ~(1 << door)), None
            elif not node.locked >> door & 1 or self._is_key(node.held, door):
                bit = 1 << door
                opened = node._replace(open=node.open | bit, locked=node.locked & ~bit)
                yield TOGGLE, opened, front
            return
        if front in node.spots:
            number = node.spots.index(front)
            if node.held < 0 and number in may:
                yield PICK_UP, _moved(node, number, CARRIED, number), number
            return
        yield FORWARD, node._replace(place=front), None
        if node.held >= 0 and front in self._floor:
            yield DROP, _moved(node, node.held, front, -1), node.held

    def _is_key(self, held: int, door: int) -> bool:
        thing = self.things[held] if held >= 0 else None
        return thing is not None and thing.type == "key" and thing.color == self.colors[door]

    def _holds(self, deed: Deed, node: Node, action: int, touched: Any) -> bool:
        """Whether an action that led here has done a deed."""
        if deed.verb == "face":
            front = _front(node)
            return front in deed.cells or any(node.spots[n] == front for n in deed.things)
        if deed.verb == "pick_up":
            return action == PICK_UP and touched in deed.things
        if deed.verb == "open":
            return action == TOGGLE and touched in deed.cells
        if deed.verb == "put":
            if action != DROP or touched not in deed.things:
                return False
            beside = {*deed.cells, *(node.spots[n] for n in deed.others)}
            (x, y) = node.spots[touched]
            return any((x + dx, y + dy) in beside for dx, dy in DIRECTIONS)
        return self._stands(deed, node)

    @staticmethod
    def _stands(deed: Deed, node: Node) -> bool:
        """Whether a state is what a deed asks for, whatever led to it."""
        if deed.verb == "stand":
            return node.place in deed.cells
        if deed.verb == "carry":
            return node.held in deed.things
        return deed.verb == "any_open" and node.open > 0


def _front(node: Node) -> Cell:
    dx, dy = DIRECTIONS[node.facing]
    return node.place[0] + dx, node.place[1] + dy


def _moved(node: Node, number: int, to: Cell, held: int) -> Node:
    spots = (*node.spots[:number], to, *node.spots[number + 1 :])
    return node._replace(spots=spots, held=held)


def _way_to(node: Node, came: dict[Node, tuple[Node, int] | None]) -> list[int]:
    actions = []
    while (step := came[node]) is not None:
        node, action = step
        actions.append(action)
    return actions[::-1]
