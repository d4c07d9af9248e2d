"""Base of worlds that a policy acts on with several tools: `ToolWorld`.

Left out: results that arrive later than the next reply, and tools that appear during an episode.
"""

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.answers import extract_answer
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls import Call, get_format
from zerogym.envs.tools.problem_env import PosedT, ToolEpisode, ToolProblemEnv, Turn
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.tool import Tool
from zerogym.envs.tools.tool_turns import ANSWER_NOT_READ, MAX_RESULT, run_calls

CallFormat = Literal["tag", "fence", "json"]

MAX_PER_REPLY = 16  # calls that one reply may make
NOTHING = "The reply has neither a call nor an answer."
NO_CALLS = "The episode has ended: no calls were left, and the reply was another call."


@dataclass
class WorldEpisode(ToolEpisode):
    """The state of an episode.

    Attributes:
        state: Of the world: one object, which all tools change.
        cost: CPU seconds of the calls so far.
        log: The calls that were run, in order.
    """

    state: Any = None
    cost: float = 0.0
    log: list[Call] = field(default_factory=list)
    states: dict[str, Any] = field(default_factory=dict)  # the same object, by the tools' names


@dataclass(frozen=True)
class Judgement:
    """The result of an episode.

    Attributes:
        score: From 0 to 1; 1 is right.
        feedback: What is wrong, in words; it does not give the answer away.
        info: Further keys of `info`.
    """

    score: float
    feedback: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)


class ToolWorld(ToolProblemEnv[PosedT]):
    """A problem, a world that tools read and change, and a judge of its end.

    The calls of a reply run in their order, and the next observation is their results. A reply
    without a call is the answer and ends the episode; an empty one is a void turn. A call that
    cannot be run takes one of the calls, and its result says what is wrong with it; when none are
    left, another call ends the episode with score 0. An answer in the same reply as calls is not
    read. Only the first 16 calls of a reply run.

    A subclass gives the tools and the state of a problem, the expert as a plan of calls, and the
    judge. The state is what `copy.deepcopy` copies, so that a snapshot can be taken after every
    result; the problem itself never changes and is not copied.

    Args:
        difficulty: A number >= 0, or a pair from which each episode draws uniformly.
        split: `train` or `test`; the two never share a problem.
        category: Draw only problems of this category; None draws all.
        max_turns: Replies in an episode, at least 2; None is the default of the class.
        max_calls: Calls in an episode, at least 1; None is the default of the class.
        call_cost: What each call beyond the number of the expert's takes off the reward, at least
            0; `info["score"]` is without it.
        format: How calls are written: `tag`, `fence` or `json`.
        render_mode: None or `ansi`.

    Source:
        A call that is not needed and what it costs: "Acting Less is Reasoning More! Teaching Model
        to Act Efficiently" (2025, arXiv 2504.14870), whose reward falls with the number of calls
        beyond the fewest; a price a call in place of its factor is our choice.
    """

    episode_class = WorldEpisode
    default_turns: ClassVar[int] = 18
    default_calls: ClassVar[int] = 16
    max_observation = 65_536

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_turns: int | None = None,
        max_calls: int | None = None,
        call_cost: float = 0.0,
        format: CallFormat = "tag",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_turns, render_mode)
        calls = self.default_calls if max_calls is None else max_calls
        if isinstance(calls, bool) or not isinstance(calls, int) or calls < 1:
            raise ValueError(f"{self.name}: max_calls must be an int >= 1, got {calls!r}")
        if not 0 <= call_cost < float("inf"):
            raise ValueError(f"{self.name}: call_cost must be a number >= 0, got {call_cost!r}")
        self.max_calls, self.call_cost = calls, float(call_cost)
        self.format = get_format(format)
        self._made: tuple[Any, dict[str, Tool]] | None = None

    @abstractmethod
    def _toolbox(self, problem: PosedT) -> Sequence[Tool]:
        """Make the tools of a problem; they keep nothing that changes."""

    @abstractmethod
    def _new_state(self, problem: PosedT) -> Any:
        """Return the state at the start of an episode, which all tools share."""

    @abstractmethod
    def _plan(self, problem: PosedT) -> Sequence[Call]:
        """Return the expert's calls: as few as any policy needs that has no luck."""

    @abstractmethod
    def _judge(self, problem: PosedT, state: Any, answer: str) -> Judgement:
        """Judge the world's state and the answer at the end of an episode."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of the present episode."""
        return tuple(self._tools().values())

    @property
    def stop_strings(self) -> tuple[str, ...]:
        """The texts at which the generation of a reply may stop, because a call ends there."""
        return self.format.stop_strings(self.tools)

    def expert_plan(self) -> tuple[Call, ...]:
        """Return the calls of the expert in the present episode, from its start on."""
        return tuple(self._plan(self._running().problem))

    def oracle_action(self) -> str:
        """The next call of the plan; the answer when all are made or no replies are left."""
        return self._next_of(self._plan(self._running().problem)) or self.answer_action()

    def short_plan_action(self) -> str:
        """The next call of the plan without its last one; then the answer `unknown`.

        A policy for benchmarks: where it scores much, the plan is longer than need be.
        """
        plan = self._plan(self._running().problem)
        return self._next_of(plan[:-1]) or "<answer>unknown</answer>"

    def _next_of(self, plan: Sequence[Call]) -> str:
        """Return the first call that is not made yet; empty if there is none or no room."""
        episode: WorldEpisode = self._running()
        done = 0
        for call in episode.log:
            done += done < len(plan) and call == plan[done]
        room = episode.turn < self.max_turns - 1 and episode.calls < self.max_calls
        if done == len(plan) or not room:
            return ""
        return self.format.write(self._tools()[plan[done].tool], plan[done].arguments)

    def answer_action(self) -> str:
        """The expert's answer at once, without a call: for checks of the scoring."""
        return f"<answer>{self._answer(self._running().problem)}</answer>"

    def get_state(self) -> dict[str, Any]:
        """Return a snapshot of episode and random generator; the problem is shared with it."""
        return {
            "episode": self._copied(self._running()),
            "rng": copy.deepcopy(self.np_random.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""
        self._episode = self._copied(state["episode"])
        self.np_random.bit_generator.state = copy.deepcopy(state["rng"])

    def close(self) -> None:
        """Free what the tools hold."""
        if self._made is not None:
            for tool in self._made[1].values():
                tool.close()

    def _copied(self, episode: WorldEpisode) -> WorldEpisode:
        return copy.deepcopy(episode, {id(episode.problem): episode.problem})

    def _begin(self, problem: PosedT, difficulty: float) -> WorldEpisode:
        state = self._new_state(problem)
        tools = self._toolbox(problem)
        self._made = (problem, {tool.name: tool for tool in tools})
        states = dict.fromkeys(self._made[1], state)
        return self.episode_class(problem, difficulty, state=state, states=states)

    def _tools(self) -> dict[str, Tool]:
        """The tools by name, made again if they belong to another problem."""
        problem = self._running().problem
        if self._made is None or self._made[0] is not problem:
            self.close()
            self._made = (problem, {tool.name: tool for tool in self._toolbox(problem)})
        return self._made[1]

    def _prompt(self) -> str:
        announced = self.format.announce(self.tools, self.max_calls)
        return f"{self._task(self._episode.problem)}\n\n{announced}"

    def _task(self, problem: PosedT) -> str:
        """Return the task in words, which the description of the tools follows."""
        return problem.question

    def _play(self, reply: str) -> Turn:
        episode: WorldEpisode = self._episode
        tools = self._tools()
        found = self.format.find(reply, tools)
        if not found:
            return self._end(reply)
        first = found[0]
        if isinstance(first, Call) and isinstance(tool := tools[first.tool], Submit):
            return self._end(tool.call(first.arguments, None).text)
        if episode.calls >= self.max_calls:
            return Turn(reply, NO_CALLS, 0.0, {"feedback": NO_CALLS})
        left_out = len(found) - MAX_PER_REPLY
        found = found[:MAX_PER_REPLY]
        room = (self.max_observation - 4096) // len(found)
        size = min(MAX_RESULT, (room - 300) // 7)  # the formats write a character as at most 6
        results = run_calls(found, tools, self.format, episode, self.max_calls, size)
        episode.log += [call for call, _ in results.made]
        if left_out > 0:
            results.notes.append(f"{left_out} more calls were not run: 16 a reply are.")
        answered = "</answer>" in reply and extract_answer(reply)[1] == "tag"
        if answered and ANSWER_NOT_READ not in results.notes:
            results.notes.insert(0, ANSWER_NOT_READ)
        info = {"void_turn": not results.made, "feedback": " ".join(results.feedback)}
        return Turn(reply, results.text, None, info, results.unavailable)

    def _end(self, reply: str) -> Turn:
        """Judge the world and the answer that a reply gives."""
        episode: WorldEpisode = self._episode
        answer, found = extract_answer(reply)
        if found == "none":
            return Turn(reply, NOTHING, None, {"void_turn": True, "feedback": NOTHING})
        judged = self._judge(episode.problem, episode.state, answer)
        superfluous = max(0, episode.calls - len(self._plan(episode.problem)))
        info = {"answer_format": found, "feedback": judged.feedback, **judged.info}
        text = "Correct." if judged.score == 1.0 else judged.feedback or "That is not right."
        return Turn(reply, text, judged.score, info, penalty=self.call_cost * superfluous)

    def _info(self) -> dict[str, Any]:
        return super()._info() | {"cost": self._episode.cost}
