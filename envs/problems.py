"""Base of tasks with generated problems: difficulty, splits, and the options of `reset`."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from zerogym.envs.core import TextEnv
from zerogym.envs.splits import Split, check_split, split_of
from zerogym.errors import ProblemSpaceTooSmall, UnknownName

ProblemT = TypeVar("ProblemT")

Difficulty = float | tuple[float, float]
RESET_OPTIONS = ("difficulty", "split", "category", "problem")
MAX_DIFFICULTY = 1e9  # sizes are rounded from it: far above, they would overflow
MAX_DRAWS = 1000  # until a problem is of the requested split and category


def check_difficulty(difficulty: object) -> Difficulty:
    """Return a number from 0 to `MAX_DIFFICULTY`, or an increasing pair of them, as floats.

    Raises:
        ValueError: If it is something else.
    """
    values = difficulty if isinstance(difficulty, (tuple, list)) else (difficulty,)
    fine = all(
        isinstance(v, (int, float, np.integer, np.floating))
        and not isinstance(v, bool)
        and 0 <= v <= MAX_DIFFICULTY
        for v in values
    )
    if fine and not isinstance(difficulty, (tuple, list)):
        return float(values[0])
    if fine and len(values) == 2 and values[0] <= values[1]:
        return float(values[0]), float(values[1])
    raise ValueError(
        f"difficulty must be a number from 0 to {MAX_DIFFICULTY:g}, or a (low, high) pair of them, "
        f"got {difficulty!r:.80}"
    )


def draw_difficulty(difficulty: Difficulty, rng: np.random.Generator) -> float:
    """Return the difficulty itself, or a uniform draw from its range."""
    if isinstance(difficulty, tuple):
        return float(rng.uniform(*difficulty))
    return difficulty


class ProblemEnv(TextEnv, Generic[ProblemT]):
    """Base of text environments that draw a problem for each episode.

    A subclass draws problems; this class draws again until one is of the requested split and
    category.

    Arguments:
        difficulty: A number from 0 to 1e9 (default 1), or a pair from which each episode draws
            uniformly.
        split: `train` (the default) or `test`; the two never share a problem.
        category: Draw problems of this category only; None (the default) draws from all.
        render_mode: None or `ansi`.
    """

    default_difficulty: ClassVar[Difficulty] = 1.0
    categories: ClassVar[tuple[str, ...]] = ()
    problem_class: ClassVar[type[Any]]

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(render_mode)
        chosen = self.default_difficulty if difficulty is None else difficulty
        self.difficulty = check_difficulty(chosen)
        self.split = check_split(split)
        self.category = self._check_category(category)

    @abstractmethod
    def _sample(self, difficulty: float) -> ProblemT:
        """Draw any problem from `self.np_random`."""

    def _sample_of(self, difficulty: float, category: str | None) -> ProblemT:
        """Draw a problem, of this category if the subclass can choose it."""
        return self._sample(difficulty)

    @abstractmethod
    def _category_of(self, problem: ProblemT) -> str:
        """Return the category of a problem."""

    @classmethod
    def _from_record(cls, record: Mapping[str, Any]) -> object:
        """Return the problem of JSON values, where a family has them; else the values."""
        return record

    @classmethod
    @abstractmethod
    def canonical_key(cls, problem: ProblemT) -> str:
        """Return a string that decides the split: equal problems share it, whatever their names.

        Problems are equal if they differ only in names that could be exchanged and in the order of
        parts whose order does not matter.
        """

    def _is_sound(self, problem: ProblemT) -> bool:
        """Return False for a problem that must be drawn again; called last, so it may be slow."""
        return True

    def _side(self, problem: ProblemT) -> Split:
        return split_of(type(self).__name__, self.canonical_key(problem))

    def _pick(self, given: dict[str, Any] | None) -> tuple[ProblemT, float]:
        """Return problem and difficulty of a new episode, as the options of `reset` require."""
        options = self._reset_options(given, RESET_OPTIONS)
        difficulty = draw_difficulty(
            check_difficulty(options.get("difficulty", self.difficulty)), self.np_random
        )
        problem = options.get("problem")
        if problem is None:
            split = check_split(options.get("split", self.split))
            category = self._check_category(options.get("category", self.category))
            return self._draw(difficulty, split, category), difficulty
        if isinstance(problem, Mapping):
            problem = self._from_record(problem)
        if not isinstance(problem, self.problem_class):
            kind = self.problem_class.__name__
            raise TypeError(f"{self.name}: options['problem'] must be a {kind}")
        return problem, difficulty

    def _draw(self, difficulty: float, split: Split, category: str | None) -> ProblemT:
        for _ in range(MAX_DRAWS):
            problem = self._sample_of(difficulty, category)
            if category is not None and self._category_of(problem) != category:
                continue
            if self._side(problem) == split and self._is_sound(problem):
                return problem
        kind = "" if category is None else f" and category {category!r}"
        raise ProblemSpaceTooSmall(
            f"{self.name}: {MAX_DRAWS} draws at difficulty {difficulty:g} gave no problem of split "
            f"{split!r}{kind}; try another one"
        )

    def _check_category(self, category: object) -> str | None:
        if category is None:
            return None
        if category not in self.categories:
            raise UnknownName("category", category, list(self.categories))
        return str(category)
