"""What the replies of a server have cost so far."""

from dataclasses import dataclass, field
from threading import Lock
from typing import Any


@dataclass
class Bill:
    """A running total of tokens, as the server counts them.

    Attributes:
        prompt_price: Of a million tokens read.
        reply_price: Of a million tokens written.
        requests: Replies so far; attempts that failed are not among them.
        prompt_tokens: Tokens read.
        reply_tokens: Tokens written.
        uncounted: Replies whose server did not say how many tokens they were.

    Example:
        >>> bill = Bill(prompt_price=0.5, reply_price=2.0)
        >>> bill.add({"prompt_tokens": 3_000_000, "completion_tokens": 1_000_000})
        >>> bill.price
        3.5
    """

    prompt_price: float = 0.0
    reply_price: float = 0.0
    requests: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    uncounted: int = 0
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    @property
    def price(self) -> float:
        """In the unit of the prices."""
        read, written = self.prompt_tokens, self.reply_tokens
        return (read * self.prompt_price + written * self.reply_price) / 1e6

    def add(self, usage: Any) -> None:
        """Count one reply, by the `usage` that came with it."""
        counts = usage if isinstance(usage, dict) else {}
        read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
        with self._lock:
            self.requests += 1
            if isinstance(read, int) and isinstance(written, int):
                self.prompt_tokens += read
                self.reply_tokens += written
            else:
                self.uncounted += 1
