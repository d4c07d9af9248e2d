"""Language models that join a suite by name: a folder, a hub id, or a model that a server hosts.

A guest sits every exam that the suite's own language models sit, with fewer episodes, because it
may be slow or cost money. What servers charge stands in the results.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from zerogym.agents.llm.generation.cost import Usage
from zerogym.agents.llm.models.endpoints import is_server, read_server
from zerogym.benchmarks.results.results_file import Record
from zerogym.benchmarks.results.schema import Contender, Suite, World
from zerogym.benchmarks.suites import contenders as build

EPISODES = 100  # at most, a variant


def with_guests(suite: Suite, names: Sequence[str]) -> Suite:
    """The suite with a contender for each name that `load_generator` takes.

    Raises:
        ModelNotFound, UnknownName, ValueError: If the name of a server is wrong.
    """
    known = {contender.name for contender in suite.contenders}
    guests = tuple(_guest(name) for name in dict.fromkeys(names) if name not in known)
    own = {contender.name for contender in suite.contenders if contender.lane == "language"}
    worlds = tuple(
        _open(world, guests) if own.intersection(world.contenders) else world
        for world in suite.worlds
    )
    return replace(suite, worlds=worlds, contenders=(*suite.contenders, *guests))


def _guest(name: str) -> Contender:
    title = read_server(name).model if is_server(name) else name
    return Contender(
        name,
        title.rstrip("/").rpartition("/")[2],
        f"The language model {name} as it is, greedy.",
        partial(build.language_model, name=name),
        view="text",
        lane="language",
        seconds=60,
    )


def _open(world: World, guests: Sequence[Contender]) -> World:
    few = min(EPISODES, world.episodes)
    return replace(
        world,
        contenders=(*world.contenders, *(guest.name for guest in guests)),
        limits={**world.limits, **{guest.name: few for guest in guests}},
    )


def bills(records: Iterable[Record]) -> dict[str, Usage]:
    """What each contender has cost in all, those without a server left out."""
    total: dict[str, Usage] = {}
    for record in records:
        if "cost" in record:
            total.setdefault(record["contender"], Usage()).add_costs(record["cost"])
    return total
