"""Primitives of the small language as patterns of syntax trees, with holes for arguments."""

import ast
from typing import Any

from zerogym.envs.tools.code_triplet.language.primitives import PRIMITIVES

HOLES = ("_0", "_1", "_2")


def fits(pattern: Any, node: Any, holes: dict[str, ast.expr]) -> bool:
    """Match a syntax tree with a pattern, and collect what stands in its holes."""
    if isinstance(pattern, ast.Name) and pattern.id in HOLES:
        holes[pattern.id] = node
        return isinstance(node, ast.expr)
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, ast.AST):
        return all(
            fits(getattr(pattern, name), getattr(node, name, None), holes)
            for name in pattern._fields
        )
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(
            fits(one, other, holes) for one, other in zip(pattern, node, strict=True)
        )
    return bool(pattern == node)


def _pattern(written: str) -> ast.expr:
    return ast.parse(written.format(*HOLES), mode="eval").body


# The largest first, so that `ord(x) - 97` is no difference.
PATTERNS = sorted(
    ((name, _pattern(one.written)) for name, one in PRIMITIVES.items()),
    key=lambda each: -sum(1 for _ in ast.walk(each[1])),
)
DIGITS = _pattern(PRIMITIVES["digits"].written)
