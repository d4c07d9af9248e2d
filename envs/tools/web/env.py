"""Web: tasks on generated sites, over their pages as text."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.splits import Split
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.tool import Tool
from zerogym.envs.tools.web.browser import Browser
from zerogym.envs.tools.web.dom import TYPED, Node
from zerogym.envs.tools.web.expert import begun, plan_of
from zerogym.envs.tools.web.sample import MAX_ELEMENTS, TEMPLATES, sample_site
from zerogym.envs.tools.web.showing import point_in, show_page, show_window
from zerogym.envs.tools.web.site import Site
from zerogym.envs.tools.web.tools import Pointing, web_tools
from zerogym.envs.tools.world import CallFormat, Judgement, ToolWorld

_TASK = """\
{question}
Do it on the site that follows, and nothing else; then answer <answer>done</answer>. What the site \
keeps at the end counts.

{page}"""
_ANSWER_CHANCE, _BACK_CHANCE = 0.05, 0.05  # of the random policy, each turn


class WebEnv(ToolWorld[Site]):
    """Do a task on a generated site: fill in forms, search lists, book, order, answer mails.

    Description:
        A site with its pages, its data and a task are drawn from the seed, from one of 19
        templates. Pages are trees of elements (links, forms, fields, tables); the server's data
        changes when a form is sent. There are no scripts, so that the same site works over HTTP in
        any browser (`zerogym.envs.tools.web.server`).

    Observation:
        First the task and the first page; then the page after the last call. Pages are
        accessibility trees: a line an element, those of a row in one line. With
        `pointing="number"` elements that can be used have a number in front, counted on each page;
        with `pointing="point"` the part of the page that stands in a window of 960 x 640 pixels is
        shown, with the box of every element.

    Action:
        A reply with calls of the tools: `click`, `type`, `select`, `back` by number; `click_at`,
        `type`, `select` (at the focus), `scroll`, `back` by point. A reply without a call ends the
        episode; what it says does not matter.

    Reward:
        1 if the server's data is exactly that which the task requires, else 0: a form that was sent
        twice, a wrong mail that was starred, a field too many are failures.

    Episode end:
        At a reply without a call; truncated without reward after `max_turns` replies.

    Difficulty:
        Lists grow and tasks have more steps, by template: at 0 the expert makes 3 to 7 calls, at 8
        up to 19 (by point about twice as many).

    Arguments:
        `difficulty` (default 1), `split`, `category` (a template: form, dropdowns, survey,
        checkboxes, login, wizard, settings, tabs, search, table, pages, compare, shop, basket,
        calendar, flights, inbox, articles, forum), `pointing` (`number` or `point`), `elements`
        (default 0: at least so many links, buttons and fields on the first page, at most 200),
        `done` (default 0: the share of the expert's steps that is carried out before the episode
        begins, below 1), `posed` (default 1: the share of the parts of an instruction that is
        posed, above 0, rounded up to whole parts; form, dropdowns, survey, checkboxes, settings and
        tabs have parts, the other templates pose the whole), `max_turns`, `max_calls`, `call_cost`,
        `format`, `render_mode`.

    Example:
        >>> env = WebEnv(difficulty=0, category="search")
        >>> prompt, info = env.reset(seed=0)
        >>> print(prompt[: prompt.index("You can")])
        Save the book "Amber" by "Carla Engel" to your list.
        Do it on the site that follows, and nothing else; then answer ...
        <BLANKLINE>
        page "Library"
        navigation:
          [1] link "Start"
        heading "Library"
        form:
          [2] text field "Title" = ""
          [3] button "Search"
        No books are shown. Search for a title.
        <BLANKLINE>
        <BLANKLINE>
        >>> env.step('<type>{"element": 2, "text": "Amber"}</type> <click>3</click>')[1]
        0.0
        >>> env.step("<answer>done</answer>")[-1]["feedback"]
        'Nothing has been changed on the site.'

    Source:
        Web forms of many elements, learned from a start near the goal: "Learning to Navigate the
        Web" (2018, arXiv 1812.09195): `done` is its warm start, and `posed` its subset of
        sub-instructions, both to be scheduled by who trains; its generator of instructions is left
        out. A binary reward of the end state over many turns:
        "WebAgent-R1: Training Web Agents via End-to-End Multi-Turn Reinforcement Learning" (2025,
        arXiv 2505.16421). Their sites are others; ours are generated.
    """

    problem_class = Site
    default_turns: ClassVar[int] = 66
    default_calls: ClassVar[int] = 64
    categories: ClassVar[tuple[str, ...]] = tuple(TEMPLATES)

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        pointing: Pointing = "number",
        elements: int = 0,
        done: float = 0.0,
        posed: float = 1.0,
        max_turns: int | None = None,
        max_calls: int | None = None,
        call_cost: float = 0.0,
        format: CallFormat = "tag",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            difficulty, split, category, max_turns, max_calls, call_cost, format, render_mode
        )
        if pointing not in ("number", "point"):
            raise ValueError(f"{self.name}: pointing must be number or point, got {pointing!r:.80}")
        if type(elements) is not int or not 0 <= elements <= MAX_ELEMENTS:
            raise ValueError(
                f"{self.name}: elements must be from 0 to {MAX_ELEMENTS}, got {elements!r:.80}"
            )
        if not isinstance(done, int | float) or not 0 <= done < 1:
            raise ValueError(f"{self.name}: done must be a number from 0 to below 1, got {done!r}")
        if not isinstance(posed, int | float) or not 0 < posed <= 1:
            raise ValueError(f"{self.name}: posed must be a number above 0, up to 1, got {posed!r}")
        self.pointing, self.elements = pointing, elements
        self.done, self.posed = float(done), float(posed)
        self._planned: tuple[Site, tuple[Call, ...]] | None = None

    def random_action(self, rng: np.random.Generator) -> str:
        """A random element of the page: clicked, or set to a random option or word of the task."""
        browser: Browser = self._running().state
        elements = browser.page.elements
        draw = rng.random()
        if draw < _ANSWER_CHANCE:
            return "<answer>done</answer>"
        number = int(rng.integers(len(elements))) + 1
        call = self._random_call(rng, browser, elements[number - 1], number)
        if draw < _ANSWER_CHANCE + _BACK_CHANCE:
            call = Call("back", {})
        return self.format.write(self._tools()[call.tool], call.arguments)

    def _random_call(
        self, rng: np.random.Generator, browser: Browser, node: Node, number: int
    ) -> Call:
        by_number = self.pointing == "number"
        set_now = by_number or browser.focus == number
        which = {"element": number} if by_number else {}
        if node.tag in TYPED and set_now:
            quoted = self._running().problem.question.split('"')[1::2] or ["Ada"]
            return Call("type", {**which, "text": quoted[int(rng.integers(len(quoted)))]})
        if node.tag == "select" and set_now:
            options = node.attributes["options"]
            return Call("select", {**which, "option": options[int(rng.integers(len(options)))]})
        if by_number:
            return Call("click", which)
        x, y = point_in(browser, number)
        return Call("click_at", {"x": x, "y": y - browser.top})

    def _sample(self, difficulty: float) -> Site:
        return self._sample_of(difficulty, None)

    def _sample_of(self, difficulty: float, category: str | None) -> Site:
        return sample_site(self.np_random, difficulty, category, self.elements, self.posed)

    def _toolbox(self, problem: Site) -> Sequence[Tool]:
        return web_tools(self.pointing)

    def _new_state(self, problem: Site) -> Browser:
        return begun(problem, self._done(problem))

    def _plan(self, problem: Site) -> Sequence[Call]:
        if self._planned is None or self._planned[0] is not problem:
            calls = plan_of(problem, self.pointing, self._done(problem))
            self._planned = (problem, tuple(calls))
        return self._planned[1]

    def _judge(self, problem: Site, state: Any, answer: str) -> Judgement:
        if state.data == problem.goal():
            return Judgement(1.0)
        same = state.data == problem.first_data()
        what = "Nothing has been changed on the site." if same else "The site keeps something else."
        return Judgement(0.0, what)

    def _answer(self, problem: Site) -> str:
        return "done"

    def _task(self, problem: Site) -> str:
        show = show_page if self.pointing == "number" else show_window
        page = show(begun(problem, self._done(problem)))
        return _TASK.format(question=problem.question, page=page)

    def _done(self, problem: Site) -> int:
        """Return how many of the expert's steps are carried out before the episode begins."""
        return int(self.done * len(problem.acts()))
