"""Long lists: search them, go through their pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from zerogym.envs.tools.web.dom import (
    Page,
    box,
    button,
    entry,
    form,
    hidden,
    link,
    text,
)
from zerogym.envs.tools.web.site import (
    Act,
    Data,
    Fields,
    Site,
    click,
    index_of,
    one,
    type_in,
)
from zerogym.envs.tools.web.words import (
    TOPICS,
    number,
    people,
    products,
    sample,
    scaled,
)


@dataclass(frozen=True)
class Search(Site):
    """Find a book by its title among those of equal titles and save it."""

    category: ClassVar[str] = "search"
    books: tuple[tuple[str, str], ...]  # title and author
    target: int

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        titles = sample(rng, TOPICS, scaled(difficulty, 4, 2, 20))
        authors = people(rng, len(titles) * 8)
        books = [(title, authors[8 * i + j]) for i, title in enumerate(titles) for j in range(8)]
        shuffled = sample(rng, books, len(books))
        return cls(0, shuffled, number(rng, 0, len(books) - 1))

    @property
    def question(self) -> str:
        title, author = self.books[self.target]
        return f'Save the book "{title}" by "{author}" to your list.'

    def first_data(self) -> Data:
        return {"saved": []}

    def goal(self) -> Data:
        return {"saved": [self.target]}

    def acts(self) -> Sequence[Act]:
        title, author = self.books[self.target]
        return [type_in("Title", title), click("Search"), click("Open", author), click("Save")]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/book":
            index = index_of(fields, "n", len(self.books))
            if index is None:
                return None
            title, author = self.books[index]
            saved = [text("It is on your list.")] if index in data["saved"] else []
            save = form("/save", hidden("n", str(index)), button("Save"))
            return self.page(title, text(f"by {author}"), *saved, save)
        if path != "/":
            return None
        query = one(fields, "title").strip().casefold()
        found = [
            i for i, (title, _) in enumerate(self.books) if query and title.casefold() == query
        ]
        rows = [
            box("li", text(self.books[i][0]), text(self.books[i][1]), link("Open", f"/book?n={i}"))
            for i in found
        ]
        search = form("/", entry("Title", "title"), button("Search"), method="get")
        shown = box("ul", *rows) if rows else text("No books are shown. Search for a title.")
        return self.page("Library", search, shown)

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        index = index_of(fields, "n", len(self.books))
        if path != "/save" or index is None:
            return None
        data["saved"] = sorted({*data["saved"], index})
        return f"/book?n={index}"


@dataclass(frozen=True)
class Pages(Site):
    """Go through the pages of a list and approve the named requests, no others."""

    category: ClassVar[str] = "pages"
    length: ClassVar[int] = 6  # rows of a page
    requests: tuple[tuple[str, str], ...]  # who, and for what
    targets: tuple[int, ...]  # increasing

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        pages = scaled(difficulty, 3, 1, 12)
        names = people(rng, pages * cls.length)
        what = products(rng, len(names))
        rows = sample(rng, range(cls.length, len(names)), scaled(difficulty, 2, 0.5, 4))
        return cls(0, tuple(zip(names, what, strict=True)), tuple(sorted(rows)))

    @property
    def question(self) -> str:
        names = " and that of ".join(self.requests[i][0] for i in self.targets)
        return f"Approve the request of {names}; the list has several pages."

    def first_data(self) -> Data:
        return {"approved": []}

    def goal(self) -> Data:
        return {"approved": list(self.targets)}

    def acts(self) -> Sequence[Act]:
        acts, page = [], 0
        for i in self.targets:
            acts += [click("Next page")] * (i // self.length - page)
            acts.append(click("Approve", self.requests[i][0]))
            page = i // self.length
        return acts

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        count = len(self.requests) // self.length
        page = index_of(fields, "page", count) if "page" in fields else 0
        if path != "/" or page is None:
            return None
        lines = []
        for i in range(page * self.length, (page + 1) * self.length):
            approve = form("/approve", hidden("n", str(i)), button("Approve"))
            state = [text("approved")] if i in data["approved"] else []
            lines.append(box("tr", *map(text, self.requests[i]), approve, *state))
        ways = [link("Previous page", f"/?page={page - 1}")] if page else []
        ways += [link("Next page", f"/?page={page + 1}")] if page + 1 < count else []
        title = f"Requests, page {page + 1} of {count}"
        return self.page(title, box("table", *lines), box("nav", *ways))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        index = index_of(fields, "n", len(self.requests))
        if path != "/approve" or index is None:
            return None
        data["approved"] = sorted({*data["approved"], index})
        return f"/?page={index // self.length}"
