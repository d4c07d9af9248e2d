"""The result of an SQL query: column names and rows, or an error, and its text for a model."""

from dataclasses import dataclass
from typing import Any

Value = int | float | str | None
Row = tuple[Value, ...]

_SHOWN_ROWS, _SHOWN_CHARACTERS, _SHOWN_CELL = 20, 2000, 500


@dataclass(frozen=True)
class Result:
    """The result of a query.

    Attributes:
        columns: Names of the columns; empty after an error.
        rows: All rows; empty after an error.
        error: Message why there is no result; None if there is one.
        changed: Rows that a statement changed; None if it only read, or changed a whole table.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    error: str | None = None
    changed: int | None = None

    def __str__(self) -> str:
        """The table for a model: column names, then the first rows, one a line."""
        if self.error is not None:
            return f"Error: {self.error}"
        if not self.columns:
            return "Done." if self.changed is None else f"{_count(self.changed)} changed."
        lines, room = [" | ".join(map(_show, self.columns))], _SHOWN_CHARACTERS
        for row in self.rows[:_SHOWN_ROWS]:
            line = " | ".join(map(_show, row))
            room -= len(line)
            if room < 0:
                break
            lines.append(line)
        left = len(self.rows) - len(lines) + 1
        if left:
            lines.append(f"... and {_count(left, 'more ')}")
        return "\n".join(lines) if self.rows else f"{lines[0]}\n(no rows)"


def plain(value: Any) -> Value:
    """A value as number, text or None; a blob becomes SQL's hexadecimal form."""
    return f"x'{value.hex()}'" if isinstance(value, bytes) else value


def sort_key(row: Row) -> tuple[tuple[int, Any], ...]:
    """Sort key for SQLite's own order: NULL, then numbers, then text."""
    return tuple(
        (0, 0) if value is None else (2, value) if isinstance(value, str) else (1, value)
        for value in row
    )


def _show(value: Value) -> str:
    text = "NULL" if value is None else str(value)
    text = text if len(text) <= _SHOWN_CELL else f"{text[:_SHOWN_CELL]}..."
    return text.replace("\n", "\\n").replace("\r", "\\r")


def _count(rows: int, more: str = "") -> str:
    return f"{rows} {more}row{'s' if rows != 1 else ''}"
