"""Tokens and price of a server's replies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any


@dataclass
class Usage:
    """A running total of tokens, as the server counts them.

    Attributes:
        prompt_price: Price of a million tokens read.
        reply_price: Price of a million tokens written.
        requests: Replies so far, without attempts that failed.
        prompt_tokens: Tokens read.
        reply_tokens: Tokens written.
        uncounted: Replies for which the server reported no number of tokens.
        price: Price of all these tokens, in the unit of the prices.

    Example:
        >>> usage = Usage(prompt_price=0.5, reply_price=2.0)
        >>> usage.add({"prompt_tokens": 3_000_000, "completion_tokens": 1_000_000})
        >>> usage.price
        3.5
    """

    prompt_price: float = 0.0
    reply_price: float = 0.0
    requests: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    uncounted: int = 0
    price: float = 0.0
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    def add(self, usage: Any) -> None:
        """Add one reply, by the `usage` that came with it."""
        counts = usage if isinstance(usage, dict) else {}
        known = all(isinstance(counts.get(name), int) for name in _USAGE)
        read, written = (int(counts[name]) if known else 0 for name in _USAGE)
        price = (read * self.prompt_price + written * self.reply_price) / 1e6
        self.add_costs(dict(zip(_COUNTS, (1, read, written, int(not known), price), strict=True)))

    def add_costs(self, costs: Mapping[str, float]) -> None:
        """Add another total."""
        with self._lock:
            for name in _COUNTS:
                setattr(self, name, getattr(self, name) + costs[name])

    def costs(self) -> dict[str, float]:
        """Return the total so far, as numbers by name."""
        with self._lock:
            return {name: getattr(self, name) for name in _COUNTS}


_USAGE = ("prompt_tokens", "completion_tokens")
_COUNTS = ("requests", "prompt_tokens", "reply_tokens", "uncounted", "price")
