"""The base of reasoning tasks: a task file is `sample`, `score`, `solve` and a docstring."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.core import TextEnv
from zerogym.envs.problems import (
    MAX_DRAWS,
    RESET_OPTIONS,
    Difficulty,
    check_difficulty,
    draw_difficulty,
)
from zerogym.envs.reasoning.answers import MAX_ANSWER_LENGTH, extract_answer
from zerogym.envs.splits import Split, check_split, split_of
from zerogym.errors import ProblemSpaceTooSmall, UnknownName


@dataclass(frozen=True)
class Problem:
    """One drawn problem.

    Attributes:
        prompt: The question, without the line that asks for an answer format.
        answer: The canonical answer.
        solution: Worked solution, step by step, ending with the answer.
        distractors: Plausible wrong answers; each scores below 1.
        category: Kind of problem, where a task has several.
        data: What `score` and `solve` need, as JSON values.
        canonical: Equal problems have equal strings; decides the split. Default: the prompt.
    """

    prompt: str
    answer: str
    solution: str = ""
    distractors: tuple[str, ...] = ()
    category: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    canonical: str = ""


@dataclass
class Episode:
    """What changes during an episode."""

    problem: Problem
    difficulty: float
    turn: int = 0
    over: bool = False
    last_reply: str = ""
    last_score: float | None = None


class ReasoningEnv(TextEnv):
    """One question, one reply, a score in [0, 1].

    Args:
        difficulty: A number >= 0, or a pair from which each episode draws uniformly.
        split: `train` or `test`; the two never share a problem.
        category: Draw only problems of this category; None draws all.
        render_mode: None or `ansi`.
    """

    default_difficulty: ClassVar[Difficulty] = 1.0
    categories: ClassVar[tuple[str, ...]] = ()
    answer_request: ClassVar[str] = "Give the final answer as <answer>...</answer>."

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

    @staticmethod
    @abstractmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a problem."""

    @staticmethod
    @abstractmethod
    def score(problem: Problem, answer: str) -> float:
        """Quality of an answer in [0, 1]; any string is legal and takes bounded time."""

    @staticmethod
    @abstractmethod
    def solve(problem: Problem) -> str:
        """A correct answer, computed from the problem (not read from `problem.answer`)."""

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """What is wrong with a wrong answer, in words."""
        return "The answer is wrong."

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw a problem; `options` may pin `difficulty`, `split`, `category`, `problem`."""
        super().reset(seed=seed)
        options = self._reset_options(options, RESET_OPTIONS)
        asked = check_difficulty(options.get("difficulty", self.difficulty))
        difficulty = draw_difficulty(asked, self.np_random)
        problem = options.get("problem")
        if problem is None:
            split = check_split(options.get("split", self.split))
            category = self._check_category(options.get("category", self.category))
            problem = self._draw(difficulty, split, category)
        elif not isinstance(problem, Problem):
            raise TypeError(f"{self.name}: options['problem'] must be a Problem")
        self._episode = Episode(problem, difficulty)
        return self._prompt(), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Score the reply; the episode ends."""
        reply = self._check_text(action)
        episode = self._open_episode()
        answer, found = extract_answer(reply)
        score, feedback = self._judge(episode.problem, answer)
        episode.turn += 1
        episode.over = True
        episode.last_reply, episode.last_score = reply[:MAX_ANSWER_LENGTH], score
        info = self._info() | {
            "score": score,
            "correct": score == 1.0,
            "success": score == 1.0,
            "answer_format": found,
            "feedback": feedback,
            "answer": episode.problem.answer,
        }
        return feedback, score, True, False, info

    def oracle_action(self) -> str:
        """The solver's answer in the asked form."""
        return f"<answer>{self.solve(self._running().problem)}</answer>"

    def random_action(self, rng: np.random.Generator) -> str:
        """The answer of another problem of the same difficulty: well-formed and uninformed."""
        return f"<answer>{self.sample(rng, self._running().difficulty).answer}</answer>"

    def render(self) -> str | None:
        """The question, and after the reply its score."""
        if self.render_mode is None or self._episode is None:
            return None
        episode = self._episode
        if episode.last_score is None:
            return self._prompt()
        return f"{self._prompt()}\n\n{episode.last_reply}\n\nscore {episode.last_score:g}"

    def _open_episode(self) -> Episode:
        episode: Episode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        return episode

    def _judge(self, problem: Problem, answer: str) -> tuple[float, str]:
        if not answer:
            return 0.0, "There is no answer in the reply."
        if len(answer) > MAX_ANSWER_LENGTH:
            return 0.0, f"The answer is longer than {MAX_ANSWER_LENGTH} characters."
        score = float(self.score(problem, answer))
        return score, "Correct." if score == 1.0 else self.explain(problem, answer)

    def _prompt(self) -> str:
        return f"{self._episode.problem.prompt}\n{self.answer_request}"

    def _info(self) -> dict[str, Any]:
        episode = self._episode
        canonical = episode.problem.canonical or episode.problem.prompt
        return {
            "difficulty": episode.difficulty,
            "category": episode.problem.category,
            "split": split_of(type(self).__name__, canonical),
            "turn": episode.turn,
        }

    def _draw(self, difficulty: float, split: Split, category: str | None) -> Problem:
        for _ in range(MAX_DRAWS):
            problem = self.sample(self.np_random, difficulty)
            canonical = problem.canonical or problem.prompt
            if category is not None and problem.category != category:
                continue
            if split_of(type(self).__name__, canonical) == split:
                return problem
        raise ProblemSpaceTooSmall(
            f"{self.name}: {MAX_DRAWS} draws at difficulty {difficulty:g} gave no problem of split "
            f"{split!r}; raise the difficulty"
        )

    def _check_category(self, category: object) -> str | None:
        if category is None:
            return None
        if category not in self.categories:
            raise UnknownName("category", category, list(self.categories))
        return str(category)
