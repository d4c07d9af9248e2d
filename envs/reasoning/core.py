"""The base of reasoning tasks: a task file is `sample`, `solve`, `fault` and a docstring."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.problems import Difficulty, ProblemEnv
from zerogym.envs.reasoning.answers import (
    MAX_ANSWER_LENGTH,
    AnswerFormat,
    extract_answer,
    parse_number,
)
from zerogym.envs.reasoning.corruption import corrupt_number
from zerogym.envs.reasoning.draws import pick
from zerogym.envs.splits import Split, split_of


@dataclass(frozen=True)
class Problem:
    """A drawn problem.

    Attributes:
        prompt: The question, without the line about the answer format.
        answer: The canonical answer.
        solution: Worked solution, step by step, ending with the answer.
        distractors: Plausible wrong answers; each scores below 1. Repetitions and the answer itself
            are removed.
        category: Kind of problem, where a task has several.
        data: What `score` and `solve` need, as JSON values.
        canonical: Problems with equal texts have equal strings. Default: the prompt. The task's
            `canonical_key` decides the split.
    """

    prompt: str
    answer: str
    solution: str = ""
    distractors: tuple[str, ...] = ()
    category: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    canonical: str = ""

    def __post_init__(self) -> None:
        wrong = dict.fromkeys(self.distractors)
        wrong.pop(self.answer, None)
        object.__setattr__(self, "distractors", tuple(wrong))

    def record(self) -> dict[str, Any]:
        """Return all fields as JSON values, which `reset(options={"problem": ...})` takes too."""
        return asdict(self) | {"distractors": list(self.distractors), "data": dict(self.data)}


@dataclass
class Episode:
    """The state of an episode."""

    problem: Problem
    difficulty: float
    split: Split
    turn: int = 0
    over: bool = False
    best: float = 0.0
    last_reply: str = ""
    last_score: float | None = None


class ReasoningEnv(ProblemEnv[Problem]):
    """A question, and replies with a score in [0, 1] until one is right or attempts run out.

    The reward of a step is the improvement over the best score so far, so the return of an episode
    is its best score; with one attempt (the default) simply the score.

    Observation:
        The question as text; after a wrong reply what is wrong with it.

    Action:
        The reply as text. The answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line.

    Reward:
        1 if the answer is right, else 0.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Arguments:
        max_attempts: Replies per problem (default 1); after a wrong one the next may be tried.

    Raises:
        ValueError: If an argument is out of its range; `UnknownName` for a category.
    """

    problem_class = Problem
    unreadable: ClassVar[str] = "The answer is not a number."  # feedback if `read` gives None
    wrong: ClassVar[str] = "The answer is wrong."  # feedback on any other wrong answer
    answer_request: ClassVar[str] = "Give the final answer as <answer>...</answer>."
    try_again: ClassVar[str] = "Try again."
    binary: ClassVar[tuple[str, ...]] = ()  # categories with two possible answers; "" if none named

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_attempts: int = 1,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, render_mode)
        if not isinstance(max_attempts, int) or isinstance(max_attempts, bool) or max_attempts < 1:
            raise ValueError(f"max_attempts must be an integer >= 1, got {max_attempts!r}")
        self.max_attempts = max_attempts
        self._sides: dict[float, list[Split]] = {}  # of all problems, by difficulty

    @staticmethod
    @abstractmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a problem."""

    @staticmethod
    @abstractmethod
    def solve(problem: Problem) -> str:
        """Compute a correct answer from the problem, without `problem.answer`."""

    @staticmethod
    def read(answer: str, /) -> Any:
        """Parse an answer; None if it has not the required form. By default it is a number."""
        return parse_number(answer)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe what is wrong with an answer; empty if it is right.

        Any string is legal and takes bounded time. By default an answer is right if `read` gives
        the same for it as for the canonical one.
        """
        value = cls.read(answer)
        if value is None:
            return cls.unreadable
        return "" if value == cls.read(problem.answer) else cls.wrong

    @classmethod
    def score(cls, problem: Problem, answer: str) -> float:
        """Return the quality of an answer in [0, 1]: 1 if it has no fault, else 0."""
        return float(not cls.fault(problem, answer))

    @classmethod
    def explain(cls, problem: Problem, answer: str) -> str:
        """Describe what is wrong with a wrong answer."""
        return cls.fault(problem, answer)

    @staticmethod
    def fitting(problem: Problem, /) -> Iterable[str]:
        """Yield answers that fit all that is shown, where a rule is to be found: each is right.

        Enumerated without the hidden rule, for the audit; by default there are none.
        """
        return ()

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return a beginning of the worked solution that ends with a mistake.

        By default a changed number, or a distractor as conclusion if the solution has no number.
        """
        flawed = corrupt_number(problem.solution, rng)
        return flawed or f"The answer is {pick(rng, problem.distractors)}."

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw a problem; `options` may pin `difficulty`, `split`, `category`, `problem`.

        A problem is one of `sample`, or its `record` in JSON values.
        """
        super().reset(seed=seed)
        problem, difficulty = self._pick(options)
        self._episode = Episode(problem, difficulty, self._side(problem))
        return self._prompt(), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Score the reply; the episode ends if it is right or was the last attempt."""
        reply = self._check_text(action)
        episode: Episode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        answer, found = self._read(reply)
        score, feedback = self._judge(episode.problem, answer)
        gained = max(0.0, score - episode.best)
        episode.best = max(episode.best, score)
        episode.turn += 1
        episode.over = score == 1.0 or episode.turn >= self.max_attempts
        episode.last_reply, episode.last_score = reply[:MAX_ANSWER_LENGTH], score
        info = self._info() | {
            "score": score,
            "correct": score == 1.0,
            "success": score == 1.0,
            "answer_format": found,
            "feedback": feedback,
        }
        if episode.over:
            return feedback, gained, True, False, info | {"answer": episode.problem.answer}
        return f"{feedback} {self.try_again}", gained, False, False, info

    def oracle_action(self) -> str:
        """Return the solver's answer in the required form."""
        return f"<answer>{self.solve(self._running().problem)}</answer>"

    def distractor_actions(self) -> tuple[str, ...]:
        """Return the problem's plausible wrong answers in the required form."""
        problem: Problem = self._running().problem
        return tuple(f"<answer>{wrong}</answer>" for wrong in problem.distractors)

    def fitting_actions(self) -> Iterator[str]:
        """Yield answers that fit all that the problem shows, in the required form."""
        for answer in self.fitting(self._running().problem):
            yield f"<answer>{answer}</answer>"

    def random_action(self, rng: np.random.Generator) -> str:
        """Return the answer of another problem of the same difficulty."""
        return f"<answer>{self.sample(rng, self._running().difficulty).answer}</answer>"

    def render(self) -> str | None:
        """Return the question, and after the reply its score."""
        if self.render_mode is None or self._episode is None:
            return None
        episode = self._episode
        if episode.last_score is None:
            return self._prompt()
        return f"{self._prompt()}\n\n{episode.last_reply}\n\nscore {episode.last_score:g}"

    def _read(self, reply: str) -> tuple[str, AnswerFormat]:
        """The answer in a reply, and where it was found."""
        return extract_answer(reply)

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
        info = {
            "difficulty": episode.difficulty,
            "category": episode.problem.category,
            "split": episode.split,
            "turn": episode.turn,
        }
        count = self._count(episode.difficulty, episode.split)
        return info if count is None else info | {"problems": count}

    def _count(self, difficulty: float, split: Split) -> int | None:
        """Return the number of keys on a side, where all are known."""
        if difficulty not in self._sides:
            keys = self.all_keys(difficulty)
            if keys is None:
                return None
            self._sides[difficulty] = [split_of(type(self).__name__, key) for key in {*keys}]
        return self._sides[difficulty].count(split)

    @classmethod
    def _from_record(cls, record: Mapping[str, Any]) -> Problem:
        try:
            return Problem(**(dict(record) | {"distractors": tuple(record.get("distractors", ()))}))
        except TypeError as error:
            raise TypeError(f"{cls.__name__}: options['problem'] is no problem: {error}") from None

    def _sample(self, difficulty: float) -> Problem:
        return self.sample(self.np_random, difficulty)

    def _category_of(self, problem: Problem) -> str:
        return problem.category

    def all_keys(self, difficulty: float) -> Iterable[str] | None:
        """Return the keys of all problems of a difficulty, if they are few; None elsewhere."""
        return None

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return what decides the split; a task with names to exchange has a key of its own."""
        return problem.canonical or problem.prompt
