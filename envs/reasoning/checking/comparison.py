"""When a parsed answer is the expected one: numbers, expressions, and what is built from them."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from zerogym.envs.reasoning.checking.algebra import Algebra, Ratio
from zerogym.envs.reasoning.checking.intervals import Bound, Interval, merged
from zerogym.envs.reasoning.checking.monomials import Undecided
from zerogym.envs.reasoning.checking.nodes import STRUCTURES, Node, symbols
from zerogym.envs.reasoning.checking.values import agree, near, work_of

MAX_ITEMS = 60  # of a set or unordered list that holds more than rational numbers
MAX_EVALUATIONS = 4000  # evaluated parts of expressions in one answer


class Comparison:
    """Comparison of an answer with the expected one; all parts share a budget of work.

    Args:
        tolerance: Constants may differ by this much.
        ordered: Whether lists must have the expected order.
    """

    def __init__(self, tolerance: Fraction, ordered: bool) -> None:
        self.tolerance, self.ordered = tolerance, ordered
        self._algebra = Algebra()
        self._evaluations = 0
        self._normal_forms: dict[int, Ratio | None] = {}  # by id: the trees outlive this object

    def same(self, given: Node, expected: Node) -> bool:
        """Return True if `given` may stand for `expected`; False also where that is undecided."""
        if given.kind == "equation" or expected.kind == "equation":
            return self._equation(given, expected)
        if given.kind == "union" or expected.kind == "union":
            return self._union(given, expected)
        if expected.kind == "set":
            return _has_no_order(given) and self._set(given.parts, expected.parts)
        if expected.kind == "list":
            return self._list(given, expected)
        if expected.kind == "matrix":
            return self._matrix(_rows(given), expected.parts)
        return given.kind not in STRUCTURES and self._value(given, expected)

    def _equation(self, given: Node, expected: Node) -> bool:
        if given.kind != expected.kind:
            value, target = self._claimed(given), self._claimed(expected)
            return value is not None and target is not None and self.same(value, target)
        if len(given.parts) != 2 or len(expected.parts) != 2:
            return len(given.parts) == len(expected.parts) and all(
                map(self.same, given.parts, expected.parts)
            )
        if given.parts[0].kind == "symbol" and given.parts[0] == expected.parts[0]:
            return self.same(given.parts[1], expected.parts[1])
        return self._proportional(given, expected)

    def _claimed(self, node: Node) -> Node | None:
        """The value that `x = 5` or a true `2 + 3 = 5` claims; None of another equation."""
        if node.kind != "equation":
            return node
        first, *sides = node.parts
        claimed = sides[-1]
        if not _is_name(first) or symbols(first) & symbols(claimed):
            sides.insert(0, first)
        return claimed if all(self.same(side, claimed) for side in sides[:-1]) else None

    def _proportional(self, given: Node, expected: Node) -> bool:
        """Return True if two equations, all on one side, differ by a constant factor."""
        if any(side.kind in STRUCTURES for side in given.parts + expected.parts):
            return False
        try:
            left, right = (
                self._algebra.normal(Node("sum", (sides[0], Node("negative", (sides[1],)))))
                for sides in (given.parts, expected.parts)
            )
            if left.constant() is None and right.constant() is None:
                return self._algebra.proportional(left, right)
            return all(map(self.same, given.parts, expected.parts))  # nothing to solve for
        except Undecided:
            return False

    def _value(self, given: Node, expected: Node) -> bool:
        if given == expected:
            return True
        signs = _infinite(given), _infinite(expected)
        if signs != (0, 0):
            return signs[0] == signs[1]
        left, right = self._normal(given), self._normal(expected)
        try:
            if left is not None and right is not None:
                if self._algebra.equal(left, right):
                    return True
                first, second = left.constant(), right.constant()
                if first is not None and second is not None:
                    return abs(Fraction(first) - second) <= self.tolerance
                if left.is_exact() and right.is_exact() and not self.tolerance:
                    return False
            return self._by_values(given, expected)
        except Undecided:
            return False

    def _by_values(self, given: Node, expected: Node) -> bool:
        self._evaluations += work_of(given, expected)
        if self._evaluations > MAX_EVALUATIONS:
            return False
        if self.tolerance and not symbols(given) | symbols(expected):
            return near(given, expected, self.tolerance)
        return agree(given, expected)

    def _normal(self, node: Node) -> Ratio | None:
        key = id(node)
        if key not in self._normal_forms:
            try:
                self._normal_forms[key] = self._algebra.normal(node)
            except Undecided:
                self._normal_forms[key] = None
        return self._normal_forms[key]

    def _rationals(self, nodes: Sequence[Node]) -> list[int | Fraction] | None:
        """Return the values of nodes if all are rational numbers, else None."""
        if any(node.kind in STRUCTURES or _infinite(node) for node in nodes):
            return None
        forms = [self._normal(node) for node in nodes]
        values = [form.constant() for form in forms if form is not None]
        found = [value for value in values if value is not None]
        return found if len(found) == len(nodes) else None

    def _set(self, given: Sequence[Node], expected: Sequence[Node]) -> bool:
        if not self.tolerance:
            left, right = self._rationals(given), self._rationals(expected)
            if left is not None and right is not None:
                return set(left) == set(right)
        if max(len(given), len(expected)) > MAX_ITEMS:
            return False
        return all(any(self.same(g, e) for e in expected) for g in given) and all(
            any(self.same(g, e) for g in given) for e in expected
        )

    def _list(self, given: Node, expected: Node) -> bool:
        if given.kind == "matrix":  # rows for a list of lists, a column for a tuple
            if any(part.kind == "list" for part in expected.parts):
                return self._matrix(given.parts, _rows(expected))
            return len(given.parts[0].parts) == 1 and self._items(
                [row.parts[0] for row in given.parts], expected.parts
            )
        if self.ordered:
            fits = given.kind == "list" and _brackets_fit(given, expected)
        else:
            fits = given.kind in ("list", "set")
        return fits and self._items(given.parts, expected.parts)

    def _items(self, given: Sequence[Node], expected: Sequence[Node]) -> bool:
        if len(given) != len(expected):
            return False
        if self.ordered:
            return all(map(self.same, given, expected))
        if not self.tolerance:
            left, right = self._rationals(given), self._rationals(expected)
            if left is not None and right is not None:
                return sorted(left) == sorted(right)
        return len(given) <= MAX_ITEMS and _can_be_paired(given, expected, self.same)

    def _matrix(self, given: Sequence[Node] | None, expected: Sequence[Node] | None) -> bool:
        if given is None or expected is None or len(given) != len(expected):
            return False
        return all(
            len(row.parts) == len(other.parts) and all(map(self.same, row.parts, other.parts))
            for row, other in zip(given, expected, strict=True)
        )

    def _union(self, given: Node, expected: Node) -> bool:
        left, right = (
            node.parts if node.kind == "union" else (node,) for node in (given, expected)
        )
        first, second = self._intervals(left), self._intervals(right)
        if first is not None and second is not None and not self.tolerance:
            return merged(first) == merged(second)
        return self._set(left, right)

    def _intervals(self, nodes: Sequence[Node]) -> list[Interval] | None:
        """Intervals with rational or infinite ends; None if some part is anything else."""
        found = []
        for node in nodes:
            if node.kind != "list" or len(node.parts) != 2 or not node.text:
                return None
            ends = [self._end(part) for part in node.parts]
            if ends[0] is None or ends[1] is None:
                return None
            found.append(Interval(ends[0], node.text[0] == "[", ends[1], node.text[1] == "]"))
        return found

    def _end(self, node: Node) -> Bound | None:
        if node.kind in STRUCTURES:
            return None
        if sign := _infinite(node):
            return sign * float("inf")
        form = self._normal(node)
        return None if form is None else form.constant()


def _is_name(node: Node) -> bool:
    """A symbol, or a name of several letters, which reads as a product (`AB = 5`, `sum = 5`)."""
    return node.kind == "symbol" or (
        node.kind == "product" and all(part.kind == "symbol" for part in node.parts)
    )


def _infinite(node: Node) -> int:
    """1 for infinity, -1 for minus infinity, 0 for anything else."""
    if node.kind == "negative":
        return -_infinite(node.parts[0])
    return int(node.kind == "symbol" and node.text == "infinity")


def _has_no_order(node: Node) -> bool:
    """A set, or a bare list, which does not claim an order."""
    return node.kind == "set" or (node.kind == "list" and not node.text)


def _brackets_fit(given: Node, expected: Node) -> bool:
    """Two things in brackets may be an interval: then the brackets count."""
    if given.text == expected.text:
        return True
    loose = ("", "()", "[]")
    if len(expected.parts) != 2 or not expected.text:
        return given.text in loose and expected.text in loose
    return expected.text == "()" and not given.text


def _rows(node: Node) -> tuple[Node, ...] | None:
    """The rows of a matrix or of a list of lists."""
    if node.kind == "matrix":
        return node.parts
    lists = node.kind == "list" and all(part.kind == "list" for part in node.parts)
    return node.parts if lists else None


def _can_be_paired(
    given: Sequence[Node], expected: Sequence[Node], same: Callable[[Node, Node], bool]
) -> bool:
    """Return True if each given item has an expected one of its own (augmenting paths)."""
    allowed = [[j for j, e in enumerate(expected) if same(g, e)] for g in given]
    owner: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j in allowed[i]:
            if j not in tried:
                tried.add(j)
                if j not in owner or place(owner[j], tried):
                    owner[j] = i
                    return True
        return False

    return all(place(i, set()) for i in range(len(given)))
