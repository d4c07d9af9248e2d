"""The suite of worlds with tools: `zerogym bench tools`.

The simplest rival of every policy is the expert that stops one call too early and answers what it
knows: where it scores much, a world needs fewer calls than its plan has.
"""

from functools import partial

from zerogym.benchmarks.results.schema import Agent, Suite, World
from zerogym.benchmarks.suites import agents as build
from zerogym.benchmarks.suites.suites import AGENTS

PLAYERS = ("random", "short_plan", "tiny", "smollm2", "oracle")

world = partial(
    World,
    agents=PLAYERS,
    episodes=100,
    kwargs={"split": "test"},
    reply_tokens=96,
    batch=16,
    limits={"tiny": 32, "smollm2": 6},
)

WORLDS = (
    world(
        "SQL",
        "zerogym/SQL-v0",
        "A question about an unknown database.",
        agents=tuple(player for player in PLAYERS if player != "short_plan"),
        stop=("</sql>",),
    ),
    world("Functions", "zerogym/Functions-v0", "Functions over a hidden database, and its rules."),
    world("NovelLib", "zerogym/NovelLib-v0", "Programs over a library with invented names."),
    world("Shell", "zerogym/Shell-v0", "Files to look through and to change with bash."),
    world("RepoFix", "zerogym/RepoFix-v0", "A small repository with a bug and failing tests."),
    world("Terminal", "zerogym/Terminal-v0", "Jobs over files, archives, logs and a database."),
    world("Search", "zerogym/Search-v0", "A walk over facts of documents that a search finds."),
    world("Web", "zerogym/Web-v0", "A task on a site of pages, links and forms."),
    world(
        "Router", "zerogym/Router-v0", "Facts that only experts of their topics know, at a price."
    ),
)

SHORT_PLAN = Agent(
    "short_plan",
    "plan - 1",
    "The expert's calls but the last one, then the answer `unknown`.",
    build.short_plan,
    seconds=2,
)
TOOLS = Suite(
    "tools", WORLDS, tuple(a for a in (*AGENTS[:1], SHORT_PLAN, *AGENTS[1:]) if a.name in PLAYERS)
)
