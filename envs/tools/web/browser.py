"""A browser without scripts: an open page, what was typed into it, and the way back."""

import copy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from zerogym.envs.tools.calls.showing import plain
from zerogym.envs.tools.web.dom import TYPED, Node, Page
from zerogym.envs.tools.web.layout import VIEW_HEIGHT, Layout
from zerogym.envs.tools.web.site import Data, Fields, Site

MAX_HISTORY = 50  # addresses to go back to; older ones are forgotten


class Refused(Exception):
    """An action that does nothing on this page; its text says why, for the agent."""


@dataclass
class Browser:
    """The state of a visit, and the server's data; `copy.deepcopy` copies all of it.

    Attributes:
        site: The site; it never changes.
        data: The server's data.
        url: The address of the open page.
        page: The open page.
        edits: What was typed, ticked or chosen on it, by number of the element.
        focus: The number of the element that was clicked last, 0 for none.
        top: The pixel row of the page at the upper edge of the window.
        history: Addresses to go back to, the latest last.
    """

    site: Site
    data: Data
    url: str = "/"
    page: Page = field(init=False)
    edits: dict[int, Any] = field(default_factory=dict)
    focus: int = 0
    top: int = 0
    history: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page = self.site.read(self.data, self.url)

    @classmethod
    def of(cls, site: Site) -> "Browser":
        """Open the first page of a site."""
        return cls(site, copy.deepcopy(site.first_data()))

    def element(self, number: int) -> Node:
        """Return an element by number.

        Raises:
            Refused: If the page has none of this number.
        """
        count = len(self.page.elements)
        if not 1 <= number <= count:
            raise Refused(f"There is no element {number} on this page; it has 1 to {count}.")
        return self.page.elements[number - 1]

    def value(self, node: Node) -> Any:
        """Return what a field holds: a text, or for boxes and radio buttons whether it is on."""
        number = self.page.numbers.get(node, 0)
        if number in self.edits:
            return self.edits[number]
        key = "checked" if node.tag in ("checkbox", "radio") else "value"
        return node.attributes[key]

    def click(self, number: int) -> None:
        """Follow a link, press a button, tick a box, or put the focus on a field."""
        node = self.element(number)
        self.focus = number
        match node.tag:
            case "a":
                self._go(node.attributes["href"])
            case "button":
                self._press(node)
            case "checkbox":
                self.edits[number] = not self.value(node)
            case "radio":
                for other in self.page.elements:
                    if other.tag == "radio" and self._same_group(node, other):
                        self.edits[self.page.numbers[other]] = other is node

    def click_at(self, x: float, y: float) -> None:
        """Click the element at a point of the window, in pixels from its upper left corner."""
        number = Layout.of(self.page).hit(x, y + self.top)
        if not number or not 0 <= y < VIEW_HEIGHT:
            raise Refused(f"There is nothing to click at ({x:g}, {y:g}).")
        self.click(number)

    def type(self, text: str, number: int) -> None:
        """Replace what a field holds."""
        node = self.element(number)
        if node.tag not in TYPED:
            raise Refused(f"Element {number} is a {role(node.tag)}: one cannot type into it.")
        self.focus = number
        self.edits[number] = plain(text).replace("\n", " ")  # one line, as browsers keep it

    def select(self, option: str, number: int) -> None:
        """Choose an option of a list."""
        node = self.element(number)
        if node.tag != "select":
            raise Refused(f"Element {number} is a {role(node.tag)}: it has no options.")
        options = node.attributes["options"]
        if option not in options:
            raise Refused(f"There is no option {option[:40]!r}. Options: {', '.join(options)}.")
        self.focus = number
        self.edits[number] = option

    def scroll(self, pixels: int) -> None:
        """Move the window down (or up, if negative), within the page."""
        lowest = max(0, Layout.of(self.page).height - VIEW_HEIGHT)
        moved = min(max(0, self.top + pixels), lowest)
        if moved == self.top:
            raise Refused("The page does not scroll further in this direction.")
        self.top = moved

    def back(self) -> None:
        """Open the page before; what was typed is lost."""
        if not self.history:
            raise Refused("There is no page to go back to.")
        self._open(self.history.pop())

    def sent(self, pressed: Node) -> list[tuple[str, str]]:
        """Return names and values that a form sends if one of its buttons is pressed, in order."""
        form = self.page.forms[pressed]
        pairs: list[tuple[str, str]] = []
        stack = [form]
        while stack:
            node = stack.pop()
            stack.extend(reversed(node.children))
            name = node.attributes.get("name")
            if not name or (node.tag == "button" and node is not pressed):
                continue
            if node.tag in ("checkbox", "radio"):
                if self.value(node):
                    pairs.append((name, node.attributes["value"]))
            else:
                pairs.append((name, self.value(node)))
        return pairs

    def _press(self, node: Node) -> None:
        form = self.page.forms.get(node)
        if form is None:
            return
        pairs = self.sent(node)
        action = form.attributes["action"]
        if form.attributes["method"] == "get":
            self._go(f"{action}?{urlencode(pairs)}")
            return
        fields: dict[str, list[str]] = {}
        for name, value in pairs:
            fields.setdefault(name, []).append(value)
        target = self._post(action, fields)
        self._go(target)

    def _post(self, action: str, fields: Fields) -> str:
        target = self.site.post(self.data, action, fields)
        return "/not-found" if target is None else target

    def _go(self, url: str) -> None:
        if url != self.url:  # a page that links to itself does not fill the history
            self.history = [*self.history[-MAX_HISTORY + 1 :], self.url]
        self._open(url)

    def _open(self, url: str) -> None:
        self.url = url
        self.page = self.site.read(self.data, url)
        self.edits, self.focus, self.top = {}, 0, 0

    def _same_group(self, one: Node, other: Node) -> bool:
        forms = self.page.forms
        same_name = one.attributes["name"] == other.attributes["name"]
        return same_name and forms.get(one) is forms.get(other)


def role(tag: str) -> str:
    """Return how an element of this tag is named to the agent."""
    return {"a": "link", "text": "text field", "password": "password field"}.get(tag, tag)
