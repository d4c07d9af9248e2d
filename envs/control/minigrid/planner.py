"""The oracle of MiniGrid environments: a shortest plan for a mission, by breadth-first search.

The search is over the whole state (agent, things, doors, subgoals done), so plans are shortest, but
for two restrictions: a door that the mission does not open is never closed, which cannot help; and
only the things of the mission, and keys of locked doors, are carried, unless no other plan exists.
Boxes are never opened: their contents are hidden. After "The Shortest Path Through a Maze" (Moore
1959).
"""

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from zerogym.envs.control.minigrid.missions import Cell, Mission, Subgoal, advance, subgoals
from zerogym.envs.control.minigrid.state import DIRECTIONS, MOVABLE
from zerogym.envs.control.minigrid.text_view import DROP, FORWARD, LEFT, PICK_UP, RIGHT, TOGGLE

MAX_NODES = 200_000
CARRIED = (-1, -1)  # place of a carried thing


class Node(NamedTuple):
    """A state of the search; doors by number, as bits."""

    place: Cell
    facing: int
    held: int  # number of the carried thing, -1 for none
    spots: tuple[Cell, ...]  # of the things
    open: int
    locked: int
    done: int  # subgoals


class Plan:
    """The search from the present state of one world.

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
        self._floor: set[Cell] = set()  # cells on which something can be put down
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
        """Return the actions of a shortest plan; None if there is none or the search is too large.

        Args:
            mission: The mission.
            done: The subgoals that are done already, as bits.
        """
        leaves = subgoals(mission)
        start = self.start._replace(done=done)
        if all(self._stands(subgoal, start) for subgoal in leaves):  # rewards go on
            return []
        for subgoal in leaves:  # a search for what does not exist would visit every state
            is_open = subgoal.verb == "any_open"
            places = self.doors if is_open else subgoal.cells - self._closed
            if not places and not subgoal.things:
                return None
        locks = {color for i, color in enumerate(self.colors) if self.start.locked >> i & 1}
        named = frozenset(
            number
            for number, thing in enumerate(self.things)
            if (thing.type == "key" and thing.color in locks)
            or any(number in subgoal.things and subgoal.verb != "face" for subgoal in leaves)
        )
        plan = self._search(mission, start, named)
        everything = frozenset(range(len(self.things)))
        return plan if plan is not None else self._search(mission, start, everything)

    def _search(self, mission: Mission, start: Node, may: frozenset[int]) -> list[int] | None:
        every = (1 << len(subgoals(mission))) - 1
        to_open = {self.doors[cell] for subgoal in subgoals(mission) if subgoal.verb == "open"
                   for cell in subgoal.cells}  # fmt: skip
        came: dict[Node, tuple[Node, int] | None] = {start: None}
        queue = deque([start])
        while queue and len(came) < MAX_NODES:
            node = queue.popleft()
            for action, moved, touched in self._after(node, may, to_open):
                done = advance(
                    mission, node.done,
                    lambda subgoal: self._holds(subgoal, moved, action, touched),  # noqa: B023
                )  # fmt: skip
                after = moved._replace(done=done) if done != node.done else moved
                if after in came:
                    continue
                came[after] = (node, action)
                if done == every:
                    actions = []
                    while (step := came[after]) is not None:
                        after, action = step
                        actions.append(action)
                    return actions[::-1]
                queue.append(after)
        return None

    def _after(
        self, node: Node, may: frozenset[int], to_open: set[int]
    ) -> Iterator[tuple[int, Node, Any]]:
        """Yield actions that change something, the next states, and the thing or door touched."""
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

    def _holds(self, subgoal: Subgoal, node: Node, action: int, touched: Any) -> bool:
        """Return True if the action that led to this state reached a subgoal."""
        if subgoal.verb == "face":
            front = _front(node)
            return front in subgoal.cells or any(node.spots[n] == front for n in subgoal.things)
        if subgoal.verb == "pick_up":
            return action == PICK_UP and touched in subgoal.things
        if subgoal.verb == "open":
            return action == TOGGLE and touched in subgoal.cells
        if subgoal.verb == "put":
            if action != DROP or touched not in subgoal.things:
                return False
            beside = {*subgoal.cells, *(node.spots[n] for n in subgoal.others)}
            (x, y) = node.spots[touched]
            return any((x + dx, y + dy) in beside for dx, dy in DIRECTIONS)
        return self._stands(subgoal, node)

    @staticmethod
    def _stands(subgoal: Subgoal, node: Node) -> bool:
        """Return True if a state satisfies a subgoal, whatever the last action."""
        if subgoal.verb == "stand":
            return node.place in subgoal.cells
        if subgoal.verb == "carry":
            return node.held in subgoal.things
        return subgoal.verb == "any_open" and node.open > 0


def _front(node: Node) -> Cell:
    dx, dy = DIRECTIONS[node.facing]
    return node.place[0] + dx, node.place[1] + dy


def _moved(node: Node, number: int, to: Cell, held: int) -> Node:
    spots = (*node.spots[:number], to, *node.spots[number + 1 :])
    return node._replace(spots=spots, held=held)
