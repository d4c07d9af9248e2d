"""Sokoban boards as bits: what can be reached, reverse play, and the fewest pushes.

A set of squares is one integer, so that everything a player can reach is found a whole row of steps
at a time. Squares are numbered row by row on a board with a border of walls.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from zerogym.envs.reasoning.draws import pick, sample_of
from zerogym.envs.reasoning.planning.moves import BACK, steps
from zerogym.envs.reasoning.search import shortest_path

WALL_SHARE = 0.15  # of the squares inside
Push = tuple[int, str]  # the square of the box, and where it goes


@dataclass(frozen=True)
class Board:
    """A position: walls stay, boxes and the player move."""

    width: int
    floor: int
    goals: int
    boxes: int
    player: int

    def reach(self, start: int, boxes: int) -> int:
        """Return the squares that a player can walk to."""
        free, width = self.floor & ~boxes, self.width
        found, before = 1 << start, 0
        while found != before:
            before = found
            found |= (found << 1 | found >> 1 | found << width | found >> width) & free
        return found

    def walk(self, start: int, end: int, boxes: int) -> str:
        """Return the shortest moves to a square that can be reached."""
        free, around = self.floor & ~boxes, steps(self.width).items()

        def following(square: int) -> list[tuple[str, int]]:
            return [(move, square + step) for move, step in around if free >> square + step & 1]

        return "".join(shortest_path(start, following, lambda square: square == end))

    def moves(self, pushes: list[Push]) -> str:
        """Return moves that make these pushes: the walks to the boxes, and the pushes."""
        delta, player, boxes, found = steps(self.width), self.player, self.boxes, ""
        for box, move in pushes:
            found += self.walk(player, box - delta[move], boxes) + move
            boxes ^= 1 << box | 1 << box + delta[move]
            player = box
        return found


def squares_of(mask: int) -> list[int]:
    """Return the squares of a set, in order."""
    return [square for square in range(mask.bit_length()) if mask >> square & 1]


def draw_board(rng: np.random.Generator, side: int, boxes: int, pulls: int) -> tuple[Board, str]:
    """Draw a position from which all boxes can be pushed to goals, and moves that do it.

    Boxes start on the goals and are pulled away, each position of boxes at most once.
    """
    delta = steps(side + 2)
    while True:
        empty = _draw_floor(rng, side)
        squares = squares_of(empty.floor)
        if len(squares) < 2 * boxes + 6:
            continue
        goals = sum(1 << square for square in sample_of(rng, squares, boxes))
        solved = replace(empty, goals=goals, boxes=goals)
        player = pick(rng, squares_of(empty.floor & ~goals))
        moved, done = _pull(rng, solved, player, pulls)
        if 2 * len(done) >= pulls and not moved & goals:
            box, move = done[-1]
            last = squares_of(empty.reach(box + 2 * delta[move], moved))
            board = replace(solved, boxes=moved, player=pick(rng, last))
            pushes = [(box + delta[move], BACK[move]) for box, move in reversed(done)]
            return board, board.moves(pushes)


def fewest_pushes(board: Board) -> str:
    """Return moves with as few pushes as possible that solve a position; walks are shortest."""
    delta, alive = steps(board.width), _alive(board)

    def following(state: tuple[int, int]) -> Iterator[tuple[Push, tuple[int, int]]]:
        boxes, corner = state
        reach = board.reach(corner, boxes)
        for box in squares_of(boxes):
            for move, step in delta.items():
                target = box + step
                if reach >> box - step & 1 and alive >> target & 1 and not boxes >> target & 1:
                    after = boxes ^ (1 << box | 1 << target)
                    yield (box, move), (after, _lowest(board.reach(box, after)))

    first = board.boxes, _lowest(board.reach(board.player, board.boxes))
    return board.moves(shortest_path(first, following, lambda state: state[0] == board.goals))


def _alive(board: Board) -> int:
    """Return the squares from which a box alone on the board can be pushed to some goal."""
    found, waiting = board.goals, squares_of(board.goals)
    for square in waiting:
        for step in steps(board.width).values():
            before, player = square - step, max(0, square - 2 * step)
            if board.floor >> before & board.floor >> player & ~found >> before & 1:
                found |= 1 << before
                waiting.append(before)
    return found


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def _draw_floor(rng: np.random.Generator, side: int) -> Board:
    """Draw a room with some walls inside, of which only the part around one square is kept."""
    width, floor = side + 2, 0
    for place, part in enumerate(rng.random(side * side).tolist()):
        if part >= WALL_SHARE:
            floor |= 1 << place + width + 1 + 2 * (place // side)  # a border on both sides
    room = Board(width, floor, 0, 0, 0)
    return (
        replace(room, floor=room.reach(pick(rng, squares_of(floor)), 0) & floor) if floor else room
    )


def _pull(
    rng: np.random.Generator, board: Board, player: int, pulls: int
) -> tuple[int, list[Push]]:
    """Pull boxes at random; return where they are, and the pulls as (square before, direction)."""
    delta, boxes, done = steps(board.width), board.boxes, list[Push]()
    visited = {boxes}
    while len(done) < pulls:
        reach = board.reach(player, boxes)
        possible = [
            (box, move)
            for box in squares_of(boxes)
            for move, step in delta.items()
            if reach >> box + step & 1
            and (board.floor & ~boxes) >> box + 2 * step & 1
            and boxes ^ (1 << box | 1 << box + step) not in visited
        ]
        if not possible:
            break
        box, move = pick(rng, possible)
        boxes ^= 1 << box | 1 << box + delta[move]
        player = box + 2 * delta[move]
        visited.add(boxes)
        done.append((box, move))
    return boxes, done
