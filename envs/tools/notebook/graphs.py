"""Graphs: the cheapest way through a network of one-way roads."""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick, picks, shuffled
from zerogym.envs.tools.notebook.puzzle import INTEGER, FilePuzzle, sample_names, scaled

MAX_PLACES = 400
MAX_STOPS = 3
Road = tuple[str, str, int]

Kind = Literal["cheapest", "reachable"]
# Lines of a file and the pattern that reads them; the last is JSON instead.
STYLES = (
    ("{a} {b} {cost}", r"(\w+) (\w+) (\d+)"),
    ("{a} -> {b}: {cost}", r"(\w+) -> (\w+): (\d+)"),
    ("{cost};{a};{b}", r"(?P<cost>\d+);(?P<a>\w+);(?P<b>\w+)"),
    ("from {a} to {b} for {cost}", r"from (\w+) to (\w+) for (\d+)"),
    ("json", ""),
)


@dataclass(frozen=True)
class GraphPuzzle(FilePuzzle):
    """Roads with costs, and a question about what is cheapest.

    Attributes:
        roads: One-way, with their costs.
        style: Number of the style of the file.
        kind: `cheapest` way along all stops in order, or the sum of the cheapest costs from the
            first stop to every place that is `reachable`.
        stops: Places, in order.
        most: Roads that cost more are closed; None if all are open.
    """

    category: ClassVar[str] = "graph"
    roads: tuple[Road, ...]
    style: int
    kind: Kind
    stops: tuple[str, ...]
    most: int | None

    @property
    def file(self) -> str:
        return f"{self.name}.{'json' if STYLES[self.style][0] == 'json' else 'txt'}"

    @property
    def question(self) -> str:
        start, *between, goal = self.stops
        line = STYLES[self.style][0]
        columns = "from where, to where, and the cost"
        if line.startswith("{cost}"):
            columns = "the cost, from where, and to where"
        if line != "json":
            columns += ", in this order on each line"
        closed = "" if self.most is None else f" Roads that cost more than {self.most} are closed."
        via = f" by way of {', then '.join(between)}" if between else ""
        question = {
            "cheapest": f"What is the least total cost of a way from {start} to {goal}{via}?",
            "reachable": f"What does the cheapest way from {start} to each other place that can be "
            "reached from there cost, summed over those places?",
        }[self.kind]
        return f"The file {self.file} lists one-way roads: {columns}.{closed} {question} {INTEGER}"

    def text(self) -> str:
        line = STYLES[self.style][0]
        if line == "json":
            table: dict[str, list[dict[str, object]]] = {}
            for a, b, cost in self.roads:
                table.setdefault(a, []).append({"to": b, "cost": cost})
            return json.dumps({"roads": table}, indent=1)
        return "".join(f"{line.format(a=a, b=b, cost=cost)}\n" for a, b, cost in self.roads)

    def solve(self) -> str:
        if self.kind == "reachable":
            return str(sum(self._costs(self.stops[0]).values()))
        return str(sum(self._costs(a)[b] for a, b in pairwise(self.stops)))

    def is_sound(self) -> bool:
        if self.kind == "reachable":
            return len(self._costs(self.stops[0])) > 4
        return all(b in self._costs(a) for a, b in pairwise(self.stops))

    def _costs(self, start: str) -> dict[str, int]:
        """The least cost to every place, by relaxing all roads until nothing changes."""
        costs = {start: 0}
        open_roads = [r for r in self.roads if self.most is None or r[2] <= self.most]
        changed = True
        while changed:
            changed = False
            for a, b, cost in open_roads:
                if a in costs and costs[a] + cost < costs.get(b, 10**9):
                    costs[b] = costs[a] + cost
                    changed = True
        return costs

    def program(self) -> str:
        line, pattern = STYLES[self.style]
        named = line.startswith("{cost}")
        read = _JSON if line == "json" else _NAMED if named else _LINES
        most = 10**9 if self.most is None else self.most
        head = read.format(file=self.file, pattern=pattern)
        finish = f"print(sum(costs({self.stops[0]!r}).values()))"
        if self.kind == "cheapest":
            stops = list(self.stops)
            finish = f"stops = {stops!r}\nprint(sum(costs(a)[b] for a, b in zip(stops, stops[1:])))"
        return head + _DIJKSTRA.format(most=most) + finish


_LINES = """\
import re
roads = [(a, b, int(c)) for a, b, c in re.findall({pattern!r}, open({file!r}).read())]
"""
_NAMED = """\
import re
found = re.finditer({pattern!r}, open({file!r}).read())
roads = [(m["a"], m["b"], int(m["cost"])) for m in found]
"""
_JSON = """\
import json
table = json.load(open({file!r}))["roads"]
roads = [(a, way["to"], way["cost"]) for a in table for way in table[a]]
"""
_DIJKSTRA = """\
import heapq
ways = {{}}
for a, b, cost in roads:
    if cost <= {most}:
        ways.setdefault(a, []).append((b, cost))
def costs(start):
    done, queue = {{}}, [(0, start)]
    while queue:
        cost, place = heapq.heappop(queue)
        if place not in done:
            done[place] = cost
            for b, more in ways.get(place, []):
                heapq.heappush(queue, (cost + more, b))
    return done
"""


def sample_graph(rng: np.random.Generator, difficulty: float, hidden: bool) -> GraphPuzzle:
    """From about 14 places; stops between from difficulty 1 on, closed roads from 2 on."""
    count = scaled(rng, difficulty, 14, MAX_PLACES)
    name, *places = sample_names(rng, count + 1)
    roads = {}
    for a in places:
        for b in picks(rng, places, 3):
            if a != b:
                roads[a, b] = 0
    costs = draw_ints(rng, 10, 199, len(roads))
    listed = [(a, b, cost) for (a, b), cost in zip(roads, costs, strict=True)]
    stops = 2 + (draw_int(rng, 0, min(MAX_STOPS, int(difficulty))) if difficulty >= 1 else 0)
    return GraphPuzzle(
        hidden=hidden,
        name=name,
        roads=tuple(shuffled(rng, listed)),
        style=draw_int(rng, 1, len(STYLES) - 1) if hidden else 0,
        kind=pick(rng, ("cheapest", "cheapest", "reachable")),
        stops=tuple(shuffled(rng, places)[:stops]),
        most=draw_int(rng, 140, 180) if difficulty >= 2 else None,
    )
