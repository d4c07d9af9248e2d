"""Router: choose experts by their topics and prices, and put their answers together.

Left out: experts that know a part of a topic, or reply at length to a question about several facts,
and the latencies that the source's descriptions of models name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.router.experts import LARGEST, POOLS, Expert, described, pool
from zerogym.envs.tools.router.facts import (
    BY_NAME,
    RELATIONS,
    TOPICS,
    Facts,
    in_words,
    sample_chain,
    sample_facts,
)
from zerogym.envs.tools.router.reward import cost_reward, router_reward
from zerogym.envs.tools.tool import Tool, ToolResult
from zerogym.envs.tools.world import CallFormat, Judgement, ToolWorld

MAX_HOPS = 5
HOPS = ("one", "two", "three", "four", "five")
Reward = Literal["gated", "sum"]
_LETTERS = re.compile(r"[^\W\d_]+")
_PROMPT = """\
Answer a question about a world of invented names, of which only experts know the facts.
An expert is right about every fact of its topics, and just as firm, but wrong, about all others.
Each call is one question about one fact, for example "the founder of Tomiva". Experts and prices:
{experts}
Topics: {topics}.
Call as cheap experts as the question allows, then give the answer: one name.
Question: What is {question}?"""


@dataclass(frozen=True)
class RouterProblem:
    """A pool, a world of facts and a chain of relations.

    Attributes:
        pool: The number of the pool of experts.
        experts: How many of them there are, the dear one that knows all included.
        facts: The world.
        start: The thing that the question begins with.
        chain: Names of relations, the first of them applied first.
    """

    pool: int
    experts: int
    facts: Facts
    start: str
    chain: tuple[str, ...]

    @property
    def question(self) -> str:
        return in_words(self.start, self.chain)

    @property
    def category(self) -> str:
        return HOPS[len(self.chain) - 1]

    @property
    def answer(self) -> str:
        return self.facts.follow(self.start, self.chain)[-1]

    def team(self) -> list[Expert]:
        """Return the experts of the problem."""
        return list(pool(self.pool)[: self.experts])

    def cheapest(self) -> list[Expert]:
        """Return, for each relation of the chain, the cheapest expert that knows its topic."""
        return [
            min((e for e in self.team() if BY_NAME[name].topic in e.topics), key=lambda e: e.cost)
            for name in self.chain
        ]

    @property
    def least(self) -> int:
        """The cost of the cheapest calls that lead to the answer."""
        return sum(expert.cost for expert in self.cheapest())

    @property
    def most(self) -> int:
        """The cost from which on the cost reward is 0: twice the dearest expert at each step."""
        return 2 * len(self.chain) * max(expert.cost for expert in self.team())


@dataclass
class Spent:
    """The state of an episode: the cost of all answers so far."""

    cost: int = 0


class Route(Tool):
    """Puts a question to an expert."""

    name = "route"
    description = "Puts a question about one fact to an expert, whose answer has its price."
    parameters: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {
            "expert": {"type": "string", "maxLength": 40, "description": "the expert's name"},
            "question": {
                "type": "string",
                "maxLength": 400,
                "description": "one relation of one name",
            },
        },
        "required": ["expert", "question"],
        "additionalProperties": False,
        "examples": [{"expert": "Sefavoli", "question": "the founder of Tomiva"}],
    }
    body = "question"

    def __init__(self, problem: RouterProblem) -> None:
        self._facts = problem.facts
        self._team = {expert.name.lower(): expert for expert in problem.team()}

    def call(self, arguments: Mapping[str, Any], state: Spent) -> ToolResult:
        """Return the expert's answer; a question that it does not understand costs nothing."""
        expert = self._team.get(arguments["expert"].strip().lower())
        if expert is None:
            names = ", ".join(each.name for each in self._team.values())
            return ToolResult(f"There is no such expert. Experts: {names}.", ok=False)
        reply = expert.reply(self._facts, arguments["question"])
        if reply is None:
            why = "The question must name one relation and one thing that has it."
            return ToolResult(f"{why} Example: the founder of Tomiva", ok=False)
        state.cost += expert.cost
        return ToolResult(f"{reply}\n(cost {expert.cost}, so far {state.cost})")


class RouterEnv(ToolWorld[RouterProblem]):
    """Answer a question by routing its parts to simulated experts of known skills and prices.

    Description:
        A world of invented facts (cities, firms, persons, songs, ...) and a pool of experts. An
        expert is right about all facts of its topics and wrong about all others, and its answers
        sound the same; each has a price a word and a number of words. One of them knows everything
        and is dear. The question is a chain of relations, and each answer is the start of the next
        question. Experts of the test split have never been met in the train split: a policy has to
        read their descriptions.

    Observation:
        First the experts and the question; then each call's answer with its cost.

    Action:
        The reply as text: `route` with an expert and a question about one fact, or the answer.

    Reward:
        At the answer. With `reward="gated"`: 0 for a wrong answer, else `1 - alpha + alpha * c`,
        where the cost reward `c` is 1 at the cost of the cheapest right calls and falls with the
        square root of the cost to 0 (`reward.py`). With `reward="sum"`, the source's: `(1 - alpha)
        * right + alpha * c`, so that a wrong answer without calls has `alpha`. `info` has
        `outcome`, `cost_reward` and `spent`.

    Episode end:
        At the answer; truncated without reward after `max_turns` replies.

    Difficulty:
        A chain of `1 + difficulty` relations (at most 5; a fractional part is the chance of one
        more) and `4 + difficulty` experts (at most 9).

    Arguments:
        `difficulty` (default 1), `split`, `category` (length of the chain: one, two, three, four,
        five), `max_turns` (default 10), `max_calls` (default 8), `call_cost`, `format`,
        `render_mode`; `alpha` (default 0.2, from 0 to 1) and `reward` (`gated` or `sum`). The
        defaults, prices and topics are our choice.

    Example:
        >>> env = RouterEnv(difficulty=0)
        >>> prompt, info = env.reset(seed=0)
        >>> print(prompt[prompt.index("Question") :].splitlines()[0])
        Question: What is the founder of Zibetu?
        >>> print(env.oracle_action())
        <route>{"expert": "...", "question": "the founder of Zibetu"}</route>
        >>> print(env.step(env.oracle_action())[0])
        <result>
        The founder of Zibetu is Hereza ...
        (cost 243, so far 243)
        </result>
        >>> env.step("<answer>Hereza</answer>")[1]
        1.0

    Source:
        "Router-R1: Teaching LLMs Multi-Round Routing and Aggregation via Reinforcement Learning"
        (2025, arXiv 2506.09033): routing in rounds, descriptions of the candidates, new candidates
        at test time, the sum of outcome and cost. Its candidates are language models and its
        questions those of seven sets; ours are generated.
    """

    problem_class = RouterProblem
    default_turns = 10
    default_calls = 8
    categories: ClassVar[tuple[str, ...]] = HOPS

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
        alpha: float = 0.2,
        reward: Reward = "gated",
    ) -> None:
        super().__init__(
            difficulty, split, category, max_turns, max_calls, call_cost, format, render_mode
        )
        if not 0 <= alpha <= 1:
            raise ValueError(f"{self.name}: alpha must be from 0 to 1, got {alpha!r}")
        if reward not in ("gated", "sum"):
            raise ValueError(f"{self.name}: reward must be 'gated' or 'sum', got {reward!r}")
        self.alpha, self.reward = float(alpha), reward

    def random_action(self, rng: np.random.Generator) -> str:
        """Any experts for the right questions, one after the other: wrong topics are likely."""
        episode, problem = self._running(), self._running().problem
        thing = episode.problem.start
        for call, relation in zip(episode.log, problem.chain, strict=False):
            expert = next(e for e in problem.team() if e.name == call.arguments["expert"])
            thing = expert.value(problem.facts, relation, thing)
        done = len(episode.log)
        if done >= len(problem.chain):
            return f"<answer>{thing}</answer>"
        expert = problem.team()[int(rng.integers(problem.experts))]
        question = in_words(thing, (problem.chain[done],))
        arguments = {"expert": expert.name, "question": question}
        return self.format.write(self._tools()["route"], arguments)

    @classmethod
    def canonical_key(cls, problem: RouterProblem) -> str:
        """Return the pool: none is on both sides."""
        return str(problem.pool)

    def _toolbox(self, problem: RouterProblem) -> Sequence[Tool]:
        return [Route(problem)]

    def _new_state(self, problem: RouterProblem) -> Spent:
        return Spent()

    def _plan(self, problem: RouterProblem) -> Sequence[Call]:
        things = problem.facts.follow(problem.start, problem.chain)
        steps = zip(problem.cheapest(), problem.chain, things, strict=False)
        return [
            Call("route", {"expert": expert.name, "question": in_words(thing, (relation,))})
            for expert, relation, thing in steps
        ]

    def _answer(self, problem: RouterProblem) -> str:
        return problem.answer

    def _judge(self, problem: RouterProblem, state: Spent, answer: str) -> Judgement:
        words = [word for word in _LETTERS.findall(answer.casefold()[:200]) if word != "the"]
        outcome = float(words == [problem.answer.casefold()])
        cost = cost_reward(state.cost, problem.least, problem.most)
        score = router_reward(outcome, cost, self.alpha)
        if self.reward == "gated":
            score *= outcome
        info = {"outcome": outcome, "cost_reward": cost, "spent": state.cost}
        feedback = "Right, but at a higher cost than needed." if outcome else "That is wrong."
        return Judgement(score, "" if score == 1.0 else feedback, info)

    def _task(self, problem: RouterProblem) -> str:
        known = {topic: [r.name for r in RELATIONS if r.topic == topic] for topic in TOPICS}
        return _PROMPT.format(
            experts="\n".join(map(described, problem.team())),
            topics="; ".join(f"{topic} ({', '.join(names)})" for topic, names in known.items()),
            question=problem.question,
        )

    def _sample(self, difficulty: float) -> RouterProblem:
        return self._sample_of(difficulty, None)

    def _sample_of(self, difficulty: float, category: str | None) -> RouterProblem:
        rng = self.np_random
        level = min(difficulty, 10.0)
        hops = min(MAX_HOPS, 1 + int(level) + (rng.random() < level % 1))
        if category is not None:
            hops = 1 + HOPS.index(category)
        experts = min(LARGEST, 4 + int(level))
        facts = sample_facts(rng, 8)
        found = None
        while found is None:
            found = sample_chain(rng, facts, hops)
        return RouterProblem(int(rng.integers(POOLS)), experts, facts, *found)
