"""Builder of a drawn program: its variables, their names, and draws of small expressions."""

from itertools import count
from typing import Any

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, pick

Tree = Any  # of JSON values, as in `primitives`

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


class CodeBuilder:
    """Draws the parts of one program.

    Every step has variables of its own in the tree, so that all values can be inspected afterwards;
    the rendered program may reuse a name.

    Attributes:
        rng: Source of all randomness.
        level: The difficulty; it decides which forms may be drawn.
        body: The statements so far.
        names: The name of each variable in Python.
        extra: The second parameter, an integer, if there is one.
        said: A short description of each step.
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
        numbered = (f"{stem}{number}" for number in count(2))
        called = pick(self.rng, free) if free else next(n for n in numbered if n not in taken)
        return self._add(called)

    def variable(self, role: str) -> tuple[str, Tree]:
        """A new variable, and the expression with its value."""
        name = self.new(role)
        return name, ["var", name]

    def again(self, role: str, old: str) -> str:
        """A new variable, called like the one it replaces half of the time."""
        return self._add(self.names[old]) if self.rng.random() < 0.5 else self.new(role)

    def let(self, name: str, value: Tree) -> str:
        """Add an assignment."""
        self.body.append(["let", name, value])
        return name

    def release(self, *variables: str) -> None:
        """Allow that the names of variables are used again, as after a loop."""
        self._released.update(variables)

    def comprehension(
        self,
        kind: str,
        items: list[str],
        iterable: tuple[str, str],
        element: Tree,
        condition: Tree = None,
        new: str = "",
    ) -> str:
        """Assign a comprehension to `new`, or to a variable that replaces the old one.

        Args:
            kind: One of `COMPREHENSIONS`.
            items: Loop variables, released afterwards.
            iterable: Kind of iterable, and the variable with the old value.
            element: Expression of an element.
            condition: Filter; None keeps all.
            new: The variable; empty to draw one.
        """
        loop, old = iterable
        self.release(*items)
        new = new or self.again("new text" if kind == "join" else "new list", old)
        return self.let(new, [kind, items, [loop, ["var", old]], element, condition])

    def loop(self, new: str, start: Tree, item: str, old: str, body: list[Tree]) -> str:
        """Set `new` to `start` and change it in a loop over the items of `old`."""
        self.let(new, start)
        self.body.append(["for", [item], ["each", ["var", old]], body])
        self.release(item)
        return new

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
