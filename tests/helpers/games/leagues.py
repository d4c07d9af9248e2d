"""A policy without moves, and rows by name: for the tests of leagues."""

from typing import Any

from zerogym.benchmarks.league.standings import Row


def by_name(rows: list[Row]) -> dict[str, Row]:
    return {row.name: row for row in rows}


class Silent:
    """A policy with one reply, which is no move by default."""

    def __init__(self, reply: str = "well ...") -> None:
        self.reply = reply

    def predict(self, observations: Any, state: Any = None, *_: Any) -> tuple[Any, Any]:
        return [self.reply] * len(observations), state
