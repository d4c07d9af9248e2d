"""The base of bridges: another suite's questions and scorer behind our contracts.

Guarded (the default), questions are drawn and answers scored in a child process with limits of time
and memory, every problem has a seed of its own, and a stable hash of the question decides between
train and test. Unguarded, the suite runs in this process and walks its own list of items, as its
users get it: that is what an audit of the suite itself needs, and nothing for training.
"""

import functools
import importlib
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.core import TextEnv
from zerogym.envs.reasoning.answers import MAX_ANSWER_LENGTH, extract_answer
from zerogym.envs.splits import Split, check_split, split_of
from zerogym.envs.workers import Worker, WorkerCrashed, WorkerError, WorkerTimeout
from zerogym.errors import MissingExtra, ProblemSpaceTooSmall

MAX_DRAWS = 200  # until a question is of the requested split
DRAW_SECONDS = 20.0
SCORE_SECONDS = 2.0
MEMORY_MIB = 4096
_SEEDS = 2**31
_FAULTS = (WorkerTimeout, WorkerCrashed, WorkerError)


@functools.cache
def _worker() -> Worker:
    """Return the worker of all bridges; some tasks depend on the hash seed, so it is fixed."""
    return Worker(MEMORY_MIB, environment={"PYTHONHASHSEED": "0"})


@dataclass
class BridgeEpisode:
    """A question of the other suite, and how to find it there again."""

    question: str
    answer: str
    seed: int
    index: int
    over: bool = False


class BridgeEnv(TextEnv):
    """A question of another suite and one reply.

    A subclass names a module with two functions: `draw(*source, seed, index)` gives a question and
    its answer, `score(*source, seed, index, answer)` a number.

    Observation:
        The question as text.

    Action:
        The reply as text. The answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line, and passed to the suite's scorer.

    Reward:
        The suite's score, cut to [0, 1]; with its partial credits.

    Episode end:
        After one reply.

    Arguments:
        split: `train` or `test`.
        render_mode: None or `ansi`.
    """

    library: ClassVar[str]
    extra: ClassVar[str]
    module: ClassVar[str]
    answer_request: ClassVar[str] = "Give the final answer as <answer>...</answer>."
    max_observation: ClassVar[int] = 65_536

    def __init__(
        self, split: Split = "train", guarded: bool = True, render_mode: str | None = None
    ) -> None:
        super().__init__(render_mode)
        self.split = check_split(split)
        self.guarded = guarded
        if not guarded and split != "train":
            raise ValueError("unguarded, the other suite's list is walked, which has no test side")

    @abstractmethod
    def _source(self) -> list[Any]:
        """Return the identifiers of a list of items in the other suite (JSON values)."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw a question; `options` may pin `split`."""
        super().reset(seed=seed)
        split = check_split(self._reset_options(options, ("split",)).get("split", self.split))
        if not self.guarded:
            self._episode = self._next_of_list(seed)
            return self._prompt(), self._info()
        for _ in range(MAX_DRAWS):
            found = self._draw(self.np_random)
            if found is not None and self._side(found.question) == split:
                self._episode = found
                return self._prompt(), self._info()
        raise ProblemSpaceTooSmall(f"{self.name}: {MAX_DRAWS} draws gave no {split} question")

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Score the reply with the other suite's scorer; the episode ends."""
        reply = self._check_text(action)
        episode: BridgeEpisode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        episode.over = True
        answer, found = extract_answer(reply)
        score, feedback = self._judge(answer)
        info = self._info() | {
            "turn": 1,
            "score": score,
            "correct": score == 1.0,
            "success": score == 1.0,
            "answer_format": found,
            "feedback": feedback,
            "answer": episode.answer,
        }
        return feedback, score, True, False, info

    def oracle_action(self) -> str:
        """The suite's own answer."""
        return f"<answer>{self._running().answer}</answer>"

    def random_action(self, rng: np.random.Generator) -> str:
        """The answer of another question."""
        other = None
        while other is None:
            other = self._draw(rng)
        return f"<answer>{other.answer}</answer>"

    def render(self) -> str | None:
        """The question."""
        return None if self.render_mode is None or self._episode is None else self._prompt()

    def _next_of_list(self, seed: int | None) -> BridgeEpisode:
        """The first item of a seed's list, or the one after the last."""
        last: BridgeEpisode | None = self._episode
        if seed is None and last is not None:
            return self._item(last.seed, last.index + 1)
        return self._item(int(self.np_random.integers(_SEEDS)) if seed is None else seed, 0)

    def _draw(self, rng: np.random.Generator) -> BridgeEpisode | None:
        """A question of a random seed, or None if the suite fails to make one."""
        try:
            return self._item(int(rng.integers(_SEEDS)), 0)
        except (WorkerTimeout, WorkerCrashed):
            return None

    def _item(self, seed: int, index: int) -> BridgeEpisode:
        drawn = self._call("draw", seed, index, seconds=DRAW_SECONDS)
        return BridgeEpisode(drawn["question"], drawn["answer"], seed, index)

    def _judge(self, answer: str) -> tuple[float, str]:
        arguments = self._episode.seed, self._episode.index, answer
        if not self.guarded:
            return float(self._call("score", *arguments, seconds=SCORE_SECONDS)), ""
        if not answer or len(answer) > MAX_ANSWER_LENGTH:
            return 0.0, "There is no answer in the reply." if not answer else "It is too long."
        try:
            score = float(self._call("score", *arguments, seconds=SCORE_SECONDS))
        except _FAULTS as fault:
            return 0.0, f"The suite's scorer failed on this answer: {fault}"
        score = min(1.0, max(0.0, score)) if score == score else 0.0
        return score, "Correct." if score == 1.0 else "The answer is wrong."

    def _call(self, function: str, *arguments: Any, seconds: float) -> Any:
        """A function of the bridge's module: in the child, or unguarded in this process."""
        if not self.guarded:
            return getattr(importlib.import_module(self.module), function)(
                *self._source(), *arguments
            )
        target = f"{self.module}:{function}"
        try:
            return _worker().call(target, *self._source(), *arguments, seconds=seconds)
        except WorkerError as error:
            if error.kind == "MissingExtra":
                raise MissingExtra(error.message) from None
            raise

    def _side(self, question: str) -> Split:
        return split_of(type(self).__name__, question)

    def _prompt(self) -> str:
        prompt = f"{self._episode.question}\n{self.answer_request}"
        return prompt[: self.max_observation]

    def _info(self) -> dict[str, Any]:
        return {"split": self._side(self._episode.question), "turn": 0}
