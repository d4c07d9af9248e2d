"""Language models that join a suite by name: a folder, a hub id, or a model that a server hosts.

An external model is evaluated wherever the suite's own language models are, with fewer episodes,
because it may be slow or cost money. The usage that servers report is in the results.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from zerogym.agents.llm.generation.cost import Usage
from zerogym.agents.llm.models.endpoints import is_server, read_server
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import Agent, Suite
from zerogym.benchmarks.suites import agents as build

EPISODES = 100  # at most, a variant


def with_external_models(suite: Suite, names: Sequence[str]) -> Suite:
    """Return the suite with an agent for each name that `load_generator` takes.

    Raises:
        ModelNotFound, UnknownName, ValueError: If the name of a server is wrong.
    """
    known = {agent.name for agent in suite.agents}
    added = tuple(_agent(name) for name in dict.fromkeys(names) if name not in known)
    writers = {agent.name for agent in suite.agents if agent.lane == "language"}
    worlds = tuple(
        replace(
            world,
            agents=(*world.agents, *(agent.name for agent in added)),
            limits={**world.limits, **{a.name: min(EPISODES, world.episodes) for a in added}},
        )
        if writers.intersection(world.agents)
        else world
        for world in suite.worlds
    )
    return replace(suite, worlds=worlds, agents=(*suite.agents, *added))


def _agent(name: str) -> Agent:
    title = read_server(name).model if is_server(name) else name
    return Agent(
        name,
        title.rstrip("/").rpartition("/")[2],
        f"The language model {name} as it is, greedy.",
        partial(build.language_model, name=name),
        view="text",
        lane="language",
        seconds=60,
    )


def usage_by_agent(records: Iterable[Record]) -> dict[str, Usage]:
    """Return the total usage of each agent, those without a server left out."""
    total: dict[str, Usage] = {}
    for record in records:
        if "cost" in record:
            total.setdefault(record["contender"], Usage()).add_costs(record["cost"])
    return total
