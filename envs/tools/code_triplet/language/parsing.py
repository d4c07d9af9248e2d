"""Reads a program of the small language from Python source, the inverse of `rendering`.

A source that parses has a result for every input of the types of its parameters, or passes a bound
of the interpreter: types are checked, variables are set before they are used, and a list grows only
where the program itself has created it empty. So a program that a model wrote can be run without a
sandbox, and never raises.
"""

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from zerogym.envs.tools.code_triplet.language.patterns import DIGITS, HOLES, PATTERNS, fits
from zerogym.envs.tools.code_triplet.language.programs import Program
from zerogym.envs.tools.code_triplet.language.signatures import (
    ITERATED,
    KINDS,
    LETTERS,
    result_type,
)

MAX_SOURCE = 2048  # characters
MAX_NODES = 500  # of the syntax tree
MAX_TEXT = 50  # characters of a constant
STEPS = 1_000  # rounds of all loops in a run of a program that was read
_AUGMENTED = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.FloorDiv: "quotient",
    ast.Mod: "remainder",
}  # fmt: skip

Tree = Any  # of JSON values, as in `primitives`
Typed = tuple[Tree, str]  # an expression and the letter of its type


class NoProgram(ValueError):
    """The source is no program of the language; the message names the reason."""


def parse(source: str, kinds: Sequence[str]) -> Program:
    """Return the program of a source.

    Args:
        source: Python that defines a function `f` and nothing else.
        kinds: `list`, `text` or `number` for each of its parameters.

    Raises:
        NoProgram: If it is none of the language, in bounded time whatever it is.
    """
    if len(source) > MAX_SOURCE:
        raise NoProgram(f"the program is longer than {MAX_SOURCE} characters")
    try:
        tree = ast.parse(source)
        if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
            raise NoProgram(f"the program has more than {MAX_NODES} parts")
        return _Reader().program(tree, kinds)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise NoProgram(f"the program is not Python: {type(error).__name__}") from None
    except ValueError as error:
        raise NoProgram(str(error)) from None


class _Reader:
    """The variables of a program while it is read."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # of Python, by variable
        self._known: dict[str, tuple[str, str]] = {}  # variable and type, by name
        self._fixed: set[str] = set()  # names that a block may not give another type
        self._own: set[str] = set()  # variables that hold lists which were created empty
        self._locked: set[str] = set()  # those of them that a loop may not set to another list
        self._siblings: dict[str, tuple[str, str]] = {}  # what the branches before have set

    def program(self, tree: ast.Module, kinds: Sequence[str]) -> Program:
        if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
            raise NoProgram("the program is not one function")
        function = tree.body[0]
        given = function.args
        plain = ast.arguments([], [ast.arg(one.arg) for one in given.args], None, [], [], None, [])
        if function.name != "f" or function.decorator_list or function.returns is not None:
            raise NoProgram("the function is not a plain f")
        if ast.dump(given) != ast.dump(plain) or len(given.args) != len(kinds):
            raise NoProgram(f"f does not take {len(kinds)} plain argument(s), as the input has")
        parameters = [
            [self._new(one.arg, LETTERS[kind]), kind]
            for one, kind in zip(given.args, kinds, strict=True)
        ]
        *body, last = function.body
        statements = self._block(body)
        if not isinstance(last, ast.Return) or last.value is None:
            raise NoProgram("the program does not end with its only return")
        result, kind = self._expression(last.value)
        if kind == "b":
            raise NoProgram("the program returns a condition")
        return {
            "parameters": parameters, "body": statements, "result": result, "names": self._names,
            "values": [parameters[0][0], "return"], "says": "", "steps": STEPS,
        }  # fmt: skip

    def _new(self, name: str, kind: str) -> str:
        if hasattr(builtins, name) or name == "f":
            raise NoProgram(f"a variable is called {name[:20]}")
        variable = f"v{len(self._names)}"
        self._names[variable] = name
        self._known[name] = (variable, kind)
        return variable

    def _block(self, statements: Sequence[ast.stmt]) -> list[Tree]:
        return [self._statement(statement) for statement in statements]

    def _inner(self, statements: Sequence[ast.stmt]) -> tuple[list[Tree], dict[str, Any]]:
        """Read a block that may not be reached, and return what it sets that was not set before."""
        known, fixed, own = dict(self._known), self._fixed, set(self._own)
        self._fixed = fixed | known.keys()
        inner = self._block(statements)
        new = {name: held for name, held in self._known.items() if name not in known}
        before = {variable for variable, _ in known.values()}
        self._own = own & self._own | (self._own - before)
        self._known, self._fixed = known, fixed
        return inner, new

    def _statement(self, node: ast.stmt) -> Tree:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self._let(name, *self._expression(value))
            case ast.AugAssign(target=ast.Name(id=name), op=sign, value=value):
                if type(sign) not in _AUGMENTED or self._variable(name)[1] == "l":
                    raise NoProgram("the program changes a variable in an unknown way")
                change = self._operation(_AUGMENTED[type(sign)], [node.target, value])
                return self._let(name, *change)
            case ast.Expr(
                ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append"),
                    args=[value],
                    keywords=[],
                )
            ):
                variable, _ = self._variable(name)
                item, kind = self._expression(value)
                if variable not in self._own or kind != "n":
                    raise NoProgram("append is for integers, and lists that were created empty")
                return ["append", variable, item]
            case ast.For(target=target, iter=iterable, body=body, orelse=[]):
                known, locked = dict(self._known), self._locked
                names, source = self._loop(target, iterable)
                if any(self._names[name] in known for name in names):
                    raise NoProgram("a loop sets a variable that is in use")
                self._locked = locked | self._own
                inner, _ = self._inner(body)
                self._known, self._locked = known, locked
                return ["for", names, source, inner]
            case ast.If():
                return self._cases(node)
        raise NoProgram(f"the language has no {type(node).__name__}")

    def _let(self, name: str, value: Tree, kind: str) -> Tree:
        if kind == "b":
            raise NoProgram("a variable is set to a condition")
        known = self._known.get(name) or self._siblings.get(name)
        if name in self._fixed and known is not None and known[1] not in (kind, KINDS[kind][0]):
            raise NoProgram(f"a block changes the type of {name[:20]}")
        if known is None or KINDS[known[1]] != KINDS[kind]:
            self._new(name, kind)
        elif name not in self._fixed:
            self._known[name] = (known[0], kind)
        variable = self._known[name][0]
        if variable in self._locked and value != ["empty"]:
            raise NoProgram("a loop replaces a list that was created empty")
        self._own.discard(variable)
        if value == ["empty"]:
            self._own.add(variable)
        return ["let", variable, value]

    def _cases(self, node: ast.If) -> Tree:
        before, own = self._siblings, set(self._own)
        self._siblings = {}
        cases, found, owned = [], [], []
        branches = [(node.test, node.body)]
        rest = node.orelse
        while len(rest) == 1 and isinstance(rest[0], ast.If):
            branches.append((rest[0].test, rest[0].body))
            rest = rest[0].orelse
        for test, body in [*branches, (None, rest)]:
            self._own = set(own)
            condition = None if test is None else self._condition(test)
            inner, new = self._inner(body)
            cases.append([condition, inner])
            found.append(new)
            owned.append(self._own)
            self._siblings = new | self._siblings
        self._siblings, self._own = before, set.intersection(*owned)
        for name, (variable, kind) in found[0].items():  # set in all branches
            others = [new.get(name, ("", "")) for new in found]
            if {other for other, _ in others} == {variable}:
                kinds = {other for _, other in others}
                self._known[name] = (variable, kind if len(kinds) == 1 else "t")
        *cases, (_, otherwise) = cases
        return ["if", cases, otherwise]

    def _condition(self, node: ast.expr) -> Tree:
        condition, kind = self._expression(node)
        if kind != "b":
            raise NoProgram("a condition is none")
        return condition

    def _variable(self, name: str) -> tuple[str, str]:
        if name not in self._known:
            raise NoProgram(f"the variable {name[:20]} is not set")
        return self._known[name]

    def _loop(self, target: ast.expr, iterable: ast.expr) -> tuple[list[str], Tree]:
        """Read the head of a loop, after which its variables are known."""
        kind, source = "each", iterable
        match iterable:
            case ast.Call(func=ast.Name(id="range" | "enumerate" as name), args=[only]):
                kind, source = name, only
            case ast.Call(func=ast.Name(id="zip"), args=[first, shifted]):
                one = ast.parse(f"({ast.unparse(first)})[1:]", mode="eval").body
                if ast.dump(one) != ast.dump(shifted):
                    raise NoProgram("zip is for neighbours only")
                kind, source = "neighbours", first
        if isinstance(iterable, ast.Call) and iterable.keywords:
            raise NoProgram("a loop has an unknown form")
        tree, over = self._expression(source)
        if (over == "n") != (kind == "range") or over == "b":
            raise NoProgram("a loop goes over something that has no items")
        item = ITERATED.get(over, "n")
        kinds = {"enumerate": ["n", item], "neighbours": [item, item]}.get(kind, [item])
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        called = [one.id for one in targets if isinstance(one, ast.Name)]
        if len({*called}) != len(targets) or len(called) != len(kinds):
            raise NoProgram("a loop has other variables than it should")
        return list(map(self._new, called, kinds)), [kind, tree]

    def _expression(self, node: ast.expr) -> Typed:
        match node:
            case ast.Name(id=name):
                variable, kind = self._variable(name)
                return ["var", variable], kind
            case ast.Constant(value=str(text)) if len(text) <= MAX_TEXT and node.kind is None:
                return ["text", text], "t"
            case ast.IfExp(test=test, body=body, orelse=orelse):
                one, other = self._expression(body), self._expression(orelse)
                if "b" in (one[1], other[1]) or KINDS[one[1]] != KINDS[other[1]]:
                    raise NoProgram("the two values of a conditional differ in type")
                kind = one[1] if one[1] == other[1] else "t"
                return ["either", self._condition(test), one[0], other[0]], kind
            case ast.BoolOp(op=sign, values=[first, *rest]):
                found = self._condition(first)
                for each in rest:
                    name = "and" if isinstance(sign, ast.And) else "or"
                    found = [name, found, self._condition(each)]
                return found, "b"
        number = _number(node)
        if number is not None:
            return number, "n"
        found = self._comprehension(node)
        if found is not None:
            return found
        for name, pattern in PATTERNS:
            holes: dict[str, ast.expr] = {}
            if fits(pattern, node, holes):
                return self._operation(name, [holes[one] for one in HOLES if one in holes])
        raise NoProgram(f"the language has no {ast.unparse(node)[:60]}")

    def _operation(self, name: str, arguments: Sequence[ast.expr]) -> Typed:
        read = [self._expression(one) for one in arguments]
        constants = [one[1] if one[:1] == ["text"] else None for one in map(_as_list, read)]
        constants = [
            tree if isinstance(tree, int) else constant
            for (tree, _), constant in zip(read, constants, strict=True)
        ]
        kind = result_type(name, [one for _, one in read], constants)
        if not kind:
            raise NoProgram(f"{name} does not take values of these types")
        return [name, *(tree for tree, _ in read)], kind

    def _comprehension(self, node: ast.expr) -> Typed | None:
        match node:
            case ast.ListComp(elt=element, generators=[loop]):
                kind = "list"
            case ast.Call(
                func=ast.Name(id="sum"), args=[ast.GeneratorExp(element, [loop])], keywords=[]
            ):
                kind = "sum"
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=""), attr="join"),
                args=[ast.GeneratorExp(element, [loop])],
                keywords=[],
            ):
                kind = "join"
            case _:
                return None
        if len(loop.ifs) > 1 or fits(DIGITS, node, {}):
            return None
        known = dict(self._known)
        names, source = self._loop(loop.target, loop.iter)
        condition = self._condition(loop.ifs[0]) if loop.ifs else None
        item, found = self._expression(element)
        self._known = known
        if (found not in "tc") if kind == "join" else (found != "n"):
            raise NoProgram("the elements of a comprehension have another type than they should")
        result = {"list": "l", "sum": "n", "join": "t"}[kind]
        return [kind, names, source, item, condition], result


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            number = value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            number = -value
        case _:
            return None
    if not -(10**6) <= number <= 10**6 or isinstance(number, bool):
        raise NoProgram("a number is too large")
    return number


def _as_list(read: Typed) -> Sequence[Any]:
    tree, _ = read
    return tree if isinstance(tree, list) else []
