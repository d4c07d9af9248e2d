"""The functions of a service desk: talk to the customer, open a record, change it, or settle.

None of them checks the rules of the desk: that is the agent's task. What they do check is that the
record was opened, and that the customer has stated what a call says, so that no guess replaces a
conversation. Their documents say so.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from zerogym.envs.tools.functions.database import Record, Table
from zerogym.envs.tools.functions.desk.customer import CODE, FEATURE, ORDER, Customer
from zerogym.envs.tools.functions.kinds import Function, State

NOT_OPEN = "Open it first."
SETTLED = "The request is settled already."


class Reply(Function):
    """A message to the customer."""

    wordings = (
        "Sends a message to the customer and returns the answer. The customer answers one point of "
        "a message: the {noun} and the problem, the code, or the new {feature}.",
    )

    def __init__(self, noun: str, feature: str, customer: Customer) -> None:
        self._noun, self._feature, self._customer = noun, feature, customer
        super().__init__("reply_to_customer", 0, "message")

    def _words(self) -> dict[str, str]:
        return {"noun": self._noun, "feature": self._feature}

    def _properties(self, argument: str) -> dict[str, Any]:
        return {argument: {"type": "string", "minLength": 1, "maxLength": 2000}}

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        return self._customer.reply(arguments[self.body], state.stated), True


class Open(Function):
    """The record of the customer, if the code is right."""

    wordings = (
        "Opens a {noun} and returns its values. Takes the number and the code that the customer "
        "has stated.",
    )

    def __init__(self, table: Table, code: str) -> None:
        self._table, self._code = table, code
        super().__init__(f"open_{table.noun}", 0, "number")

    def _words(self) -> dict[str, str]:
        return {"noun": self._table.noun}

    def _properties(self, argument: str) -> dict[str, Any]:
        return {
            argument: {"type": "string", "description": f"of the {self._table.noun}"},
            "code": {"type": "string", "description": "of the customer"},
        }

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        number, code = arguments["number"], arguments["code"]
        record = state.records(self._table.noun).get(number)
        if record is None:
            return f"There is no {self._table.noun} {number[:40]!r}.", False
        if code != self._code or not {ORDER, CODE} <= state.stated:
            return f"The customer has not stated this code for the {self._table.noun}.", False
        state.opened.add(number)
        return "; ".join(f"{name}: {value}" for name, value in record.items()), True


class Write(Function):
    """A change of an open record; a subclass sets the new values."""

    verb: str

    def __init__(self, table: Table, feature: str) -> None:
        self._table, self._feature = table, feature
        super().__init__(self._named(), 0, "number")

    def _named(self) -> str:
        return f"{self.verb}_{self._table.noun}"

    def _words(self) -> dict[str, str]:
        return {"noun": self._table.noun, "feature": self._feature}

    def _properties(self, argument: str) -> dict[str, Any]:
        return {argument: {"type": "string", "description": f"of the {self._table.noun}"}}

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        number, noun = arguments["number"], self._table.noun
        if number not in state.opened:
            return NOT_OPEN, False
        if state.settled:
            return SETTLED, False
        new, refused = self._new_values(arguments, state.records(noun)[number], state)
        if refused:
            return refused, False
        state.changed[noun, number] = state.records(noun)[number] | new
        return "Done.", True

    @abstractmethod
    def _new_values(
        self, arguments: Mapping[str, Any], record: Record, state: State
    ) -> tuple[Record, str]:
        """Return the values that change, and why they do not, or an empty text."""


class Change(Write):
    """Sets the feature that customers may have changed."""

    wordings = (
        "Sets the {feature} of an open {noun} to the value that the customer has stated, and adds "
        "1 to its changes. Does not check the rules.",
    )
    verb = "change"

    def _named(self) -> str:
        return f"change_{self._table.noun}_{self._feature}"

    def _properties(self, argument: str) -> dict[str, Any]:
        labels = next(one.labels for one in self._table.attributes if one.name == self._feature)
        return super()._properties(argument) | {"value": {"enum": list(labels)}}

    def _new_values(
        self, arguments: Mapping[str, Any], record: Record, state: State
    ) -> tuple[Record, str]:
        if FEATURE not in state.stated:
            return {}, f"The customer has not stated the new {self._feature}."
        return {self._feature: arguments["value"], "changes": int(record["changes"]) + 1}, ""


class Cancel(Write):
    """Sets the status to `canceled`."""

    wordings = ("Sets the status of an open {noun} to 'canceled'. Does not check the rules.",)
    verb = "cancel"

    def _new_values(
        self, arguments: Mapping[str, Any], record: Record, state: State
    ) -> tuple[Record, str]:
        return {"status": "canceled"}, ""


class Refund(Write):
    """Sets the status to `refunded`."""

    wordings = ("Sets the status of an open {noun} to 'refunded'. Does not check the rules.",)
    verb = "refund"

    def _new_values(
        self, arguments: Mapping[str, Any], record: Record, state: State
    ) -> tuple[Record, str]:
        return {"status": "refunded"}, ""


class Settle(Function):
    """An end of the request without a change: refused, or handed over to a manager."""

    wordings = (
        "Refuses the request about the open {noun}, by the number of the rule that it breaks. "
        "Nothing can be changed afterwards.",
        "Hands the request about the open {noun} over to a manager, by the number of the rule that "
        "requires it. Nothing can be changed afterwards.",
    )

    def __init__(self, noun: str, rules: int, hand_over: bool) -> None:
        self._noun, self._rules = noun, rules
        self._done = "handed over" if hand_over else "refused"
        super().__init__("hand_over_request" if hand_over else "refuse_request", hand_over, "rule")

    def _words(self) -> dict[str, str]:
        return {"noun": self._noun}

    def _properties(self, argument: str) -> dict[str, Any]:
        return {argument: {"type": "integer", "minimum": 1, "maximum": self._rules}}

    def _run(self, arguments: Mapping[str, Any], state: State) -> tuple[str, bool]:
        if not state.opened:
            return NOT_OPEN, False
        if state.settled:
            return SETTLED, False
        state.settled = f"{self._done} by rule {int(arguments['rule'])}"
        return "Done.", True
