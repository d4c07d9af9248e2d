"""Typical mistakes: programs that differ in one place from a given one."""

from collections.abc import Iterator, Mapping
from typing import Any

from zerogym.envs.tools.code_triplet.language.primitives import COMPREHENSIONS

_TAKEN_FOR = {
    "less": "at_most", "at_most": "less", "more": "at_least", "at_least": "more",
    "equal": "unequal", "unequal": "equal", "in": "not_in", "not_in": "in", "and": "or",
    "or": "and", "larger": "smaller", "smaller": "larger", "sorted": "descending",
    "descending": "sorted",
}  # fmt: skip


def near_programs(program: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """All programs with one mistake.

    A constant is off by one, a comparison (or the like) is confused with a similar one, a condition
    is forgotten, or all branches but the first are.
    """
    for body in _changed(program["body"]):
        yield {**program, "body": body}
    for result in _changed(program["result"]):
        yield {**program, "result": result}


def _changed(node: Any) -> Iterator[Any]:
    """The tree with one change somewhere, in all ways."""
    if isinstance(node, int):
        yield -2 if node == -1 else node + 1  # a slice up to 0 would be no small mistake
    if not isinstance(node, list) or not node:
        return
    yield from _changed_here(node)
    for place, part in enumerate(node):
        for other in _changed(part):
            yield [*node[:place], other, *node[place + 1 :]]


def _changed_here(node: list[Any]) -> Iterator[list[Any]]:
    kind = node[0]
    if not isinstance(kind, str):
        return
    if kind in _TAKEN_FOR:
        yield [_TAKEN_FOR[kind], *node[1:]]
    elif kind == "either":
        yield node[2]
    elif kind == "if":
        yield ["if", node[1], node[1][0][1]]
    elif kind in COMPREHENSIONS and node[4] is not None:
        yield [*node[:4], None]
