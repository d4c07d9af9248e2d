"""Parameters of what makes an environment, whatever `__new__` takes."""

from typing import Any, Self

from zerogym.envs.references import parameters_of


class Made:
    """Takes anything when it is allocated, as `gymnasium.Env` does."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        return super().__new__(cls)

    def __init__(self, size: int, kind: str = "plain") -> None:
        self.size, self.kind = size, kind


class Inherited(Made):
    """Has the parameters of its base."""


def test_parameters_of_a_class_are_those_of_its_init() -> None:
    for made in (Made, Inherited):
        found = parameters_of(made)
        assert list(found) == ["size", "kind"] and found["kind"].default == "plain"


def test_parameters_of_a_function_are_its_own() -> None:
    assert list(parameters_of(lambda first, second=1: None)) == ["first", "second"]
