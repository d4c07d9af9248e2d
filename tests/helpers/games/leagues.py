"""A policy without moves, and rows by name: for the tests of leagues."""

from typing import Any

from zerogym.benchmarks.league.standings import Row


def by_name(rows: list[Row]) -> dict[str, Row]:
    return {row.name: row for row in rows}


class Silent:
    """A policy that never says a move."""

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        return ["well ..."] * len(observations), state
