"""Reading an answer that is a list of steps."""

from zerogym.envs.reasoning.listings import unnumbered


def listed_steps(answer: str) -> str:
    """Return steps with commas between them, lower-cased, without numbers before them.

    Example:
        >>> listed_steps("1. Fill A\\n2. empty B; fill A")
        'fill a,empty b, fill a'
    """
    return " ".join(unnumbered(answer).casefold().replace("\n", ",").replace(";", ",").split())


def step_texts(listed: str) -> list[str]:
    """Return the steps between commas, without punctuation around them."""
    pieces = [piece.strip(" .[]()'\"`") for piece in listed.split(",")]
    return [piece for piece in pieces if piece]
