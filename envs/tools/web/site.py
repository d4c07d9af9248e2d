"""A site: what a server does, as pure functions of its data and a request."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self
from urllib.parse import parse_qs, urlsplit

from zerogym.envs.tools.web.dom import Node, Page, box, heading, link, text

Data = dict[str, Any]  # JSON values: all that a visitor can change
Fields = Mapping[str, Sequence[str]]  # of a query or a form: the values of each name
MAX_URL = 4096  # characters
MAX_FIELDS = 200  # of a query or a form
_FILLERS = (
    "About", "Careers", "Press", "Imprint", "Terms", "Privacy notice", "Accessibility", "Partners",
    "Newsletter", "Stores", "Blog", "Sitemap", "Community", "Investors", "Feedback", "Licences",
)  # fmt: skip


@dataclass(frozen=True)
class Act:
    """One step of the expert, in terms that hold whatever number an element has.

    Attributes:
        tool: `click`, `type` or `select`.
        label: The exact label of the element.
        value: The text or the option.
        near: A text in the row or section of the element, where the label is not unique.
    """

    tool: str
    label: str
    value: str = ""
    near: str = ""


def click(label: str, near: str = "") -> Act:
    return Act("click", label, "", near)


def type_in(label: str, value: str) -> Act:
    return Act("type", label, value)


def choose(label: str, option: str, near: str = "") -> Act:
    return Act("select", label, option, near)


@dataclass(frozen=True)
class Site(ABC):
    """A generated site with a task; immutable.

    Requests to read (`get`) change nothing, requests to write (`post`) change the server's data, as
    HTTP has it, so that the site works in any browser without scripts.

    Attributes:
        fillers: How many links beside the task each page has.
        parts: The field that holds the parts of the instruction, each of which could be left out;
            empty where the instruction is one piece.
    """

    category: ClassVar[str]
    parts: ClassVar[str] = ""
    fillers: int

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing in it can change

    @property
    @abstractmethod
    def question(self) -> str:
        """The task in words."""

    @abstractmethod
    def first_data(self) -> Data:
        """Return the server's data before the first request."""

    @abstractmethod
    def goal(self) -> Data:
        """Return the data that the task requires, computed without the site's own code."""

    @abstractmethod
    def acts(self) -> Sequence[Act]:
        """Return the expert's steps, from the first page on."""

    @abstractmethod
    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        """Return the page of an address, None if there is none."""

    @abstractmethod
    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        """Change `data` in place; return the address to go to, None if there is none."""

    def is_sound(self) -> bool:
        """Return False for a site whose task could be met by chance or is met already."""
        return True

    def shortened(self, share: float) -> Self:
        """Return the site with the first parts of its instruction only, at least one of them.

        Args:
            share: Of the parts that stay, above 0, at most 1; rounded up.
        """
        if not self.parts:
            return self
        parts = getattr(self, self.parts)
        return replace(self, **{self.parts: parts[: math.ceil(share * len(parts))]})

    def page(self, title: str, *children: Node) -> Page:
        """Put the content of a page into the frame that all pages of the site share."""
        return Page(title, box("main", _navigation(self.fillers), heading(title), *children))

    def read(self, data: Data, url: str) -> Page:
        """Answer a GET request; an unknown address gives a page with status 404."""
        path, fields = split_url(url)
        page = self.get(data, path, fields) if path != "/info" else self._info(fields)
        if page is None:
            body = box("main", heading("Not found"), link("Start", "/"))
            return Page("Not found", body, status=404)
        return page

    def _info(self, fields: Fields) -> Page | None:
        number = one(fields, "n")
        if not number.isdecimal() or len(number) > 4 or int(number) >= self.fillers:
            return None
        return self.page("Information", text("There is nothing to do on this page."))


@lru_cache(maxsize=256)
def _navigation(fillers: int) -> Node:
    """Return the links that all pages have: nodes never change, so that pages can share them."""
    names = [_FILLERS[i % 16] + f" {i // 16 + 1}" * (i >= 16) for i in range(fillers)]
    links = (link(name, f"/info?n={i}") for i, name in enumerate(names))
    return box("nav", link("Start", "/"), *links)


def split_url(url: str) -> tuple[str, Fields]:
    """Return the path of an address on the site, and the fields of its query."""
    if len(url) > MAX_URL:
        return "/too-long", {}
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that are no IPv6 address, for example
        return "/unreadable", {}
    return parts.path, read_fields(parts.query)


def read_fields(encoded: str) -> Fields:
    """Read the fields of a query or of the body of a form; too many give none."""
    try:
        return parse_qs(encoded, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        return {}


def one(fields: Fields, name: str, default: str = "") -> str:
    """Return the first value of a name."""
    return fields[name][0] if fields.get(name) else default


def index_of(fields: Fields, name: str, count: int) -> int | None:
    """Return a number below `count` that a request names, None if it names no such number."""
    number = one(fields, name)
    fine = number.isdecimal() and number.isascii() and len(number) < 6 and int(number) < count
    return int(number) if fine else None
