"""Base of environments with one problem, tools and several turns."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from zerogym.envs.problems import Difficulty, ProblemEnv
from zerogym.envs.splits import Split


class Posed(Protocol):
    """The question of a problem and its category."""

    @property
    def question(self) -> str: ...
    @property
    def category(self) -> str: ...


PosedT = TypeVar("PosedT", bound=Posed)


@dataclass
class ToolEpisode:
    """The state of an episode.

    Attributes:
        problem: Data and question.
        difficulty: As drawn.
        turn: Replies so far.
        calls: Tool calls so far.
        failed: Those that ended in an error.
        over: Whether the episode has ended.
        transcript: Replies (cut) and observations, in turns.
        side: The split of the problem, once it is known.
    """

    problem: Any
    difficulty: float
    turn: int = 0
    calls: int = 0
    failed: int = 0
    over: bool = False
    transcript: list[str] = field(default_factory=list)
    side: Split | None = None


@dataclass(frozen=True)
class Turn:
    """The result of one reply.

    Attributes:
        reply: The reply as the transcript shows it.
        observation: The text for the agent.
        score: Of the final answer; None if the reply does not end the episode.
        info: Further keys of `info`.
        unavailable: Whether the tool failed by itself, which ends the episode without a score.
        penalty: What is subtracted from the score to make the reward.
    """

    reply: str
    observation: str
    score: float | None = None
    info: dict[str, Any] = field(default_factory=dict)
    unavailable: bool = False
    penalty: float = 0.0


class ToolProblemEnv(ProblemEnv[PosedT]):
    """A problem, tool calls over at most `max_turns` replies, and a final answer.

    A subclass plays one reply in `_play`.

    Args:
        difficulty: A number >= 0, or a pair from which each episode draws uniformly.
        split: `train` or `test`; the two never share a problem.
        category: Draw only problems of this category; None draws all.
        max_turns: Replies in an episode, at least 2; None is the default of the class.
        render_mode: None or `ansi`.
    """

    episode_class: ClassVar[type[ToolEpisode]] = ToolEpisode
    default_turns: ClassVar[int]

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_turns: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, render_mode)
        turns = self.default_turns if max_turns is None else max_turns
        if isinstance(turns, bool) or not isinstance(turns, int) or turns < 2:
            raise ValueError(f"{self.name}: max_turns must be an int >= 2, got {turns!r}")
        self.max_turns = turns

    @abstractmethod
    def _play(self, reply: str) -> Turn:
        """Run the tool call of a reply, or score its answer."""

    @abstractmethod
    def _prompt(self) -> str:
        """The first observation."""

    @abstractmethod
    def _answer(self, problem: PosedT) -> str:
        """The right answer, for `info` at the end of an episode."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw a problem; `options` may pin `difficulty`, `split`, `category` or `problem`."""
        super().reset(seed=seed)
        self.close()
        self._episode = self._begin(*self._pick(options))
        return self._prompt(), self._info()

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one reply; at the end of the episode `info` has the answer and the score."""
        reply = self._check_text(action)
        episode: ToolEpisode = self._running()
        if episode.over:
            raise RuntimeError(f"{self.name}: the episode is over, call reset()")
        episode.turn += 1
        turn = self._play(reply)
        terminated = turn.score is not None
        truncated = not terminated and (turn.unavailable or episode.turn >= self.max_turns)
        episode.over = terminated or truncated
        episode.transcript += [turn.reply[:2000], turn.observation]
        score = turn.score or 0.0
        info = self._info() | turn.info | {"success": score == 1.0}
        if episode.over:
            info["answer"] = self._answer(episode.problem)
            if turn.unavailable:
                info["unavailable"] = True
            else:
                info |= {"score": score, "correct": score == 1.0}
            self.close()
        return turn.observation, score - turn.penalty, terminated, truncated, info

    def render(self) -> str | None:
        """The prompt, the replies and the observations."""
        if self.render_mode is None or self._episode is None:
            return None
        return "\n\n".join([self._prompt(), *self._episode.transcript])

    def _begin(self, problem: PosedT, difficulty: float) -> ToolEpisode:
        """Return the state at the start of an episode."""
        return self.episode_class(problem, difficulty)

    def _info(self) -> dict[str, Any]:
        episode: ToolEpisode = self._episode
        episode.side = episode.side or self._side(episode.problem)
        return {
            "difficulty": episode.difficulty,
            "category": episode.problem.category,
            "split": episode.side,
            "turn": episode.turn,
            "tool_calls": episode.calls,
            "failed_calls": episode.failed,
            "void_turn": False,
        }

    def _category_of(self, problem: PosedT) -> str:
        return problem.category

    @classmethod
    def canonical_key(cls, problem: PosedT) -> str:
        """Return the question: none is on both sides."""
        return problem.question
