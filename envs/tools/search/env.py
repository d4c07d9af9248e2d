"""Search: answer questions whose facts stand on several pages.

Left out: pages that change during an episode, and answers of several words that are right in part.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.splits import Split
from zerogym.envs.tools.calculator.calculator import Calculator
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.search.corpus import MAX_HITS
from zerogym.envs.tools.search.engine import (
    Find,
    Library,
    OpenPage,
    Search,
    SearchState,
    SimulatedSearch,
)
from zerogym.envs.tools.search.index import tokens
from zerogym.envs.tools.search.own import corpus_at, read_questions
from zerogym.envs.tools.search.pages import ground_of, one_letter_off, random_object
from zerogym.envs.tools.search.questions import (
    MISSING,
    SHARES,
    SearchProblem,
    edited,
    sample_problem,
)
from zerogym.envs.tools.search.rubric import rubric_share, without_citations
from zerogym.envs.tools.tool import Tool
from zerogym.envs.tools.world import CallFormat, Judgement, ToolWorld
from zerogym.errors import UnknownName

ENGINES = ("bm25", "simulated")
_RULES = (
    "The answer is a name or a number. A name in the question may have one wrong letter, and two "
    "people may have one name. Where two editions of a page disagree, the later one counts. If the "
    f"documents do not give the answer, it is: {MISSING}."
)
_CITATIONS = (
    "After the first line of the answer, name what you found on the way, a line each, with the "
    "ids of the pages that state it in brackets."
)


class SearchEnv(ToolWorld[SearchProblem]):
    """Search generated documents for the facts on the way to an answer.

    Description:
        The documents are pages about invented towns, rivers, guilds and people. A question is a
        walk over `hops` facts: "What is the founding year of the birthplace of the teacher of
        Mira Tolvan?" Each page of the walk has to be found, by the name that the page before
        states. One thing may make it harder (the category): a page of the walk is lost or does not
        state the fact, and the answer is "not in the documents"; a page has two editions that
        disagree, and the later one counts; the name in the question is misspelt; two people have
        that name, and the question states a further fact of the right one; the answer is the
        difference of two years, and there is a calculator. The facts of the walk are drawn anew
        for each question, so that a policy cannot know them by heart.

    Observation:
        First the question and the tools; then the results of the calls. A search lists ids and
        titles. With `engine="simulated"` it shows documents about the best match instead, each of
        which is false with probability `noise`.

    Action:
        The reply as text: calls of `search` (words), `open` (an id) and `find` (words in a page);
        or the answer, `<answer>...</answer>`. Ids in brackets after it are citations. With
        `engine="simulated"` there is `search` only.

    Reward:
        At the answer: 1 if its first line is right, whatever its case and signs, else 0. With
        `rubric_weight` w it is 1 - w + w * share of the walk's facts that the answer proves:
        entities named, a cited page that was read, a chain to the answer (`rubric.py`).
        `info["rubric"]` is that share in any case, `info["evidence_recall"]` the share of the
        walk's pages that have been read. Each turn adds `progress_weight` times what that share
        has grown by; `info["score"]` is without it.

    Episode end:
        At the answer; truncated without reward after `max_turns` replies, and with score 0 at a
        call beyond `max_calls`.

    Difficulty:
        A question of `1 + difficulty` facts, at most 8; a fractional part is the chance of one
        more. A difference needs two at least.

    Arguments:
        `difficulty` (default 1), `split`, `category` (plain, missing, conflict, misspelt,
        ambiguous, difference), `documents` (how many there are, from 100 to 1,000,000; default 640;
        a process draws a corpus once, a million in about a minute and 3 GB), `engine` (`bm25` or
        `simulated`), `noise` (0 to 1: the probability of a false document of the simulated engine,
        else of an advert after each sentence and of a dead link for each page of the walk),
        `first_failure` (the probability that the first search of the episode finds nothing, or
        nothing relevant), `results` (documents a search shows, default 5), `rubric_weight` and
        `progress_weight` (default 0), `corpus` and `questions` (paths of one's own documents, a
        folder or JSON lines, and of questions, JSON lines with `question`, `answer` and perhaps
        `evidence`, a list of ids; both or none), `max_turns` (default 26), `max_calls` (default
        24), `call_cost`, `format`, `render_mode`.
        `reset(options={"noise": p})` sets the noise of one episode, for a curriculum
        (`prompts="zero_search"`).

    Example:
        >>> env = SearchEnv(difficulty=0, category="plain")
        >>> env.reset(seed=1)[0].splitlines()[0]
        'What is the birthplace of Sukroul Truzesk?'
        >>> print(env.step("<search>Sukroul Truzesk</search>")[0])
        <result>
        1. [p116] Sukroul Truzesk
        2. [p173] Vuven Rostoul
        </result>
        >>> print(env.step('<find>{"id": "p116", "words": "born cradle"}</find>')[0])
        <result>
        The cradle of Sukroul Truzesk stood in Neibaetein.
        </result>
        >>> env.step("<answer>Neibaetein</answer>")[1]
        1.0

    Source:
        Long walks and a turn limit: "Beyond Ten Turns: Unlocking Long-Horizon Agentic Search with
        Large-Scale Asynchronous RL" (2025, arXiv 2508.07976). The simulated engine and its noise:
        "ZeroSearch: Incentivize the Search Capability of LLMs without Searching" (2025, arXiv
        2505.04588); `noise_probability` is its schedule. First searches that fail: "ReZero:
        Enhancing LLM search ability by trying one-more-time" (2025, arXiv 2504.11001). Citations:
        "Chaining the Evidence: Robust Reinforcement Learning for Deep Search Agents with
        Citation-Aware Rubric Rewards" (2026, arXiv 2601.06021). Rewards of progress: "IM-RAG:
        Multi-Round Retrieval-Augmented Generation Through Learning Inner Monologues" (2024, arXiv
        2405.13021). Noisy pages: "DeepResearcher: Scaling Deep Research via Reinforcement Learning
        in Real-world Environments" (2025, arXiv 2504.03160). Two tools: "Tool-Star: Empowering
        LLM-Brained Multi-Tool Reasoner via Reinforcement Learning" (2025, arXiv 2505.16410). Their
        documents are the web's and Wikipedia's, their rewards are F1 or a language model's; ours
        are generated and exact.
    """

    problem_class = SearchProblem
    default_turns = 26
    default_calls = 24
    categories: ClassVar[tuple[str, ...]] = tuple(SHARES)

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        documents: int = 640,
        engine: Literal["bm25", "simulated"] = "bm25",
        noise: float = 0.0,
        first_failure: float = 0.0,
        results: int = 5,
        rubric_weight: float = 0.0,
        progress_weight: float = 0.0,
        corpus: str | Path | None = None,
        questions: str | Path | None = None,
        max_turns: int | None = None,
        max_calls: int | None = None,
        call_cost: float = 0.0,
        format: CallFormat = "tag",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            difficulty, split, category, max_turns, max_calls, call_cost, format, render_mode
        )
        if engine not in ENGINES:
            raise UnknownName("engine", engine, list(ENGINES))
        self.noise = self._noise = self._share("noise", noise)
        self.first_failure = self._share("first_failure", first_failure)
        self.rubric_weight = self._share("rubric_weight", rubric_weight)
        self.progress_weight = self._share("progress_weight", progress_weight)
        sizes = {"documents": (documents, 100, 10**6), "results": (results, 1, MAX_HITS)}
        for name, (size, least, most) in sizes.items():
            if isinstance(size, bool) or not isinstance(size, int) or not least <= size <= most:
                raise ValueError(
                    f"{self.name}: {name} must be an int from {least} to {most}, got {size!r}"
                )
        if (corpus is None) != (questions is None):
            raise ValueError(f"{self.name}: corpus and questions must be given together")
        if corpus is not None and (engine != "bm25" or noise):
            raise ValueError(f"{self.name}: documents from files have no noise and no other engine")
        if corpus is not None and category is not None:
            raise ValueError(f"{self.name}: questions from a file have no category")
        self.documents, self.engine, self.results = documents, engine, results
        self._own: tuple[SearchProblem, ...] = ()
        if corpus is not None and questions is not None:
            self._own = read_questions(questions, corpus)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one reply; reward progress, too, if that has a weight."""
        before = self._recall()
        observation, reward, terminated, truncated, info = super().step(action)
        reward += self.progress_weight * (info["evidence_recall"] - before)
        return observation, reward, terminated, truncated, info

    def random_action(self, rng: np.random.Generator) -> str:
        """Answer at once with a random thing of the right kind, or year."""
        problem: SearchProblem = self._running().problem
        if problem.pose is None or isinstance(problem.base, str):
            return "<answer>I do not know</answer>"
        relation, ground = problem.pose.relations[-1], ground_of(*problem.base)
        drawn = random_object(rng, ground, relation)
        if problem.pose.year is not None:
            drawn = str(abs(int(drawn) - int(random_object(rng, ground, relation))))
        return f"<answer>{drawn}</answer>"

    def _share(self, name: str, value: Any) -> float:
        """Return a share as it was given, if it is one."""
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not 0 <= value <= 1:
            raise ValueError(f"{self.name}: {name} must be from 0 to 1, got {value!r}")
        return float(value)

    def _pick(self, given: dict[str, Any] | None) -> tuple[SearchProblem, float]:
        options = dict(given or {})
        self._noise = self._share("noise", options.pop("noise", self.noise))
        if self._noise and self._own:
            raise ValueError(f"{self.name}: documents from files have no noise")
        problem, difficulty = super()._pick(options)
        if "noise" in (given or {}):
            problem = replace(problem, noise=self._noise)
        return problem, difficulty

    def _sample_of(self, difficulty: float, category: str | None) -> SearchProblem:
        if self._own:
            return self._own[int(self.np_random.integers(len(self._own)))]
        more, rest = divmod(difficulty, 1)
        hops = 1 + int(min(more, 8)) + bool(self.np_random.random() < rest)
        dead_links = self._noise if self.engine == "bm25" else 0.0
        problem = sample_problem(
            self.np_random, self.documents, hops, category, dead_links, self.first_failure
        )
        return replace(problem, noise=self._noise)

    def _sample(self, difficulty: float) -> SearchProblem:
        return self._sample_of(difficulty, None)

    def _is_sound(self, problem: SearchProblem) -> bool:
        """Return whether the expert finds its pages, and the answer is shown at the end only."""
        if problem.pose is None:
            return True
        corpus = self._library(problem).corpus
        named = problem.pose.written
        near = {hit.title for hit in corpus.search(named, MAX_HITS)}
        near = {title for title in near if one_letter_off(title, named)}
        if near - ({problem.pose.start} if problem.category == "misspelt" else set()):
            return False  # a lost page could be a misspelt name
        shown = [problem.question]
        for query, ids in problem.visits:
            hits = corpus.search(query, self.results)
            if not hits or not {hit.id for hit in hits} >= set(ids):
                return False
            if ids and self.engine == "simulated" and hits[0].id not in ids:
                return False  # the engine writes about the best match
            shown += [f"{hit.id} {hit.title}" for hit in hits]
            shown += [f"{corpus.document(id).title} {corpus.document(id).text}" for id in ids]
        if problem.category == "difference":
            shown.append("")  # the calculator's result
        before = " ".join(shown[:-1]).lower()
        return problem.category == "missing" or problem.answer.lower() not in before

    def _library(self, problem: SearchProblem) -> Library:
        own = isinstance(problem.base, str)
        ground = None if own else ground_of(*problem.base)
        corpus = corpus_at(problem.base) if ground is None else ground.corpus
        return Library(problem, edited(problem, corpus), ground, self.results)

    def _toolbox(self, problem: SearchProblem) -> Sequence[Tool]:
        library = self._library(problem)
        computing = [Calculator()] if problem.category == "difference" else []
        if self.engine == "simulated":
            return [SimulatedSearch(library), *computing]
        return [Search(library), OpenPage(library), Find(library), *computing]

    def _new_state(self, problem: SearchProblem) -> SearchState:
        return SearchState()

    def _plan(self, problem: SearchProblem) -> Sequence[Call]:
        calls: list[Call] = []
        for query, ids in problem.visits:
            calls += [Call("search", {"query": query})] * (1 if calls or not problem.first else 2)
            if self.engine == "bm25":
                calls += [Call("open", {"id": id}) for id in ids]
        if problem.category == "difference":
            early, late = sorted(problem.ends)  # years of four digits
            calls.append(Call("calculator", {"expression": f"{late} - {early}"}))
        return calls

    def _task(self, problem: SearchProblem) -> str:
        rules = "" if problem.pose is None else f"\n{_RULES}"
        return problem.question + rules + (f"\n{_CITATIONS}" if self.rubric_weight else "")

    def _answer(self, problem: SearchProblem) -> str:
        lines = [problem.answer]
        read = self._episode.state.read
        for fact in problem.facts if self.rubric_weight else ():
            ids = [id for id, facts in read.items() if fact in facts][:1]
            lines.append(f"{fact.subject}: {fact.object}" + "".join(f" [{id}]" for id in ids))
        return "\n".join(lines)

    def _judge(self, problem: SearchProblem, state: SearchState, answer: str) -> Judgement:
        first = next((line for line in answer.splitlines() if line.strip()), "")
        right = _bare(first) == _bare(problem.answer)
        share = rubric_share(problem.facts, problem.ends, answer, state.read)
        if problem.category == "missing":
            share = float(right)  # there is nothing to cite
        score = right * (1 - self.rubric_weight + self.rubric_weight * share)
        feedback = "" if score == 1 else "Wrong." if not right else "Right, but not proved."
        return Judgement(float(score), feedback, {"rubric": share})

    def _info(self) -> dict[str, Any]:
        return super()._info() | {"evidence_recall": self._recall()}

    def _recall(self) -> float:
        """The share of the pages with the facts that has been read; 1 if there are none."""
        episode = self._running()
        evidence = episode.problem.evidence
        read = sum(id in episode.state.pages for id in evidence)
        return read / len(evidence) if evidence else 1.0


def _bare(text: str) -> list[str]:
    """Return the words of an answer without its citations and its article."""
    found = tokens(without_citations(text)[:1000])
    return found[1:] if found[:1] == ["the"] else found
