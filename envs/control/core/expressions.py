"""Tasks written as text: `0.5 * run + upright`, `tolerance(height, 1.2, inf, 0.5) * (speed > 1)`.

An expression combines the tasks and features of an environment by name. It is data, not code: a
language model may have written it, so only the grammar below is accepted, and no Python code is
ever evaluated. As an intermediate language between sentences and rewards it follows
"Language to Rewards for Robotic Skill Synthesis" (2023, arXiv 2306.08647), the grammar is our
choice. Left out: actions, earlier states, and anything with a memory (see
`temporal/reward_machines.py`).
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.contexts import joined
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.errors import UnknownName

MAX_CHARACTERS = 2000  # of an expression
MAX_DEPTH = 100  # of brackets and operators within each other

_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: operator.pow,
    }
)
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = MappingProxyType(
    {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
)
_FUNCTIONS: Mapping[str, tuple[int, int]] = MappingProxyType(  # fewest and most arguments
    {
        **dict.fromkeys(("abs", "sqrt", "exp", "sin", "cos", "tanh"), (1, 1)),
        **dict.fromkeys(("min", "max"), (2, 8)),
        **dict.fromkeys(("clip",), (3, 3)),
        **dict.fromkeys(("tolerance",), (3, 4)),
    }
)
_CONSTANTS = MappingProxyType({"pi": np.pi, "inf": np.inf})


def task_of_expression(text: str, measures: Measures, tasks: Mapping[str, Task]) -> Task:
    """Make the task of maximising an expression.

    Its grammar: numbers, `pi` and `inf`; names of tasks and features (where a task and a feature
    share one, the task is meant); `+ - * / **`; `< <= > >=`, `and`, `or`, `not`, which are 1 or
    0; `a if condition else b`; `abs`, `sqrt`, `exp`, `sin`, `cos`, `tanh`, `min`, `max`,
    `clip(x, low, high)` and `tolerance(x, low, high, margin)` (see `tasks.tolerance`; bounds and
    margin are numbers). Features are those of the state that a transition enters.

    Args:
        text: At most `MAX_CHARACTERS`.
        measures: The features of the world.
        tasks: Its tasks, by name.

    Raises:
        ValueError: If it cannot be read, naming the place; if it is too long or too deep; or if it
            names nothing of the world.
        UnknownName: If a name is none of the world's.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"a reward may have {MAX_CHARACTERS} characters, got {len(text)}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = f" at column {error.offset}" if isinstance(error, SyntaxError) else ""
        raise ValueError(f"the reward {_short(text)} cannot be read{column}") from None
    reader = _Reader(text, frozenset(measures) | frozenset(tasks))
    reader.check(tree)
    if not reader.found:
        raise ValueError(f"the reward {_short(text)} names no task and no feature of the world")
    used = {name: tasks[name] for name in sorted(reader.found) if name in tasks}
    contexts = [task.context for task in used.values()]
    reward = Expression(text.strip(), measures, used)
    sentence = f"Maximise {text.strip()}."
    return Task(text.strip(), sentence, reward, context=reduce(joined, contexts, None))


@dataclass(frozen=True, eq=False)
class Expression:
    """The reward of a checked expression; a reward of `(obs, action, next_obs)`.

    Attributes:
        text: The expression.
        measures: The features of the world.
        tasks: The tasks that it names.
    """

    text: str
    measures: Measures
    tasks: Mapping[str, Task]

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        task_rewards = {
            name: task.reward(obs, action, next_obs) for name, task in self.tasks.items()
        }
        features = Features(self.measures, next_obs)
        # Text, not a tree, is kept: it can be compared, stored and sent to another process.
        tree = ast.parse(self.text, mode="eval").body
        with np.errstate(all="ignore"):  # a reward that is not finite is refused by `Task.relabel`
            return _Values(task_rewards, features, namespace(next_obs), next_obs).of(tree)


class _Reader:
    """Checks the grammar, and collects names."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self.text, self.known, self.found = text, known, set[str]()

    def check(self, node: ast.AST, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            raise ValueError(f"a reward may be {MAX_DEPTH} brackets and operators deep")
        for part in self._parts(node):
            self.check(part, depth + 1)

    def _parts(self, node: ast.AST) -> list[ast.expr]:
        match node:
            case ast.Constant():
                self._number(node)
                return []
            case ast.Name(id=name) if name in self.known:
                self.found.add(name)
                return []
            case ast.Name(id=name):
                if name not in _CONSTANTS:
                    raise UnknownName("task or feature", name, sorted(self.known))
                return []
            case ast.BinOp(left, op, right) if type(op) in _ARITHMETIC:
                return [left, right]
            case ast.UnaryOp(ast.USub() | ast.UAdd() | ast.Not(), operand):
                return [operand]
            case ast.BoolOp(values=values):
                return values
            case ast.Compare(left, ops, others) if all(type(op) in _COMPARISONS for op in ops):
                return [left, *others]
            case ast.IfExp(test, body, orelse):
                return [test, body, orelse]
            case ast.Call(ast.Name(id=name), arguments, []):
                return self._call(name, arguments)
        raise self._wrong(node, "is not understood")

    def _call(self, name: str, arguments: list[ast.expr]) -> list[ast.expr]:
        if name not in _FUNCTIONS:
            raise UnknownName("function of a reward", name, list(_FUNCTIONS))
        fewest, most = _FUNCTIONS[name]
        if not fewest <= len(arguments) <= most:
            raise ValueError(f"{name} takes {fewest} to {most} arguments, got {len(arguments)}")
        if name == "tolerance":
            low, high, margin = [*(self._number(part) for part in arguments[1:]), 0.0][:3]
            tolerance(0.0, (low, high), margin)  # refuses what it cannot take
            return arguments[:1]
        return arguments

    def _number(self, node: ast.expr) -> float:
        try:
            return _number(node)
        except TypeError:
            raise self._wrong(node, "must be a number") from None
        except OverflowError:
            raise self._wrong(node, "is too large") from None

    def _wrong(self, node: ast.AST, what: str) -> ValueError:
        part = ast.get_source_segment(self.text.strip(), node) or type(node).__name__
        return ValueError(f"in the reward {_short(self.text)}, {_short(part)} {what}")


class _Values:
    """Values of the parts of an expression, each (B,)."""

    def __init__(
        self, task_rewards: Mapping[str, Array], features: Features, xp: Any, observations: Array
    ) -> None:
        self.task_rewards, self.features, self.xp = task_rewards, features, xp
        self.zero = (
            np.zeros(len(observations))
            if xp is np
            else observations.reshape(len(observations), -1)[:, 0] * 0.0
        )

    def of(self, node: ast.expr) -> Array:
        match node:
            case ast.Constant():
                return self.zero + _number(node)
            case ast.Name(id=name) if name in self.task_rewards:
                return self.task_rewards[name]
            case ast.Name(id=name):
                return self.zero + (_CONSTANTS[name] if name in _CONSTANTS else self.features[name])
            case ast.BinOp(left, op, right):
                return _ARITHMETIC[type(op)](self.of(left), self.of(right))
            case ast.UnaryOp(ast.Not(), operand):
                return self._number(self.of(operand) == 0)
            case ast.UnaryOp(op, operand):
                return -self.of(operand) if isinstance(op, ast.USub) else self.of(operand)
            case ast.BoolOp(op, values):
                conditions = [self.of(value) != 0 for value in values]
                joined = operator.and_ if isinstance(op, ast.And) else operator.or_
                return self._number(reduce(joined, conditions))
            case ast.Compare(left, ops, others):
                values = [self.of(part) for part in (left, *others)]
                pairs = zip(ops, values[:-1], values[1:], strict=True)
                conditions = [_COMPARISONS[type(op)](a, b) for op, a, b in pairs]
                return self._number(reduce(operator.and_, conditions))
            case ast.IfExp(test, body, orelse):
                return self.xp.where(self.of(test) != 0, self.of(body), self.of(orelse))
            case ast.Call(ast.Name(id=name), arguments):
                return self._called(name, arguments)
        raise AssertionError(node)  # `_Reader` has refused it

    def _number(self, condition: Array) -> Array:
        return self.xp.where(condition, self.zero + 1.0, self.zero)

    def _called(self, name: str, arguments: list[ast.expr]) -> Array:
        xp = self.xp
        if name == "tolerance":
            low, high, margin = [*map(_number, arguments[1:]), 0.0][:3]
            return tolerance(self.of(arguments[0]), (low, high), margin)
        first, *others = map(self.of, arguments)
        if name in ("min", "max"):
            keep = operator.lt if name == "min" else operator.gt
            return reduce(lambda a, b: xp.where(keep(a, b), a, b), others, first)
        if name == "clip":
            low, high = others
            return xp.where(first < low, low, xp.where(first > high, high, first))
        return getattr(xp, name)(first)


def _number(node: ast.expr) -> float:
    """Return a number that is written out, with its sign.

    Raises:
        TypeError: If it is something else.
        OverflowError: If it is too large for a float.
    """
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.Name(id=name) if name in _CONSTANTS:
            return float(_CONSTANTS[name])
        case ast.UnaryOp(ast.USub(), operand):
            return -_number(operand)
    raise TypeError


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
