"""A stand-in for a language model."""


class Replies:
    """A language model that says one thing after the other, and keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), list[str]()

    def __call__(self, message: str) -> str:
        self.asked.append(message)
        return self.replies.pop(0)
