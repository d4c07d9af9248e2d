"""Sokoban boards as bits: what can be reached, reverse play, and the fewest pushes.

A set of squares is one integer, so that everything a player can reach is found a whole row of steps
at a time. Squares are numbered row by row on a board with a border of walls.
"""

from dataclasses import dataclass

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick, sample_of
from zerogym.envs.reasoning.planning.moves import steps

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
        """Squares that a player can walk to."""
        free, width = self.floor & ~boxes, self.width
        found, before = 1 << start, 0
        while found != before:
            before = found
            found |= (found << 1 | found >> 1 | found << width | found >> width) & free
        return found

    def walk(self, start: int, end: int, boxes: int) -> str:
        """Shortest moves to a square that can be reached."""
        free, around = self.floor & ~boxes, tuple(steps(self.width).items())
        moves, reached = {start: ""}, [start]
        for square in reached:
            if square == end:
                break
            for move, delta in around:
                after = square + delta
                if free >> after & 1 and after not in moves:
                    moves[after] = moves[square] + move
                    reached.append(after)
        return moves[end]

    def moves(self, pushes: list[Push]) -> str:
        """Moves that make these pushes: the walks to the boxes, and the pushes."""
        delta, player, boxes, found = steps(self.width), self.player, self.boxes, []
        for box, move in pushes:
            found.append(self.walk(player, box - delta[move], boxes) + move)
            boxes ^= 1 << box | 1 << box + delta[move]
            player = box
        return "".join(found)


def squares_of(mask: int) -> list[int]:
    """The squares of a set, in order."""
    found = []
    while mask:
        low = mask & -mask
        mask ^= low
        found.append(low.bit_length() - 1)
    return found


def draw_board(rng: np.random.Generator, side: int, boxes: int, pulls: int) -> tuple[Board, str]:
    """A position from which all boxes can be pushed to goals, and moves that do it.

    Boxes start on the goals and are pulled away, each position of boxes at most once.
    """
    while True:
        empty = _draw_floor(rng, side)
        squares = squares_of(empty.floor)
        if len(squares) < 2 * boxes + 6:
            continue
        goals = sum(1 << square for square in sample_of(rng, squares, boxes))
        solved = Board(empty.width, empty.floor, goals, goals, 0)
        player = pick(rng, squares_of(empty.floor & ~goals))
        moved, done = _pull(rng, solved, player, pulls)
        if 2 * len(done) >= pulls and not moved & goals:
            last = squares_of(empty.reach(done[-1][0] + _behind(empty.width, done[-1]), moved))
            board = Board(empty.width, empty.floor, goals, moved, pick(rng, last))
            return board, board.moves(_forward(empty.width, done))


def fewest_pushes(board: Board) -> str:
    """Moves that solve a position with as few pushes as possible, walks as short as possible."""
    delta, alive = steps(board.width), _alive(board)
    first = board.boxes, _lowest(board.reach(board.player, board.boxes))
    came: dict[tuple[int, int], tuple[tuple[int, int], Push]] = {}
    seen, waiting = {first}, [first]
    for state in waiting:
        boxes, corner = state
        if boxes == board.goals:
            pushes = []
            while state != first:
                state, push = came[state]
                pushes.append(push)
            return board.moves(pushes[::-1])
        reach = board.reach(corner, boxes)
        for box in squares_of(boxes):
            for move, step in delta.items():
                target = box + step
                if reach >> box - step & 1 and alive >> target & 1 and not boxes >> target & 1:
                    after = boxes ^ (1 << box | 1 << target)
                    following = after, _lowest(board.reach(box, after))
                    if following not in seen:
                        seen.add(following)
                        came[following] = state, (box, move)
                        waiting.append(following)
    raise ValueError("the position cannot be solved")


def _alive(board: Board) -> int:
    """Squares from which a box alone on the board can be pushed to some goal."""
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


def _behind(width: int, pull: Push) -> int:
    """Where the player stands after a pull, from where the box was before it."""
    return 2 * steps(width)[pull[1]]


def _draw_floor(rng: np.random.Generator, side: int) -> Board:
    """A room with some walls inside, of which only the part around one square is kept."""
    width, floor = side + 2, 0
    for place, part in enumerate(rng.random(side * side).tolist()):
        if part >= WALL_SHARE:
            floor |= 1 << place + width + 1 + 2 * (place // side)  # a border on both sides
    everything = Board(width, floor, 0, 0, 0)
    squares = squares_of(floor)
    kept = everything.reach(pick(rng, squares), 0) & floor if squares else 0
    return Board(width, kept, 0, 0, 0)


def _pull(
    rng: np.random.Generator, board: Board, player: int, pulls: int
) -> tuple[int, list[Push]]:
    """The boxes after random pulls, and the pulls as (square of the box before, direction)."""
    delta, boxes, done = steps(board.width), board.boxes, list[Push]()
    seen = {boxes}
    while len(done) < pulls:
        reach = board.reach(player, boxes)
        possible = [
            (box, move)
            for box in squares_of(boxes)
            for move, step in delta.items()
            if reach >> box + step & 1
            and (board.floor & ~boxes) >> box + 2 * step & 1
            and boxes ^ (1 << box | 1 << box + step) not in seen
        ]
        if not possible:
            break
        box, move = possible[draw_int(rng, 0, len(possible) - 1)]
        boxes ^= 1 << box | 1 << box + delta[move]
        player = box + 2 * delta[move]
        seen.add(boxes)
        done.append((box, move))
    return boxes, done


def _forward(width: int, pulls: list[Push]) -> list[Push]:
    """The pushes that undo pulls."""
    delta, back = steps(width), {"U": "D", "D": "U", "L": "R", "R": "L"}
    return [(box + delta[move], back[move]) for box, move in reversed(pulls)]
