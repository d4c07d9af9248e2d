"""Functions: tasks that only calls of generated functions can do.

Left out: what `kinds.py`, `questions.py` and `desk/case.py` leave out.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.functions.database import HIGH, LOW
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.kinds import State
from zerogym.envs.tools.functions.problem import CATEGORIES, Category, Problem, sample_problem
from zerogym.envs.tools.functions.reward import (
    EMPTY,
    MALFORMED,
    answer_reward,
    count_solved,
    score_calls,
    turn_reward,
)
from zerogym.envs.tools.problem_env import Turn
from zerogym.envs.tools.tool import Tool
from zerogym.envs.tools.world import CallFormat, Judgement, ToolWorld, WorldEpisode

CallReward = Literal["outcome", "f1", "turns"]
REWARDS: tuple[CallReward, ...] = ("outcome", "f1", "turns")
_MARKS = re.compile(r"\s*([;|])\s*")
_NOT_LEFT_RIGHT = "The records were not left as they should be."
_WRONG = "The answer is not right."


class FunctionsEnv(ToolWorld[Problem]):
    """Call generated functions over a hidden database: find an answer, or settle a request.

    Description:
        Database, functions, their documents and the task are compiled from the seed. Functions
        look up, filter, aggregate, rank, convert and change; others of the same kinds only
        distract. Categories: `single` (one call finds the answer), `parallel` (several questions;
        all calls fit in one reply), `multi_hop` (a result is the next call's argument) and
        `stateful`: a service desk with a customer who states facts when a message names them, rules
        in the prompt, and records to leave right; half of the requests break a rule and must be
        refused or handed over.

    Observation:
        First the task and the documents of the functions; then the results of the last calls.

    Action:
        The reply as text: calls in the chosen format, or the answer. Several answers are separated
        by ` | `, names in a list by `; `.

    Reward:
        `reward="outcome"`: 1 if the answer is right and the records are as the expert leaves them,
        else 0. `"f1"`: at the end, the mean of that and of `2 solved / (made + needed)`, where
        `solved` counts the needed calls that were made (our choice of a mean). `"turns"`: for a
        reply with calls `2 solved / (calls + 1)`, with what this reply has newly solved; for a
        right answer `1 / (1 + unsolved)`, for a wrong one 0.5 if all is solved, else 0; -0.5 for an
        empty reply, -0.3 for one with malformed calls only. In each of them, `call_cost` is taken
        off for each call beyond the number of the expert's. `info["score"]` is always the outcome;
        at the end `info` has `precision` and `completeness` of the calls.

    Episode end:
        At the answer, at a call when none of `max_calls` is left, and after `max_turns` replies.

    Difficulty:
        A tool set has `4 + 4 * difficulty` functions (at most 24; a desk has 7 of its own) over
        `2 + difficulty` tables (at most 6) of `8 + 8 * difficulty` records (at most 40). A parallel
        task has `2 + difficulty` questions (at most 5), a chain `2 + difficulty` calls (at most 6),
        a desk `3 + 2 * difficulty` rules (at most 8).

    Arguments:
        `difficulty` (default 1), `split`, `category`, `max_turns` (default 18), `max_calls`
        (default 16), `call_cost` (default 0), `reward` (default `outcome`), `format` (`tag`,
        `fence` or `json`), `render_mode`.

    Example:
        >>> env = FunctionsEnv(difficulty=0, category="multi_hop")
        >>> print(env.reset(seed=0)[0].splitlines()[1])
        Question: What is the output of the rival of the railway Veinelm?
        >>> print(env.oracle_action())
        <get_railway_rival>Veinelm</get_railway_rival>
        >>> print(env.step(env.oracle_action())[0])
        <result>
        Paevask
        </result>
        >>> print(env.oracle_action())
        <get_railway_output>Paevask</get_railway_output>
        >>> print(env.step(env.oracle_action())[0])
        <result>
        7912
        </result>
        >>> env.step("<answer>7912</answer>")[1]
        1.0

    Source:
        "Feedback-Driven Tool-Use Improvements in Large Language Models via Automated Build
        Environments" (2025, arXiv 2508.08791): tool sets that are built and not collected, its
        kinds of questions and the reward of turns (from its public code). The desk follows
        "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains" (2024, arXiv
        2406.12045). Grammar, words and sizes are ours.
    """

    problem_class = Problem
    categories: ClassVar[tuple[str, ...]] = CATEGORIES

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        max_turns: int | None = None,
        max_calls: int | None = None,
        call_cost: float = 0.0,
        reward: CallReward = "outcome",
        format: CallFormat = "tag",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            difficulty, split, category, max_turns, max_calls, call_cost, format, render_mode
        )
        if reward not in REWARDS:
            raise ValueError(f"{self.name}: reward must be one of {REWARDS}, got {reward!r}")
        self.reward = reward

    def oracle_action(self) -> str:
        """The next call of the plan, all calls of parallel questions at once, or the answer."""
        episode: WorldEpisode = self._running()
        problem: Problem = episode.problem
        room = episode.turn < self.max_turns - 1 and self.max_calls >= len(problem.plan)
        if problem.category != "parallel" or episode.calls or not room:
            return super().oracle_action()
        tools = self._tools()
        return "\n".join(
            self.format.write(tools[call.tool], call.arguments) for call in problem.plan
        )

    def random_action(self, rng: np.random.Generator) -> str:
        """A random call first; then its result as the answer."""
        episode: WorldEpisode = self._running()
        state: State = episode.state
        if episode.calls:
            answer = state.made[-1][1] if state.made else "done"
            return f"<answer>{answer}</answer>"
        tool = self.tools[int(rng.integers(len(self.tools)))]
        tables = list(state.database.tables.values())
        names = tables[int(rng.integers(len(tables)))].names
        arguments = {}
        for name in tool.parameters["required"]:
            schema = tool.parameters["properties"][name]
            if "enum" in schema:
                arguments[name] = schema["enum"][int(rng.integers(len(schema["enum"])))]
            elif schema["type"] == "integer":
                low, high = schema.get("minimum", LOW), schema.get("maximum", HIGH)
                arguments[name] = int(rng.integers(low, high + 1))
            else:
                arguments[name] = names[int(rng.integers(len(names)))]
        return self.format.write(tool, arguments)

    def _toolbox(self, problem: Problem) -> Sequence[Tool]:
        return problem.functions

    def _new_state(self, problem: Problem) -> State:
        _ = problem.end  # known from the start: no step waits for it
        return State(problem.database)

    def _plan(self, problem: Problem) -> Sequence[Call]:
        return problem.plan

    def _answer(self, problem: Problem) -> str:
        return problem.answer

    def _judge(self, problem: Problem, state: State, answer: str) -> Judgement:
        calls = score_calls(state.made, self._episode.calls, problem.needed)
        left_right = (state.changed, state.settled) == (problem.end.changed, problem.end.settled)
        right = _plain(answer) == _plain(problem.answer)
        feedback = "" if right and left_right else _WRONG if left_right else _NOT_LEFT_RIGHT
        info = {"precision": calls.precision, "completeness": calls.completeness, "f1": calls.f1}
        return Judgement(float(right and left_right), feedback, info)

    def _play(self, reply: str) -> Turn:
        if self.reward == "turns":
            return self._play_for_turns(reply)
        turn = super()._play(reply)
        if self.reward == "f1" and turn.score is not None and "f1" in turn.info:
            return replace(turn, penalty=turn.penalty + (turn.score - turn.info["f1"]) / 2)
        return turn

    def _play_for_turns(self, reply: str) -> Turn:
        """Play a reply with the published reward of a turn in place of the score."""
        episode: WorldEpisode = self._episode
        needed, made = episode.problem.needed, episode.state.made
        calls, solved = episode.calls, count_solved(made, needed)
        turn = super()._play(reply)
        calls, solved_now = episode.calls - calls, count_solved(made, needed)
        if calls:
            reward = turn_reward(solved_now - solved, calls)
            reward = MALFORMED if turn.info["void_turn"] else reward
        elif turn.score is None:
            reward = EMPTY
        else:
            reward = answer_reward(turn.score == 1.0, len(needed) - solved)
        return replace(turn, penalty=turn.penalty + (turn.score or 0.0) - reward)

    def _sample(self, difficulty: float) -> Problem:
        return self._sample_of(difficulty, None)

    def _sample_of(self, difficulty: float, category: str | None) -> Problem:
        draws = Draws(self.np_random)
        kind: Category = draws.pick(CATEGORIES)
        for known in CATEGORIES:
            kind = known if known == category else kind
        return sample_problem(draws, kind, difficulty)


def _plain(answer: str) -> str:
    """Return an answer without what does not matter: case, blanks, a final full stop."""
    text = " ".join(answer.split())
    if "|" in text or ";" in text:
        text = _MARKS.sub(r"\1", text)
    return text.removesuffix(".").casefold()
