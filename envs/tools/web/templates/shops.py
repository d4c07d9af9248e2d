"""Shops: order products with quantities, change what is in a basket."""

from collections.abc import Mapping, Sequence
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
    select,
    text,
)
from zerogym.envs.tools.web.site import (
    Act,
    Data,
    Fields,
    Site,
    choose,
    click,
    index_of,
    one,
    type_in,
)
from zerogym.envs.tools.web.words import listed, number, pick, products, sample, scaled

DELIVERIES = ("standard", "express", "to a shop", "to a locker")
_MAX_PIECES = 99


@dataclass(frozen=True)
class Shop(Site):
    """Put products of several shelves into the basket and order them with a delivery."""

    category: ClassVar[str] = "shop"
    shelves: tuple[tuple[str, ...], ...]
    wares: tuple[tuple[int, int, int], ...]  # shelf, place on it, pieces
    delivery: str

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        shelves, size = scaled(difficulty, 3, 1, 8), scaled(difficulty, 4, 1, 12)
        names = products(rng, shelves * size)
        chosen = sample(rng, range(shelves * size), scaled(difficulty, 1, 0.5, 4))
        wares = tuple((*divmod(i, size), number(rng, 2, 9)) for i in chosen)
        rows = tuple(names[size * s : size * s + size] for s in range(shelves))
        return cls(0, rows, wares, pick(rng, DELIVERIES[1:]))

    @property
    def question(self) -> str:
        said = [f'{pieces} pieces of "{self.shelves[s][i]}"' for s, i, pieces in self.wares]
        return f"Order {listed(said)} in one order, with delivery {self.delivery!r}."

    def first_data(self) -> Data:
        return {"basket": {}, "orders": []}

    def goal(self) -> Data:
        items = {self.shelves[s][i]: pieces for s, i, pieces in self.wares}
        return {"basket": {}, "orders": [[items, self.delivery]]}

    def acts(self) -> Sequence[Act]:
        acts: list[Act] = []
        for shelf, place, pieces in self.wares:
            acts += [
                click(f"Shelf {shelf + 1}"),
                click(self.shelves[shelf][place]),
                type_in("Pieces", str(pieces)),
                click("Add to basket"),
            ]
        return [*acts, choose("Delivery", self.delivery), click("Order")]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        shelves = [link(f"Shelf {s + 1}", f"/shelf?s={s}") for s in range(len(self.shelves))]
        bar = box("nav", *shelves, link("Basket", "/basket"))
        shelf = index_of(fields, "s", len(self.shelves))
        if path == "/":
            return self.page("Shop", bar, text("Choose a shelf."))
        if path == "/basket":
            lines = [box("li", text(k), text(f"{v} pieces")) for k, v in data["basket"].items()]
            order = form("/order", select("Delivery", "delivery", DELIVERIES), button("Order"))
            return self.page("Basket", bar, *([box("ul", *lines), order] if lines else []))
        if path == "/done":
            return self.page("Ordered", bar, text("The order has been received."))
        if shelf is None:
            return None
        if path == "/shelf":
            names = self.shelves[shelf]
            rows = [box("li", link(n, f"/ware?s={shelf}&n={i}")) for i, n in enumerate(names)]
            return self.page(f"Shelf {shelf + 1}", bar, box("ul", *rows))
        place = index_of(fields, "n", len(self.shelves[shelf]))
        if path != "/ware" or place is None:
            return None
        add = form(
            "/add",
            hidden("s", str(shelf)),
            hidden("n", str(place)),
            entry("Pieces", "pieces", "1"),
            button("Add to basket"),
        )
        return self.page(self.shelves[shelf][place], bar, add)

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        if path == "/order":
            if data["basket"] and one(fields, "delivery") in DELIVERIES:
                data["orders"].append([data["basket"], one(fields, "delivery")])
                data["basket"] = {}
                return "/done"
            return "/basket"
        shelf = index_of(fields, "s", len(self.shelves))
        place = index_of(fields, "n", len(self.shelves[0]))
        if path != "/add" or shelf is None or place is None:
            return None
        pieces = _pieces(fields, "pieces")
        if pieces is None:
            return f"/ware?s={shelf}&n={place}"
        name = self.shelves[shelf][place]
        data["basket"][name] = min(_MAX_PIECES, data["basket"].get(name, 0) + pieces)
        return "/basket"


@dataclass(frozen=True)
class Basket(Site):
    """Change the numbers of pieces in a full basket, remove a product, and order."""

    category: ClassVar[str] = "basket"
    names: tuple[str, ...]
    pieces: tuple[int, ...]
    changes: tuple[tuple[int, int], ...]  # place and new number of pieces
    removed: int

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Self:
        count = scaled(difficulty, 4, 2, 20)
        pieces = tuple(number(rng, 1, 9) for _ in range(count))
        places = sample(rng, range(count), 1 + scaled(difficulty, 1, 0.5, 4))
        changes = tuple(
            (i, pick(rng, [n for n in range(1, 10) if n != pieces[i]])) for i in places[1:]
        )
        return cls(0, products(rng, count), pieces, changes, places[0])

    @property
    def question(self) -> str:
        said = listed([f'{pieces} of "{self.names[i]}"' for i, pieces in self.changes])
        removed = self.names[self.removed]
        return f'Change the basket to {said}, remove "{removed}", and order the basket.'

    def first_data(self) -> Data:
        return {"basket": dict(zip(self.names, self.pieces, strict=True)), "orders": []}

    def goal(self) -> Data:
        changed = dict(zip(self.names, self.pieces, strict=True))
        changed |= {self.names[i]: pieces for i, pieces in self.changes}
        del changed[self.names[self.removed]]
        return {"basket": {}, "orders": [changed]}

    def acts(self) -> Sequence[Act]:
        acts = [type_in(f"Pieces of {self.names[i]}", str(n)) for i, n in self.changes]
        removed = self.names[self.removed]
        return [*acts, click("Update"), click("Remove", removed), click("Order")]

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/done":
            return self.page("Ordered", text("The order has been received."))
        if path != "/":
            return None
        basket: Mapping[str, int] = data["basket"]
        if not basket:
            return self.page("Basket", text("The basket is empty."))
        order = {name: str(i) for i, name in enumerate(self.names)}
        counts = [entry(f"Pieces of {k}", order[k], str(v)) for k, v in basket.items()]
        rows = [
            box("tr", text(k), form("/remove", hidden("n", order[k]), button("Remove")))
            for k in basket
        ]
        update = form("/update", *counts, button("Update"))
        return self.page("Basket", update, box("table", *rows), form("/order", button("Order")))

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        basket: dict[str, int] = data["basket"]
        if path == "/update":
            for i, name in enumerate(self.names):
                pieces = _pieces(fields, str(i))
                if name in basket and pieces is not None:
                    basket[name] = pieces
        elif path == "/remove":
            place = index_of(fields, "n", len(self.names))
            if place is None:
                return None
            basket.pop(self.names[place], None)
        elif path == "/order" and basket:
            data["orders"].append(basket)
            data["basket"] = {}
            return "/done"
        else:
            return None
        return "/"


def _pieces(fields: Fields, name: str) -> int | None:
    """Return a number of pieces from 1 to 99, None for anything else."""
    return index_of(fields, name, _MAX_PIECES + 1) or None
