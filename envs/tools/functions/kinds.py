"""The kinds of functions that read a database: each writes its document and runs its calls.

A document says exactly what a call does: whoever has the document, the database and nothing else
can foretell every result. All functions of one episode share a `State`.

Left out: functions with more than one required argument, and documents that leave something open.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from zerogym.envs.tools.functions.database import Attribute, Database, Record, Table
from zerogym.envs.tools.tool import Tool, ToolResult

NONE = "none"
SEPARATOR = "; "
OPERATIONS = ("total", "average", "largest", "smallest")


@dataclass
class State:
    """All that the functions of an episode share and change.

    Attributes:
        database: The values at the beginning.
        changed: Records that a call has changed, by noun and name.
        made: Name and result of each call, in order.
        stated: Points on which the customer has answered.
        opened: Names of the records that were opened.
        settled: How a request without a change of a record was settled; empty while it is not.
    """

    database: Database
    changed: dict[tuple[str, str], Record] = field(default_factory=dict)
    made: list[tuple[str, str]] = field(default_factory=list)
    stated: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    settled: str = ""

    def records(self, noun: str) -> Mapping[str, Record]:
        """Return the present values of a table's records, by name in alphabetical order."""
        records = self.database.records[noun]
        if not self.changed:
            return records
        return records | {name: new for (of, name), new in self.changed.items() if of == noun}


class Function(Tool):
    """A function of a tool set; a subclass is one kind.

    Args:
        name: How it is called.
        style: Which of the wordings of its kind the document has.
        argument: The name of its main argument.
    """

    wordings: ClassVar[tuple[str, ...]]
    optional: ClassVar[tuple[str, ...]] = ()  # arguments that may be left out

    def __init__(self, name: str, style: int, argument: str) -> None:
        # Each function has a name of its own, where most tools have one a class.
        self.name, self.body = name, argument  # type: ignore[misc]
        wording = self.wordings[style % len(self.wordings)]
        self.description = wording.format(argument=argument, **self._words())
        properties = self._properties(argument)
        self.parameters = {  # type: ignore[misc]
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name not in self.optional],
            "additionalProperties": False,
        }

    def call(self, arguments: Mapping[str, Any], state: State) -> ToolResult:
        """Run a call and note its result."""
        text, ok = self._run(arguments, state)
        state.made.append((self.name, text))
        return ToolResult(text, ok)

    @abstractmethod
    def _words(self) -> dict[str, str]:
        """The words of the document."""

    @abstractmethod
    def _properties(self, argument: str) -> dict[str, Any]:
        """The schema's properties."""

    @abstractmethod
    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        """Return the result, and whether the call did its job."""


class Lookup(Function):
    """One attribute of a record with a given name."""

    wordings = (
        "Returns the {attribute}{of_kind} of a {noun}.",
        "Gives the {attribute}{of_kind} of the {noun} with the name in `{argument}`.",
    )

    def __init__(self, table: Table, attribute: Attribute, *rest: Any) -> None:
        self.table, self.attribute = table, attribute
        super().__init__(*rest)

    def _words(self) -> dict[str, str]:
        attribute = self.attribute
        of_kind = f" (name of a {attribute.target})" if attribute.kind == "link" else ""
        return {"noun": self.table.noun, "attribute": attribute.name, "of_kind": of_kind}

    def _properties(self, argument: str) -> dict[str, Any]:
        return {argument: {"type": "string", "description": f"name of the {self.table.noun}"}}

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        name = arguments[self.body]
        record = state.records(self.table.noun).get(name)
        if record is None:
            return f"There is no {self.table.noun} {name[:40]!r}.", False
        return str(record[self.attribute.name]), True


class Find(Function):
    """The names of all records whose number passes a bound."""

    wordings = (
        "Lists the {plural} whose {attribute} is {side} `{argument}`: their names in alphabetical "
        "order, separated by '; ', or 'none'.",
        "Returns the names, in alphabetical order and separated by '; ', of all {plural} with "
        "{article} {attribute} of {side} `{argument}`; 'none' if there are none.",
    )
    optional = ("limit",)

    def __init__(
        self, table: Table, attribute: Attribute, side: Literal["at least", "at most"], *rest: Any
    ) -> None:
        self.table, self.attribute, self.side = table, attribute, side
        super().__init__(*rest)

    def _words(self) -> dict[str, str]:
        article = "an" if self.attribute.name[0] in "aeiou" else "a"
        return {
            "plural": self.table.plural,
            "attribute": self.attribute.name,
            "side": self.side,
            "article": article,
        }

    def _properties(self, argument: str) -> dict[str, Any]:
        limit = {"type": "integer", "minimum": 1, "description": "return only so many, the first"}
        bound = {"type": "integer", "description": f"bound of the {self.attribute.name}"}
        return {argument: bound, "limit": limit}

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        bound, limit, word = arguments[self.body], arguments.get("limit"), self.attribute.name
        sign = 1 if self.side == "at least" else -1
        found = [
            name
            for name, record in state.records(self.table.noun).items()
            if sign * (int(record[word]) - bound) >= 0
        ]
        shown = found if limit is None else found[: int(limit)]
        return SEPARATOR.join(shown) or NONE, True


class Aggregate(Function):
    """One number of all records with a given label or link."""

    wordings = (
        "Returns the {operation} {attribute} of all {plural} whose {group} is `{argument}`{tail}; "
        "'none' if there are none.",
        "Computes, over all {plural} whose {group} is `{argument}`, the {operation} "
        "{attribute}{tail}; 'none' if there are none.",
    )

    def __init__(
        self, table: Table, attribute: Attribute, group: Attribute, operation: str, *rest: Any
    ) -> None:
        self.table, self.attribute, self.group = table, attribute, group
        self.operation = operation
        super().__init__(*rest)

    def _words(self) -> dict[str, str]:
        return {
            "noun": self.table.noun,
            "plural": self.table.plural,
            "attribute": self.attribute.name,
            "group": self.group.name,
            "operation": self.operation,
            "tail": ", rounded down" if self.operation == "average" else "",
        }

    def _properties(self, argument: str) -> dict[str, Any]:
        group = self.group
        if group.kind == "label":
            return {argument: {"enum": list(group.labels), "description": f"the {group.name}"}}
        return {argument: {"type": "string", "description": f"name of the {group.name}"}}

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        value, group, word = arguments[self.body], self.group.name, self.attribute.name
        found = [
            (int(record[word]), name)
            for name, record in state.records(self.table.noun).items()
            if record[group] == value
        ]
        return (self._result(found) if found else NONE), True

    def _result(self, found: list[tuple[int, str]]) -> str:
        """Return the result over numbers and their records' names, at least one."""
        numbers = [number for number, _ in found]
        match self.operation:
            case "total":
                return str(sum(numbers))
            case "average":
                return str(sum(numbers) // len(numbers))
            case "largest":
                return str(max(numbers))
            case _:
                return str(min(numbers))


class Rank(Aggregate):
    """The record with the largest or the smallest number among those with a given label."""

    wordings = (
        "Returns the name of the {noun} with the {operation} {attribute} of all {plural} whose "
        "{group} is `{argument}` (of equals the first in the alphabet), or 'none'.",
        "Among the {plural} whose {group} is `{argument}`, finds the one with the {operation} "
        "{attribute} and gives its name; of equals the first in the alphabet, 'none' without any.",
    )

    def _result(self, found: list[tuple[int, str]]) -> str:
        sign = -1 if self.operation == "largest" else 1
        return min((sign * number, name) for number, name in found)[1]


class Convert(Function):
    """An amount in another unit, by rates that no document states."""

    wordings = (
        "Converts {source} into {target}: the amount times the rate of {source}, divided by the "
        "rate of {target}, rounded down.",
        "Returns how many {target} an amount of {source} is: the amount is multiplied by the rate "
        "of {source} and divided by the rate of {target}; a rest is dropped.",
    )

    def __init__(self, source: str, target: str, *rest: Any) -> None:
        self.source, self.target = source, target
        super().__init__(*rest)

    def _words(self) -> dict[str, str]:
        return {"source": self.source, "target": self.target}

    def _properties(self, argument: str) -> dict[str, Any]:
        return {
            argument: {
                "type": "integer",
                "minimum": 0,
                "description": f"an amount of {self.source}",
            }
        }

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        rates = state.database.rates
        amount = int(arguments[self.body])  # JSON Schema takes 5.0 for an integer, too
        return str(amount * rates[self.source] // rates[self.target]), True
