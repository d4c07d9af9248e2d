"""A stand-in for a language model."""


class Replies:
    """A language model with given replies, which keeps its requests."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.requests = list(replies), list[str]()

    def __call__(self, message: str) -> str:
        self.requests.append(message)
        return self.replies.pop(0)
