"""The rules of a service desk: which requests may be met, decided by the values of one record."""

from dataclasses import dataclass
from typing import Literal

from zerogym.envs.tools.functions.database import Value
from zerogym.envs.tools.functions.draws import Draws

Request = Literal["change", "cancel", "refund"]
REQUESTS: tuple[Request, ...] = ("change", "cancel", "refund")
STATUSES = ("new", "packed", "shipped", "delivered")
_FAR = 40  # by how much a number may miss a bound


@dataclass(frozen=True)
class Rule:
    """A condition on one attribute of the record that a request is about.

    Attributes:
        request: The kind of request that it limits.
        attribute: Of the record.
        allowed: The labels that keep the rule, or a pair of the least and the most number.
        text: In words.
        hand_over: Whether a request that breaks it is handed over, instead of refused.
    """

    request: Request
    attribute: str
    allowed: tuple[Value, ...]
    text: str
    hand_over: bool = False

    def keeps(self, value: Value) -> bool:
        """Return whether a request about a record with this value keeps the rule."""
        low, high = self.allowed[0], self.allowed[-1]
        if isinstance(low, int) and isinstance(high, int):
            return low <= int(value) <= high
        return value in self.allowed

    def sample(self, draws: Draws, keep: bool, top: int) -> Value:
        """Draw a value that keeps the rule, or one that breaks it.

        Args:
            draws: Source of randomness.
            keep: Whether the value keeps it.
            top: The largest number that the attribute can have.
        """
        low, high = self.allowed[0], self.allowed[-1]
        if not (isinstance(low, int) and isinstance(high, int)):
            others = [status for status in STATUSES if status not in self.allowed]
            return draws.pick(self.allowed if keep else others)
        if keep:
            return draws.between(low, high)
        if high < top:
            return draws.between(high + 1, min(top, high + _FAR))
        return draws.between(low - _FAR, low - 1)


def sample_rules(draws: Draws, noun: str, feature: str, today: int, count: int) -> list[Rule]:
    """Draw the rules of a desk, at most one for each kind of request and attribute.

    Args:
        draws: Source of bounds and order.
        noun: The kind of record.
        feature: The attribute that customers may have changed.
        today: The number of the present day.
        count: How many rules, from 3 to 8; the first three limit each kind of request once.
    """
    change, cancel = (_in_order(draws.some(STATUSES[:3], 2)) for _ in range(2))
    days, changes = draws.between(5, 30), draws.between(1, 3)
    price, limit = draws.between(50, 150), draws.between(50, 150)
    rules = [
        Rule("change", "status", change, f"A {feature} is changed only while the status of the "
             f"{noun} is {' or '.join(change)}."),
        Rule("cancel", "status", cancel, f"Only a {noun} whose status is {' or '.join(cancel)} is "
             "canceled."),
        Rule("refund", "day", (today - days, today), f"A refund is made up to {days} days after "
             f"the day of the {noun}, not later."),
        Rule("change", "changes", (0, changes - 1), f"No {noun} is changed again that has had "
             f"{changes} or more changes."),
        Rule("refund", "price", (1, price), f"A refund of a price above {price} is handed over.",
             hand_over=True),
        Rule("cancel", "day", (today - days, today), f"No {noun} is canceled whose day is more "
             f"than {days} days ago."),
        Rule("refund", "status", ("delivered",), f"A refund is made for a delivered {noun} only."),
        Rule("change", "price", (1, limit), f"The {feature} is not changed if the price is above "
             f"{limit}."),
    ]  # fmt: skip
    return draws.some(rules[:count], count)


def _in_order(statuses: list[str]) -> tuple[str, ...]:
    return tuple(status for status in STATUSES if status in statuses)
