"""Writes programs of the small language as plain Python."""

from collections.abc import Mapping, Sequence
from typing import Any

from zerogym.envs.tools.code_triplet.language.primitives import (
    ATOM,
    LOOSEST,
    OR,
    PRIMITIVES,
    UNARY,
)

INDENT = "    "
_AUGMENTED = {"add": "+=", "subtract": "-=", "multiply": "*=", "quotient": "//=", "remainder": "%="}


def rendered(program: Mapping[str, Any]) -> str:
    """The source of a function `f`; `program["names"]` has the names of the variables."""
    names = program["names"]
    parameters = ", ".join(names[name] for name, _ in program["parameters"])
    result = f"{INDENT}return {_write(program['result'], names)}"
    return "\n".join([f"def f({parameters}):", *_lines(program["body"], names, 1), result])


def _lines(block: Sequence[Any], names: Mapping[str, str], depth: int) -> list[str]:
    """The lines of a block of statements."""
    lines: list[str] = []

    def add_block(head: str, inner: Sequence[Any]) -> None:
        lines.append(f"{space}{head}:")
        lines.extend(_lines(inner, names, depth + 1))

    space = INDENT * depth
    for kind, *parts in block:
        if kind == "let":
            lines.append(space + _assignment(parts[0], parts[1], names))
        elif kind == "append":
            lines.append(f"{space}{names[parts[0]]}.append({_write(parts[1], names)})")
        elif kind == "for":
            add_block(_loop_head(parts[0], parts[1], names), parts[2])
        else:
            for number, (condition, inner) in enumerate(parts[0]):
                add_block(f"{'elif' if number else 'if'} {_write(condition, names)}", inner)
            if parts[1]:
                add_block("else", parts[1])
    return lines


def _assignment(name: str, value: Any, names: Mapping[str, str]) -> str:
    """An assignment, with `+=` and the like where a variable is changed by something."""
    target = names[name]
    if isinstance(value, list) and value[0] in _AUGMENTED and value[1] == ["var", name]:
        return f"{target} {_AUGMENTED[value[0]]} {_write(value[2], names)}"
    return f"{target} = {_write(value, names)}"


def _loop_head(targets: Sequence[str], iterable: Sequence[Any], names: Mapping[str, str]) -> str:
    called = ", ".join(names[target] for target in targets)
    kind, source = iterable
    if kind == "each":
        return f"for {called} in {_write(source, names, OR)}"
    if kind == "neighbours":
        return f"for {called} in zip({_write(source, names)}, {_write(source, names, ATOM)}[1:])"
    return f"for {called} in {kind}({_write(source, names)})"


def _write(node: Any, names: Mapping[str, str], least: int = LOOSEST) -> str:
    """An expression, in brackets if it binds less tightly than `least`."""
    text, binds = _form(node, names)
    return text if binds >= least else f"({text})"


def _form(node: Any, names: Mapping[str, str]) -> tuple[str, int]:
    if isinstance(node, int):
        return str(node), ATOM if node >= 0 else UNARY
    kind, *parts = node
    if kind == "var":
        return names[parts[0]], ATOM
    if kind == "text":
        return repr(parts[0]), ATOM
    if kind == "either":
        test, yes, no = parts
        head = f"{_write(yes, names, OR)} if {_write(test, names, OR)} else "
        return head + _write(no, names), LOOSEST
    if kind in PRIMITIVES:
        primitive = PRIMITIVES[kind]
        pairs = zip(parts, primitive.arguments, strict=False)
        return primitive.written.format(*(_write(p, names, n) for p, n in pairs)), primitive.binds
    targets, iterable, element, condition = parts
    inside = f"{_write(element, names)} {_loop_head(targets, iterable, names)}"
    if condition is not None:
        inside += f" if {_write(condition, names, OR)}"
    return {"list": f"[{inside}]", "sum": f"sum({inside})", "join": f"''.join({inside})"}[
        kind
    ], ATOM
