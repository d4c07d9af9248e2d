"""Pages: trees of nodes as HTML has them, without scripts.

A page never changes: what a visitor types or ticks is kept by the browser, by the number of the
element. So snapshots share pages. Left out: scripts, frames, styles, uploads.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

FIELDS = frozenset({"text", "password", "checkbox", "radio", "select", "hidden"})
TYPED = frozenset({"text", "password"})
INTERACTIVE = frozenset({"a", "button", *FIELDS}) - {"hidden"}
_NONE: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An element.

    Attributes:
        tag: As in HTML; the fields of a form have their kind as tag (`text`, `checkbox`, ...).
        label: The text of a paragraph, heading, cell, link or button; the label of a field.
        children: The elements in it.
        attributes: `href`; `name`, `value`, `checked`, `options`; `action`, `method`.
    """

    tag: str
    label: str = ""
    children: tuple["Node", ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=lambda: _NONE)


@dataclass(frozen=True, eq=False)
class Page:
    """A page with the elements that a visitor can use numbered in document order, from 1.

    Attributes:
        title: As a browser's window shows it.
        body: The root of the tree.
        status: 200, or 404 for a page that does not exist.
    """

    title: str
    body: Node
    status: int = 200

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing in it can change

    @cached_property
    def elements(self) -> tuple[Node, ...]:
        """Links, buttons and visible fields; element `i` has the number `i + 1`."""
        return tuple(node for node, _ in self._walk if node.tag in INTERACTIVE)

    @cached_property
    def numbers(self) -> Mapping[Node, int]:
        """The number of each element."""
        return {node: index + 1 for index, node in enumerate(self.elements)}

    @cached_property
    def forms(self) -> Mapping[Node, Node]:
        """The form of each button and field that has one."""
        return {node: form for node, form in self._walk if form is not None}

    @cached_property
    def places(self) -> Mapping[Node, Node]:
        """The row (of a table or list) or the section of each element, the innermost one."""
        found: dict[Node, Node] = {}
        stack: list[tuple[Node, Node | None]] = [(self.body, None)]
        while stack:
            node, place = stack.pop()
            if place is not None:
                found[node] = place
            inner = node if node.tag in ("tr", "li", "section") else place
            stack.extend((child, inner) for child in node.children)
        return found

    @cached_property
    def _walk(self) -> list[tuple[Node, Node | None]]:
        """All elements without children in document order, each with its form."""
        found: list[tuple[Node, Node | None]] = []
        stack: list[tuple[Iterator[Node], Node | None]] = [(iter(self.body.children), None)]
        while stack:
            children, form = stack[-1]
            for child in children:
                if child.children:
                    inner = child if child.tag == "form" else form
                    stack.append((iter(child.children), inner))
                    break
                found.append((child, form))
            else:
                stack.pop()
        return found


def box(tag: str, *children: Node) -> Node:
    """Make a container: `main`, `nav`, `section`, `ul`, `li`, `table`, `tr` or `div`."""
    return Node(tag, "", children)


def heading(text: str) -> Node:
    return Node("h1", text)


def text(words: str) -> Node:
    """Make a paragraph; in a row, a cell."""
    return Node("p", words)


def link(label: str, href: str) -> Node:
    return Node("a", label, (), {"href": href})


def form(action: str, *children: Node, method: str = "post") -> Node:
    return Node("form", "", children, {"action": action, "method": method})


def button(label: str, name: str = "", value: str = "") -> Node:
    """Make a button that submits its form; with a name it sends its own value, too."""
    return Node("button", label, (), {"name": name, "value": value})


def entry(label: str, name: str, value: str = "", kind: str = "text") -> Node:
    """Make a field to type in; `kind` is `text` or `password`."""
    return Node(kind, label, (), {"name": name, "value": value})


def checkbox(label: str, name: str, value: str, checked: bool = False) -> Node:
    return Node("checkbox", label, (), {"name": name, "value": value, "checked": checked})


def radio(label: str, name: str, value: str, checked: bool = False) -> Node:
    """Make one choice of several; those of a form with the same name exclude each other."""
    return Node("radio", label, (), {"name": name, "value": value, "checked": checked})


def select(label: str, name: str, options: tuple[str, ...], value: str = "") -> Node:
    """Make a list to choose from; without `value` its first option is chosen."""
    chosen = value or options[0]
    return Node("select", label, (), {"name": name, "options": options, "value": chosen})


def hidden(name: str, value: str) -> Node:
    return Node("hidden", "", (), {"name": name, "value": value})
