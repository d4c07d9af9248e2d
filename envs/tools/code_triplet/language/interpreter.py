"""Runs programs of the small language: the same result every time, and always an end.

A program is compiled to closures first, so that running it on many inputs is cheap. It is pure: it
reads nothing but its arguments and changes none of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from zerogym.envs.tools.code_triplet.language.primitives import PRIMITIVES

MAX_STEPS = 20_000  # rounds of all loops and comprehensions of one run
LARGEST = 10**12  # of a variable's integers
LONGEST = 1_000  # of a variable's list or text
_STEPS = ""  # the key in the scope under which the steps that are left are counted; no name

Scope = dict[str, Any]
Evaluate = Callable[[Scope], Any]
Execute = Callable[[Scope], None]
Run = Callable[[Sequence[Any]], Scope]


class OutOfBounds(Exception):
    """A run that takes too many steps or whose values get too large has no output."""


def run(program: Mapping[str, Any], arguments: Sequence[Any]) -> Any:
    """The output of a program.

    Args:
        program: `parameters` (pairs of name and type), `body` and `result` as trees; `steps` where
            its bound of steps is not `MAX_STEPS`.
        arguments: A value of the right type for each parameter.

    Raises:
        OutOfBounds: If the run passes `MAX_STEPS`, `LARGEST` or `LONGEST`.
    """
    return compiled(program)(arguments)["return"]


def compiled(program: Mapping[str, Any]) -> Run:
    """A function from arguments to the final values of all variables; the output is `return`."""
    names = [name for name, _ in program["parameters"]]
    steps = program.get("steps", MAX_STEPS)
    body = _block(program["body"])
    result = _expression(program["result"])

    def start(arguments: Sequence[Any]) -> Scope:
        scope: Scope = dict(zip(names, arguments, strict=True))
        scope[_STEPS] = steps
        body(scope)
        scope["return"] = _checked(result(scope))
        return scope

    return start


def _checked(value: Any) -> Any:
    """Return the value if it is within the bounds."""
    if isinstance(value, int):
        if -LARGEST <= value <= LARGEST:
            return value
    elif len(value) <= LONGEST and (
        isinstance(value, str) or not value or (min(value) >= -LARGEST and max(value) <= LARGEST)
    ):
        return value
    raise OutOfBounds("a value is too large")


def _block(statements: Sequence[Any]) -> Execute:
    parts = [_STATEMENTS[statement[0]](*statement[1:]) for statement in statements]
    if len(parts) == 1:
        return parts[0]

    def execute(scope: Scope) -> None:
        for part in parts:
            part(scope)

    return execute


def _let(name: str, value: Any) -> Execute:
    evaluate = _expression(value)

    def execute(scope: Scope) -> None:
        scope[name] = _checked(evaluate(scope))

    return execute


def _append(name: str, value: Any) -> Execute:
    """Append to a list, which the program itself has created empty."""
    evaluate = _expression(value)

    def execute(scope: Scope) -> None:
        grown = scope[name]
        grown.append(_checked(evaluate(scope)))
        if len(grown) > LONGEST:
            raise OutOfBounds("a list is too long")

    return execute


def _if(cases: Sequence[Any], otherwise: Sequence[Any]) -> Execute:
    ways = [(_expression(condition), _block(statements)) for condition, statements in cases]
    last = _block(otherwise)

    def execute(scope: Scope) -> None:
        for condition, statements in ways:
            if condition(scope):
                return statements(scope)
        return last(scope)

    return execute


def _for(names: Sequence[str], iterable: Sequence[Any], statements: Sequence[Any]) -> Execute:
    rounds, body = _rounds(names, iterable), _block(statements)

    def execute(scope: Scope) -> None:
        for _ in rounds(scope):
            body(scope)

    return execute


_STATEMENTS: Mapping[str, Callable[..., Execute]] = {
    "let": _let,
    "append": _append,
    "if": _if,
    "for": _for,
}


def _expression(node: Any) -> Evaluate:
    if isinstance(node, int):
        return lambda scope: node
    kind, *parts = node
    if kind == "var":
        (name,) = parts
        return lambda scope: scope[name]
    if kind == "text":
        return lambda scope: parts[0]
    if kind == "either":
        test, yes, no = map(_expression, parts)
        return lambda scope: yes(scope) if test(scope) else no(scope)
    if kind == "replace":  # the one primitive whose result may be many times as long
        replace = PRIMITIVES[kind].compute
        return _application(lambda *given: _checked(replace(*given)), [*map(_expression, parts)])
    if kind in PRIMITIVES:
        return _application(PRIMITIVES[kind].compute, [_expression(part) for part in parts])
    return _comprehension(kind, *parts)


def _application(compute: Callable[..., Any], arguments: Sequence[Evaluate]) -> Evaluate:
    match arguments:
        case [only]:
            return lambda scope: compute(only(scope))
        case [first, second]:
            return lambda scope: compute(first(scope), second(scope))
    return lambda scope: compute(*(argument(scope) for argument in arguments))


_ITERABLES: Mapping[str, Callable[[Any], Iterator[Any]]] = {
    "each": iter,
    "range": lambda count: iter(range(count)),
    "enumerate": enumerate,
    "neighbours": pairwise,
}


def _rounds(names: Sequence[str], iterable: Sequence[Any]) -> Callable[[Scope], Iterator[None]]:
    """Bind one or two loop variables to each item in turn; each round counts as a step."""
    kind, source = iterable[0], _expression(iterable[1])
    make = _ITERABLES[kind]
    first, second = names[0], names[-1]

    def each(scope: Scope) -> Iterator[None]:
        for item in make(source(scope)):
            scope[_STEPS] -= 1
            if scope[_STEPS] < 0:
                raise OutOfBounds("too many steps")
            if first is second:
                scope[first] = item
            else:
                scope[first], scope[second] = item
            yield

    return each


def _comprehension(
    kind: str, names: Sequence[str], iterable: Sequence[Any], element: Any, condition: Any
) -> Evaluate:
    rounds, made = _rounds(names, iterable), _expression(element)
    kept = None if condition is None else _expression(condition)

    def evaluate(scope: Scope) -> Any:
        found = [made(scope) for _ in rounds(scope) if kept is None or kept(scope)]
        return "".join(found) if kind == "join" else sum(found) if kind == "sum" else found

    return evaluate
