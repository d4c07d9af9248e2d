"""A program while it is drawn: its variables, their names, and draws of small expressions."""

from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick

Tree = Any  # of JSON values; `primitives` says which

_NAMES = {
    "list": ("xs", "nums", "values", "items", "data", "numbers"),
    "text": ("s", "text", "word", "line", "string"),
    "number": ("n", "num", "value", "m"),
    "extra": ("k", "step", "limit", "size"),
    "new list": ("out", "result", "res", "kept", "made", "found"),
    "new text": ("out", "result", "res", "made", "built"),
    "total": ("total", "count", "acc", "score", "t"),
    "item": ("x", "v", "e", "y"),
    "pair": ("a", "b", "p", "q"),
    "character": ("c", "ch", "letter"),
    "place": ("i", "j", "idx"),
}
COMPARISONS = ("less", "at_most", "more", "at_least")


class Draft:
    """Draws the parts of one program.

    Every step has variables of its own in the tree, so that all values can be looked at afterwards;
    the written program may use a name again.

    Attributes:
        rng: Where all randomness comes from.
        level: The difficulty; decides which forms may come up.
        body: The statements so far.
        names: What each variable is called.
        extra: The second parameter, an integer, if there is one.
        said: What each step does, in a few words.
    """

    def __init__(self, rng: np.random.Generator, level: float) -> None:
        self.rng, self.level = rng, level
        self.body: list[Tree] = []
        self.names: dict[str, str] = {}
        self.extra = ""
        self.said: list[str] = []
        self._released: set[str] = set()

    def new(self, role: str) -> str:
        """A new variable with a name of its own."""
        taken = {c for variable, c in self.names.items() if variable not in self._released}
        free = [name for name in _NAMES[role] if name not in taken]
        stem = pick(self.rng, _NAMES[role])
        called = pick(self.rng, free) if free else self._numbered(stem, taken)
        return self._add(called)

    def again(self, role: str, old: str) -> str:
        """A new variable, called like the one it replaces half of the time."""
        return self._add(self.names[old]) if self.rng.random() < 0.5 else self.new(role)

    def let(self, name: str, value: Tree) -> str:
        """Add an assignment."""
        self.body.append(["let", name, value])
        return name

    def release(self, *variables: str) -> None:
        """Variables of a loop that has ended: their names may come again."""
        self._released.update(variables)

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return bool(self.rng.random() < share)

    def number(self, low: int, high: int) -> int:
        """A constant of the program."""
        return draw_int(self.rng, low, high)

    def small(self, low: int = 1, high: int = 5) -> Tree:
        """A constant, or the second parameter."""
        if self.extra and self.chance(0.5):
            return ["var", self.extra]
        return self.number(low, high)

    def term(self, x: Tree) -> Tree:
        """A number made of the number `x`."""
        kind = self.number(0, 8 if self.level >= 1 else 4)
        if kind <= 1:
            return ["add", x, self.small(1, 9)]
        if kind == 2:
            return ["subtract", x, self.small(1, 9)]
        if kind == 3:
            return ["multiply", x, self.number(2, 5)]
        if kind == 4:
            return ["subtract", self.number(5, 20), x]
        if kind == 5:
            return ["absolute", ["subtract", x, self.number(2, 12)]]
        if kind == 6:
            return ["add", ["multiply", x, self.number(2, 4)], self.small(1, 7)]
        if kind == 7:
            return ["multiply", x, x]
        return ["larger" if self.chance(0.5) else "smaller", x, self.number(3, 12)]

    def test(self, x: Tree, low: int = 3, high: int = 14) -> Tree:
        """A condition on the number `x`, which is often between `low` and `high`."""
        kind = self.rng.random()
        if kind < 0.45:
            modulus = self.number(2, 4)
            return ["equal", ["remainder", x, modulus], self.number(0, modulus - 1)]
        compared = [pick(self.rng, COMPARISONS), x, self.small(low, high)]
        if kind < 0.85 or self.level < 2:
            return compared
        parity = ["equal", ["remainder", x, 2], self.number(0, 1)]
        return [pick(self.rng, ("and", "or")), compared, parity]

    def letters(self) -> str:
        """Some letters that texts often have."""
        return pick(self.rng, ("aeiou", "aeo", "bcd", "rst", "abc", "nrst", "abcde", "eat"))

    def _add(self, called: str) -> str:
        variable = f"v{len(self.names)}"
        self.names[variable] = called
        return variable

    def _numbered(self, stem: str, taken: set[str]) -> str:
        number = 2
        while f"{stem}{number}" in taken:
            number += 1
        return f"{stem}{number}"
