"""Drawing rooms with locked doors, so that every key can be had before its door is needed.

Rooms stand on a grid and are joined as a tree by openings, some of which are locked. Keys are put
down in the order in which the doors will be opened, each in a part that is open by then.
"""

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of
from zerogym.envs.reasoning.planning.moves import FREE, GOAL, START, WALL, rows_of

ROOM = 3  # squares of a side of a room
MAX_LOCKS = 6  # doors A to F: G is the goal
PILLAR_SHARE = 0.3  # of rooms with a wall in their middle

Edge = tuple[int, int]  # rooms, the nearer to the start first


def draw_rooms(rng: np.random.Generator, locks: int) -> tuple[list[str], list[int]]:
    """Draw a map of `locks + 2` rooms or somewhat more, `locks` of whose openings are locked doors.

    Returns:
        The rows of the map, and the squares to visit in order: the keys that are needed, the goal.
    """
    rooms = locks + 2
    columns = int(rooms**0.5 + 0.999)
    down = -(-rooms // columns)
    if rng.random() < 0.5:
        down, columns = columns, down
    return _House(rng, down, columns).plan(locks)


class _House:
    """An unfinished map."""

    def __init__(self, rng: np.random.Generator, down: int, across: int) -> None:
        self._rng, self._across, self._rooms = rng, across, down * across
        self._width = across * (ROOM + 1) + 1
        self._squares = [WALL] * (self._width * (down * (ROOM + 1) + 1))
        for room in range(self._rooms):
            for row in range(ROOM):
                at = self._corner(room) + row * self._width
                self._squares[at : at + ROOM] = [FREE] * ROOM
            if rng.random() < PILLAR_SHARE:
                self._squares[self._corner(room) + self._width + 1] = WALL
        self._parent: dict[int, int] = {}

    def plan(self, locks: int) -> tuple[list[str], list[int]]:
        """Join the rooms, lock some openings, put keys, start and goal down."""
        first = draw_int(self._rng, 0, self._rooms - 1)
        edges = self._tree(first)
        locked = sample_of(self._rng, edges, locks)
        for edge in edges:
            if edge not in locked:
                self._open(edge, FREE)
        opened, key_rooms, last = self._lock(first, edges, locked)
        self._put(first, START)
        keys = [self._put(room, letter) for room, letter in zip(key_rooms, "abcdef", strict=False)]
        goal_room = pick(self._rng, [room for room in last if room != first])
        goal = self._put(goal_room, GOAL)
        needed = self._needed(goal_room, opened, key_rooms)
        rows = rows_of("".join(self._squares), self._width)
        return rows, [keys[number] for number in needed] + [goal]

    def _corner(self, room: int) -> int:
        row, column = divmod(room, self._across)
        return (row * (ROOM + 1) + 1) * self._width + column * (ROOM + 1) + 1

    def _tree(self, first: int) -> list[Edge]:
        """Join all rooms to a first one by edges, grown from random rooms."""
        joined, edges = [first], []
        while len(joined) < self._rooms:
            room = pick(self._rng, joined)
            column = room % self._across
            beside = [room - self._across, room + self._across]
            beside += [room - 1] * (column > 0) + [room + 1] * (column < self._across - 1)
            new = [other for other in beside if 0 <= other < self._rooms and other not in joined]
            if new:
                chosen = pick(self._rng, new)
                joined.append(chosen)
                edges.append((room, chosen))
                self._parent[chosen] = room
        return edges

    def _open(self, edge: Edge, letter: str) -> None:
        low, high = sorted(edge)
        shift = draw_int(self._rng, 0, ROOM - 1)
        beside = high - low == 1 and self._across > 1
        step = shift * self._width + ROOM if beside else ROOM * self._width + shift
        self._squares[self._corner(low) + step] = letter

    def _lock(
        self, first: int, edges: list[Edge], locked: list[Edge]
    ) -> tuple[list[Edge], list[int], list[int]]:
        """Return doors in the order of their letters, rooms of their keys, rooms opened last."""
        last = self._spread(first, edges, locked)
        reached = [first, *last]
        opened: list[Edge] = []
        key_rooms = []
        while len(opened) < len(locked):
            shut = [edge for edge in locked if edge[0] in reached and edge not in opened]
            edge = pick(self._rng, shut)
            key_rooms.append(pick(self._rng, reached))
            self._open(edge, "ABCDEF"[len(opened)])
            opened.append(edge)
            last = [edge[1], *self._spread(edge[1], edges, locked)]
            reached += last
        return opened, key_rooms, last

    def _spread(self, room: int, edges: list[Edge], locked: list[Edge]) -> list[int]:
        """Return the rooms beyond a room to which no locked door bars the way."""
        found = [room]
        for near, far in edges:  # in the order of growth: a room comes after the one before it
            if near in found and (near, far) not in locked:
                found.append(far)
        return found[1:]

    def _put(self, room: int, letter: str) -> int:
        """Write a letter on a free square of a room, and return the square."""
        corner = self._corner(room)
        squares = [corner + row * self._width + n for row in range(ROOM) for n in range(ROOM)]
        square = pick(self._rng, [at for at in squares if self._squares[at] == FREE])
        self._squares[square] = letter
        return square

    def _needed(self, goal_room: int, opened: list[Edge], key_rooms: list[int]) -> list[int]:
        """Return the numbers of the keys that the goal needs, in order of their doors."""
        needed: set[int] = set()
        rooms = [goal_room]
        for room in rooms:
            while room in self._parent:
                edge = self._parent[room], room
                if edge in opened and opened.index(edge) not in needed:
                    needed.add(opened.index(edge))
                    rooms.append(key_rooms[opened.index(edge)])
                room = edge[0]
        return sorted(needed)
