"""A second implementation of the functions of `Functions`, from nothing but their documents.

It reads the words of a document, never the function object's fields, and computes the result over
the bare values of the database.
"""

import re
from collections.abc import Mapping
from typing import Any

from zerogym.envs.tools.functions.database import Database
from zerogym.envs.tools.tool import Tool

W = r"([a-z]+)"
LOOKUP = (
    rf"Returns the {W}(?: \(name of a {W}\))? of a {W}\.",
    rf"Gives the {W}(?: \(name of a {W}\))? of the {W} with the name in `(\w+)`\.",
)
FIND = (
    rf"Lists the {W} whose {W} is at (least|most) `(\w+)`: their names in alphabetical order, "
    r"separated by '; ', or 'none'\.",
    rf"Returns the names, in alphabetical order and separated by '; ', of all {W} with an? {W} of "
    r"at (least|most) `(\w+)`; 'none' if there are none\.",
)
AGGREGATE = (
    rf"Returns the {W} {W} of all {W} whose {W} is `(\w+)`(?:, rounded down)?; "
    r"'none' if there are none\.",
    rf"Computes, over all {W} whose {W} is `(\w+)`, the {W} {W}(?:, rounded down)?; "
    r"'none' if there are none\.",
)
RANK = (
    rf"Returns the name of the {W} with the (largest|smallest) {W} of all {W} whose {W} is `(\w+)` "
    r"\(of equals the first in the alphabet\), or 'none'\.",
    rf"Among the {W} whose {W} is `(\w+)`, finds the one with the (largest|smallest) {W} and gives "
    r"its name; of equals the first in the alphabet, 'none' without any\.",
)
CONVERT = (
    rf"Converts {W} into {W}: the amount times the rate of {W}, divided by the rate of {W}, "
    r"rounded down\.",
    rf"Returns how many {W} an amount of {W} is: the amount is multiplied by the rate of {W} and "
    rf"divided by the rate of {W}; a rest is dropped\.",
)


class Reader:
    """Foretells results from documents and a database."""

    def __init__(self, database: Database) -> None:
        self.rows = {
            noun: [{"": name} | row for name, row in rows.items()]
            for noun, rows in database.records.items()
        }
        self.nouns = {table.plural: noun for noun, table in database.tables.items()}
        self.rates = dict(database.rates)

    def result(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Return the result of a call that succeeds."""
        (main,) = (name for name in arguments if name != "limit")
        value, text = arguments[main], tool.description
        for kind, patterns in (
            (self.lookup, LOOKUP), (self.find, FIND), (self.rank, RANK),
            (self.aggregate, AGGREGATE), (self.convert, CONVERT),
        ):  # fmt: skip
            for number, pattern in enumerate(patterns):
                if found := re.fullmatch(pattern, text):
                    named = [group for group in found.groups() if group in arguments]
                    assert set(named) <= {main}, text
                    return kind(number, found.groups(), value, arguments.get("limit"))
        raise AssertionError(f"no document is like this: {text}")

    def lookup(self, style, words, value, limit) -> str:
        (row,) = (row for row in self.rows[words[2]] if row[""] == value)
        found = row[words[0]]
        # A document that names a table says where the name that it returns belongs.
        assert words[1] is None or any(one[""] == found for one in self.rows[words[1]])
        return str(found)

    def find(self, style, words, value, limit) -> str:
        plural, word, side, _ = words
        fits = {"least": lambda n: n >= value, "most": lambda n: n <= value}[side]
        names = sorted(row[""] for row in self.rows[self.nouns[plural]] if fits(row[word]))
        return "; ".join(names[:limit]) if names else "none"

    def chosen(self, plural, group, value) -> list[dict[str, Any]]:
        return [row for row in self.rows[self.nouns[plural]] if row[group] == value]

    def aggregate(self, style, words, value, limit) -> str:
        if style == 0:
            operation, word, plural, group, _ = words
        else:
            plural, group, _, operation, word = words
        numbers = sorted(row[word] for row in self.chosen(plural, group, value))
        if not numbers:
            return "none"
        total = 0
        for number in numbers:
            total += number
        values = {
            "total": total, "average": (total - total % len(numbers)) // len(numbers),
            "largest": numbers[-1], "smallest": numbers[0],
        }  # fmt: skip
        return str(values[operation])

    def rank(self, style, words, value, limit) -> str:
        if style == 0:
            noun, operation, word, plural, group, _ = words
            assert self.nouns[plural] == noun
        else:
            plural, group, _, operation, word = words
        rows = self.chosen(plural, group, value)
        for row in sorted(rows, key=lambda row: row[""]):
            others = [other[word] for other in rows]
            better = [n > row[word] if operation == "largest" else n < row[word] for n in others]
            if not any(better):
                return row[""]
        return "none"

    def convert(self, style, words, value, limit) -> str:
        source, target = words[:2] if style == 0 else (words[1], words[0])
        assert words[2:] == (source, target)
        amount = value * self.rates[source]
        return str(int((amount - amount % self.rates[target]) / self.rates[target]))
