"""A function of a generated repository, the bugs that it can have, and a second implementation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

BugKind = Literal["boundary", "operator", "constant", "order", "missing"]


@dataclass(frozen=True)
class Bug:
    """A change of a function's source that makes it wrong.

    Attributes:
        kind: `boundary` (off by one), `operator` (another operation, or operand), `constant`,
            `order` (of a result or of its parts), or `missing` (a step is left out).
        right: A piece of the right source, which stands in it once.
        wrong: The piece in its place.
    """

    kind: BugKind
    right: str
    wrong: str


@dataclass(frozen=True)
class Unit:
    """A function.

    Attributes:
        names: Names that it may have.
        parameters: Its parameters, as they are written.
        doc: Its docstring, which fixes what is right; `K` is the constant.
        body: The right source below the docstring, indented; `K` is the constant.
        bugs: The bugs that it may have.
        reference: Returns the right value for arguments and constant, computed in another way.
        draw: Draws arguments, which JSON can hold.
    """

    names: tuple[str, ...]
    parameters: str
    doc: str
    body: str
    bugs: tuple[Bug, ...]
    reference: Callable[[list[Any], int], Any]
    draw: Callable[[np.random.Generator], list[Any]]

    def source(self, name: str, constant: int, bug: Bug | None = None) -> str:
        """Write the function, right or with a bug."""
        body = self.body if bug is None else self.body.replace(bug.right, bug.wrong)
        text = f'def {name}({self.parameters}):\n    """{self.doc}"""\n{body}'
        return text.replace("K", str(constant))
