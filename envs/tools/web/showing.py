"""A page as text: an accessibility tree, with the number or the box of every element."""

from collections.abc import Iterator
from functools import lru_cache
from json.encoder import encode_basestring

from zerogym.envs.tools.calls.showing import plain
from zerogym.envs.tools.web.browser import Browser, role
from zerogym.envs.tools.web.dom import INTERACTIVE, TYPED, Node
from zerogym.envs.tools.web.layout import VIEW_HEIGHT, Box, Layout

MAX_TEXT = 8_100  # characters of a page, which fit the result of a call; the rest is cut off
_SHOWN = 60  # characters of what a field holds
_LISTS = {"ul": "list", "table": "table", "form": "form", "section": "section", "nav": "navigation"}


def show_page(browser: Browser) -> str:
    """Describe the open page, one element a line, those of a row in one line.

    Elements that can be used have their number in front.
    """
    return _cut([_title(browser), *_numbered(browser, browser.page.body, "")])


def show_window(browser: Browser) -> str:
    """Describe what stands in the window, each element with its box instead of a number.

    Boxes are `(left, top, right, bottom)` in pixels from the window's upper left corner.
    """
    layout = Layout.of(browser.page)
    top, bottom = browser.top, browser.top + VIEW_HEIGHT
    lines = [_title(browser)]
    for node, (left, upper, right, lower) in layout.boxes.items():
        if top <= upper and lower <= bottom:
            lines.append(f"{_said(browser, node)} ({left}, {upper - top}, {right}, {lower - top})")
    if top > 0:
        lines.append(f"(The page goes on above, by {top} pixels.)")
    if bottom < layout.height:
        lines.append(f"(The page goes on below, by {layout.height - bottom} pixels.)")
    return _cut(lines)


def point_in(browser: Browser, number: int) -> tuple[int, int]:
    """Return a point of an element, in pixels from the upper left corner of the page.

    It is near the left edge, where short and long elements that stand below each other all are.
    """
    left, top, right, bottom = box_of(browser, number)
    return min(left + 12, (left + right) // 2), (top + bottom) // 2


def box_of(browser: Browser, number: int) -> Box:
    """Return the box of an element on the page."""
    return Layout.of(browser.page).boxes[browser.element(number)]


def _title(browser: Browser) -> str:
    return f"page {_quoted(browser.page.title)}"


def _numbered(browser: Browser, node: Node, margin: str) -> Iterator[str]:
    numbers = browser.page.numbers
    for child in node.children:
        if child.tag in ("tr", "li"):
            parts = [_marked(browser, leaf, numbers) for leaf in _leaves(child)]
            yield margin + " | ".join(parts)
        elif child.children:
            named = child.tag in _LISTS
            if named:
                yield f"{margin}{_LISTS[child.tag]}:"
            yield from _numbered(browser, child, margin + "  " * named)
        elif child.tag != "hidden":
            yield margin + _marked(browser, child, numbers)


def _marked(browser: Browser, node: Node, numbers: object) -> str:
    number = browser.page.numbers.get(node)
    return _said(browser, node) if number is None else f"[{number}] {_said(browser, node)}"


def _said(browser: Browser, node: Node) -> str:
    """Describe one element without its number."""
    said = _named(node.tag, node.label)
    if node.tag in ("checkbox", "radio"):
        said += " (on)" if browser.value(node) else " (off)"
    elif node.tag == "select":
        options = ", ".join(node.attributes["options"])
        said += f" = {_quoted(browser.value(node))}, options: {options}"
    elif node.tag in TYPED:
        value = browser.value(node)
        said += f" = {_quoted('*' * len(value) if node.tag == 'password' else value)}"
    if browser.focus and browser.page.numbers.get(node) == browser.focus:
        said += " (focus)"
    return said


@lru_cache(maxsize=8192)
def _named(tag: str, label: str) -> str:
    """Return role and label; the same ones come on page after page."""
    if tag == "h1":
        return f"heading {_quoted(label)}"
    return f"{role(tag)} {_quoted(label)}" if tag in INTERACTIVE else plain(label)


def _leaves(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.children:
            yield from _leaves(child)
        elif child.tag != "hidden":
            yield child


def _quoted(words: str) -> str:
    cut = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."
    return encode_basestring(plain(cut))


def _cut(lines: list[str]) -> str:
    whole = "\n".join(lines)
    if len(whole) <= MAX_TEXT:
        return whole
    return f"{whole[:MAX_TEXT]}\n({len(whole) - MAX_TEXT} characters of the page are not shown.)"
