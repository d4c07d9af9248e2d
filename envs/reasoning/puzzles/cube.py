"""The 2x2x2 cube: its turns as permutations of stickers, and the fewest turns that solve it.

A cube is a string of 24 stickers, four for each face in the order U L F R B D; a face is read row
by row as it stands in the net, with U above F and D below it:

        U
      L F R B
        D

Left out: turns of the whole cube. Distances count a half turn as one turn.
"""

import re
from collections.abc import Callable
from functools import cache
from itertools import product
from operator import itemgetter, mul

MAX_LENGTH = 4096  # characters of an answer
FACES = "ULFRBD"
TURN_FORMAT = "turns in standard notation with blanks between them, such as R U' F2"
SEARCHED = tuple(face + amount for face in "URF" for amount in ("", "'", "2"))
_FARTHEST = 11  # turns from the solved cube, of all 3,674,160 cubes
_TABLE_DEPTH = 5  # turns from the solved cube: 12,224 cubes
_TURN = re.compile(r"([ULFRBD])(2'?|'|)[\s,]*")

Vector = tuple[int, int, int]

# For each face: its direction, and the directions of its columns and of its rows in the net.
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
    """Return turns such as `R U' F2`, blanks between them or not; None if anything else, or empty.

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
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def turned(cube: str, turn: str) -> str:
    """Return the cube after a turn."""
    return "".join(_SOURCES[turn](cube))


def is_solved(cube: str) -> bool:
    """Return whether every face has one colour."""
    return all(cube[at : at + 4] == cube[at] * 4 for at in range(0, 24, 4))


def net(cube: str) -> str:
    """Return the cube unfolded.

    Example:
        >>> print(net("wwwwooooggrgrrgrbbbbyyyy"))
            w w
            w w
        o o g g r r b b
        o o r g g r b b
            y y
            y y
    """
    pairs = [" ".join(cube[at : at + 2]) for at in range(0, 24, 2)]
    above, below = ([f"    {row}" for row in pairs[at : at + 2]] for at in (0, 10))
    return "\n".join([*above, " ".join(pairs[2:10:2]), " ".join(pairs[3:10:2]), *below])


def fewest_turns(cube: str) -> list[str]:
    """Return the shortest turns of U, R and F that solve a cube: the corner at D, B, L stays.

    Breadth-first from the cube until it meets a table of cubes near the solved one.

    Raises:
        ValueError: If it cannot be solved.
    """
    near = _near_solved()
    start = _recoloured(cube)
    paths: dict[str, list[str]] = {start: []}
    edge = [start]
    for _ in range(_FARTHEST - _TABLE_DEPTH + 1):
        meeting = [state for state in edge if state in near]
        if meeting:
            best = min(meeting, key=lambda state: len(near[state]))
            return paths[best][::-1] + near[best]
        edge = _grow(paths, edge, str)
    raise ValueError("the cube cannot be solved")


def _grow(paths: dict[str, list[str]], edge: list[str], name: Callable[[str], str]) -> list[str]:
    """Add the cubes one turn beyond the edge to `paths`, each with `name(turn)`, latest first."""
    following = []
    for state in edge:
        for turn in SEARCHED:
            after = turned(state, turn)
            if after not in paths:
                paths[after] = [name(turn), *paths[state]]
                following.append(after)
    return following


def inverse(turn: str) -> str:
    """Return the turn that undoes a turn."""
    return turn if turn.endswith("2") else turn[0] if turn.endswith("'") else f"{turn}'"


@cache
def _near_solved() -> dict[str, list[str]]:
    """Return the cubes few turns from the solved one, and the turns that solve them."""
    solved = "".join(face * 4 for face in FACES)
    found: dict[str, list[str]] = {solved: []}
    edge = [solved]
    for _ in range(_TABLE_DEPTH):
        edge = _grow(found, edge, inverse)
    return found


def _recoloured(cube: str) -> str:
    """Name colours after the faces they belong to, given that the corner at D, B, L stays."""
    corners = [{cube[place] for place in places} for places in _CORNERS]
    names = {}
    for face, other in (("D", "U"), ("B", "F"), ("L", "R")):
        colour = next(cube[place] for place in _CORNERS[0] if FACES[place // 4] == face)
        names[colour] = face
        beside = set().union(*(corner for corner in corners if colour in corner))
        names |= dict.fromkeys(set(cube) - beside, other)
    return "".join(names[colour] for colour in cube)


def _stickers() -> list[tuple[Vector, Vector]]:
    """Return for each sticker the corner that it is on, and the direction in which it looks."""
    found = []
    for side, across, down in map(_SIDES.__getitem__, FACES):
        for row, column in product((-1, 1), repeat=2):
            x, y, z = (s + column * a + row * d for s, a, d in zip(side, across, down, strict=True))
            found.append(((x, y, z), side))
    return found


def _source(face: str) -> list[int]:
    """Return where each sticker comes from in a quarter turn, clockwise from outside."""
    axis, stickers = _SIDES[face][0], _stickers()
    source = list(range(24))
    for place, (corner, look) in enumerate(stickers):
        if _dot(corner, axis) == 1:
            source[stickers.index((_quarter(corner, axis), _quarter(look, axis)))] = place
    return source


def _dot(a: Vector, b: Vector) -> int:
    return sum(map(mul, a, b))


def _quarter(vector: Vector, axis: Vector) -> Vector:
    """Return a vector after a clockwise quarter turn about an axis, as it looks from its tip."""
    along = _dot(vector, axis)
    x, y, z = (along * a - b for a, b in zip(axis, cross(axis, vector), strict=True))
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
