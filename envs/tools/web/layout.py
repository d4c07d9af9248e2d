"""Boxes of a page, for clicks at a point: a plain layout that depends on nothing but the page.

Containers stack what is in them; rows (of tables and lists), navigation bars and fields stand in
lines that break at the right edge. All letters are equally wide. A browser with real fonts places
elements elsewhere: a recorded point belongs to this layout only.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from zerogym.envs.tools.web.dom import INTERACTIVE, Node, Page

WIDTH, VIEW_HEIGHT = 960, 640  # of the window, in pixels
LETTER, LINE, GAP = 8, 24, 8  # width of a letter, height of a line, space between elements
_IN_LINES = frozenset({"nav", "tr", "li"})
_FIELD_LETTERS = 24  # room for the value of a field
_MAX_LETTERS = 100  # of a label; what is longer is cut

Box = tuple[int, int, int, int]  # left, top, right, bottom; right and bottom are outside


@dataclass(frozen=True)
class Layout:
    """The places of the numbered elements and the texts of a page.

    Attributes:
        boxes: The box of every node with a label, in document order.
        numbers: The number of each element that can be used.
        height: Of the page, in pixels.
    """

    boxes: Mapping[Node, Box]
    numbers: Mapping[Node, int]
    height: int

    @staticmethod
    def of(page: Page) -> "Layout":
        """Place a page's elements; the layout of the last pages is kept."""
        return _placed(page)

    def hit(self, x: float, y: float) -> int:
        """Return the number of the element at a point of the page, 0 if there is none."""
        for node, number in self.numbers.items():
            if inside(x, y, self.boxes[node]):
                return number
        return 0


def inside(x: float, y: float, box: Box) -> bool:
    """Return whether a point lies in a box; its right and lower edges do not belong to it."""
    left, top, right, bottom = box
    return left <= x < right and top <= y < bottom


def size_of(node: Node) -> tuple[int, int]:
    """Return width and height of an element with a label."""
    letters = min(len(node.label), _MAX_LETTERS)
    match node.tag:
        case "text" | "password" | "select":
            letters += _FIELD_LETTERS
        case "checkbox" | "radio" | "button":
            letters += 3
    return max(LETTER * letters, LETTER), LINE * (2 if node.tag == "h1" else 1)


@lru_cache(maxsize=64)
def _placed(page: Page) -> Layout:
    boxes: dict[Node, Box] = {}
    height = _stack(page.body, 0, boxes)
    numbers = {node: page.numbers[node] for node in boxes if node.tag in INTERACTIVE}
    return Layout(boxes, numbers, height)


def _stack(node: Node, top: int, boxes: dict[Node, Box]) -> int:
    """Place a container from `top` on and return where the next one begins."""
    for child in node.children:
        if child.tag in _IN_LINES:
            top = _line(_leaves(child), top, boxes)
        elif child.children:
            top = _stack(child, top, boxes)
        elif child.tag != "hidden":
            top = _line([child], top, boxes)
    return top


def _line(nodes: Iterable[Node], top: int, boxes: dict[Node, Box]) -> int:
    """Place elements beside each other; one that does not fit begins a new line."""
    left, lowest = GAP, top
    for node in nodes:
        width, height = size_of(node)
        if left > GAP and left + width > WIDTH:
            left, top = GAP, lowest + GAP
        boxes[node] = (left, top, min(left + width, WIDTH), top + height)
        left += width + GAP
        lowest = max(lowest, top + height)
    return lowest + GAP


def _leaves(node: Node) -> Iterable[Node]:
    for child in node.children:
        if child.children:
            yield from _leaves(child)
        elif child.tag != "hidden":
            yield child
