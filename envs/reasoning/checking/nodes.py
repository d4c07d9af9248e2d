"""The tree of a mathematical answer."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from zerogym.envs.reasoning.checking.tokens import AnswerSyntaxError

NodeKind = Literal[
    "number", "symbol", "sum", "product", "quotient", "negative", "power", "call",
    "list", "set", "union", "matrix", "equation",
]  # fmt: skip


class Node(NamedTuple):
    """A part of an answer.

    `text` is the name of a symbol or of a called function, and the brackets of a list (`""`,
    `"()"`, `"[)"`, ...) or set. A matrix has its rows as lists.
    """

    kind: NodeKind
    parts: "tuple[Node, ...]" = ()
    text: str = ""
    number: int | Fraction = 0


STRUCTURES = frozenset(("list", "set", "union", "matrix", "equation"))
ONE = Node("number", number=1)
_CONSTANTS = {"pi", "e", "i", "infinity"}


def symbols(node: Node) -> set[str]:
    """The variables of an expression: all symbols but pi, e, i and infinity."""
    if node.kind == "symbol":
        return {node.text} - _CONSTANTS
    return set().union(*map(symbols, node.parts))


def operand(node: Node) -> Node:
    """The node if it is a value; the inside of a group in LaTeX braces.

    Raises:
        AnswerSyntaxError: If it is a list, set, equation or matrix.
    """
    if node.kind not in STRUCTURES:
        return node
    if node.text == "{" and len(node.parts) == 1:
        return operand(node.parts[0])
    raise AnswerSyntaxError(f"a {node.kind} within an expression")


def product_of(factors: Sequence[Node]) -> Node:
    """Return the product of some factors."""
    return Node("product", tuple(map(operand, factors))) if len(factors) > 1 else factors[0]


def power_of(base: Node, exponent: Node) -> Node:
    """`base^exponent`."""
    return Node("power", (base, exponent))


def call_of(name: str, argument: Node) -> Node:
    """A function's value, by simpler functions where there are some."""
    if name == "sqrt":
        return power_of(argument, Node("number", number=Fraction(1, 2)))
    if name == "exp":
        return power_of(Node("symbol", text="e"), argument)
    if name in ("sec", "csc"):
        return Node("quotient", (ONE, call_of("cos" if name == "sec" else "sin", argument)))
    if name in ("tan", "cot"):
        parts = (call_of("sin", argument), call_of("cos", argument))
        return Node("quotient", parts if name == "tan" else parts[::-1])
    return Node("call", (argument,), name)
