"""Pages are completed from base classes."""

from zerogym.envs.pages import page, sections


class Family:
    """Base.

    Action:
        A reply.

    Arguments:
        size: How large;
            very.
        category: One kind only.
        hidden: Of no task.

    Raises:
        ValueError: Never.
    """


class First(Family):
    """A task.

    Description:
        Words.

    Arguments:
        speed: How fast.
    """

    categories = ("a", "b")

    def __init__(self, speed: int = 1, category: str = "a", size: int = 1) -> None: ...


class Second(First):
    """Another.

    Action:
        A number.

    Arguments:
        `size` and all else in prose.
    """


def test_what_a_class_leaves_out_comes_from_its_bases() -> None:
    assert page(First) == (
        "A task.\n\nDescription:\n    Words.\n\nAction:\n    A reply.\n\nArguments:\n"
        "    category: One kind only. One of `a`, `b`.\n    size: How large;\n        very.\n"
        "    speed: How fast."
    )


def test_own_sections_and_own_prose_come_first() -> None:
    assert sections(Second) == {
        "": "Another.",
        "Description": "Words.",
        "Action": "A number.",
        "Arguments": "`size` and all else in prose.",
    }
