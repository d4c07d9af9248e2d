"""The expert's plan: its acts in terms of labels become calls with numbers or points."""

from collections.abc import Iterator, Sequence

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.web.browser import Browser
from zerogym.envs.tools.web.dom import INTERACTIVE, TYPED, Node
from zerogym.envs.tools.web.layout import VIEW_HEIGHT
from zerogym.envs.tools.web.showing import box_of, point_in
from zerogym.envs.tools.web.site import Act, Site
from zerogym.envs.tools.web.tools import Pointing


def plan_of(site: Site, pointing: Pointing, done: int = 0) -> list[Call]:
    """Return the expert's calls from the start of a visit on, without the first `done` acts."""
    browser, acts = begun(site, done), site.acts()[done:]
    return [call for act in acts for call in _made(browser, act, pointing)]


def begun(site: Site, done: int) -> Browser:
    """Open the first page of a site and carry out the expert's first acts."""
    browser = Browser.of(site)
    for act in site.acts()[:done]:
        for _ in _made(browser, act, "number"):
            pass
    return browser


def locate(browser: Browser, act: Act) -> int:
    """Return the number of the element that an act means.

    Raises:
        LookupError: If the open page has no such element, or more than one.
    """
    page = browser.page
    found = [
        number
        for number, node in enumerate(page.elements, 1)
        if node.label == act.label and _fits(node, act.tool) and _is_near(browser, node, act.near)
    ]
    if len(found) != 1:
        raise LookupError(f"{act} means {len(found)} elements of page {browser.url}")
    return found[0]


def _fits(node: Node, tool: str) -> bool:
    if tool == "type":
        return node.tag in TYPED
    return (node.tag == "select") == (tool == "select")


def _is_near(browser: Browser, node: Node, words: str) -> bool:
    if not words:
        return True
    place = browser.page.places.get(node)
    return place is not None and words in _labels(place)


def _labels(node: Node) -> Sequence[str]:
    labels = [label for child in node.children for label in _labels(child)]
    return labels if node.tag in INTERACTIVE else [node.label, *labels]


def _made(browser: Browser, act: Act, pointing: Pointing) -> Iterator[Call]:
    """Carry out an act and yield its calls."""
    number = locate(browser, act)
    if pointing == "point":
        yield from _pointed(browser, number)
    elif act.tool == "click":
        yield Call("click", {"element": number})
    if act.tool == "click":
        browser.click(number)
        return
    key = "text" if act.tool == "type" else "option"
    if pointing == "point":
        yield Call(act.tool, {key: act.value})
    else:
        yield Call(act.tool, {"element": number, key: act.value})
    if act.tool == "type":
        browser.type(act.value, number)
    else:
        browser.select(act.value, number)


def _pointed(browser: Browser, number: int) -> Iterator[Call]:
    """Bring an element into the window and point at it."""
    _, top, _, bottom = box_of(browser, number)
    if not browser.top <= top < bottom <= browser.top + VIEW_HEIGHT:
        before = browser.top
        browser.scroll(top - VIEW_HEIGHT // 2 - before)
        yield Call("scroll", {"pixels": browser.top - before})
    x, y = point_in(browser, number)
    yield Call("click_at", {"x": x, "y": y - browser.top})
