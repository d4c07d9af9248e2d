"""The 2x2x2 cube: its turns as permutations of stickers, and the fewest turns that solve it.

A cube is a string of 24 stickers, four for each face in the order U L F R B D; a face is read row
by row as it is seen in the net, with U above F and D below it:

        U
      L F R B
        D

Left out: turns of the whole cube. Distances count a half turn as one turn.
"""

import re
from collections.abc import Callable
from functools import cache
from itertools import product
from operator import itemgetter

MAX_LENGTH = 4096  # characters of an answer
FACES = "ULFRBD"
TURN_FORMAT = "turns in standard notation with blanks between them, such as R U' F2"
SEARCHED = tuple(face + amount for face in "URF" for amount in ("", "'", "2"))
_FARTHEST = 11  # turns from the solved cube, of all 3,674,160 cubes
_TABLE_DEPTH = 5  # turns from the solved cube: 12,224 cubes
_TURN = re.compile(r"([ULFRBD])(2'?|'|)[\s,]*")

Vector = tuple[int, int, int]

# Of each face: where it looks, and where its columns and its rows run in the net.
# x points to R, y to U, z to F.
_SIDES: dict[str, tuple[Vector, Vector, Vector]] = {
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
    "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
}


def parse_turns(text: str) -> list[str] | None:
    """Turns such as `R U' F2`, blanks between them or not; None if empty or anything else.

    Example:
        >>> parse_turns("R U' F2."), parse_turns("RU’F2"), parse_turns("r u")
        (['R', "U'", 'F2'], ['R', "U'", 'F2'], None)
    """
    if len(text) > MAX_LENGTH:
        return None
    text = text.replace("\u2019", "'").replace("\u2032", "'").strip().removesuffix(".").rstrip()
    found, position = [], 0
    while position < len(text):
        match = _TURN.match(text, position)
        if match is None:
            return None
        found.append(match[1] + match[2][:1])
        position = match.end()
    return found or None


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def turned(cube: str, turn: str) -> str:
    """The cube after a turn."""
    return "".join(_SOURCES[turn](cube))


def is_solved(cube: str) -> bool:
    """Whether every face has one colour."""
    return all(cube[at : at + 4] == cube[at] * 4 for at in range(0, 24, 4))


def net(cube: str) -> str:
    """The cube unfolded.

    Example:
        >>> print(net("wwwwooooggrgrrgrbbbbyyyy"))
            w w
            w w
        o o g g r r b b
        o o r g g r b b
            y y
            y y
    """
    rows = {
        face: [" ".join(cube[at : at + 2]) for at in (4 * n, 4 * n + 2)]
        for n, face in enumerate(FACES)
    }
    middle = [" ".join(rows[face][row] for face in "LFRB") for row in (0, 1)]
    above, below = ([f"    {row}" for row in rows[face]] for face in "UD")
    return "\n".join([*above, *middle, *below])


def fewest_turns(cube: str) -> list[str]:
    """Shortest turns of U, R and F that solve a cube: the corner behind D, B and L stays.

    Breadth-first from the cube until it meets a table of cubes near the solved one.

    Raises:
        ValueError: If it cannot be solved.
    """
    near = _near_solved()
    start = _recoloured(cube)
    paths: dict[str, list[str]] = {start: []}
    edge = [start]
    for depth in range(_FARTHEST - _TABLE_DEPTH + 1):
        meeting = [state for state in edge if state in near]
        if meeting:
            best = min(meeting, key=lambda state: len(near[state]))
            return paths[best] + near[best]
        if depth == _FARTHEST - _TABLE_DEPTH:
            break
        following = []
        for state in edge:
            for turn in SEARCHED:
                after = turned(state, turn)
                if after not in paths:
                    paths[after] = [*paths[state], turn]
                    following.append(after)
        edge = following
    raise ValueError("the cube cannot be solved")


def inverse(turn: str) -> str:
    """The turn that undoes a turn."""
    return turn if turn.endswith("2") else turn[0] if turn.endswith("'") else f"{turn}'"


@cache
def _near_solved() -> dict[str, list[str]]:
    """Cubes in few turns of the solved one, and the turns that solve them."""
    solved = "".join(face * 4 for face in FACES)
    found: dict[str, list[str]] = {solved: []}
    edge = [solved]
    for _ in range(_TABLE_DEPTH):
        following = []
        for state in edge:
            for turn in SEARCHED:
                after = turned(state, turn)
                if after not in found:
                    found[after] = [inverse(turn), *found[state]]
                    following.append(after)
        edge = following
    return found


def _recoloured(cube: str) -> str:
    """Colours named after the faces they belong to, given that the corner at D, B, L stays."""
    corners = [{cube[place] for place in places} for places in _CORNERS]
    names = {}
    for face, other in (("D", "U"), ("B", "F"), ("L", "R")):
        colour = next(cube[place] for place in _CORNERS[0] if FACES[place // 4] == face)
        names[colour] = face
        beside = set().union(*(corner for corner in corners if colour in corner))
        names |= dict.fromkeys(set(cube) - beside, other)
    return "".join(names[colour] for colour in cube)


def _stickers() -> list[tuple[Vector, Vector]]:
    """Of each sticker: the corner that it is on, and where it looks."""
    found = []
    for face in FACES:
        side, across, down = _SIDES[face]
        for row, column in product((-1, 1), repeat=2):
            x, y, z = (s + column * a + row * d for s, a, d in zip(side, across, down, strict=True))
            found.append(((x, y, z), side))
    return found


def _source(face: str) -> list[int]:
    """Where each sticker comes from in a quarter turn, clockwise as seen from outside."""
    axis, stickers = _SIDES[face][0], _stickers()
    source = list(range(24))
    for place, (corner, look) in enumerate(stickers):
        if _dot(corner, axis) == 1:
            source[stickers.index((_quarter(corner, axis), _quarter(look, axis)))] = place
    return source


def _dot(a: Vector, b: Vector) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _quarter(vector: Vector, axis: Vector) -> Vector:
    """A vector after a clockwise quarter turn about an axis, seen from its tip."""
    along, aside = _dot(vector, axis), cross(axis, vector)
    x, y, z = (along * a - b for a, b in zip(axis, aside, strict=True))
    return x, y, z


def _all_sources() -> dict[str, Callable[[str], tuple[str, ...]]]:
    found: dict[str, Callable[[str], tuple[str, ...]]] = {}
    for face in FACES:
        once = _source(face)
        twice = [once[place] for place in once]
        thrice = [twice[place] for place in once]
        for amount, source in (("", once), ("2", twice), ("'", thrice)):
            found[face + amount] = itemgetter(*source)
    return found


_SOURCES = _all_sources()
# Places of the stickers of each corner; the first is the one at D, B and L.
_CORNERS = [
    [place for place, (where, _) in enumerate(_stickers()) if where == corner]
    for corner in product((-1, 1), repeat=3)
]
