"""The common part of changes and questions: words and a script."""

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class Step(ABC):
    """A step of a task."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The instruction in words, without a full stop."""

    @property
    @abstractmethod
    def script(self) -> str:
        """The bash script of the expert."""
