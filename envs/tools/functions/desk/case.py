"""Draws a case of the service desk: rules, a record, a customer with a request, the expert's calls.

Policies in the prompt, a customer whose facts come out in conversation, and a database that must be
left right follow "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains"
(2024, arXiv 2406.12045); what is generated, and what the rules say, is ours. Half of the requests
break a rule, and never more than one.

Left out: several requests of one customer, and rules that look at more than one record.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.functions.compiler import compile_functions
from zerogym.envs.tools.functions.database import Attribute, Database, Record, Table
from zerogym.envs.tools.functions.desk.customer import CODE, FEATURE, ORDER, Customer
from zerogym.envs.tools.functions.desk.functions import Cancel, Change, Open, Refund, Reply, Settle
from zerogym.envs.tools.functions.desk.rules import REQUESTS, STATUSES, Request, Rule, sample_rules
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.kinds import Function

_NOUNS = (
    ("order", "orders"),
    ("booking", "bookings"),
    ("rental", "rentals"),
    ("policy", "policies"),
)
_FEATURES = {
    "size": ("small", "medium", "large"),
    "color": ("red", "blue", "green", "black"),
    "level": ("basic", "standard", "premium"),
    "language": ("english", "french", "german"),
}
_MEANS = {
    "change": "I would like another {feature}.",
    "cancel": "I would like to cancel it.",
    "refund": "I would like my money back.",
}
_HELLO = (
    "Hello, I have a problem with my {noun}.",
    "Good morning, can you help me with a {noun}?",
    "Hi! It is about one of my {plural}.",
)
_PUSH = (
    "",
    " A friend says that you make exceptions.",
    " You promised me that it is possible.",
    " It is very urgent.",
)
_RECORDS = 12
_TASK = """\
You work at a service desk. Today is day {today}. Find out what the customer needs, and do it only \
if no rule forbids it. A request that breaks a rule is refused with the number of the rule, or \
handed over where the rule says so; nothing else is changed then. When the request is settled, \
answer done, refused or handed over.
{rules}
The customer writes: {hello}"""


@dataclass(frozen=True)
class Case:
    """A case: its task in words, its functions, its database and the expert's calls.

    Attributes:
        text: The task.
        functions: Those of the desk, and others that only distract.
        database: With the table of the desk.
        plan: The expert's calls.
        answer: `done`, `refused` or `handed over`.
    """

    text: str
    functions: tuple[Function, ...]
    database: Database
    plan: tuple[Call, ...]
    answer: str


def sample_case(draws: Draws, database: Database, tools: int, difficulty: float) -> Case:
    """Draw a case.

    Args:
        draws: Source of randomness.
        database: Of the functions that only distract.
        tools: Functions in all, if more than those of the desk.
        difficulty: The desk has `3 + 2 * difficulty` rules, at most 8.
    """
    noun, plural = draws.pick(_NOUNS)
    feature = draws.pick(tuple(_FEATURES))
    today = draws.between(200, 300)
    rules = sample_rules(draws, noun, feature, today, min(8, 3 + int(2 * difficulty)))
    request = draws.pick(REQUESTS)
    limits = [rule for rule in rules if rule.request == request]
    broken = draws.pick(limits) if draws.chance() < 0.5 else None
    tops = {"price": 400, "day": today, "changes": 6}
    table, records = _table(draws, (noun, plural), feature, tops)
    number, code = draws.pick(table.names), str(draws.between(1000, 9999))
    for rule in limits:
        value = rule.sample(draws, rule is not broken, tops.get(rule.attribute, 0))
        records[number][rule.attribute] = value
    others = [label for label in _FEATURES[feature] if label != records[number][feature]]
    new = draws.pick(others)
    customer = _customer(draws, (noun, plural), feature, request, (number, code, new))
    expert = _Expert(noun, feature, number, code)
    plan, answer = expert.plan(request, new, rules, broken)
    hello = draws.pick(_HELLO).format(noun=noun, plural=plural)
    listed = "\n".join(f"Rule {place}: {rule.text}" for place, rule in enumerate(rules, 1))
    wider = replace(
        database,
        tables=dict(database.tables) | {noun: table},
        records=database.records | {noun: records},
    )
    functions: list[Function] = [
        Reply(noun, feature, customer),
        Open(table, code),
        *(kind(table, feature) for kind in (Change, Cancel, Refund)),
        *(Settle(noun, len(rules), hand_over) for hand_over in (False, True)),
    ]
    functions += compile_functions(draws, database, (), max(0, tools - len(functions))).values()
    return Case(
        _TASK.format(today=today, rules=listed, hello=hello),
        tuple(draws.some(functions, len(functions))),
        wider,
        plan,
        answer,
    )


def _table(
    draws: Draws, nouns: tuple[str, str], feature: str, tops: Mapping[str, int]
) -> tuple[Table, dict[str, Record]]:
    """Draw the records of the desk."""
    attributes = (
        Attribute("status", "label", STATUSES),
        Attribute(feature, "label", _FEATURES[feature]),
        *(Attribute(name, "number") for name in ("price", "day", "changes")),
    )
    first = draws.between(1000, 8000)
    names = tuple(f"{nouns[0][0].upper()}{first + 7 * i}" for i in range(_RECORDS))
    records: dict[str, Record] = {
        name: {
            "status": draws.pick(STATUSES),
            feature: draws.pick(_FEATURES[feature]),
            "price": draws.between(5, tops["price"]),
            "day": draws.between(tops["day"] - 60, tops["day"]),
            "changes": draws.between(0, 3),
        }
        for name in names
    }
    return Table(*nouns, attributes, names), records


def _customer(
    draws: Draws,
    nouns: tuple[str, str],
    feature: str,
    request: Request,
    facts: tuple[str, str, str],
) -> Customer:
    """Make the customer, who knows number and code of the record, and the new feature."""
    number, code, new = facts
    means = _MEANS[request].format(feature=feature)
    no_change = f"I need no other {feature}."
    statements = {
        ORDER: f"It is {nouns[0]} {number}. {means}{draws.pick(_PUSH)}",
        CODE: f"My code is {code}.",
        FEATURE: f"Please make it {new}." if request == "change" else no_change,
    }
    order = (*nouns, "number", "problem", "request", "help")
    words = dict.fromkeys(order, ORDER) | {"code": CODE, feature: FEATURE}
    return Customer(statements, words)


@dataclass(frozen=True)
class _Expert:
    """The expert of a case, who knows what the customer will state."""

    noun: str
    feature: str
    number: str
    code: str

    def plan(
        self, request: Request, new: str, rules: list[Rule], broken: Rule | None
    ) -> tuple[tuple[Call, ...], str]:
        """Return the calls and the answer."""
        calls = [
            self._message(f"Which {self.noun} is it, and what is the problem?"),
            self._message("Please state your code."),
            Call(f"open_{self.noun}", {"number": self.number, "code": self.code}),
        ]
        if broken is not None:
            name = "hand_over_request" if broken.hand_over else "refuse_request"
            calls.append(Call(name, {"rule": rules.index(broken) + 1}))
            return tuple(calls), "handed over" if broken.hand_over else "refused"
        arguments = {"number": self.number}
        if request == "change":
            calls.append(self._message(f"Which {self.feature} do you need?"))
            name = f"change_{self.noun}_{self.feature}"
            calls.append(Call(name, arguments | {"value": new}))
        else:
            calls.append(Call(f"{request}_{self.noun}", arguments))
        return tuple(calls), "done"

    def _message(self, text: str) -> Call:
        return Call("reply_to_customer", {"message": text})
